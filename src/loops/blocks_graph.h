// Blocks as a task graph without bodies: what Blocks<D> does, for machines that nobody has here (Robson18).
#pragma once

#include <cstdint>
#include <vector>

#include "allport/graph/task_graph.h"
#include "allport/loops/block_grid.h"

namespace allport::loops {

struct BlocksWork {
  int iterations = 1;
  double flops = 0;        ///< of an iteration of a block of full size; smaller ones take their share, here and below
  double noise = 0;        ///< standard deviation of flops and bytes over their mean
  std::uint64_t seed = 0;  ///< of the noise, which is the same for equal blocks, iterations and seeds
  bool sends = true;       ///< faces travel; without, a block waits for itself alone (Robson18, slide 16)
  double bytes = 0;        ///< of memory, that an iteration of a block reads and writes
  double footprint = 0;    ///< bytes of cache that hold a block
  double seconds = 0;      ///< to start a block's loop, whatever its size
};

/// Task {0, 0, block, 0, k} is a block's iteration k. It waits for its own and its neighbours' iteration before, and
/// its faces travel when it is done; priorities are those of Blocks.
class BlocksGraph final : public TaskGraph {
 public:
  /// @pre owners has a rank for each block, below `ranks`; work.iterations >= 1, flops and noise >= 0, noise < 0.5;
  ///      fewer than 2^31 blocks
  BlocksGraph(BlockGrid grid, std::vector<int> owners, Rank ranks, BlocksWork work);

  [[nodiscard]] Rank ranks() const override { return ranks_; }
  [[nodiscard]] std::string name(Task task) const override;
  void entries(Rank rank, VisitTask visit) const override;
  [[nodiscard]] std::optional<std::int64_t> count(Rank rank) const override;
  [[nodiscard]] Rank owner(Task task) const override;
  [[nodiscard]] int num_parents(Task task) const override;
  void children(Task task, VisitEdge visit) const override;
  [[nodiscard]] Shape output(Task task, int index) const override;
  [[nodiscard]] Work work(Task task) const override;
  [[nodiscard]] double priority(Task task) const override;
  /// The block, a tile of its own.
  void writes(Task task, VisitTask visit) const override { visit({0, 0, task.i, 0, 0}); }

 private:
  BlockGrid grid_;
  std::vector<int> owners_;
  Rank ranks_;
  BlocksWork work_;
  std::vector<std::vector<Face>> faces_;  ///< by block
  std::vector<bool> exposed_;
};

}  // namespace allport::loops
