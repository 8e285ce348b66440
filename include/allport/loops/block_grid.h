// A grid of cells that is cut into blocks: how many there are, where they lie, who touches whom, who owns them at
// first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "allport/base/units.h"

namespace allport::loops {

/// Cells and blocks along each axis, the outermost first; the last axis is the one whose cells lie side by side.
struct BlockShape {
  std::vector<std::int64_t> grid;   ///< cells
  std::vector<std::int64_t> block;  ///< cells of a block; the last one along an axis has what is left
  std::vector<bool> periodic{};     ///< by axis; empty: none is
  std::int64_t halo = 1;            ///< layers of cells that a block sees of its neighbours
};

/// A face of a block: that of the lower or the higher indices along an axis.
struct Face {
  int axis = 0;
  bool high = false;
  [[nodiscard]] int number() const { return 2 * axis + (high ? 1 : 0); }
};

/// Blocks have numbers, row-major over the blocks.
class BlockGrid {
 public:
  static constexpr int most_axes = 3;

  /// @pre 1 to 3 axes, as many of grid, block and periodic; all lengths at least 1; halo >= 0, and where a block has a
  ///      neighbour along an axis, no block of it is shorter than the halo along it
  explicit BlockGrid(BlockShape shape);

  [[nodiscard]] BlockShape const& shape() const { return shape_; }
  [[nodiscard]] int axes() const { return static_cast<int>(shape_.grid.size()); }
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  /// Along an axis.
  [[nodiscard]] std::int64_t blocks(int axis) const { return counts_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::array<std::int64_t, most_axes> place(std::int64_t block) const;
  [[nodiscard]] std::int64_t number(std::array<std::int64_t, most_axes> const& place) const;
  [[nodiscard]] std::int64_t first(std::int64_t block, int axis) const;  ///< cell of the grid
  [[nodiscard]] std::int64_t cells(std::int64_t block, int axis) const;
  /// A cell's index along an axis as the grid has it: round a periodic axis, else as it is, in the border or not.
  [[nodiscard]] std::int64_t index(std::int64_t cell, int axis) const;
  /// The block beyond a face; -1: there is none. It may be the block itself, where the axis is periodic.
  [[nodiscard]] std::int64_t beyond(std::int64_t block, Face face) const;
  /// Faces with a block beyond them.
  [[nodiscard]] std::vector<Face> shared_faces(std::int64_t block) const;

  /// Owners 0 ... ranks - 1: boxes of blocks where these give nobody more blocks than a row of all blocks cut evenly
  /// would, those with the fewest faces between owners.
  /// @pre ranks >= 1
  [[nodiscard]] std::vector<int> boxes(Rank ranks) const;
  /// Faces between blocks of different owners, each counted from both sides.
  [[nodiscard]] std::int64_t cut(std::vector<int> const& owners) const;

 private:
  BlockShape shape_;
  std::array<std::int64_t, most_axes> counts_{1, 1, 1};
  std::int64_t blocks_ = 1;
};

}  // namespace allport::loops
