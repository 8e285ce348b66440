// The tasks of tile QR, and of products with its Q.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "linalg/matrix/column_blocks.h"
#include "linalg/matrix/operand.h"
#include "qr_graph.h"
#include "qr_kernels.h"

/// Bodies get a rank's tiles: `factor` those of RunningQr, `apply` those of RunningProduct, too.
namespace allport::qr_tasks {

using enum QrGraph::Output;
using enum QrGraph::TileKind;

/// An operation of QrOrder, or what it reads where reflectors are given. A reflector of length l costs 4 l flops per
/// column that it is applied to; those of a merge are a trapezoid. Work has the leading terms: T is of lower order in
/// ib / nb.
struct OnTile : TaskOf<QrGraph> {
  [[nodiscard]] bool is_chained() const { return t.kind == QrGraph::chained; }
  /// The tile row that the task overwrites; of two, the one that may be sent to another rank next.
  [[nodiscard]] std::int32_t row() const {
    return is_chained() ? g.order().head(t.i, t.k) : t.kind == QrGraph::top ? QrOrder::partner(t.i, t.k) : t.i;
  }
  /// Rows of the tile, or of the triangle that a merge eliminates, columns of the panel, and columns of tile t.j.
  [[nodiscard]] Index rows() const { return g.is_merge(t) ? g.triangle_rows(t.i, t.k) : g.rows_of(t.i); }
  [[nodiscard]] Index width() const { return g.width_of(t.k); }
  [[nodiscard]] Index cols() const { return g.cols_of(t.j); }
  /// The same as numbers in formulas of flops.
  [[nodiscard]] double m() const { return static_cast<double>(rows()); }
  [[nodiscard]] double w() const { return static_cast<double>(width()); }
  [[nodiscard]] double n() const { return static_cast<double>(cols()); }
  /// V and T.
  [[nodiscard]] Shape shape_of_reflectors() const { return {rows() + g.ib(), width(), 0}; }

  [[nodiscard]] Rank owner() const { return g.owner_of(row(), t.j); }
  [[nodiscard]] bool in_place(int /*index*/) const { return true; }
  /// Number of tasks that precede this one on its tiles.
  [[nodiscard]] int before() const {
    return (g.previous(t, row()) ? 1 : 0) + (is_chained() && g.previous(t, t.i) ? 1 : 0);
  }
  /// To the next tasks on its tiles.
  void pass_on(VisitEdge visit) const {
    pass_on(row(), visit);
    if (is_chained()) pass_on(t.i, visit);
  }
  /// Reflectors to the column tiles from j on.
  void send_reflectors(std::int32_t j, VisitEdge visit) const {
    for (; j < g.tile_cols(); ++j) {
      visit({g.task(g.is_merge(t) ? QrOrder::Op{QrOrder::top, t.i} : g.order().first(t.i, t.k), j, t.k), block, block});
      if (g.is_merge(t)) visit({g.task({QrOrder::bottom, t.i}, j, t.k), block, block});
    }
  }
  /// Decreases along every edge: columns that become panels soon come first. @param within  the panel
  [[nodiscard]] double priority_of(double within) const {
    auto const& scope = g.scope();
    auto const j = std::min(t.j, scope.end_panel);
    double const base = scope.factors   ? 3.0 * (scope.end_panel - j) + (j - t.k)
                        : scope.adjoint ? scope.end_panel - t.k
                                        : t.k + 1 - scope.first_panel;
    return 2 * base + (scope.adjoint ? within : -within);
  }
  [[nodiscard]] double in_tree(double end) const {
    constexpr double levels = 40;
    return priority_of(-(std::countr_zero(static_cast<std::uint32_t>(t.i - t.k)) + end) / levels);
  }
  [[nodiscard]] double priority() const {
    if (g.is_merge(t)) return in_tree(1);
    auto const all = static_cast<double>(g.tile_rows());
    return priority_of((all - t.i) / (all + 1));
  }

 private:
  /// Two ranks that merge their tiles exchange them.
  void pass_on(std::int32_t x, VisitEdge visit) const {
    auto const next = g.next(t, x);
    if (!next) return;
    bool const exchanged = g.is_merge(*next) && !g.is_panel(*next);
    visit({*next, tile, tile, exchanged ? EdgeKind::sent : EdgeKind::order});
    auto const other = next->kind == QrGraph::top ? QrOrder::bottom : QrOrder::top;
    if (exchanged || next->kind == QrGraph::bottom) visit({g.task({other, next->i}, t.j, next->k), tile, tile});
  }
};

/// Factors the panel.
struct OnPanel : OnTile {
  static bool is(QrGraph const& graph, Task task) { return graph.is_panel(task); }
  [[nodiscard]] std::string named(char const* kernel) const { return fmt::format("{}({}, {})", kernel, t.i, t.k); }
  void children(VisitEdge visit) const {
    send_reflectors(t.k + 1, visit);
    pass_on(visit);
  }
  [[nodiscard]] Shape output(int index) const {
    return index == block ? shape_of_reflectors() : Shape{g.triangle_rows(row(), t.k), width(), 0};
  }
  [[nodiscard]] bool in_place(int index) const { return index == block; }
  void writes(VisitTask visit) const {
    if (!g.is_merge(t)) visit({QrGraph::whole, 0, t.i, t.k, 0});
    visit({triangle, 0, row(), t.k, 0});
  }
  /// Sends a copy of R to the head that it is merged into, if that is the next operation.
  template <class Tiles>
  void send_triangle(Tiles const& a, TaskContext& context) const {
    QrOrder::Op const op{static_cast<QrOrder::Kind>(t.kind), t.i};
    if (g.order().after(op, row(), t.k) != QrOrder::Op{QrOrder::bottom, row()}) return;
    std::copy_n(a.triangle(row(), t.k), g.triangle_rows(row(), t.k) * width(),
                detail::elements_out<typename Tiles::Element>(context, tile));
  }
};

/// A head alone: A = Q R
struct Geqrt : OnPanel {
  static constexpr std::uint16_t kind = QrGraph::local;
  [[nodiscard]] std::string name() const { return named("GEQRT"); }
  [[nodiscard]] int parents() const { return before(); }
  [[nodiscard]] Work work() const {
    auto const r = std::min(m(), w());
    auto const flops = 4 * (m() * w() * r - (m() + w()) * r * r / 2 + r * r * r / 3);
    return kernel(Kernel::geqrt, flops, rows() * width());
  }
  /// Copies R from above V, where geqrt() leaves it.
  template <class Tiles>
  void factor(Tiles const& a, TaskContext& context) const {
    blas::geqrt(a.reflectors(t.i, t.k), width());
    auto const* const from = a.at(t.i, t.k);
    auto* const to = a.triangle(t.i, t.k);
    auto const r = g.triangle_rows(t.i, t.k);
    for (Index c = 0; c < width(); ++c) {
      auto const length = std::min(c + 1, r);
      std::copy_n(from + c * rows(), length, to + c * r);
      std::fill_n(to + c * r + length, r - length, typename Tiles::Element(0));
    }
    send_triangle(a, context);
  }
};

/// A tile below the triangle R of its head: (R; A) = Q (R'; 0)
struct Tsqrt : OnPanel {
  static constexpr std::uint16_t kind = QrGraph::chained;
  [[nodiscard]] std::string name() const { return named("TSQRT"); }
  [[nodiscard]] int parents() const { return before(); }
  [[nodiscard]] Work work() const { return kernel(Kernel::tpqrt, 2 * m() * w() * w(), width() * (rows() + width())); }
  template <class Tiles>
  void factor(Tiles const& a, TaskContext& context) const {
    blas::tpqrt(width(), a.triangle(row(), t.k), width(), a.reflectors(t.i, t.k), false);
    send_triangle(a, context);
  }
};

/// Merges the triangle of head i into that of its partner, on the partner's rank.
struct Ttqrt : OnPanel {
  static constexpr std::uint16_t kind = QrGraph::top;
  [[nodiscard]] std::string name() const { return named("TTQRT"); }
  [[nodiscard]] int parents() const { return 1 + before(); }
  void children(VisitEdge visit) const {
    visit({g.task({QrOrder::bottom, t.i}, t.k, t.k), block, block});
    OnPanel::children(visit);
  }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return Shape{rows(), width(), 0}; }
  [[nodiscard]] bool in_place(int /*index*/) const { return false; }
  [[nodiscard]] Work work() const {
    auto const flops = 2 * m() * m() * w() - 4 * m() * m() * m() / 3 + 2 * m() * ((w() - m()) * (w() - m()));
    return kernel(Kernel::tpqrt, flops, width() * (rows() + width()));
  }
  template <class Tiles>
  void factor(Tiles const& a, TaskContext& context) const {
    using T = typename Tiles::Element;
    blas::Block<T> const q{detail::elements_out<T>(context, block), rows(), g.ib()};
    std::copy_n(detail::elements_in<T>(context, tile), rows() * width(), q.v);
    blas::tpqrt(width(), a.triangle(row(), t.k), width(), q, true);
    send_triangle(a, context);
  }
};

/// Stores the reflectors of Ttqrt on the rank of head i.
struct StoreTtqrt : OnPanel {
  static constexpr std::uint16_t kind = QrGraph::bottom;
  [[nodiscard]] std::string name() const { return named("KEEP"); }
  [[nodiscard]] int parents() const { return 1 + before(); }
  void children(VisitEdge /*visit*/) const {}
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return shape_of_reflectors(); }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * rows() * width()); }
  [[nodiscard]] double priority() const { return in_tree(1.5); }
  template <class Tiles>
  void factor(Tiles const& a, TaskContext& context) const {
    auto const* const from = detail::elements_in<typename Tiles::Element>(context, block);
    std::copy_n(from, (rows() + g.ib()) * width(), a.triangle(t.i, t.k));
  }
};

/// Applies the reflectors of a panel to tiles of column j.
struct Apply : OnTile {
  [[nodiscard]] std::string named(char const* kernel) const {
    return fmt::format("{}({}, {}, {})", kernel, t.i, t.j, t.k);
  }
  [[nodiscard]] int parents() const { return 1 + before(); }
  void children(VisitEdge visit) const { pass_on(visit); }
  [[nodiscard]] Shape output(int /*index*/) const { return {g.rows_of(row()), cols(), 0}; }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return shape_of_reflectors(); }
  void writes(VisitTask visit) const {
    visit({QrGraph::whole, 0, row(), t.j, 0});
    if (is_chained()) visit({QrGraph::whole, 0, t.i, t.j, 0});
  }
  template <class T>
  [[nodiscard]] blas::Block<T const> reflectors(TaskContext const& context) const {
    return {detail::elements_in<T>(context, block), rows(), g.ib()};
  }
  /// To a tile of row `head` and one of row i.
  template <class T>
  void apply_to(T* upper, T* lower, std::int32_t head, TaskContext& context) const {
    auto const above = g.rows_of(head), below = g.rows_of(t.i);
    detail::in_fixed_blocks(context, cols(), [&](Index first, Index last) {
      blas::tpmqrt<T>(g.scope().adjoint, reflectors<T>(context), width(), g.is_merge(t), last - first,
                      upper + first * above, above, lower + first * below, below);
    });
  }
};

struct Unmqr : Apply {
  static constexpr std::uint16_t kind = QrGraph::local;
  [[nodiscard]] std::string name() const { return named("UNMQR"); }
  [[nodiscard]] Work work() const {
    auto const r = std::min(m(), w());
    return kernel(Kernel::gemqrt, n() * (4 * m() * r - 2 * r * r), rows() * (width() + cols()));
  }
  template <class Tiles>
  void apply(Tiles const& a, TaskContext& context) const {
    using T = typename Tiles::Element;
    detail::in_fixed_blocks(context, cols(), [&](Index first, Index last) {
      blas::gemqrt<T>(g.scope().adjoint, reflectors<T>(context), width(), last - first, a.at(t.i, t.j) + first * rows(),
                      rows());
    });
  }
};

struct Tsmqr : Apply {
  static constexpr std::uint16_t kind = QrGraph::chained;
  [[nodiscard]] std::string name() const { return named("TSMQR"); }
  [[nodiscard]] Work work() const {
    return kernel(Kernel::tpmqrt, 4 * m() * w() * n(), rows() * width() + (rows() + width()) * cols());
  }
  template <class Tiles>
  void apply(Tiles const& a, TaskContext& context) const {
    apply_to(a.at(row(), t.j), a.at(t.i, t.j), row(), context);
  }
};

/// The two ranks of a merge exchange their tiles; each computes both and stores its own, discarding the other one.
struct Ttmqr : Apply {
  [[nodiscard]] bool is_top() const { return t.kind == QrGraph::top; }
  [[nodiscard]] std::int32_t partner() const { return QrOrder::partner(t.i, t.k); }
  [[nodiscard]] Index rows_of_other() const { return g.rows_of(is_top() ? t.i : partner()); }
  [[nodiscard]] std::string name() const { return named(is_top() ? "TTMQR" : "TTMQR'"); }
  [[nodiscard]] int parents() const { return 2 + before(); }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    return index == block ? shape_of_reflectors() : Shape{rows_of_other(), cols(), 0};
  }
  [[nodiscard]] Work work() const {
    return kernel(Kernel::tpmqrt, 4 * n() * (m() * w() - m() * m() / 2),
                  rows() * width() + (rows() + width()) * cols());
  }
  template <class Tiles>
  void apply(Tiles const& a, TaskContext& context) const {
    using T = typename Tiles::Element;
    auto const elements = rows_of_other() * cols();
    auto* const other = blas::scratch<T, 1>(elements);
    std::copy_n(detail::elements_in<T>(context, tile), elements, other);
    auto* const own = a.at(row(), t.j);
    apply_to(is_top() ? own : other, is_top() ? other : own, partner(), context);
  }
};

/// Where reflectors are given: no parents, no body.
struct Source : OnTile {
  [[nodiscard]] int parents() const { return 0; }
  [[nodiscard]] double priority() const { return priority_of(g.scope().adjoint ? 1 : -1); }
};

/// V and T of tile (i, k).
struct Reflectors : Source {
  static constexpr std::uint16_t kind = QrGraph::reflectors;
  [[nodiscard]] std::string name() const { return fmt::format("V({}, {})", t.i, t.k); }
  [[nodiscard]] Rank owner() const { return g.owner_of_reflectors(t.i, t.k); }
  void children(VisitEdge visit) const { send_reflectors(g.least_column(t.k), visit); }
  [[nodiscard]] Shape output(int /*index*/) const { return shape_of_reflectors(); }
  void writes(VisitTask visit) const { visit({read, 0, t.i, t.k, 0}); }
};

/// Those of the merge of head i.
struct TreeReflectors : Reflectors {
  static constexpr std::uint16_t kind = QrGraph::tree_reflectors;
  [[nodiscard]] std::string name() const { return fmt::format("V2({}, {})", t.i, t.k); }
  void writes(VisitTask visit) const { visit({read_tree, 0, t.i, t.k, 0}); }
};

/// Tile (i, j) before panel k, which two ranks exchange before any other operation on it.
struct Given : Source {
  static constexpr std::uint16_t kind = QrGraph::given;
  [[nodiscard]] std::string name() const { return fmt::format("C({}, {}) of {}", t.i, t.j, t.k); }
  void children(VisitEdge visit) const { pass_on(visit); }
  [[nodiscard]] Shape output(int /*index*/) const { return {rows(), cols(), 0}; }
  void writes(VisitTask visit) const { visit({QrGraph::whole, 0, t.i, t.j, 0}); }
};

}  // namespace allport::qr_tasks
