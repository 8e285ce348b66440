// SUMMA as a graph: panels of A and B are sent along rows and columns, products are accumulated, layers are summed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm_panels.h"
#include "gemm_product_graph.h"
#include "linalg/matrix/operand.h"
#include "linalg/plan/line_trees.h"

namespace allport::gemm_detail {

/// Steps that run at a time.
inline constexpr std::int64_t panels_ahead = 4;

namespace summa_tasks {
struct SendPanel;
struct Multiply;
struct SendHalf;
struct StoreHalf;
}  // namespace summa_tasks

/// A panel that no other rank needs has no task. A panel has as many outputs as the line has link-disjoint trees
/// (line_trees()), each with a part of its k.
///
/// If the algorithm copies A and B (gemm_copies.cpp), layer 0 sends its blocks to the other layers, in halves along k
/// that take both directions of a ring.
class SummaGraph : public GraphOfKinds<SummaGraph, ProductGraph> {
 public:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum, own_a, own_b, copy_a, copy_b };
  using Kinds =
      ListOfKinds<summa_tasks::Multiply, KindOf<summa_tasks::SendPanel, of_a>, KindOf<summa_tasks::SendPanel, of_b>,
                  SumOfLayers<SummaGraph>, KindOf<summa_tasks::SendHalf, own_a>, KindOf<summa_tasks::SendHalf, own_b>,
                  KindOf<summa_tasks::StoreHalf, copy_a>, KindOf<summa_tasks::StoreHalf, copy_b>>;
  enum Input { own };
  static constexpr char const* numbered = "panel";  ///< by Task::k

  SummaGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
             std::optional<Mapping> const& mapping);

  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  std::int64_t steps() const override { return steps_ + (layered() ? 1 : 0); }
  std::int64_t step(Task t) const override { return t.kind == sum ? steps_ : is_copied(t) ? 0 : t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

  std::int64_t ahead() const override { return panels_ahead; }
  Traffic received(GridCoords p) const override;
  Index most_stored(GridCoords p) const override;
  Index depth(Task product) const override;

  /// The k of piece x of `pieces`, relative to the first of the panel.
  struct Piece {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index width() const { return last - first; }
  };
  static Piece piece(Panel const& panel, int pieces, int x) {
    return {cut(panel.width(), pieces, x), cut(panel.width(), pieces, x + 1)};
  }
  /// Outputs of a panel's task.
  [[nodiscard]] int pieces(GridAxis line, Panel const& panel) const { return line_pieces(pieces(line), panel.width()); }
  /// The input of a product that is piece x.
  [[nodiscard]] int input_of(GridAxis line, int x) const { return 1 + (line == GridAxis::row ? 0 : row_pieces_) + x; }

  static GridAxis line_of(Task t) {
    return t.kind == of_a || t.kind == own_a || t.kind == copy_a ? GridAxis::row : GridAxis::col;
  }
  [[nodiscard]] bool copies() const { return parts_of_grid().copies(); }
  /// Whether a task sends a half of a block to the layers, or stores one of another layer.
  static bool is_copied(Task t) { return t.kind >= own_a; }
  /// The k of such a half.
  [[nodiscard]] Panel half_of_block(Task t) const;
  /// The copied halves that a panel is taken from, or that a product reads in place.
  [[nodiscard]] int awaited_copies(Task t) const;
  [[nodiscard]] bool travels(GridAxis line) const { return layout_.length(line) > 1; }
  [[nodiscard]] Panel panel(Task t) const;
  [[nodiscard]] std::int64_t panels(int l) const { return layer(l).panels; }
  /// Panels that a rank may send before it has used earlier ones.
  [[nodiscard]] std::int64_t slots(int l) const { return layer(l).slots; }
  [[nodiscard]] bool is_last(Task t) const { return t.k + 1 == panels(t.layer); }
  [[nodiscard]] Task last(int i, int j, int l) const {
    return {multiply, static_cast<std::uint16_t>(l), i, j, static_cast<std::int32_t>(panels(l)) - 1};
  }
  static Task at(Kind kind, std::int32_t i, std::int32_t j, Task t) { return {kind, t.layer, i, j, t.k}; }
  /// The owner of a panel multiplies by it after it was sent, as others after it arrived.
  [[nodiscard]] bool in_step() const { return in_step_; }
  [[nodiscard]] bool owns(GridAxis line, Panel const& panel, Task t) const {
    return line == GridAxis::row ? panel.a_owner == t.j : panel.b_owner == t.i;
  }
  /// Steps of the layer with most panels.
  [[nodiscard]] std::int64_t all_products() const { return steps_; }
  /// visit(k) for the panels of a layer that are taken from a task's block.
  template <class Visit>
  void each_panel_of(Task t, Visit const& visit) const {
    auto const& of = layer(t.layer);
    for (std::size_t s = 0; s < of.slabs.size(); ++s) {
      auto const& slab = of.slabs[s];
      if (slab.length == 0 || (line_of(t) == GridAxis::row ? slab.a_owner != t.j : slab.b_owner != t.i)) continue;
      for (auto k = of.before[s]; k < of.before[s] + slab.panels; ++k) visit(static_cast<std::int32_t>(k));
    }
  }

 private:
  /// The slabs of a layer's share of k, and the number of panels before each.
  struct Layer {
    std::vector<Slab> slabs;
    std::vector<Index> before;
    std::int64_t panels = 0;
    std::int64_t slots = 0;
  };

  [[nodiscard]] Layer const& layer(int l) const { return layers_[index(l)]; }
  [[nodiscard]] std::size_t index(int l) const { return copies() ? static_cast<std::size_t>(l) : is_longer(l) ? 1 : 0; }
  [[nodiscard]] bool is_longer(int l) const { return parts_of_grid().k(l) > problem_.k / grid_.layers; }
  [[nodiscard]] int halves() const { return sum_pieces(); }
  [[nodiscard]] Traffic received_with_copies(GridCoords p) const;
  [[nodiscard]] Index elements_of_copies(GridCoords p) const;
  /// The widest panel of a layer.
  [[nodiscard]] Index widest(int layer) const;
  [[nodiscard]] int pieces(GridAxis line) const { return line == GridAxis::row ? row_pieces_ : col_pieces_; }

  bool in_step_;
  int row_pieces_;
  int col_pieces_;
  std::vector<Layer> layers_;  // with the shorter share of k, and with the one that is longer by 1; with copies: all
  std::int64_t steps_ = 0;
  int longest_ = 0;  ///< a layer with that many panels
};

/// Bodies get a rank's parts of A and B and its block of C: RunningSumma.
namespace summa_tasks {

using Graph = SummaGraph;

/// A task of A, along a row of the grid, or of B, along a column.
struct OnLine : ProductTask<Graph> {
  [[nodiscard]] GridAxis line() const { return g.line_of(t); }
  [[nodiscard]] bool is_a() const { return line() == GridAxis::row; }
  /// Of so many k.
  [[nodiscard]] Shape shape(Index k) const { return is_a() ? Shape{rows(), k, 0} : Shape{k, cols(), 0}; }
  [[nodiscard]] Work copying(Index k) const { return kernel(Kernel::copy, 0, 2 * k * (is_a() ? rows() : cols())); }
};

/// Sends a panel along its line. Panels that other ranks wait for come before all products; earlier panels first.
struct SendPanel : OnLine {
  [[nodiscard]] std::string name() const { return named(is_a() ? "A" : "B"); }
  [[nodiscard]] int pieces(Panel const& panel) const { return g.pieces(line(), panel); }
  [[nodiscard]] int parents() const { return (t.k >= g.slots(t.layer) ? 1 : 0) + g.awaited_copies(t); }
  void children(VisitEdge visit) const {
    auto const all = pieces(g.panel(t));
    for (int x = 0; g.in_step() && x < all; ++x) {
      visit({g.at(Graph::multiply, t.i, t.j, t), Graph::own, x, EdgeKind::sent});
    }
    for (int to = 0; to < g.layout().length(line()); ++to) {
      auto const child = is_a() ? g.at(Graph::multiply, t.i, to, t) : g.at(Graph::multiply, to, t.j, t);
      for (int x = 0; x < all; ++x) visit({child, g.input_of(line(), x), x});
    }
  }
  [[nodiscard]] Shape output(int x) const {
    auto const panel = g.panel(t);
    return shape(Graph::piece(panel, pieces(panel), x).width());
  }
  [[nodiscard]] int parts(int /*index*/) const { return pieces(g.panel(t)); }
  [[nodiscard]] Work work() const { return copying(g.panel(t).width()); }
  [[nodiscard]] std::int64_t priority() const { return 2 * g.all_products() - t.k; }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    auto const& from = a.operand(t);
    auto const panel = g.panel(t);
    if (a.in_place(t, 0) || from.across == 0) return;
    for (int x = 0; x < pieces(panel); ++x) {
      auto const part = Graph::piece(panel, pieces(panel), x);
      from.copy(panel.begin + part.first, part.width(), elements_out<typename Parts::Element>(context, x));
    }
  }
};

/// Adds the product of two panels to the rank's block of C.
struct Multiply : ProductTask<Graph> {
  static constexpr std::uint16_t kind = Graph::multiply;
  [[nodiscard]] std::string name() const { return named("multiply"); }
  [[nodiscard]] int parents() const {
    auto const panel = g.panel(t);
    auto parents = (t.k > 0 ? 1 : 0) + g.awaited_copies(t);
    for (auto const line : {GridAxis::row, GridAxis::col}) {
      if (!g.travels(line)) continue;
      parents += g.pieces(line, panel) * (g.in_step() && g.owns(line, panel, t) ? 2 : 1);
    }
    return parents;
  }
  /// The next product adds to the same block; a panel is sent when an earlier one has been used; at the end the layers'
  /// blocks are summed.
  void children(VisitEdge visit) const {
    if (g.is_last(t)) return g.send_sums(t, Graph::sum, 0, visit);
    auto next = t;
    ++next.k;
    then(visit, next);
    auto later = t;
    if (t.k + g.slots(t.layer) >= g.panels(t.layer)) return;
    later.k += static_cast<std::int32_t>(g.slots(t.layer));
    auto const sent = g.panel(later);
    for (auto const line : {GridAxis::row, GridAxis::col}) {
      if (!g.travels(line) || !g.owns(line, sent, t)) continue;
      then(visit, g.at(line == GridAxis::row ? Graph::of_a : Graph::of_b, t.i, t.j, later));
    }
  }
  [[nodiscard]] Shape output(int index) const { return g.part_of_sum(t, index); }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    bool const of_row = index < g.input_of(GridAxis::col, 0);
    auto const line = of_row ? GridAxis::row : GridAxis::col;
    auto const panel = g.panel(t);
    auto const width = Graph::piece(panel, g.pieces(line, panel), index - g.input_of(line, 0)).width();
    return of_row ? Shape{rows(), width, 0} : Shape{width, cols(), 0};
  }
  [[nodiscard]] Work work() const { return multiplying(rows(), cols(), g.panel(t).width()); }
  [[nodiscard]] std::int64_t priority() const { return g.all_products() - t.k; }
  void writes(VisitTask visit) const { visit({kind, 0, 0, 0, 0}); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    auto const width = g.panel(t).width();
    if (width == 0) a.block.add_nothing(t.k == 0);
    for (Index first = 0; first < width && !a.block.is_empty();) {
      auto const left = a.arrived(t, GridAxis::row, first, context);
      auto const right = a.arrived(t, GridAxis::col, first, context);
      auto const last = std::min(left.last, right.last);
      a.block.add(last - first, left.block, right.block, t.k == 0 && first == 0, context);
      first = last;
    }
    if (g.is_last(t)) a.block.send_layers(g.sum_pieces(), context);
  }
};

/// Half t.k of a block of A or B.
struct HalfOfBlock : OnLine {
  [[nodiscard]] Panel half() const { return g.half_of_block(t); }
  [[nodiscard]] Shape shape_of_half() const { return shape(half().width()); }
  [[nodiscard]] Work work() const { return copying(half().width()); }
};

/// Sends it from layer 0 to the other layers: halves that a layer reads come before those that it does not read.
struct SendHalf : HalfOfBlock {
  [[nodiscard]] std::string name() const { return named(is_a() ? "own A" : "own B"); }
  [[nodiscard]] int parents() const { return 0; }
  void children(VisitEdge visit) const {
    for (int l = 1; l < g.grid().layers; ++l) {
      auto const copy = static_cast<std::uint16_t>(is_a() ? Graph::copy_a : Graph::copy_b);
      visit({{copy, static_cast<std::uint16_t>(l), t.i, t.j, t.k}, Graph::own, t.k});
    }
  }
  [[nodiscard]] Shape output(int /*index*/) const { return shape_of_half(); }
  [[nodiscard]] Task whole(int /*index*/) const { return {t.kind, t.layer, t.i, t.j, 0}; }
  [[nodiscard]] std::int64_t priority() const {
    auto const& parts = g.parts_of_grid();
    auto const last = is_a() ? parts.stored_of_a(0, t.j + 1) : parts.stored_of_b(0, t.i + 1);
    return 2 * g.all_products() + (last > parts.k(0) ? 2 : 1);
  }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    auto const& from = a.operand(t);
    if (a.in_place(t, t.k) || half().width() * from.across == 0) return;
    from.copy(half().begin, half().width(), elements_out<typename Parts::Element>(context, t.k));
  }
};

/// Stores it on another layer.
struct StoreHalf : HalfOfBlock {
  [[nodiscard]] std::string name() const { return named(is_a() ? "copy of A" : "copy of B"); }
  [[nodiscard]] int parents() const { return 1; }
  /// The tasks that read it.
  void children(VisitEdge visit) const {
    g.each_panel_of(t, [&](std::int32_t k) {
      Task reader{Graph::multiply, t.layer, t.i, t.j, k};
      then(visit, reader);
      reader.kind = is_a() ? Graph::of_a : Graph::of_b;
      if (g.travels(line())) then(visit, reader);
    });
  }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return shape_of_half(); }
  [[nodiscard]] std::int64_t priority() const {
    auto const& parts = g.parts_of_grid();
    bool const reads = is_a() ? parts.k_of_a(t.layer, t.j + 1) > parts.k_of_a(t.layer, t.j)
                              : parts.k_of_b(t.layer, t.i + 1) > parts.k_of_b(t.layer, t.i);
    return reads ? 2 * g.all_products() + 1 : 0;
  }
  void writes(VisitTask visit) const { visit(t); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    auto const& into = a.operand(t);
    auto const height = into.rows(half().width());
    if (half().width() * into.across == 0) return;
    auto* const to = a.copied(t) + (into.at(half().begin).data - into.part.data);
    auto const* const from = elements_in<typename Parts::Element>(context, Graph::own);
    for (Index j = 0; j < into.cols(half().width()); ++j) std::copy_n(from + j * height, height, to + j * into.part.ld);
  }
};

}  // namespace summa_tasks

}  // namespace allport::gemm_detail
