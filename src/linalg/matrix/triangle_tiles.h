// The owners of the tiles of a stored triangle.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "allport/linalg/graphs.h"

namespace allport {

/// The distribution of tiles of nb indices over an axis whose blocks are whole tiles.
/// @pre axis.nb() is a multiple of nb
[[nodiscard]] inline AxisDistribution axis_of_tiles(AxisDistribution const& axis, Index nb) {
  return AxisDistribution::cyclic((axis.extent() + nb - 1) / nb, axis.parts(), axis.nb() / nb, axis.source());
}
/// As above, the blocks are the tiles.
[[nodiscard]] inline AxisDistribution axis_of_tiles(AxisDistribution const& axis) {
  return axis_of_tiles(axis, axis.nb());
}

/// @throws Error naming a distribution if the first block of an axis is a part of a tile, or its parts are no blocks
inline void check_whole_blocks(std::string_view name, AxisDistribution const& axis) {
  ensure(axis.is_cyclic(), name, "by cuts", "a block-cyclic axis");
  auto const first = axis.extent() > 0 && axis.parts() > 1 ? axis.run_at(0).length : axis.nb();
  ensure(first == axis.nb() || first == axis.extent(), name, fmt::format("a first block of {}", first),
         fmt::format("a whole block of {}", axis.nb()));
}

/// Tiles (i, j), i >= j, of a lower triangle; tile (i, j) of an upper one is stored at (j, i), conjugated.
class TriangleTiles {
 public:
  /// @param nb  rows of a tile; the distribution's blocks are multiples of it
  TriangleTiles(Distribution const& distribution, Uplo uplo, Index nb)
      : grid_(distribution.grid()),
        uplo_(uplo),
        n_(distribution.rows().extent()),
        nb_(nb),
        rows_(axis_of_tiles(uplo == Uplo::lower ? distribution.rows() : distribution.cols(), nb)),
        cols_(axis_of_tiles(uplo == Uplo::lower ? distribution.cols() : distribution.rows(), nb)) {
    for (auto const rank : grid_) ranks_ = std::max(ranks_, rank + 1);
  }

  [[nodiscard]] Index tiles() const { return rows_.extent(); }
  [[nodiscard]] Index nb() const { return nb_; }
  /// Rows of a tile (i, .), and columns of a tile (., i).
  [[nodiscard]] Index extent(Index tile) const { return std::min(nb_, n_ - tile * nb_); }
  /// The distributions of tile rows and tile columns, as of a lower triangle.
  [[nodiscard]] AxisDistribution const& rows() const { return rows_; }
  [[nodiscard]] AxisDistribution const& cols() const { return cols_; }
  /// One more than the largest rank.
  [[nodiscard]] Rank ranks() const { return ranks_; }
  [[nodiscard]] Rank owner(Index i, Index j) const {
    auto const r = rows_.owner(i);
    auto const c = cols_.owner(j);
    return uplo_ == Uplo::lower ? grid_.rank_at(r, c) : grid_.rank_at(c, r);
  }
  /// Grid coordinates of a rank as of a lower triangle, {-1, -1} if it is not in the grid.
  [[nodiscard]] ProcessGrid::Position position(Rank rank) const {
    auto const at = grid_.position(rank);
    return uplo_ == Uplo::lower ? at : ProcessGrid::Position{at.col, at.row};
  }
  /// A rank's tiles below the diagonal.
  [[nodiscard]] Index below(Rank rank) const {
    auto const at = position(rank);
    Index sum = 0;
    for (Index j = 0; at.row >= 0 && j < tiles(); ++j) {
      if (cols_.owner(j) == at.col) sum += rows_.count(at.row) - rows_.before(at.row, j + 1);
    }
    return sum;
  }

 private:
  ProcessGrid grid_;
  Uplo uplo_;
  Index n_;
  Index nb_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Rank ranks_ = 0;
};

}  // namespace allport
