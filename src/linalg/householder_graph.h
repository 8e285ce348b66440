// V and tau of Householder's method from an explicit Q, as a graph: Q - S = V U without pivoting, tile by tile.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "triangle_tiles.h"

namespace allport {

/// Ballard, Demmel, Grigori, Jacquelin, Nguyen, Solomonik 2014 (reconstructing Householder vectors from tall-skinny
/// QR): S has the signs that make every pivot at least 1. D(k) eliminates tile (k, k) and chooses its signs, L(i, k)
/// computes V of tile row i, U(k, j) the row of U, G(i, j, k) updates tile (i, j). Q is m x n, m >= n. Derived classes
/// add bodies.
class HouseholderGraph : public TaskGraph {
 public:
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

  [[nodiscard]] Index rows_of(Index i) const { return std::min(nb_, m_ - i * nb_); }
  [[nodiscard]] Index cols_of(Index j) const { return std::min(nb_, n_ - j * nb_); }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override {
    if (t.kind == D) return fmt::format("D({})", t.k);
    if (t.kind == G) return fmt::format("G({}, {}, {})", t.i, t.j, t.k);
    return t.kind == L ? fmt::format("L({}, {})", t.i, t.k) : fmt::format("U({}, {})", t.k, t.j);
  }
  void entries(Rank rank, VisitTask visit) const override {
    if (cols_.extent() > 0 && owner({D, 0, 0, 0, 0}) == rank) visit({D, 0, 0, 0, 0});
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
  Rank owner(Task t) const override { return grid_.rank_at(rows_.owner(t.i), cols_.owner(t.j)); }
  int num_parents(Task t) const override {
    int const updated = t.k > 0 ? 1 : 0;
    return updated + (t.kind == D ? 0 : t.kind == G ? 2 : 1);
  }
  void children(Task t, VisitEdge visit) const override {
    auto const rows = static_cast<std::int32_t>(rows_.extent());
    auto const cols = static_cast<std::int32_t>(cols_.extent());
    switch (t.kind) {
      case D:
        for (auto i = t.k + 1; i < rows; ++i) visit({{L, 0, i, t.k, t.k}, above});
        for (auto j = t.k + 1; j < cols; ++j) visit({{U, 0, t.k, j, t.k}, left});
        break;
      case L:
        for (auto j = t.k + 1; j < cols; ++j) visit({{G, 0, t.i, j, t.k}, left});
        break;
      case U:
        for (auto i = t.k + 1; i < rows; ++i) visit({{G, 0, i, t.j, t.k}, above});
        break;
      default:
        visit({at(t.i, t.j, t.k + 1), own});
    }
  }
  Shape output(Task t, int) const override { return {rows_of(t.i), cols_of(t.j), 0}; }
  std::optional<Shape> input(Task t, int index) const override {
    if (index == own) return output(t, 0);
    return index == left ? Shape{rows_of(t.i), cols_of(t.k), 0} : Shape{rows_of(t.k), cols_of(t.j), 0};
  }
  Work work(Task t) const override {
    auto const m = static_cast<double>(rows_of(t.i));
    auto const n = static_cast<double>(cols_of(t.j));
    auto const k = static_cast<double>(cols_of(t.k));
    auto const size = static_cast<double>(element_);
    if (t.kind == D) return {Kernel::panel, 2 * k * k * (m - k / 3), size * m * k};
    if (t.kind == L) return {Kernel::trsm, m * k * k, size * (m * k + k * k)};
    if (t.kind == U) return {Kernel::trsm, n * k * k, size * (n * k + k * k)};
    return {Kernel::gemm, 2 * m * n * k, size * (m * k + n * k + m * n)};
  }
  /// Decreases along every edge: tasks near the next diagonal tile come first.
  double priority(Task t) const override {
    auto const to_diagonal = std::min(t.i, t.j);
    return static_cast<double>(3 * (cols_.extent() - to_diagonal) + (to_diagonal - t.k)) - (t.kind == D ? 0 : 0.5);
  }
  void writes(Task t, VisitTask visit) const override { visit({0, 0, t.i, t.j, 0}); }
  bool in_place(Task, int) const override { return true; }
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
  /// The task of tile (i, j) in step k <= min(i, j).
  static Task at(std::int32_t i, std::int32_t j, std::int32_t k) {
    auto const kind = i > k && j > k ? G : i > k ? L : j > k ? U : D;
    return {static_cast<std::uint16_t>(kind), 0, i, j, k};
  }

  ProcessGrid grid_;
  Index element_;
  Index m_, n_, nb_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Rank ranks_ = 0;
};

}  // namespace allport
