// A program as MSCCL's threadblocks: which steps each operation becomes, and what they wait for.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "allport/schedule/exchange.h"

namespace allport::msccl {

/// Bytes of a chunk and, for each stream, the MSCCL channel of its connection.
struct Plan {
  std::int64_t chunk = 0;
  int channels = 1;
  std::map<std::tuple<Rank, Rank, std::int32_t>, int> channel_of;  ///< by sender, receiver and channel of the stream
};

/// @throws Error(unsupported) when there are more connections than limits allow, Error(schedule) when streams have no
///         other end
[[nodiscard]] Plan plan(Schedule const& schedule, MscclLimits const& limits);

/// Another operation's segment of the same rank.
struct Wait {
  std::int32_t op = 0;
  std::int64_t segment = 0;
};

/// Chunks [from, from + count) of a buffer.
struct Place {
  Buffer buffer = Buffer::none;
  std::int64_t offset = 0;
};

enum class Act : std::uint8_t { nop, send, receive, copy, reduce };

struct Step {
  Act act = Act::nop;
  Place from;
  Place into;
  std::int64_t count = 0;
  std::int32_t block = -1;  ///< what it waits for: a step of another threadblock
  std::int64_t step = -1;
  bool awaited = false;  ///< another threadblock waits for it
};

/// A threadblock: one operation of the program.
struct Block {
  std::vector<Step> steps;
  std::vector<std::int64_t> last;  ///< of each segment
};

[[nodiscard]] std::vector<Block> blocks(Program const& program, Rank rank, std::int64_t chunk,
                                        MscclLimits const& limits);

}  // namespace allport::msccl
