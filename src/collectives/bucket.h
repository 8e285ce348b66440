// Buckets axis by axis (deck 2): blocks that lie side by side in one buffer are gathered along x, the lines' results
// along y, and so on; or reduced and scattered in the opposite order. Few messages: one a node and axis.
#pragma once

#include <cstdint>
#include <functional>

#include "streams.h"

namespace allport {

/// P blocks side by side in one buffer, in rank order, and what they are.
struct BlockRow {
  std::function<std::int64_t(Rank)> begin;            ///< of rank r's block; of all of them together for r = P
  std::function<Piece(Rank first, Rank last)> piece;  ///< of the blocks of a box of consecutive ranks
};

/// Every rank's block reaches everyone. `home`: the row's place, where this rank's block is or will be once `ready`.
/// Channels from `channel` on: bucket_channels(machine).
void bucket_allgather(Machine const& machine, Rank rank, Contract const& contract, Cut cut, BlockRow const& row,
                      Slot home, Ready ready, std::int32_t channel, Program& into);

/// Rows of all ranks are combined; this rank's block of the sum ends at `output`. Returns the operation that completes
/// it, at_once when nothing had to be done for an empty block.
std::int32_t bucket_reduce_scatter(Machine const& machine, Rank rank, Contract const& contract, Cut cut,
                                   BlockRow const& row, Slot input, Slot output, std::int32_t channel, Program& into);

[[nodiscard]] std::int32_t bucket_channels(Machine const& machine);

}  // namespace allport
