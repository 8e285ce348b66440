// Blocks whose axes and cells are known at run time, and loops over their rows: for C and Python.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allport/loops/block_engine.h"
#include "allport/loops/loop_selector.h"

namespace allport::loops {

/// Rows of a block, along its outermost axis, that one thread computes: all of them, or the chunk of a loop. Of axes
/// that are not there lengths are 1 and the others 0.
struct BlockPart {
  std::int64_t block = 0;
  std::int64_t iteration = 0;
  std::array<std::int64_t, BlockGrid::most_axes> first{};   ///< the grid's index of the part's first cell
  std::array<std::int64_t, BlockGrid::most_axes> cells{};   ///< along each axis
  std::array<std::int64_t, BlockGrid::most_axes> stride{};  ///< bytes between neighbours
  BlockCells const* cells_of = nullptr;                     ///< the block
  std::byte* now = nullptr;   ///< the part's first cell in this iteration; its neighbours and the halo lie around it
  std::byte* next = nullptr;  ///< and in the next one
};

class UntypedBlocks {
 public:
  using Body = FunctionRef<void(BlockPart const&)>;

  /// Collective, as Blocks.
  /// @pre element >= 1 byte
  UntypedBlocks(Communicator const& comm, BlockShape shape, Teams& teams, std::int64_t element, BlocksOptions options);

  [[nodiscard]] BlockEngine& engine() { return engine_; }
  [[nodiscard]] BlockEngine const& engine() const { return engine_; }
  [[nodiscard]] Communicator const& comm() const { return comm_; }
  [[nodiscard]] std::int64_t element() const { return element_; }  ///< bytes

  /// body for each block of this rank, whole. `fills`: it writes all cells with their halo through `next`.
  void visit(bool fills, Body body);
  /// body for each block and iteration, for chunks of the block's rows by the threads of its team. With select() the
  /// configuration is the Selector's, and `loop` is not used.
  /// @throws as Blocks::iterate
  void iterate(std::int64_t count, LoopOptions const& loop, Body body);

  /// From now on iterate() is a step of a LoopSelector over these configurations.
  /// @throws as LoopSelector; Error on every rank where a size of blocks does not fit the grid
  void select(std::vector<LoopConfiguration> configurations, std::string site);
  /// Null without select().
  [[nodiscard]] LoopSelector const* selector() const { return selector_.get(); }

 private:
  void iterate_by(std::int64_t count, LoopOptions const& loop, Body body);

  Communicator comm_;
  Teams& teams_;
  std::int64_t element_;
  BlockEngine engine_;
  std::unique_ptr<LoopSelector> selector_;
};

}  // namespace allport::loops
