// 3D as a graph: all blocks are sent at once, C is computed tile by tile, and the layers' sums of a tile are combined
// while operands of the next tiles arrive.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemm_product_graph.h"
#include "line_trees.h"

namespace allport::gemm_detail {

/// A rank's block of C is cut into tiles so that the links along the layers can start summing before all of A and B has
/// arrived: when a share t of both has, (1 - t^2) of the sums is left. If the sums take as long as A and B, everything
/// ends after 1 + a of that time, with tiles that end at t_1 = a, t_2 = a + t_1^2, ..., 1: no tile waits for the last
/// ones, and none of the last tiles takes longer than what is left.
inline constexpr Index most_tiles_a_side = 8;
/// Mean rows and columns of a tile: BLAS multiplies smaller ones slowly, and each message has an overhead.
inline constexpr Index least_tile_side = 48;
/// Tiles along a side of a block of C.
[[nodiscard]] inline int tiles_a_side(Index rows, Index cols) {
  return static_cast<int>(std::clamp<Index>(std::min(rows, cols) / least_tile_side, 1, most_tiles_a_side));
}

/// Ends of the tiles as shares of a block's side: 0, a, a + a^2, ..., 1. @pre side >= 1
[[nodiscard]] std::vector<double> growing_squares(int side);

/// `of_a` and `of_b` send the k that a rank owns of a tile row or tile column to a row or a column of the grid, in as
/// many outputs as the line has link-disjoint trees; `multiply` computes a tile of the rank's product over all of the
/// layer's k; `sum` combines the layers' tiles, each layer a part of the columns. A tile has columns of all these
/// parts. A rank sends its k of the next tile row and column when those of the previous ones have arrived from all
/// others: earlier they would delay data on the links that are needed first. Task(kind, layer, i, j, k): k is the tile
/// row, the tile column, or the number of the tile.
class Gemm3dGraph : public ProductGraph {
 public:
  Gemm3dGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
              std::optional<Mapping> const& mapping);

  std::string name(Task t) const override;

  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;

  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  void contributors(Task t, int input, VisitTask visit) const override;

  Shape output(Task t, int index) const override;
  int parts(Task t, int) const override;
  std::optional<Shape> input(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;

  std::int64_t steps() const override { return std::ssize(tiles_); }
  std::int64_t step(Task t) const override;
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  std::int64_t ahead() const override { return 0; }
  Traffic received(GridCoords p) const override;
  Index most_stored(GridCoords p) const override;
  Index depth(Task product) const override;

 protected:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum };

  struct Tile {
    int a = 0;  ///< of tiles along a side
    int b = 0;
  };
  /// A range of k, relative to the layer's first.
  struct Range {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index width() const { return last - first; }
  };
  /// The owner of some k, and the output in which they are sent.
  struct Source {
    int owner = 0;
    int piece = 0;
    Range k;
  };

  [[nodiscard]] static GridAxis line_of(Task t) { return t.kind == of_a ? GridAxis::row : GridAxis::col; }
  [[nodiscard]] Tile tile(Task t) const { return tiles_[static_cast<std::size_t>(t.k)]; }
  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] Index of_layer(int layer) const { return share(problem_.k, grid_.layers, layer); }
  [[nodiscard]] int pieces(GridAxis line, Index width) const;
  [[nodiscard]] Range owned(GridAxis line, int layer, int owner) const {
    auto const first = cut(of_layer(layer), layout_.length(line), owner);
    return {first, first + share(of_layer(layer), layout_.length(line), owner)};
  }
  [[nodiscard]] Range piece(Range const& own, int pieces, int x) const {
    return {own.first + cut(own.width(), pieces, x), own.first + cut(own.width(), pieces, x + 1)};
  }
  /// The source of index k of a layer.
  [[nodiscard]] Source source(GridAxis line, int layer, Index k) const;
  [[nodiscard]] int input_of(GridAxis line, int owner, int piece) const {
    return (owner + (line == GridAxis::row ? 0 : grid_.cols)) * most_line_trees + piece;
  }

  [[nodiscard]] Index first_row(int i, int a) const { return edge(rows(i), a); }
  [[nodiscard]] Index tile_rows(int i, int a) const { return edge(rows(i), a + 1) - edge(rows(i), a); }
  /// Of the columns that a layer sums: the first of a tile, and their number.
  [[nodiscard]] Index first_col(int j, int layer, int b) const { return edge(summed_cols(j, layer), b); }
  [[nodiscard]] Index tile_cols(int j, int layer, int b) const {
    return first_col(j, layer, b + 1) - first_col(j, layer, b);
  }
  [[nodiscard]] Index tile_cols(int j, int b) const;

 private:
  /// Where a tile begins, or the last one ends, in so many rows or columns.
  [[nodiscard]] Index edge(Index extent, int tile) const {
    return std::llround(ends_[static_cast<std::size_t>(tile)] * static_cast<double>(extent));
  }
  [[nodiscard]] int index(Task t) const { return line_of(t) == GridAxis::row ? t.j : t.i; }
  [[nodiscard]] bool sends(Task t) const {
    return layout_.length(line_of(t)) > 1 && owned(line_of(t), t.layer, index(t)).width() > 0;
  }
  /// Visits the k that come from other ranks of a line, as pieces of outputs.
  template <class Visit>
  void each_received(GridAxis line, int layer, int to, Visit&& visit) const;

  int side_ = 1;
  int row_trees_ = 1;
  int col_trees_ = 1;
  std::vector<double> ends_;  // of tiles, as shares of the block's side, from 0
  std::vector<Tile> tiles_;   // in order of growing squares
};

/// Whether all of a layer's k is sent at once, and C computed tile by tile.
[[nodiscard]] inline bool is_3d(Method const& how) { return how.form == Method::Form::summa && !how.cuts_panels; }

}  // namespace allport::gemm_detail
