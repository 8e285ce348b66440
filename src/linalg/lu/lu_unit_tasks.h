// The tasks of LU on a unit of columns: one of the next panels, or a block of columns beyond them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "linalg/matrix/blas.h"
#include "lu_panel_tasks.h"

namespace allport::lu_detail::lu_tasks {

/// A task on unit t.j in the step of panel t.k.
struct OnUnit : LuTask {
  [[nodiscard]] Columns columns() const { return g.columns(t.j, t.k); }
  [[nodiscard]] Index right() const { return columns().width(); }
  [[nodiscard]] bool is_whole() const { return g.is_whole(t.j); }
  [[nodiscard]] std::string named(char const* kind) const {
    return LuTask::named(kind, g.column_of_unit(t.j),
                         g.is_block(t.j) ? fmt::format(", column block {}", t.j - g.panels())
                                         : fmt::format(", columns of panel {}", t.j));
  }
  /// The same unit and step, by another kind of task.
  [[nodiscard]] Task same(std::uint16_t kind, int l, int i) const { return g.task(kind, l, i, t.j, t.k); }
  /// Number of tasks that precede the first one on a unit in a step.
  [[nodiscard]] int before() const { return t.k > 0 || g.is_gathered(t.j, t.k) ? 1 : 0; }

  /// Rows of U in an output of `upper` or `solve`, and columns of the unit.
  [[nodiscard]] Columns rows_of_u(int index) const {
    return is_whole() ? Columns{0, p().width()} : g.slice(t.k, index / g.u_pieces());
  }
  [[nodiscard]] Columns cols_of_u(int index) const { return g.piece_of_u(t.j, t.k, index % g.u_pieces()); }
  [[nodiscard]] Shape output_of_u(int index) const { return {rows_of_u(index).width(), cols_of_u(index).width(), 0}; }
  /// All rows of U of the unit.
  [[nodiscard]] Shape shape_of_rows() const { return {p().width(), right(), 0}; }
  [[nodiscard]] Work solving() const {
    auto const b = static_cast<double>(p().width());
    return kernel(Kernel::trsm, b * (b - 1) * static_cast<double>(right()), p().width() * (right() + p().width()));
  }
  void send_to_users(VisitEdge visit) const;

  [[nodiscard]] Rank owner() const { return rank(g.column_of_unit(t.j)); }
  [[nodiscard]] double priority_of(int urgency) const {
    if (!g.is_block(t.j)) return before_panel(t.j, urgency);
    auto const& block = g.column_block(t.j);
    return before_panel(block.beyond ? g.panels() : g.next_of(block.j, g.last_apart(t.k)), urgency);
  }
  void writes(VisitTask visit) const {
    if (!g.is_block(t.j)) return write_panel(t.j, visit);
    auto const& block = g.column_block(t.j);
    if (block.beyond) return visit({of_block, 0, 0, t.j, 0});
    for (auto k = g.next_of(block.j, g.last_apart(t.k)); k < g.panels(); k = g.next_of(block.j, k)) {
      if (g.block_of(k) == t.j) write_panel(k, visit);
    }
  }

  /// U = L^-1 A in place. @param l  of the diagonal block: its strict lower triangle
  template <class Matrix, class T>
  void solve_with(Matrix const& a, T const* l, Index ld) const {
    Stopwatch const watch(a.ledger.compute);
    blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, p().width(), right(), l, ld,
               a.unit_at(t.k, columns().first), a.ld());
  }
  /// Sends rows of U, or each layer's slice of them, in pieces.
  template <class Matrix>
  void send_u(Matrix const& a, TaskContext& context) const {
    for (int x = 0; x < g.u_outputs(t.j); ++x) {
      auto const rows = rows_of_u(x);
      auto const cols = cols_of_u(x);
      if (rows.width() * cols.width() == 0) continue;
      a.pack(a.unit_at(t.k, columns().first + cols.first, rows.first), rows.width(), cols.width(),
             context.output(x).data());
    }
  }
};

/// A - L U below the panel's diagonal block. On one row of ranks also what Upper does.
struct Update : OnUnit {
  static constexpr std::uint16_t kind = update;
  /// Pieces of L that it reads: of all slices, or of its layer's.
  [[nodiscard]] int l_blocks() const { return g.reads_in_place() ? 1 : is_whole() ? g.all_pieces() : g.pieces(); }
  /// The output of Factor that is input x; that of Upper or Solve that is input l_blocks() + y.
  [[nodiscard]] int l_output(int x) const { return Graph::first_piece + (is_whole() ? 0 : t.layer * g.pieces()) + x; }
  [[nodiscard]] int u_output(int y) const { return (is_whole() ? 0 : t.layer * g.u_pieces()) + y; }
  /// Columns of the panel that input x has.
  [[nodiscard]] Columns depth(int x) const { return g.slice(t.k, is_whole() ? x / g.pieces() : t.layer); }

  [[nodiscard]] std::string name() const { return named("update"); }
  [[nodiscard]] int parents() const {
    if (g.updates_alone()) return l_blocks() + before();
    auto const moved = g.has_upper(t.layer, t.i, t.j, t.k) ? 1 : before();
    return l_blocks() + g.u_pieces() + (diagonal() ? 0 : moved);
  }
  /// The tasks of the next step that it makes ready.
  void children(VisitEdge visit) const {
    auto const next = t.k + 1;
    auto const column = g.column_of_unit(t.j);
    auto const begin = [&](std::int32_t unit) { then(visit, g.begin(t.layer, t.i, unit, next)); };
    if (t.layer == 0 && g.are_last_of_batch(column, t.k)) then(visit, g.left_of(t.i, column, t.k));
    if (next == g.panels()) return;
    if (!g.is_block(t.j)) return t.j > next ? begin(t.j) : then(visit, g.task(factor, t.layer, t.i, 0, next));
    if (g.columns(t.j, next).width() > 0) begin(t.j);
    auto const apart = g.last_apart(next);
    if (apart == g.last_apart(t.k) || g.block_of(apart) != t.j) return;
    if (g.layers() > 1) return then(visit, g.task(part, t.layer, t.i, apart, next));
    begin(apart);
  }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    return index < l_blocks() ? output_of_factor(l_output(index)) : output_of_u(u_output(index - l_blocks()));
  }
  [[nodiscard]] Work work() const {
    auto const deep = g.depth(t).width();
    auto const flops = 2 * static_cast<double>(below()) * static_cast<double>(right()) * static_cast<double>(deep);
    return kernel(Kernel::gemm, flops + (g.updates_alone() ? solving().flops : 0),
                  below() * deep + deep * right() + below() * right());
  }
  [[nodiscard]] double priority() const { return priority_of(1); }

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    auto const all = g.depth(t);
    if (all.width() == 0) return;
    if (g.updates_alone()) {
      if (g.pivots()) a.move_rows_here(t.k, columns(), context);
      auto const top = a.piece_of_l(t, context, 0);
      solve_with(a, top.data, top.ld);
    }
    Stopwatch const watch(a.ledger.compute);
    auto const above = height() - below();  // rows of U itself
    for (int x = 0; x < l_blocks(); ++x) {
      auto const by = depth(x);
      if (by.width() == 0) continue;
      auto const l = a.piece_of_l(t, context, x);
      auto const first = std::max(l.rows.first, above);
      auto const multiply = [&](Columns const& cols, auto const* u, Index ld) {
        using T = std::remove_cvref_t<decltype(*u)>;
        blas::gemm(Trans::none, Trans::none, std::max<Index>(l.rows.end - first, 0), cols.width(), by.width(), T(-1),
                   l.data + (first - l.rows.first), l.ld, u, ld, T(1),
                   a.unit_at(t.k, columns().first + cols.first, first), a.ld());
      };
      if (g.updates_alone()) multiply({0, right()}, a.unit_at(t.k, columns().first), a.ld());
      for (int y = 0; !g.updates_alone() && y < g.u_pieces(); ++y) {
        auto const* const u = detail::elements_in<typename Matrix::Element>(context, l_blocks() + y);
        multiply(g.piece_of_u(t.j, t.k, y), u + (by.first - all.first), all.width());
      }
      context.progress();
    }
  }
};

inline void OnUnit::send_to_users(VisitEdge visit) const {
  for (int l = 0; l < g.layers(); ++l) {
    if (!g.has_update(l, t.j)) continue;
    for (int y = 0; y < g.u_pieces(); ++y) {
      Update const first{{{{g, same(update, l, t.i)}}}};
      auto const piece = first.u_output(y);
      for (int i = 0; i < g.p_r(); ++i) visit({same(update, l, i), first.l_blocks() + y, piece});
      if (t.layer > 0) visit({same(back_upper, 0, t.i), piece, piece});
    }
  }
}

inline void Factor::children_on(std::int32_t unit, EdgeKind edge, VisitEdge visit) const {
  for (int l = 0; l < g.layers(); ++l) {
    if (g.has_upper(l, t.i, unit, t.k)) {
      auto const exchanged = g.task(upper, l, t.i, unit, t.k);
      if (g.pivots()) visit({exchanged, 0, Graph::pivots_only, edge});
      if (g.is_whole(unit) && diagonal()) visit({exchanged, 1, Graph::corner, edge});
    }
    if (!g.has_update(l, unit)) continue;
    Update const updated{{{{g, g.task(update, l, t.i, unit, t.k)}}}};
    for (int x = 0; x < updated.l_blocks(); ++x) visit({updated.t, x, updated.l_output(x), edge});
  }
  if (!g.is_whole(unit) && diagonal()) {
    visit({g.task(solve, g.solver(unit, t.k), t.i, unit, t.k), 0, Graph::corner});
  }
}

/// Exchanges rows of the unit: a gang of its grid column; then the diagonal's grid row computes U = L^-1 A, or sends
/// its rows to Solve. Without pivoting only that row has this task; on one row of ranks Update includes it.
struct Upper : OnUnit {
  static constexpr std::uint16_t kind = upper;
  enum Input { pivots, l_of_corner };
  [[nodiscard]] std::string name() const { return named("upper"); }
  [[nodiscard]] int parents() const { return (g.pivots() ? 1 : 0) + (is_whole() && diagonal() ? 1 : 0) + before(); }
  void children(VisitEdge visit) const {
    if (!diagonal()) return then(visit, same(update, t.layer, t.i));
    if (is_whole()) return send_to_users(visit);
    visit({same(solve, g.solver(t.j, t.k), t.i), 1, 0, g.to_sum(t.k)});
  }
  [[nodiscard]] bool gang(Gang& gang) const {
    if (!g.pivots() || !members(gang)) return false;
    gang.exchanges = true;
    auto const rows = static_cast<double>(p().width());
    expect_row_moves(gang, g.p_r(), rows, rows * static_cast<double>(right() * g.element()));
    return true;
  }
  [[nodiscard]] Shape output(int index) const { return is_whole() ? output_of_u(index) : shape_of_rows(); }
  [[nodiscard]] int parts(int /*index*/) const { return is_whole() ? g.u_pieces() : 1; }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    return output_of_factor(index == l_of_corner ? Graph::corner : Graph::pivots_only);
  }
  [[nodiscard]] Work work() const {
    return is_whole() && diagonal() ? solving() : kernel(Kernel::copy, 0, 2 * p().width() * right());
  }
  [[nodiscard]] double priority() const { return priority_of(2); }

  template <class Matrix>
  auto row_moves(Matrix const& a, TaskContext& context) const {
    return std::vector{a.moves_in(columns(), a.moves(t.k, context))};
  }
  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    if (g.pivots() && g.p_r() == 1) {
      a.move_rows_here(t.k, columns(), context);
    } else if (g.pivots()) {
      a.receive(row_moves(a, context), context);
    }
    if (!diagonal()) return;
    if (!is_whole()) return a.pack(a.unit_at(t.k, columns().first), p().width(), right(), context.output(0).data());
    if (g.reads_in_place()) {
      solve_with(a, a.panel_at(t.k), a.ld());
    } else {
      solve_with(a, detail::elements_in<typename Matrix::Element>(context, l_of_corner), p().width());
    }
    send_u(a, context);
  }
};

/// U = L^-1 A from the sum of all layers' rows of a column block, on some layer.
struct Solve : OnUnit {
  static constexpr std::uint16_t kind = solve;
  enum Input { l_of_corner, sum_of_layers };
  [[nodiscard]] std::string name() const { return named("solve"); }
  [[nodiscard]] int parents() const { return 1 + g.layers_by(t.k); }
  void children(VisitEdge visit) const { send_to_users(visit); }
  void contributors(int /*input*/, VisitTask visit) const {
    for (int l = 0; l < g.layers_by(t.k); ++l) visit(same(upper, l, t.i));
  }
  [[nodiscard]] Shape output(int index) const { return output_of_u(index); }
  [[nodiscard]] int parts(int /*index*/) const { return g.u_pieces(); }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    return index == sum_of_layers ? shape_of_rows() : output_of_factor(Graph::corner);
  }
  [[nodiscard]] Work work() const { return solving(); }
  [[nodiscard]] double priority() const { return priority_of(2); }

  /// The sum replaces this layer's part of it, which no task reads any more.
  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    a.unpack(context.input(sum_of_layers), p().width(), right(), a.unit_at(t.k, columns().first));
    solve_with(a, detail::elements_in<typename Matrix::Element>(context, l_of_corner), p().width());
    send_u(a, context);
  }
};

/// Receives rows of U on layer 0. No task waits for it.
struct BackUpper : OnUnit {
  static constexpr std::uint16_t kind = back_upper;
  [[nodiscard]] std::string name() const { return named("back_upper"); }
  [[nodiscard]] int parents() const { return g.u_outputs(t.j); }
  [[nodiscard]] std::optional<Shape> input(int index) const { return output_of_u(index); }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * p().width() * right()); }
  [[nodiscard]] double priority() const { return 1; }
  void writes(VisitTask visit) const { visit({Memory::rows_of_u, 0, 0, t.j, t.k}); }

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    for (int x = 0; x < g.u_outputs(t.j); ++x) {
      auto const rows = rows_of_u(x);
      auto const cols = cols_of_u(x);
      a.unpack(context.input(x), rows.width(), cols.width(), a.unit_at(t.k, columns().first + cols.first, rows.first));
    }
  }
};

/// Sends this layer's part of panel t.j, from panel t.k's rows on.
struct SendPart : OnUnit {
  static constexpr std::uint16_t kind = part;
  [[nodiscard]] std::string name() const { return named("part"); }
  [[nodiscard]] int parents() const { return t.k > 0 ? 1 : 0; }
  void children(VisitEdge visit) const { visit({same(gather, g.layer(t.j), t.i), 0, 0, g.to_sum(t.k)}); }
  [[nodiscard]] Shape output(int /*index*/) const { return {height(), g.panel(t.j).width(), 0}; }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * g.panel(t.j).width() * height()); }
  [[nodiscard]] double priority() const { return priority_of(3); }
  void writes(VisitTask /*visit*/) const {}

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    a.pack(a.unit_at(t.k, g.columns(t.j).first), height(), g.panel(t.j).width(), context.output(0).data());
  }
};

/// Sums the layers' parts of panel t.j on the layer that factors it.
struct Gather : OnUnit {
  static constexpr std::uint16_t kind = gather;
  [[nodiscard]] std::string name() const { return named("gather"); }
  [[nodiscard]] int parents() const { return g.layers_by(t.k); }
  void children(VisitEdge visit) const { then(visit, g.begin(t.layer, t.i, t.j, t.k)); }
  void contributors(int /*input*/, VisitTask visit) const {
    for (int l = 0; l < g.layers_by(t.k); ++l) visit(same(part, l, t.i));
  }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return Shape{height(), g.panel(t.j).width(), 0}; }
  [[nodiscard]] Work work() const { return kernel(Kernel::add, 0, g.layers_by(t.k) * g.panel(t.j).width() * height()); }
  [[nodiscard]] double priority() const { return priority_of(3); }

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    a.unpack(context.input(0), height(), g.panel(t.j).width(), a.unit_at(t.k, g.columns(t.j).first));
  }
};

}  // namespace allport::lu_detail::lu_tasks
