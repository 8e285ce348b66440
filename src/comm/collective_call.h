// A collective as its caller says it, by rank, becomes a contract over positions with the buffers that it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"

namespace allport::engine {

struct CommState;

/// Copies of a caller's blocks in the order of positions, where the caller's own memory is in another order or has
/// gaps.
class Staging {
 public:
  /// What is sent, before a start.
  void bring() {
    for (auto const& c : in_) std::memcpy(c.to, c.from, c.bytes);
    given_ = false;
  }
  /// What has come, once after each start.
  void give() {
    if (given_) return;
    given_ = true;
    for (auto const& c : out_) std::memcpy(c.to, c.from, c.bytes);
  }

 private:
  friend class Placing;
  struct Copy {
    std::byte* to;
    std::byte const* from;
    std::size_t bytes;
  };
  std::vector<std::byte> input_, output_;
  std::vector<Copy> in_, out_;
  bool given_ = true;
};

/// What is run for a call.
struct PlacedCall {
  Contract contract{};
  std::optional<Schedule> schedule{};  ///< none: schedule_for(contract)
  Buffers buffers{};
  std::unique_ptr<Staging> staging{};
};

/// What all ranks' calls of alltoall's v-variant come to, by position: bytes[source * ranks + destination].
using PairTable = std::vector<std::int64_t>;

/// @param pairs  of alltoall's v-variant; none: messages go straight from rank to rank
/// @throws Error(argument) naming what is wrong with the call
[[nodiscard]] PlacedCall place(CommState const& comm, CollectiveCall const& call, PairTable const* pairs = nullptr);

/// This rank's part of what exchange_pairs() is made of: 2 * ranks numbers by position, the bytes that it sends and
/// those that it expects. All are -1 where something is wrong with the call, which the ranks must hear of.
[[nodiscard]] std::vector<std::int64_t> pairs_of(CommState const& comm, CollectiveCall const& call,
                                                 std::string& trouble);
/// @param told  pairs_of() all positions, one after the other
/// @throws Error(mismatch) on every rank where a rank expects other bytes than it is sent
[[nodiscard]] PairTable agreed_pairs(CommState const& comm, std::vector<std::int64_t> const& reported);

}  // namespace allport::engine
