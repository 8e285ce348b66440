// Solves with many right-hand sides, distributed over the grid as the unknowns are: panels of the factors are sent
// along rows of ranks, blocks of X along columns, and every rank updates its own B -= op(T) X.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "linalg/matrix/operand.h"
#include "linalg/plan/line_trees.h"
#include "solve_graph.h"

namespace allport::lu_detail {

namespace {

namespace panels_tasks {
struct SendPanel;
struct Solve;
struct Next;
struct Rest;
}  // namespace panels_tasks

/// Nothing is sent along a row or column of one rank; its data are used in place.
///
/// A panel is sent in several outputs, each with some of its columns, and a block of X in several outputs of right-hand
/// sides: as many as the lines have link-disjoint trees.
class PanelsGraph : public GraphOfKinds<PanelsGraph, SolveGraph> {
 public:
  using Kinds = ListOfKinds<panels_tasks::Rest, panels_tasks::Next, panels_tasks::Solve, panels_tasks::SendPanel>;
  enum Kind : std::uint16_t { of_panel, solve, next, rest };

  PanelsGraph(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides,
              Machine const& machine)
      : GraphOfKinds(problem, factors, sides),
        row_pieces_(cols().parts() > 1 ? detail::pieces_of(cols().parts(), machine, tasks::default_tree(machine)) : 0),
        col_pieces_(rows().parts() > 1 ? detail::pieces_of(rows().parts(), machine, tasks::default_tree(machine)) : 0) {
  }

  /// Panels have no parents.
  void entries(Rank rank, VisitTask visit) const override {
    for (std::int64_t s = 0; s < steps(); ++s) {
      visit_entries(rank, s, visit);
      if (!sends_panels()) return;
    }
  }
  std::int64_t steps() const override { return 2 * std::int64_t{panels()}; }
  std::int64_t step(Task t) const override { return sweep(t) * std::int64_t{panels()} + t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const at = coords(rank);
    if (at.i < 0) return;
    int const s = step >= panels() ? 1 : 0;
    auto const k = static_cast<std::int32_t>(step - s * panels());
    if (sends_panels() && col_of(s, k) == at.j && from(s, k, at.i).count() > 0) {
      visit(task(of_panel, s, at.i, at.j, k));
    }
    if (!has_sides(at.j)) return;
    if (row_of(s, k) == at.i) visit(solve_at(s, k, at.j));
    if (k < last() && row_of(s, k + 1) == at.i) visit(next_at(s, k, at.j));
    if (has_rest(s, k, at.i)) visit(task(rest, s, at.i, at.j, k));
  }
  std::optional<Task> leads(std::int64_t step) const override {
    int const s = step >= panels() ? 1 : 0;
    int j = 0;
    while (!has_sides(j)) ++j;
    return solve_at(s, static_cast<std::int32_t>(step - s * panels()), j);
  }

  static Task task(Kind kind, int sweep, int i, int j, std::int32_t k) {
    return {kind, static_cast<std::uint16_t>(sweep), i, j, k};
  }
  [[nodiscard]] Task solve_at(int s, std::int32_t k, int j) const { return task(solve, s, row_of(s, k), j, k); }
  [[nodiscard]] Task next_at(int s, std::int32_t k, int j) const { return task(next, s, row_of(s, k + 1), j, k); }
  [[nodiscard]] bool has_sides(int j) const { return sides().count(j) > 0; }
  /// The last block of the first sweep whose rows are updated by the first `rest` of row i in the second sweep.
  [[nodiscard]] std::optional<std::int32_t> last_solved(int i) const {
    for (auto k = last() - 2; k >= 0; --k) {
      if (row_of(0, k) == i) return k;
    }
    return std::nullopt;
  }

  /// Part x of `pieces` of a length.
  struct Piece {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index length() const { return last - first; }
  };
  static Piece piece(Index length, int pieces, int x) {
    return {detail::cut(length, pieces, x), detail::cut(length, pieces, x + 1)};
  }
  [[nodiscard]] bool sends_panels() const { return row_pieces_ > 0; }
  [[nodiscard]] bool sends_blocks() const { return col_pieces_ > 0; }
  [[nodiscard]] int panel_pieces(int sweep, std::int32_t k) const {
    return sends_panels() ? detail::line_pieces(row_pieces_, width(sweep, k)) : 0;
  }
  [[nodiscard]] int block_pieces(int j) const {
    return sends_blocks() ? detail::line_pieces(col_pieces_, sides().count(j)) : 0;
  }
  /// The input that is part x of a block of X; part x of a panel is input x.
  [[nodiscard]] int input_of_block(int x) const { return row_pieces_ + x; }

 private:
  int row_pieces_;
  int col_pieces_;
};

/// Bodies get this rank's factors and its part of B: RunningPanels.
namespace panels_tasks {

using Graph = PanelsGraph;

struct OnPanel : SolveTask<Graph> {
  [[nodiscard]] std::string named(char const* kind) const {
    return fmt::format("{}{}({}, {}, {})", kind, sweep() == 0 ? "" : "'", t.i, t.j, t.k);
  }
  [[nodiscard]] bool is_first() const { return sweep() == 0 && t.k == 0; }
  [[nodiscard]] Index sides() const { return g.sides().count(t.j); }
  /// The outputs of SendPanel on this row, and those of Solve in this column.
  [[nodiscard]] int pieces() const { return g.panel_pieces(sweep(), t.k); }
  [[nodiscard]] Rows rows_of_panel() const { return g.from(sweep(), t.k, t.i); }
  [[nodiscard]] Shape piece_of_panel(int x) const {
    return {rows_of_panel().count(), Graph::piece(width(), pieces(), x).length(), 0};
  }
  [[nodiscard]] Shape piece_of_block(int x) const {
    return {width(), Graph::piece(sides(), g.block_pieces(t.j), x).length(), 0};
  }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    auto const first = g.input_of_block(0);
    return index < first ? piece_of_panel(index) : piece_of_block(index - first);
  }
  [[nodiscard]] std::int64_t steps_left() const { return g.steps() - g.step(t); }
};

/// Sends a rank's rows of a panel along its row.
struct SendPanel : OnPanel {
  static constexpr std::uint16_t kind = Graph::of_panel;
  [[nodiscard]] std::string name() const { return named("panel"); }
  [[nodiscard]] int parents() const { return 0; }
  void children(VisitEdge visit) const {
    auto const s = sweep();
    for (int j = 0; j < g.cols().parts(); ++j) {
      for (int x = 0; g.has_sides(j) && x < pieces(); ++x) {
        if (g.row_of(s, t.k) == t.i) visit({g.solve_at(s, t.k, j), x, x});
        if (t.k < g.last() && g.row_of(s, t.k + 1) == t.i) visit({g.next_at(s, t.k, j), x, x});
        if (g.has_rest(s, t.k, t.i)) visit({Graph::task(Graph::rest, s, t.i, j, t.k), x, x});
      }
    }
  }
  [[nodiscard]] Shape output(int x) const { return piece_of_panel(x); }
  [[nodiscard]] int parts(int /*index*/) const { return pieces(); }
  [[nodiscard]] Work work() const { return copying(rows_of_panel().count() * width()); }
  [[nodiscard]] std::int64_t priority() const { return g.steps() + steps_left(); }

  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    bool const plain = a.factors.trans == Trans::none;
    auto const rows = rows_of_panel();
    auto const begin = g.cols().before(t.j, g.panel(sweep(), t.k).begin);
    for (int x = 0; x < pieces(); ++x) {
      auto const of = Graph::piece(width(), pieces(), x);
      detail::pack(plain ? rows.count() : of.length(), plain ? of.length() : rows.count(),
                   a.factors.at(rows.begin, begin + of.first), a.factors.part.ld, detail::elements_out<T>(context, x));
    }
  }
};

/// Computes a block of X and sends it along its column.
struct Solve : OnPanel {
  static constexpr std::uint16_t kind = Graph::solve;
  [[nodiscard]] std::string name() const { return named("solve"); }
  [[nodiscard]] int parents() const { return pieces() + (is_first() ? 0 : 1); }
  void children(VisitEdge visit) const {
    auto const s = sweep();
    auto const send = [&](Task child) {
      if (!g.sends_blocks()) then(visit, child);
      for (int x = 0; x < g.block_pieces(t.j); ++x) visit({child, g.input_of_block(x), x});
    };
    if (t.k < g.last()) send(g.next_at(s, t.k, t.j));
    for (int i = 0; i < g.rows().parts(); ++i) {
      if (g.has_rest(s, t.k, i)) send(Graph::task(Graph::rest, s, i, t.j, t.k));
    }
    if (s == 1) return;
    // The second sweep begins with the last blocks of the first one.
    if (t.k == g.last()) then(visit, g.solve_at(1, 0, t.j));
    if (t.k + 1 == g.last()) then(visit, g.next_at(1, 0, t.j));
    if (g.last_solved(t.i) == t.k) then(visit, Graph::task(Graph::rest, 1, t.i, t.j, 0));
  }
  [[nodiscard]] Shape output(int x) const { return piece_of_block(x); }
  [[nodiscard]] int parts(int /*index*/) const { return g.block_pieces(t.j); }
  [[nodiscard]] Work work() const { return solving(sides()); }
  [[nodiscard]] std::int64_t priority() const { return 2 * g.steps() + steps_left(); }
  void writes(VisitTask visit) const { write_block(t.k, visit); }

  /// In place, by the pieces of columns of the diagonal block.
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    auto const [forward, triangle, diagonal] = g.triangle(sweep());
    auto const top = block().begin;
    auto const all = a.columns(t);
    for (int y = 0; y < all; ++y) {
      auto const now = a.columns(t, forward ? y : all - 1 - y, top, context);
      auto const [first, last] = now.of;
      auto* const x = a.b.data + top + first;
      blas::trsm(blas::Side::left, triangle, a.factors.trans, diagonal, last - first, sides(),
                 now.data + a.factors.step(first, now.ld), now.ld, x, a.b.ld);
      auto const left = forward ? Rows{last, width()} : Rows{0, first};
      if (left.count() == 0) continue;
      blas::gemm(a.factors.trans, Trans::none, left.count(), sides(), last - first, T(-1),
                 now.data + a.factors.step(left.begin, now.ld), now.ld, x, a.b.ld, T(1), a.b.data + top + left.begin,
                 a.b.ld);
    }
    for (int x = 0; x < g.block_pieces(t.j); ++x) {
      auto const of = Graph::piece(sides(), g.block_pieces(t.j), x);
      T const* const from = a.b.data + top + of.first * a.b.ld;
      detail::pack(width(), of.length(), from, a.b.ld, detail::elements_out<T>(context, x));
    }
  }
};

/// B - op(T) X in some rows.
struct Update : OnPanel {
  [[nodiscard]] int parents() const {
    return pieces() + (g.sends_blocks() ? g.block_pieces(t.j) : 1) + (is_first() ? 0 : 1);
  }
  [[nodiscard]] Rows rows() const { return t.kind == Graph::next ? next_block() : other_rows(); }
  [[nodiscard]] Work work() const { return updating(rows(), sides()); }
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    constexpr Index at_once = 512;
    auto const blocks = g.sends_blocks() ? g.block_pieces(t.j) : 1;
    for (int y = 0; y < blocks; ++y) {
      auto const of = Graph::piece(sides(), blocks, y);
      auto const* const x =
          g.sends_blocks() ? detail::elements_in<T>(context, g.input_of_block(y)) : a.b.data + block().begin;
      auto const ld = g.sends_blocks() ? width() : a.b.ld;
      for (auto first = of.first; first < of.last; first += at_once) {
        for (int p = 0; p < a.columns(t); ++p) {
          auto const now = a.columns(t, p, rows().begin, context);
          blas::gemm(a.factors.trans, Trans::none, rows().count(), std::min(at_once, of.last - first), now.of.length(),
                     T(-1), now.data, now.ld, x + now.of.first + (first - of.first) * ld, ld, T(1),
                     a.b.data + rows().begin + first * a.b.ld, a.b.ld);
        }
        context.progress();
      }
    }
  }
};

/// Updates the block that is solved for next.
struct Next : Update {
  static constexpr std::uint16_t kind = Graph::next;
  [[nodiscard]] std::string name() const { return named("next"); }
  void children(VisitEdge visit) const { then(visit, g.solve_at(sweep(), t.k + 1, t.j)); }
  [[nodiscard]] std::int64_t priority() const { return 2 * g.steps() + steps_left(); }
  void writes(VisitTask visit) const { write_block(t.k + 1, visit); }
};

/// Updates the other blocks.
struct Rest : Update {
  static constexpr std::uint16_t kind = Graph::rest;
  [[nodiscard]] std::string name() const { return named("rest"); }
  void children(VisitEdge visit) const {
    auto const k = t.k + 1;
    if (k < g.last() && g.row_of(sweep(), k + 1) == t.i) then(visit, g.next_at(sweep(), k, t.j));
    if (g.has_rest(sweep(), k, t.i)) then(visit, Graph::task(Graph::rest, sweep(), t.i, t.j, k));
  }
  [[nodiscard]] std::int64_t priority() const { return steps_left(); }
  void writes(VisitTask visit) const {
    for (auto k = t.k + 2; k <= g.last(); ++k) write_block(k, visit);
  }
};

}  // namespace panels_tasks

template <class T>
class RunningPanels final : public PanelsGraph {
 public:
  using Element = T;
  /// Some columns of a panel from a local row on: in this rank's factors, or received.
  struct Columns {
    T const* data = nullptr;
    Index ld = 1;
    Piece of{};  ///< in the panel
  };
  Factors<T> const factors;
  Part<T> const b;

  RunningPanels(SolveProblem const& problem, Distribution const& distribution, AxisDistribution const& sides,
                Machine const& machine, Part<T const> part, Part<T> part_of_b)
      : PanelsGraph(problem, distribution, sides, machine), factors{problem.trans, part}, b(part_of_b) {}

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }

  [[nodiscard]] int columns(Task t) const { return sends_panels() ? panel_pieces(sweep(t), t.k) : 1; }
  [[nodiscard]] Columns columns(Task t, int x, Index row, TaskContext& context) const {
    auto const w = width(sweep(t), t.k);
    if (!sends_panels()) {
      return {factors.at(row, cols().before(t.j, panel(sweep(t), t.k).begin)), factors.part.ld, {0, w}};
    }
    auto const sent = from(sweep(t), t.k, t.i);
    auto const of = piece(w, panel_pieces(sweep(t), t.k), x);
    auto const ld = factors.trans == Trans::none ? sent.count() : of.length();
    return {detail::elements_in<T>(context, x) + factors.step(row - sent.begin, ld), ld, of};
  }
};

}  // namespace

std::unique_ptr<SolveGraph> panels_graph(SolveProblem const& problem, Distribution const& factors,
                                         AxisDistribution const& sides, Machine const& machine) {
  return std::make_unique<PanelsGraph>(problem, factors, sides, machine);
}

template <class T>
std::unique_ptr<SolveGraph> running_panels(SolveProblem const& problem, Distribution const& factors,
                                           AxisDistribution const& sides, Machine const& machine, Part<T const> part,
                                           Part<T> b) {
  return std::make_unique<RunningPanels<T>>(problem, factors, sides, machine, part, b);
}

#define ALLPORT_PANELS(T)                              \
  template std::unique_ptr<SolveGraph> running_panels( \
      SolveProblem const&, Distribution const&, AxisDistribution const&, Machine const&, Part<T const>, Part<T>);
ALLPORT_FOR_SCALARS(ALLPORT_PANELS)

}  // namespace allport::lu_detail
