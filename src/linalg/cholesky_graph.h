// Tile Cholesky as a graph. Outputs of P and T are sent to other ranks; the only child of an update is on the same
// tile, which is updated in place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "triangle_tiles.h"

namespace allport {

/// Kinds of tasks are P, T and G of cholesky_graph(). Derived classes add bodies.
class CholeskyGraph : public TaskGraph {
 public:
  enum Kind : std::uint16_t { P, T, G };
  enum Input { own, from_row, from_column };

  /// @param nb  rows of a tile
  CholeskyGraph(Distribution const& distribution, Uplo uplo, Scalar type, Index nb)
      : at_(distribution, uplo, nb), element_(bytes_of(type)), tiles_(at_.tiles()) {}

  /// Rows of a tile (i, .), and columns of a tile (., i).
  [[nodiscard]] Index extent(Index tile) const { return at_.extent(tile); }
  [[nodiscard]] Index tiles() const { return tiles_; }
  [[nodiscard]] Index nb() const { return at_.nb(); }

  Rank ranks() const override { return at_.ranks(); }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override {
    if (t.kind == P) return fmt::format("P({})", t.k);
    return t.kind == T ? fmt::format("T({}, {})", t.i, t.k) : fmt::format("G({}, {}, {})", t.i, t.j, t.k);
  }

  void entries(Rank rank, VisitTask visit) const override {
    if (tiles_ > 0 && owner(potrf(0)) == rank) visit(potrf(0));
  }
  /// Tile (i, j) is updated j times, then factored or solved.
  std::optional<std::int64_t> count(Rank rank) const override {
    auto const at = at_.position(rank);
    std::int64_t sum = 0;
    for (Index j = 0; j < tiles_; ++j) {
      if (at_.cols().owner(j) == at.col) sum += (j + 1) * (at_.rows().count(at.row) - at_.rows().before(at.row, j));
    }
    return at.row < 0 ? 0 : sum;
  }

  Rank owner(Task t) const override { return at_.owner(t.i, t.j); }
  int num_parents(Task t) const override {
    int const updated = t.k > 0 ? 1 : 0;
    if (t.kind == P) return updated;
    return updated + (t.kind == T || t.i == t.j ? 1 : 2);
  }
  void children(Task t, VisitEdge visit) const override {
    auto const last = static_cast<std::int32_t>(tiles_);
    switch (t.kind) {
      case P:
        for (auto i = t.k + 1; i < last; ++i) visit({trsm(i, t.k), from_column});
        break;
      case T:
        for (auto j = t.k + 1; j <= t.i; ++j) visit({update(t.i, j, t.k), from_row});
        for (auto i = t.i + 1; i < last; ++i) visit({update(i, t.i, t.k), from_column});
        break;
      default:
        visit({next(t), own, 0, EdgeKind::order});
    }
  }

  Shape output(Task t, int) const override { return {extent(t.i), extent(t.j), 0}; }
  std::optional<Shape> input(Task t, int index) const override {
    auto const row = index == from_row ? t.i : t.j;
    return Shape{extent(row), extent(t.k), 0};
  }
  Work work(Task t) const override {
    auto const m = static_cast<double>(extent(t.i));
    auto const n = static_cast<double>(extent(t.j));
    auto const k = static_cast<double>(extent(t.k));
    auto const size = static_cast<double>(element_);
    if (t.kind == P) return {Kernel::potrf, k * (k + 1) * (2 * k + 1) / 6, size * k * k};
    if (t.kind == T) return {Kernel::trsm, m * k * k, size * (m * k + k * k)};
    if (t.i == t.j) return {Kernel::syrk, k * m * (m + 1), size * (m * k + m * m)};
    return {Kernel::gemm, 2 * m * n * k, size * (m * k + n * k + m * n)};
  }
  /// Tasks on the longest path from here to the end, this one included.
  double priority(Task t) const override {
    auto const from = [&](Index i, Index k) { return 2 * (i - k) + 3 * (tiles_ - i) - 2; };
    return static_cast<double>(t.kind == G ? t.j - t.k + from(t.i, t.j) : from(t.i, t.k));
  }
  void writes(Task t, VisitTask visit) const override { visit({0, 0, t.i, t.j, 0}); }

  std::int64_t steps() const override { return tiles_; }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const at = at_.position(rank);
    if (at.row < 0) return;
    auto const k = static_cast<std::int32_t>(step);
    for (auto j = k; j < tiles_; ++j) {
      if (at_.cols().owner(j) != at.col) continue;
      for (auto i = j; i < tiles_; ++i) {
        if (at_.rows().owner(i) == at.row) visit(j > k ? update(i, j, k) : i > k ? trsm(i, k) : potrf(k));
      }
    }
  }

 private:
  static Task potrf(std::int32_t k) { return {P, 0, k, k, k}; }
  static Task trsm(std::int32_t i, std::int32_t k) { return {T, 0, i, k, k}; }
  static Task update(std::int32_t i, std::int32_t j, std::int32_t k) { return {G, 0, i, j, k}; }
  static Task next(Task t) {
    if (t.j > t.k + 1) return update(t.i, t.j, t.k + 1);
    return t.i == t.j ? potrf(t.j) : trsm(t.i, t.j);
  }

  TriangleTiles at_;
  std::int64_t element_;
  Index tiles_;
};

}  // namespace allport
