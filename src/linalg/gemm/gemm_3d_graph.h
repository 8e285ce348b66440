// 3D as a graph: every block travels at once, tile after tile of C is multiplied, and its layers' sums are under way
// while the next ones' operands come.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemm_product_graph.h"
#include "linalg/plan/line_trees.h"

namespace allport::gemm_detail {

/// A rank's block of C is cut into tiles a side, so that the links of the layers' axis have sums to carry before all of
/// A and B is there: (1 - t^2) of the sums are left when a share t of both has come. Where these take as long as A and
/// B, all ends after 1 + a of that, where tiles end at t_1 = a, t_2 = a + t_1^2, ... 1: none of them then has to wait
/// for the last ones, and none of the last ones is longer than what else is left.
inline constexpr Index most_tiles_a_side = 8;
/// Rows and columns of a tile, in the mean: BLAS multiplies smaller ones slowly, and messages' ends cost.
inline constexpr Index least_tile_side = 48;
/// Of a block of C.
[[nodiscard]] inline int tiles_a_side(Index rows, Index cols) {
  return static_cast<int>(std::clamp<Index>(std::min(rows, cols) / least_tile_side, 1, most_tiles_a_side));
}

/// Where tiles end as shares of a block's side: 0, a, a + a^2, ... 1. @pre side >= 1
[[nodiscard]] std::vector<double> growing_squares(int side);

/// `of_a` and `of_b` give the k that a rank owns of a tile's rows or columns to a row or a column of the grid, as many
/// outputs as its line has trees without a common link; `multiply` makes a tile of the rank's product over all of the
/// layer's k; `sum` combines the layers' tiles, each layer a part of the columns. A tile has columns of all these
/// parts. A rank gives its k of the next tile row and column when those before have come from all others: earlier they
/// would be on links before what others hand on of what is needed first. Task(kind, layer, i, j, k): k is the tile's
/// row, its column, or its number.
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
  Traffic received(Place p) const override;
  Index most_kept(Place p) const override;
  Index depth(Task product) const override;

 protected:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum };

  struct Tile {
    int a = 0;  ///< of so many a side
    int b = 0;
  };
  /// A range of k, counted from the layer's first.
  struct Range {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index width() const { return last - first; }
  };
  /// Whose k it is, and in which output it travels.
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
    auto const first = cut(of_layer(layer), frame_.length(line), owner);
    return {first, first + share(of_layer(layer), frame_.length(line), owner)};
  }
  [[nodiscard]] Range piece(Range const& own, int pieces, int x) const {
    return {own.first + cut(own.width(), pieces, x), own.first + cut(own.width(), pieces, x + 1)};
  }
  /// Of a k of a layer.
  [[nodiscard]] Source source(GridAxis line, int layer, Index k) const;
  [[nodiscard]] int input_of(GridAxis line, int owner, int piece) const {
    return (owner + (line == GridAxis::row ? 0 : grid_.cols)) * most_line_trees + piece;
  }

  [[nodiscard]] Index first_row(int i, int a) const { return edge(rows(i), a); }
  [[nodiscard]] Index tile_rows(int i, int a) const { return edge(rows(i), a + 1) - edge(rows(i), a); }
  /// Of the columns that a layer sums, those of a tile: the first, and how many.
  [[nodiscard]] Index first_col(int j, int layer, int b) const { return edge(summed_cols(j, layer), b); }
  [[nodiscard]] Index tile_cols(int j, int layer, int b) const {
    return first_col(j, layer, b + 1) - first_col(j, layer, b);
  }
  [[nodiscard]] Index tile_cols(int j, int b) const;

 private:
  /// Where a tile begins, or the last one ends, along so many rows or columns.
  [[nodiscard]] Index edge(Index extent, int tile) const {
    return std::llround(ends_[static_cast<std::size_t>(tile)] * static_cast<double>(extent));
  }
  [[nodiscard]] int index(Task t) const { return line_of(t) == GridAxis::row ? t.j : t.i; }
  [[nodiscard]] bool gives(Task t) const {
    return frame_.length(line_of(t)) > 1 && owned(line_of(t), t.layer, index(t)).width() > 0;
  }
  /// The k that comes from others of a line, as pieces of outputs.
  template <class Visit>
  void each_given(GridAxis line, int layer, int to, Visit&& visit) const;

  int side_ = 1;
  int row_trees_ = 1;
  int col_trees_ = 1;
  std::vector<double> ends_;  // of tiles, as shares of the block's side, from 0 on
  std::vector<Tile> tiles_;   // in their order: growing squares
};

/// All of a layer's k at once, tile by tile.
[[nodiscard]] inline bool is_3d(Method const& how) { return how.form == Method::Form::summa && !how.cuts_panels; }

}  // namespace allport::gemm_detail
