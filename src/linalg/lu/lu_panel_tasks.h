// The tasks of LU on a panel, and on the columns to the left of it.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "linalg/matrix/operand.h"
#include "lu_task_graph.h"

/// Bodies get the rank's part of the matrix: RunningLu.
namespace allport::lu_detail::lu_tasks {

using Graph = LuTaskGraph;
using enum LuTaskGraph::Kind;
using Columns = Graph::Columns;

/// Blocks of memory that tasks overwrite: columns of panels, of blocks beyond all panels, and rows of U on layer 0.
enum Memory : std::uint16_t { of_panel, of_block, rows_of_u };

/// A task of panel k on grid row i.
struct LuTask : TaskOf<Graph> {
  [[nodiscard]] Panel const& p() const { return g.panel(t.k); }
  [[nodiscard]] bool diagonal() const { return t.i == g.diagonal_row(t.k); }
  /// Rows of the panel, and rows below its diagonal block.
  [[nodiscard]] Index height() const { return g.rows_from(t.i, p().begin); }
  [[nodiscard]] Index below() const { return g.rows_from(t.i, p().end); }

  [[nodiscard]] std::string named(char const* kind, int column, std::string const& unit = {}) const {
    auto const where = g.layers() > 1 ? fmt::format("layer {}, ", t.layer) : std::string();
    return fmt::format("{}({}row {}, column {}, panel {}{})", kind, where, t.i, column, t.k, unit);
  }
  [[nodiscard]] Rank rank(int column) const { return g.layout().rank({t.i, column, t.layer}); }
  /// By the next panel that is factored in the columns which a task updates; tasks that other ranks wait for come
  /// first.
  [[nodiscard]] double before_panel(std::int32_t k, int urgency) const { return 4.0 * (g.panels() - k) + urgency; }
  void write_panel(std::int32_t k, VisitTask visit) const { visit({of_panel, 0, 0, 0, k}); }
  [[nodiscard]] bool members(Gang& gang) const {
    if (g.p_r() == 1) return false;
    gang.clear();
    for (int i = 0; i < g.p_r(); ++i) gang.members.push_back({t.kind, t.layer, i, t.j, t.k});
    return true;
  }
  [[nodiscard]] Shape output_of_factor(int index) const;
};

/// Factors its rows of the panel: a gang of the grid column that owns the panel.
struct Factor : LuTask {
  static constexpr std::uint16_t kind = factor;
  [[nodiscard]] std::string name() const { return named("factor", g.column(t.k)); }
  [[nodiscard]] Rank owner() const { return rank(g.column(t.k)); }
  [[nodiscard]] int parents() const { return t.k > 0 ? 1 : 0; }
  /// With one rank per row nothing is sent: L is read in the matrix.
  void children(VisitEdge visit) const {
    auto const edge = g.reads_in_place() ? EdgeKind::order : EdgeKind::data;
    for (int j = 0; j < g.p_c(); ++j) {
      g.each_unit(j, t.k, [&](std::int32_t unit) { children_on(unit, edge, visit); });
      for (int l = 0; l < g.layers(); ++l) {
        if (g.notes(l, j, t.k)) visit({g.task(note, l, t.i, j, t.k), 0, Graph::pivots_only});
      }
    }
    for (int x = 0; t.layer > 0 && x < g.all_pieces(); ++x) {
      visit({g.task(back, 0, t.i, 0, t.k), x, Graph::first_piece + x});
    }
    auto const own = g.column(t.k);
    if (g.pivots() && t.layer == 0 && !g.has_units(0, own, t.k)) then(visit, g.left_of(t.i, own, t.k));
  }
  [[nodiscard]] bool gang(Gang& gang) const {
    if (!members(gang)) return false;
    // The panels of a grid column, and the tasks that they depend on, run one after the other.
    gang.inside = true;
    gang.collectives = panel_collectives(g.pivoting(), p().width(), g.diagonal_row(t.k), g.element());
    if (g.pivoting() == Pivoting::tournament) expect_displaced(gang, g.p_r(), p().width(), g.element());
    return true;
  }
  /// The pivots; L of the diagonal block; then pieces of L. Pivots and diagonal block are outputs of their own, so that
  /// rows are exchanged and U is computed while L is sent.
  [[nodiscard]] Shape output(int index) const {
    auto const width = p().width();
    if (index == Graph::pivots_only) return {0, 0, head_bytes(width)};
    if (index == Graph::corner) return {width, width, 0};
    auto const number = index - Graph::first_piece;
    auto const x = number % g.pieces();
    return {g.piece(t.i, t.k, x).width(), g.slice(t.k, number / g.pieces()).width(), g.head_of_piece(t.k, x)};
  }
  [[nodiscard]] int parts(int index) const { return index >= Graph::first_piece ? g.pieces() : 1; }
  [[nodiscard]] Work work() const {
    auto const b = static_cast<double>(p().width());
    // Row s < b of the corner is updated by s eliminations, each row below it by all b.
    auto const corner = diagonal() ? (b - 1) * b * (2 * b - 1) / 3 + b * (b - 1) / 2 : 0;
    return kernel(Kernel::panel, static_cast<double>(below()) * b * b + corner, p().width() * (below() + p().width()));
  }
  [[nodiscard]] double priority() const { return before_panel(t.k, 3); }
  void writes(VisitTask visit) const { write_panel(t.k, visit); }

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    auto const pivots = factor_panel(a.line(context), a.part(), p(), g.pivoting(), a.fell_back);
    static_cast<void>(a.moves(t.k, pivots.data()));
    auto const write_pivots = [&](std::span<std::byte> to) {
      std::memset(to.data(), 0, static_cast<std::size_t>(head_bytes(p().width())));
      std::memcpy(to.data(), pivots.data(), pivots.size() * sizeof(Index));
    };
    for (int x = 0; is_sent() && x < g.all_pieces(); ++x) {
      auto const rows = g.piece(t.i, t.k, x % g.pieces());
      auto const cols = g.slice(t.k, x / g.pieces());
      auto const head = g.head_of_piece(t.k, x % g.pieces());
      if (rows.width() * cols.width() == 0 && head == 0) continue;
      auto const to = context.output(Graph::first_piece + x);
      if (head > 0) write_pivots(to);
      a.pack(a.panel_at(t.k, rows.first, cols.first), rows.width(), cols.width(), to.data() + head);
    }
    if (sends_corner() && diagonal()) {
      a.pack(a.panel_at(t.k), p().width(), p().width(), context.output(Graph::corner).data());
    }
    if (sends_pivots()) write_pivots(context.output(Graph::pivots_only));
  }

 private:
  void children_on(std::int32_t unit, EdgeKind edge, VisitEdge visit) const;
  [[nodiscard]] bool is_sent() const { return (g.p_c() * g.layers() > 1 && g.has_users(t.k)) || g.layer(t.k) > 0; }
  [[nodiscard]] bool sends_corner() const { return !g.updates_alone() && !g.reads_in_place() && g.has_users(t.k); }
  [[nodiscard]] bool sends_pivots() const {
    if (g.layers() > 1 || sends_corner()) return g.pivots();
    for (int j = 0; j < g.p_c(); ++j) {
      if (g.notes(0, j, t.k)) return true;
    }
    return false;
  }
};

inline Shape LuTask::output_of_factor(int index) const {
  return Factor{{{g, g.task(factor, g.layer(t.k), t.i, 0, t.k)}}}.output(index);
}

/// Receives the pivots on a rank that has no columns to update. No task waits for it but `left`.
struct Note : LuTask {
  static constexpr std::uint16_t kind = note;
  [[nodiscard]] std::string name() const { return named("note", t.j); }
  [[nodiscard]] Rank owner() const { return rank(t.j); }
  [[nodiscard]] int parents() const { return 1; }
  void children(VisitEdge visit) const {
    if (t.layer == 0) then(visit, g.left_of(t.i, t.j, t.k));
  }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return output_of_factor(Graph::pivots_only); }
  [[nodiscard]] double priority() const { return 1; }

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    static_cast<void>(a.moves(t.k, context));
  }
};

/// Exchanges rows in the columns to the left, by the pivots of a batch of panels that ends with k: a gang of grid
/// column j.
struct Left : LuTask {
  static constexpr std::uint16_t kind = left;
  [[nodiscard]] std::string name() const { return named("left", t.j); }
  [[nodiscard]] Rank owner() const { return rank(t.j); }
  /// The previous batch; the last updates, or the last panel, of this batch on a rank of layer 0; panels that come back
  /// to it; and pivots that it only notes.
  [[nodiscard]] int parents() const {
    int parents = g.batch_begin(t.k) > 0 ? 1 : 0;
    for (auto k = g.batch_begin(t.k); k <= t.k; ++k) {
      if (g.are_last_of_batch(t.j, k)) {
        g.each_unit(t.j, k, [&](std::int32_t unit) { parents += g.has_update(0, unit) ? 1 : 0; });
      }
      if (g.notes(0, t.j, k)) ++parents;
      if (g.column(k) == t.j && (g.layer(k) > 0 || !g.has_units(0, t.j, k))) ++parents;
    }
    return parents;
  }
  void children(VisitEdge visit) const {
    if (t.k + 1 < g.panels()) then(visit, g.left_of(t.i, t.j, t.k + 1));
  }
  [[nodiscard]] bool gang(Gang& gang) const {
    if (!members(gang)) return false;
    gang.exchanges = true;
    auto const first = g.panel(g.batch_begin(t.k)).begin;
    auto const end = p().end;
    double bytes = 0;
    for (auto const k : g.own(t.j)) {
      auto const& own = g.panel(k);
      if (own.end < end) {
        bytes += static_cast<double>(own.width() * (end - std::max(first, own.end)) * g.element());
      }
    }
    expect_row_moves(gang, g.p_r(), static_cast<double>(end - first), bytes);
    return true;
  }
  void writes(VisitTask visit) const {
    for (auto const k : g.own(t.j)) {
      if (k <= t.k) write_panel(k, visit);
    }
  }

  /// Columns before the batch are moved together by all its pivots.
  template <class Matrix>
  auto row_moves(Matrix const& a, TaskContext& /*context*/) const {
    auto const first = g.panel(g.batch_begin(t.k)).begin;
    auto const end = p().end;
    std::vector<RowMoves<typename Matrix::Element>> jobs;
    Index before = 0;
    for (auto const k : g.own(t.j)) {
      auto const& own = g.panel(k);
      if (own.end <= first) before = g.columns(k).end;
      if (own.end > first && own.end < end) jobs.push_back(a.moves_in(g.columns(k), a.moves_between(own.end, end)));
    }
    if (before > 0) jobs.push_back(a.moves_in({0, before}, a.moves_between(first, end)));
    return jobs;
  }
  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    a.receive(row_moves(a, context), context);
  }
};

/// Receives the panel on layer 0. No task waits for it but `left`.
struct Back : LuTask {
  static constexpr std::uint16_t kind = back;
  [[nodiscard]] std::string name() const { return named("back", g.column(t.k)); }
  [[nodiscard]] Rank owner() const { return rank(g.column(t.k)); }
  [[nodiscard]] int parents() const { return g.all_pieces(); }
  void children(VisitEdge visit) const {
    if (g.pivots()) then(visit, g.left_of(t.i, g.column(t.k), t.k));
  }
  [[nodiscard]] std::optional<Shape> input(int index) const { return output_of_factor(Graph::first_piece + index); }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * p().width() * height()); }
  [[nodiscard]] double priority() const { return 1; }
  void writes(VisitTask visit) const { write_panel(t.k, visit); }

  template <class Matrix>
  void run(Matrix const& a, TaskContext& context) const {
    for (int x = 0; x < g.all_pieces(); ++x) {
      auto const rows = g.piece(t.i, t.k, x % g.pieces());
      auto const cols = g.slice(t.k, x / g.pieces());
      a.unpack(context.input(x), rows.width(), cols.width(), a.panel_at(t.k, rows.first, cols.first));
    }
  }
};

}  // namespace allport::lu_detail::lu_tasks
