// Buckets axis by axis (Chan06): blocks that lie side by side in one buffer are gathered along x, the lines' results
// along y, and so on; or reduced and scattered in the opposite order. Few messages: one a node and axis.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "streams.h"

namespace allport {

/// P blocks side by side in one buffer, in rank order, and what they are.
struct BlockRow {
  std::function<std::int64_t(Rank)> begin;            ///< of rank r's block; of all of them together for r = P
  std::function<Piece(Rank first, Rank last)> piece;  ///< of the blocks of a box of consecutive ranks
};

/// Every rank's block reaches everyone. `home`: the row's place, where what arrives goes. `source`: the row's place
/// from which this rank sends, its own block being there once `ready`; `home` unless the rank has all blocks elsewhere.
/// Channels from `channel` on: bucket_channels(machine).
void bucket_allgather(Machine const& machine, Rank rank, Contract const& contract, Cut cut, BlockRow const& row,
                      Slot source, Slot home, Ready ready, std::int32_t channel, Program& into);

/// Block r of the root's row, at `source` there, reaches `output` on rank r: down one tree, ranks that follow each
/// other in one message. Returns the operation that completes `output`, at_once on the root, where nothing is copied.
/// O(ranks * depth) time. Channels from `channel` on: one a rank.
std::int32_t scatter_row(TreeSet const& tree, Rank rank, Contract const& contract, Cut cut, BlockRow const& row,
                         Slot source, Slot output, std::int32_t channel, Program& into);

/// Long-vector broadcast (Chan06): every rank's slice down a tree, then bucket allgather.
[[nodiscard]] Schedule scatter_allgather(Machine const& machine, TreeSet tree, std::string name,
                                         Contract const& contract, Cut cut);

/// Rows of all ranks are combined; this rank's block of the sum ends at `output`. Returns the operation that completes
/// it, at_once when nothing had to be done for an empty block.
std::int32_t bucket_reduce_scatter(Machine const& machine, Rank rank, Contract const& contract, Cut cut,
                                   BlockRow const& row, Slot input, Slot output, std::int32_t channel, Program& into);

[[nodiscard]] std::int32_t bucket_channels(Machine const& machine);

/// Axis by axis with whole blocks: allgather, reduce-scatter, both for an allreduce.
[[nodiscard]] Seconds price_bucket(Machine const& machine, Contract const& contract, Cut cut);

}  // namespace allport
