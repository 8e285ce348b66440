// Tile Cholesky as a graph of three kinds of tasks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "allport/graph/kinds.h"
#include "linalg/matrix/blas.h"
#include "linalg/matrix/column_blocks.h"
#include "linalg/matrix/triangle_tiles.h"

namespace allport {

namespace cholesky_tasks {
struct Potrf;
struct Trsm;
struct Update;
}  // namespace cholesky_tasks

/// Song09's names: P factors a diagonal tile, T solves for a tile below it, G updates a tile. Tiles are updated in
/// place; the only child of an update is on the same tile.
class CholeskyGraph : public GraphOfKinds<CholeskyGraph> {
 public:
  using Kinds = ListOfKinds<cholesky_tasks::Potrf, cholesky_tasks::Trsm, cholesky_tasks::Update>;
  enum Kind : std::uint16_t { P, T, G };
  enum Input { from_row = 1, from_column };

  /// @param nb  rows of a tile
  CholeskyGraph(Distribution const& distribution, Uplo uplo, Scalar type, Index nb)
      : at_(distribution, uplo, nb),
        element_(bytes_of(type)),
        last_(static_cast<std::int32_t>(at_.tiles()) - 1),
        lower_(uplo == Uplo::lower) {}

  static Task potrf(std::int32_t k) { return {P, 0, k, k, k}; }
  static Task trsm(std::int32_t i, std::int32_t k) { return {T, 0, i, k, k}; }
  static Task update(std::int32_t i, std::int32_t j, std::int32_t k) { return {G, 0, i, j, k}; }
  /// The task on tile (i, j) in step k <= j.
  static Task on_tile(std::int32_t i, std::int32_t j, std::int32_t k) {
    return j > k ? update(i, j, k) : i > k ? trsm(i, k) : potrf(k);
  }

  [[nodiscard]] TriangleTiles const& at() const { return at_; }
  [[nodiscard]] std::int32_t last() const { return last_; }
  [[nodiscard]] bool lower() const { return lower_; }

  Rank ranks() const override { return at_.ranks(); }
  std::int64_t element() const override { return element_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (last_ >= 0 && at_.owner(0, 0) == rank) visit(potrf(0));
  }
  /// Tile (i, j) is updated j times, then factored or solved.
  std::optional<std::int64_t> count(Rank rank) const override {
    auto const at = at_.position(rank);
    std::int64_t sum = 0;
    for (Index j = 0; j <= last_; ++j) {
      if (at_.cols().owner(j) == at.col) sum += (j + 1) * (at_.rows().count(at.row) - at_.rows().before(at.row, j));
    }
    return at.row < 0 ? 0 : sum;
  }
  std::int64_t steps() const override { return last_ + 1; }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const at = at_.position(rank);
    if (at.row < 0) return;
    auto const k = static_cast<std::int32_t>(step);
    for (auto j = k; j <= last_; ++j) {
      if (at_.cols().owner(j) != at.col) continue;
      for (auto i = j; i <= last_; ++i) {
        if (at_.rows().owner(i) == at.row) visit(on_tile(i, j, k));
      }
    }
  }

 private:
  TriangleTiles at_;
  std::int64_t element_;
  std::int32_t last_;
  bool lower_;
};

/// Bodies get the tiles that they factor: RunningCholesky. Tile (i, j), i >= j, of an upper triangle is stored at
/// (j, i), conjugated.
namespace cholesky_tasks {

struct OnTile : TaskOf<CholeskyGraph> {
  [[nodiscard]] Index m() const { return g.at().extent(t.i); }
  [[nodiscard]] Index n() const { return g.at().extent(t.j); }
  [[nodiscard]] Index k() const { return g.at().extent(t.k); }
  /// Number of updates that precede the task directly.
  [[nodiscard]] int updates() const { return t.k > 0 ? 1 : 0; }
  /// Tasks on the longest path from P or T of tile (i, k) to the end, this one included.
  [[nodiscard]] Index path(Index i, Index k) const { return 2 * (i - k) + 3 * (g.steps() - i) - 2; }

  [[nodiscard]] Rank owner() const { return g.at().owner(t.i, t.j); }
  [[nodiscard]] Shape output(int /*index*/) const { return {m(), n(), 0}; }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    return Shape{index == CholeskyGraph::from_row ? m() : n(), k(), 0};
  }
  void writes(VisitTask visit) const { visit({0, 0, t.i, t.j, 0}); }
};

/// A(k, k) = L L^H
struct Potrf : OnTile {
  static constexpr std::uint16_t kind = CholeskyGraph::P;
  [[nodiscard]] std::string name() const { return fmt::format("P({})", t.k); }
  [[nodiscard]] int parents() const { return updates(); }
  void children(VisitEdge visit) const {
    for (auto i = t.k + 1; i <= g.last(); ++i) visit({g.trsm(i, t.k), CholeskyGraph::from_column});
  }
  [[nodiscard]] Work work() const { return kernel(Kernel::potrf, k() * (k() + 1) * (2 * k() + 1) / 6, k() * k()); }
  [[nodiscard]] Index priority() const { return path(t.i, t.k); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    auto const tile = a.tile(t);
    a.note(t.k, blas::potrf(a.triangle, n(), tile.data, tile.ld), tile);
    if (t.k < g.last()) a.send_triangle(tile, context);
  }
};

/// A(i, k) = A(i, k) L(k, k)^-H
struct Trsm : OnTile {
  static constexpr std::uint16_t kind = CholeskyGraph::T;
  [[nodiscard]] std::string name() const { return fmt::format("T({}, {})", t.i, t.k); }
  [[nodiscard]] int parents() const { return updates() + 1; }
  void children(VisitEdge visit) const {
    for (auto j = t.k + 1; j <= t.i; ++j) visit({g.update(t.i, j, t.k), CholeskyGraph::from_row});
    for (auto i = t.i + 1; i <= g.last(); ++i) visit({g.update(i, t.i, t.k), CholeskyGraph::from_column});
  }
  [[nodiscard]] Work work() const { return kernel(Kernel::trsm, m() * k() * k(), m() * k() + k() * k()); }
  [[nodiscard]] Index priority() const { return path(t.i, t.k); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    auto const tile = a.tile(t);
    auto const* const factor = a.given(context, CholeskyGraph::from_column);
    auto const stored = blas::Diagonal::stored;
    if (g.lower()) {
      detail::in_fixed_blocks(context, m(), [&](Index first, Index last) {
        blas::trsm(blas::Side::right, a.triangle, Trans::conjugate, stored, last - first, n(), factor, n(),
                   tile.data + first, tile.ld);
      });
    } else {
      detail::in_column_blocks(context, m(), work().flops, [&](Index first, Index last) {
        blas::trsm(blas::Side::left, a.triangle, Trans::conjugate, stored, n(), last - first, factor, n(),
                   tile.data + first * tile.ld, tile.ld);
      });
    }
    a.send(tile, context);
  }
};

/// A(i, j) = A(i, j) - L(i, k) L(j, k)^H
struct Update : OnTile {
  static constexpr std::uint16_t kind = CholeskyGraph::G;
  [[nodiscard]] std::string name() const { return fmt::format("G({}, {}, {})", t.i, t.j, t.k); }
  [[nodiscard]] bool diagonal() const { return t.i == t.j; }
  [[nodiscard]] int parents() const { return updates() + (diagonal() ? 1 : 2); }
  void children(VisitEdge visit) const { then(visit, g.on_tile(t.i, t.j, t.k + 1)); }
  [[nodiscard]] Work work() const {
    if (diagonal()) return kernel(Kernel::syrk, k() * m() * (m() + 1), m() * k() + m() * m());
    return kernel(Kernel::gemm, 2 * m() * n() * k(), m() * k() + n() * k() + m() * n());
  }
  [[nodiscard]] Index priority() const { return t.j - t.k + path(t.i, t.j); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    auto const tile = a.tile(t);
    auto const* const row = a.given(context, CholeskyGraph::from_row);
    using Element = std::remove_cvref_t<decltype(*row)>;
    if (diagonal()) {
      return blas::herk_subtract(a.triangle, g.lower() ? Trans::none : Trans::conjugate, m(), k(), row,
                                 g.lower() ? m() : k(), tile.data, tile.ld);
    }
    auto const* const column = a.given(context, CholeskyGraph::from_column);
    detail::in_column_blocks(context, g.lower() ? n() : m(), work().flops, [&](Index first, Index last) {
      auto* const block = tile.data + first * tile.ld;
      if (g.lower()) {
        blas::gemm(Trans::none, Trans::conjugate, m(), last - first, k(), Element(-1), row, m(), column + first, n(),
                   Element(1), block, tile.ld);
      } else {
        blas::gemm(Trans::conjugate, Trans::none, n(), last - first, k(), Element(-1), column, k(), row + first * k(),
                   k(), Element(1), block, tile.ld);
      }
    });
  }
};

}  // namespace cholesky_tasks

}  // namespace allport
