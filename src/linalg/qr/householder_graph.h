// V and tau of Householder's method from an explicit Q, as a graph: Q - S = V U without pivoting, tile by tile.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "allport/graph/kinds.h"
#include "linalg/matrix/blas.h"
#include "linalg/matrix/triangle_tiles.h"

namespace allport {

namespace householder_tasks {
struct Eliminate;
struct Left;
struct Above;
struct Update;
}  // namespace householder_tasks

/// Ballard, Demmel, Grigori, Jacquelin, Nguyen, Solomonik 2014 (reconstructing Householder vectors from tall-skinny
/// QR): S has the signs that make every pivot at least 1. Q is m x n, m >= n.
class HouseholderGraph : public GraphOfKinds<HouseholderGraph> {
 public:
  using Kinds = ListOfKinds<householder_tasks::Update, householder_tasks::Left, householder_tasks::Above,
                            householder_tasks::Eliminate>;
  enum Kind : std::uint16_t { D, L, U, G };
  enum Input { own, left, above };

  HouseholderGraph(Distribution const& distribution, Scalar type)
      : grid_(distribution.grid()),
        element_(bytes_of(type)),
        m_(distribution.rows().extent()),
        n_(distribution.cols().extent()),
        nb_(distribution.rows().nb()),
        rows_(axis_of_tiles(distribution.rows())),
        cols_(axis_of_tiles(distribution.cols())) {
    for (auto const rank : grid_) ranks_ = std::max(ranks_, rank + 1);
  }

  /// The task on tile (i, j) in step k <= min(i, j).
  static Task at(std::int32_t i, std::int32_t j, std::int32_t k) {
    auto const kind = i > k && j > k ? G : i > k ? L : j > k ? U : D;
    return {static_cast<std::uint16_t>(kind), 0, i, j, k};
  }
  [[nodiscard]] std::int32_t tile_rows() const { return static_cast<std::int32_t>(rows_.extent()); }
  [[nodiscard]] std::int32_t tile_cols() const { return static_cast<std::int32_t>(cols_.extent()); }
  [[nodiscard]] Rank owner_of(Index i, Index j) const { return grid_.rank_at(rows_.owner(i), cols_.owner(j)); }
  [[nodiscard]] Index rows_of(Index i) const { return std::min(nb_, m_ - i * nb_); }
  [[nodiscard]] Index cols_of(Index j) const { return std::min(nb_, n_ - j * nb_); }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (cols_.extent() > 0 && owner_of(0, 0) == rank) visit(at(0, 0, 0));
  }
  /// Tile (i, j) has min(i, j) updates and one final task.
  std::optional<std::int64_t> count(Rank rank) const override {
    auto const at = grid_.position(rank);
    std::int64_t sum = 0;
    for (Index k = 0; at.row >= 0 && k < cols_.extent(); ++k) {
      sum += (rows_.count(at.row) - rows_.before(at.row, k)) * (cols_.count(at.col) - cols_.before(at.col, k));
    }
    return sum;
  }
  std::int64_t steps() const override { return cols_.extent(); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const p = grid_.position(rank);
    if (p.row < 0) return;
    auto const k = static_cast<std::int32_t>(step);
    for (auto j = k; j < cols_.extent(); ++j) {
      if (cols_.owner(j) != p.col) continue;
      for (auto i = k; i < rows_.extent(); ++i) {
        if (rows_.owner(i) == p.row) visit(at(i, j, k));
      }
    }
  }

 private:
  ProcessGrid grid_;
  Index element_;
  Index m_, n_, nb_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Rank ranks_ = 0;
};

/// Bodies get a rank's tiles: RunningHouseholder.
namespace householder_tasks {

struct OnTile : TaskOf<HouseholderGraph> {
  [[nodiscard]] Index m() const { return g.rows_of(t.i); }
  [[nodiscard]] Index n() const { return g.cols_of(t.j); }
  [[nodiscard]] Index k() const { return g.cols_of(t.k); }
  /// Number of updates that precede the task directly.
  [[nodiscard]] int updates() const { return t.k > 0 ? 1 : 0; }

  [[nodiscard]] Rank owner() const { return g.owner_of(t.i, t.j); }
  [[nodiscard]] Shape output(int /*index*/) const { return {m(), n(), 0}; }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    if (index == HouseholderGraph::own) return Shape{m(), n(), 0};
    return index == HouseholderGraph::left ? Shape{m(), k(), 0} : Shape{g.rows_of(t.k), n(), 0};
  }
  /// Decreases along every edge: tasks near the next diagonal tile come first.
  [[nodiscard]] double priority() const {
    auto const to_diagonal = std::min(t.i, t.j);
    return static_cast<double>(3 * (g.tile_cols() - to_diagonal) + (to_diagonal - t.k)) -
           (t.kind == HouseholderGraph::D ? 0 : 0.5);
  }
  void writes(VisitTask visit) const { visit({0, 0, t.i, t.j, 0}); }
  [[nodiscard]] bool in_place(int /*index*/) const { return true; }
};

/// Eliminates tile (k, k) and chooses its signs.
struct Eliminate : OnTile {
  static constexpr std::uint16_t kind = HouseholderGraph::D;
  [[nodiscard]] std::string name() const { return fmt::format("D({})", t.k); }
  [[nodiscard]] int parents() const { return updates(); }
  void children(VisitEdge visit) const {
    for (auto i = t.k + 1; i < g.tile_rows(); ++i) visit({g.at(i, t.k, t.k), HouseholderGraph::above});
    for (auto j = t.k + 1; j < g.tile_cols(); ++j) visit({g.at(t.k, j, t.k), HouseholderGraph::left});
  }
  [[nodiscard]] Work work() const {
    auto const b = static_cast<double>(k());
    return kernel(Kernel::panel, 2 * b * b * (static_cast<double>(m()) - b / 3), m() * k());
  }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& /*context*/) const {
    a.eliminate(a.tile(t), m(), k(), t.k);
  }
};

/// V of tile row i: V(i, k) = A(i, k) U(k, k)^-1
struct Left : OnTile {
  static constexpr std::uint16_t kind = HouseholderGraph::L;
  [[nodiscard]] std::string name() const { return fmt::format("L({}, {})", t.i, t.k); }
  [[nodiscard]] int parents() const { return updates() + 1; }
  void children(VisitEdge visit) const {
    for (auto j = t.k + 1; j < g.tile_cols(); ++j) visit({g.at(t.i, j, t.k), HouseholderGraph::left});
  }
  [[nodiscard]] Work work() const { return kernel(Kernel::trsm, m() * k() * k(), m() * k() + k() * k()); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    blas::trsm(blas::Side::right, blas::Triangle::upper, Trans::none, blas::Diagonal::stored, m(), n(),
               a.given(context, HouseholderGraph::above), g.rows_of(t.k), a.tile(t), m());
  }
};

/// The row of U: U(k, j) = V(k, k)^-1 A(k, j)
struct Above : OnTile {
  static constexpr std::uint16_t kind = HouseholderGraph::U;
  [[nodiscard]] std::string name() const { return fmt::format("U({}, {})", t.k, t.j); }
  [[nodiscard]] int parents() const { return updates() + 1; }
  void children(VisitEdge visit) const {
    for (auto i = t.k + 1; i < g.tile_rows(); ++i) visit({g.at(i, t.j, t.k), HouseholderGraph::above});
  }
  [[nodiscard]] Work work() const { return kernel(Kernel::trsm, n() * k() * k(), n() * k() + k() * k()); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, m(), n(),
               a.given(context, HouseholderGraph::left), m(), a.tile(t), m());
  }
};

/// A(i, j) = A(i, j) - V(i, k) U(k, j)
struct Update : OnTile {
  static constexpr std::uint16_t kind = HouseholderGraph::G;
  [[nodiscard]] std::string name() const { return fmt::format("G({}, {}, {})", t.i, t.j, t.k); }
  [[nodiscard]] int parents() const { return updates() + 2; }
  void children(VisitEdge visit) const { visit({g.at(t.i, t.j, t.k + 1), HouseholderGraph::own}); }
  [[nodiscard]] Work work() const {
    return kernel(Kernel::gemm, 2 * m() * n() * k(), m() * k() + n() * k() + m() * n());
  }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    using T = std::remove_cvref_t<decltype(*a.tile(t))>;
    blas::gemm(Trans::none, Trans::none, m(), n(), k(), T(-1), a.given(context, HouseholderGraph::left), m(),
               a.given(context, HouseholderGraph::above), g.rows_of(t.k), T(1), a.tile(t), m());
  }
};

}  // namespace householder_tasks

}  // namespace allport
