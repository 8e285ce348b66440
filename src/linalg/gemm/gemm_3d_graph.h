// 3D as a graph: all blocks are sent at once, C is computed tile by tile, and the layers' sums of a tile are combined
// while operands of the next tiles arrive.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm_block.h"
#include "linalg/plan/line_trees.h"

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

namespace tasks_3d {
struct Send;
struct Multiply;
struct Sum;
}  // namespace tasks_3d

/// A rank sends the k that it owns of a tile row or tile column along its line, in as many outputs as the line has
/// link-disjoint trees, when those of the previous ones have arrived from all others: earlier they would delay data on
/// the links that are needed first. A tile has columns of all layers' parts. Task(kind, layer, i, j, k): k is the tile
/// row, the tile column, or the number of the tile.
class Gemm3dGraph : public GraphOfKinds<Gemm3dGraph, ProductGraph> {
 public:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum };
  using Kinds =
      ListOfKinds<tasks_3d::Multiply, KindOf<tasks_3d::Send, of_a>, KindOf<tasks_3d::Send, of_b>, tasks_3d::Sum>;
  static constexpr char const* numbered = "tile";  ///< by Task::k

  Gemm3dGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
              std::optional<Mapping> const& mapping);

  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  std::int64_t steps() const override { return std::ssize(tiles_); }
  std::int64_t step(Task t) const override;
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  std::int64_t ahead() const override { return 0; }
  Traffic received(GridCoords p) const override;
  Index most_stored(GridCoords p) const override;
  Index depth(Task product) const override;

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
  static Range piece(Range const& own, int pieces, int x) {
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
  /// Grid column of a task of A, grid row of one of B: the owner of the k that it sends.
  [[nodiscard]] static int index(Task t) { return line_of(t) == GridAxis::row ? t.j : t.i; }
  [[nodiscard]] bool sends(Task t) const {
    return layout_.length(line_of(t)) > 1 && owned(line_of(t), t.layer, index(t)).width() > 0;
  }
  /// Visits the k that come from other ranks of a line, as pieces of outputs.
  void each_received(GridAxis line, int layer, int to, FunctionRef<void(Range const&)> visit) const;

 private:
  /// Where a tile begins, or the last one ends, in so many rows or columns.
  [[nodiscard]] Index edge(Index extent, int tile) const {
    return std::llround(ends_[static_cast<std::size_t>(tile)] * static_cast<double>(extent));
  }

  int side_ = 1;
  int row_trees_ = 1;
  int col_trees_ = 1;
  std::vector<double> ends_;  // of tiles, as shares of the block's side, from 0
  std::vector<Tile> tiles_;   // in order of growing squares
};

/// Bodies get a rank's parts of A, B and C: Running3d.
namespace tasks_3d {

using Graph = Gemm3dGraph;

/// Sends the k that a rank owns of a tile row or tile column. Tasks that other ranks wait for come before all products,
/// in the order of the tiles that need them.
struct Send : ProductTask<Graph> {
  [[nodiscard]] std::string name() const { return named(is_a() ? "A" : "B"); }
  [[nodiscard]] GridAxis line() const { return g.line_of(t); }
  [[nodiscard]] bool is_a() const { return line() == GridAxis::row; }
  [[nodiscard]] Graph::Range own() const { return g.owned(line(), t.layer, g.index(t)); }
  [[nodiscard]] int pieces() const { return g.pieces(line(), own().width()); }
  /// The other extent.
  [[nodiscard]] Index across() const { return is_a() ? g.tile_rows(t.i, t.k) : g.tile_cols(t.j, t.k); }

  [[nodiscard]] int parents() const { return t.k > 0 ? 1 : 0; }
  void children(VisitEdge visit) const {
    auto const all = pieces();
    for (int to = 0; to < g.layout().length(line()); ++to) {
      if (to == g.index(t)) continue;
      for (std::int32_t k = 0; k < g.steps(); ++k) {
        Task child{Graph::multiply, t.layer, t.i, t.j, k};
        if ((is_a() ? g.tile(child).a : g.tile(child).b) != t.k) continue;
        (is_a() ? child.j : child.i) = to;
        for (int x = 0; x < all; ++x) visit({child, g.input_of(line(), g.index(t), x), x});
      }
    }
  }
  [[nodiscard]] Shape output(int x) const {
    auto const width = Graph::piece(own(), pieces(), x).width();
    return is_a() ? Shape{across(), width, 0} : Shape{width, across(), 0};
  }
  [[nodiscard]] int parts(int /*index*/) const { return pieces(); }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * own().width() * across()); }
  [[nodiscard]] std::int64_t priority() const { return 2 * g.steps() - g.step(t); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    for (int x = 0; across() > 0 && x < pieces(); ++x) {
      a.copy(t, Graph::piece(own(), pieces(), x), elements_out<typename Parts::Element>(context, x));
    }
  }
};

/// A task on tile number t.k of the rank's block of C.
struct OnTile : ProductTask<Graph> {
  [[nodiscard]] Index m() const { return g.tile_rows(t.i, g.tile(t).a); }
  [[nodiscard]] Index n() const { return g.tile_cols(t.j, g.tile(t).b); }
  /// Of its columns that a layer sums, those of a piece.
  [[nodiscard]] Shape part(int layer, int piece) const {
    return {m(), share(g.tile_cols(t.j, layer, g.tile(t).b), g.sum_pieces(), piece), 0};
  }
  [[nodiscard]] std::int64_t priority() const { return g.steps() - t.k; }
  void writes(VisitTask visit) const { visit({t.kind, 0, 0, 0, t.k}); }
};

/// Computes the tile over all of the layer's k.
struct Multiply : OnTile {
  static constexpr std::uint16_t kind = Graph::multiply;
  [[nodiscard]] std::string name() const { return named("multiply"); }
  [[nodiscard]] int parents() const {
    int parents = 0;
    g.each_received(GridAxis::row, t.layer, t.j, [&](Graph::Range const&) { ++parents; });
    g.each_received(GridAxis::col, t.layer, t.i, [&](Graph::Range const&) { ++parents; });
    return parents;
  }
  void children(VisitEdge visit) const {
    auto const [a, b] = g.tile(t);
    for (auto const operand : {Graph::of_a, Graph::of_b}) {
      Task const later{operand, t.layer, t.i, t.j, a + 1};
      if (a == b && later.k < g.side() && g.sends(later)) then(visit, later);
    }
    g.send_sums(t, Graph::sum, t.k, visit);
  }
  [[nodiscard]] Shape output(int x) const { return part(x / g.sum_pieces(), x % g.sum_pieces()); }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    auto const from = index / most_line_trees;
    auto const line = from < g.grid().cols ? GridAxis::row : GridAxis::col;
    auto const own = g.owned(line, t.layer, from - (line == GridAxis::row ? 0 : g.grid().cols));
    auto const width = Graph::piece(own, g.pieces(line, own.width()), index % most_line_trees).width();
    return line == GridAxis::row ? Shape{m(), width, 0} : Shape{width, n(), 0};
  }
  [[nodiscard]] Work work() const { return multiplying(m(), n(), g.of_layer(t.layer)); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    if (m() == 0 || n() == 0) return;
    auto const into = a.products(t);
    a.multiply_tile(t, into, context);
    if (!g.layered()) return;
    send_columns(
        into.data, m(), g.grid().layers * g.sum_pieces(), [&](int x) { return output(x).cols; }, context);
  }
};

/// Combines the layers' tiles, each layer a part of the columns.
struct Sum : OnTile {
  static constexpr std::uint16_t kind = Graph::sum;
  [[nodiscard]] std::string name() const { return named("sum"); }
  [[nodiscard]] int parents() const { return g.grid().layers * g.sum_pieces(); }
  void contributors(int input, VisitTask visit) const {
    g.each_summand(t.layer, input, [&](int l) {
      visit({Graph::multiply, static_cast<std::uint16_t>(l), t.i, t.j, t.k});
    });
  }
  [[nodiscard]] std::optional<Shape> input(int piece) const { return part(t.layer, piece); }
  [[nodiscard]] Work work() const { return kernel(Kernel::add, 0, m() * g.tile_cols(t.j, t.layer, g.tile(t).b)); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    a.add_layers(t, context);
  }
};

}  // namespace tasks_3d

/// Whether all of a layer's k is sent at once, and C computed tile by tile.
[[nodiscard]] inline bool is_3d(Method const& how) { return how.form == Method::Form::summa && !how.cuts_panels; }

}  // namespace allport::gemm_detail
