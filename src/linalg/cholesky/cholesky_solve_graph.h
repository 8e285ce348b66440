// A X = B with A's Cholesky factors as a graph: L Y = B, then L^H X = Y, over tiles of B. The factors are not moved:
// unknowns are sent to them, and their products are summed on the rank that solves for the next unknowns.
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

namespace cholesky_solve_tasks {
struct Diagonal;
struct Begin;
struct Update;
struct Solve;
}  // namespace cholesky_solve_tasks

/// Layer 0 is the forward sweep, 1 the backward sweep; j is a block of right-hand sides. Row i's updates on one rank
/// are a chain that sums in place, in the order in which unknowns become known.
class CholeskySolveGraph : public GraphOfKinds<CholeskySolveGraph> {
 public:
  using Kinds = ListOfKinds<cholesky_solve_tasks::Update, cholesky_solve_tasks::Solve, cholesky_solve_tasks::Begin,
                            cholesky_solve_tasks::Diagonal>;
  enum Kind : std::uint16_t { F, B, U, S };
  enum Input { own, other };
  enum Held : std::uint16_t { sides, sums };  ///< tiles in memory: those of B, and sums on other ranks
  static constexpr std::uint16_t forward = 0;
  static constexpr std::uint16_t backward = 1;

  /// Blocks first..first + count - 1 of B's columns.
  CholeskySolveGraph(Distribution const& factors, Distribution const& b, Uplo uplo, Scalar type, Index first,
                     Index count)
      : factor_(factors, uplo, factors.rows().nb()),
        b_grid_(b.grid()),
        b_rows_(axis_of_tiles(b.rows())),
        b_cols_(axis_of_tiles(b.cols())),
        width_(b.cols().nb()),
        columns_(b.cols().extent()),
        first_(static_cast<std::int32_t>(first)),
        count_(static_cast<std::int32_t>(factor_.tiles() == 0 ? 0 : count)),
        tiles_(static_cast<std::int32_t>(factor_.tiles())),
        element_(bytes_of(type)) {
    ranks_ = factor_.ranks();
    for (auto const rank : b_grid_) ranks_ = std::max(ranks_, rank + 1);
  }

  [[nodiscard]] TriangleTiles const& factor() const { return factor_; }
  [[nodiscard]] Index width(Index block) const { return std::min(width_, columns_ - block * width_); }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  void entries(Rank rank, VisitTask visit) const override {
    for (std::int32_t k = 0; k < tiles_ && count_ > 0; ++k) {
      if (factor_.owner(k, k) == rank) visit(diagonal(k));
    }
    each_of(rank, 0, tiles_, [&](std::int32_t i, std::int32_t r) { visit(begin(forward, i, r)); });
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    if (count_ == 0) return 0;
    std::int64_t sum = 0;
    for (std::int32_t k = 0; k < tiles_; ++k) sum += factor_.owner(k, k) == rank ? 1 : 0;
    sum += 2 * count_ * factor_.below(rank);
    each_of(rank, 0, tiles_, [&](std::int32_t, std::int32_t) { sum += 4; });
    return sum;
  }

  std::int64_t steps() const override { return count_ == 0 ? 0 : 2 * std::int64_t{tiles_}; }
  std::int64_t step(Task t) const override { return t.layer == backward ? 2 * std::int64_t{tiles_} - 1 - t.i : t.i; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    bool const up = step >= tiles_;
    auto const sweep = up ? backward : forward;
    auto const i = static_cast<std::int32_t>(up ? 2 * std::int64_t{tiles_} - 1 - step : step);
    if (!up && factor_.owner(i, i) == rank) visit(diagonal(i));
    each_of(rank, i, i + 1, [&](std::int32_t, std::int32_t r) { visit(begin(sweep, i, r)); });
    for (std::int32_t x = 0; x < chains(sweep, i); ++x) {
      if (chain_rank(sweep, i, first_from(sweep, x)) != rank) continue;
      for (std::optional k = first_from(sweep, x); k; k = after(update(sweep, i, first_, *k))) {
        for (auto r = first_; r < first_ + count_; ++r) visit(update(sweep, i, r, *k));
      }
    }
    each_of(rank, i, i + 1, [&](std::int32_t, std::int32_t r) { visit(solve(sweep, i, r)); });
  }

  [[nodiscard]] std::int32_t tiles() const { return tiles_; }
  [[nodiscard]] std::int32_t end_block() const { return first_ + count_; }
  [[nodiscard]] Rank owner_of_b(Index i, Index r) const { return b_grid_.rank_at(b_rows_.owner(i), b_cols_.owner(r)); }
  [[nodiscard]] std::int32_t first_block() const { return first_; }
  /// Whether an update is the first of its chain.
  [[nodiscard]] bool starts(Task t) const {
    return t.layer == forward ? t.k < period(forward) : t.k + period(backward) >= tiles_;
  }
  /// visit(i, r) for tiles of B on a rank, rows from..to - 1.
  template <class Visit>
  void each_of(Rank rank, std::int32_t from, std::int32_t to, Visit const& visit) const {
    auto const at = b_grid_.position(rank);
    if (at.row < 0) return;
    for (auto i = from; i < to; ++i) {
      if (b_rows_.owner(i) != at.row) continue;
      for (auto r = first_; r < first_ + count_; ++r) {
        if (b_cols_.owner(r) == at.col) visit(i, r);
      }
    }
  }

  static Task diagonal(std::int32_t k) { return {F, 0, k, 0, k}; }
  static Task begin(std::uint16_t sweep, std::int32_t i, std::int32_t r) { return {B, sweep, i, r, i}; }
  static Task update(std::uint16_t sweep, std::int32_t i, std::int32_t r, std::int32_t k) {
    return {U, sweep, i, r, k};
  }
  static Task solve(std::uint16_t sweep, std::int32_t i, std::int32_t r) { return {S, sweep, i, r, i}; }

  /// Distance between the unknowns that update row i on the same rank: their tiles are in one row, or one column, of L.
  [[nodiscard]] std::int32_t period(std::uint16_t sweep) const {
    return sweep == forward ? factor_.cols().parts() : factor_.rows().parts();
  }
  [[nodiscard]] Rank chain_rank(std::uint16_t sweep, Index i, Index k) const {
    return sweep == forward ? factor_.owner(i, k) : factor_.owner(k, i);
  }
  /// Number of chains of a row, one per rank, in the order in which they start.
  [[nodiscard]] std::int32_t chains(std::uint16_t sweep, std::int32_t i) const {
    return std::min(sweep == forward ? i : tiles_ - 1 - i, period(sweep));
  }
  [[nodiscard]] std::int32_t first_from(std::uint16_t sweep, std::int32_t x) const {
    return sweep == forward ? x : tiles_ - 1 - x;
  }
  [[nodiscard]] std::int32_t length(std::uint16_t sweep, std::int32_t i, std::int32_t x) const {
    return ((sweep == forward ? i : tiles_ - 1 - i) - 1 - x) / period(sweep) + 1;
  }
  [[nodiscard]] std::int32_t last_from(std::uint16_t sweep, std::int32_t i, std::int32_t x) const {
    auto const further = (length(sweep, i, x) - 1) * period(sweep);
    return first_from(sweep, x) + (sweep == forward ? further : -further);
  }
  /// The next update of a chain.
  [[nodiscard]] std::optional<std::int32_t> after(Task t) const {
    auto const next = t.layer == forward ? t.k + period(forward) : t.k - period(backward);
    bool const more = t.layer == forward ? next < t.i : next > t.i;
    return more ? std::optional(next) : std::nullopt;
  }
  /// Tasks on the longest path from the solve of row i to the end, this one included.
  [[nodiscard]] Index path(std::uint16_t sweep, Index i) const {
    return sweep == backward ? 2 * i + 1 : 4 * tiles_ - 2 * i - 1;
  }
  /// The chain of row i on the rank that solves for the row.
  [[nodiscard]] std::optional<std::int32_t> own_chain(std::uint16_t sweep, std::int32_t i, std::int32_t r) const {
    auto const owner = owner_of_b(i, r);
    for (std::int32_t x = 0; x < chains(sweep, i); ++x) {
      if (chain_rank(sweep, i, first_from(sweep, x)) == owner) return x;
    }
    return std::nullopt;
  }

 private:
  TriangleTiles factor_;
  ProcessGrid b_grid_;
  AxisDistribution b_rows_;
  AxisDistribution b_cols_;
  Index width_;
  Index columns_;
  std::int32_t first_;
  std::int32_t count_;
  std::int32_t tiles_;
  std::int64_t element_;
  Rank ranks_ = 0;
};

/// Bodies get the factors and a rank's tiles of B and of sums: RunningCholeskySolve.
namespace cholesky_solve_tasks {

using Graph = CholeskySolveGraph;

/// Sends a diagonal tile of the factors to the ranks that solve with it.
struct Diagonal : TaskOf<Graph> {
  static constexpr std::uint16_t kind = Graph::F;
  [[nodiscard]] std::string name() const { return fmt::format("F({})", t.k); }
  [[nodiscard]] Rank owner() const { return g.factor().owner(t.k, t.k); }
  [[nodiscard]] int parents() const { return 0; }
  void children(VisitEdge visit) const {
    for (auto r = g.first_block(); r < g.end_block(); ++r) {
      for (auto const sweep : {Graph::forward, Graph::backward}) visit({g.solve(sweep, t.k, r), Graph::other});
    }
  }
  [[nodiscard]] Index n() const { return g.factor().extent(t.k); }
  [[nodiscard]] Shape output(int /*index*/) const { return {n(), n(), 0}; }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * n() * n()); }
  [[nodiscard]] Index priority() const { return 1 + g.path(Graph::forward, t.k); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    a.copy_diagonal(t.k, a.output(context));
  }
};

/// A task on a tile of right-hand sides, of Y, of X, or of a sum.
struct OnTile : TaskOf<Graph> {
  [[nodiscard]] Index m() const { return g.factor().extent(t.i); }
  [[nodiscard]] Index n() const { return g.width(t.j); }
  [[nodiscard]] bool is_forward() const { return t.layer == Graph::forward; }
  [[nodiscard]] std::string named(char const* kind) const { return fmt::format("{}{}", kind, is_forward() ? "" : "'"); }
  [[nodiscard]] Rank owner() const { return g.owner_of_b(t.i, t.j); }
  [[nodiscard]] Shape output(int /*index*/) const { return {m(), n(), 0}; }
  [[nodiscard]] bool in_place(int /*index*/) const { return true; }
  void write_b(VisitTask visit) const { visit({Graph::sides, 0, t.i, t.j, 0}); }
  void solve_from(VisitEdge visit) const { visit({g.solve(t.layer, t.i, t.j), Graph::own, 0, EdgeKind::sum}); }
};

/// Starts a tile of right-hand sides (forward) or of Y (backward).
struct Begin : OnTile {
  static constexpr std::uint16_t kind = Graph::B;
  [[nodiscard]] std::string name() const { return fmt::format("{}({}, {})", named("B"), t.i, t.j); }
  [[nodiscard]] int parents() const { return is_forward() ? 0 : 1; }
  void children(VisitEdge visit) const {
    auto const chain = g.own_chain(t.layer, t.i, t.j);
    if (!chain) return solve_from(visit);
    visit({g.update(t.layer, t.i, t.j, g.first_from(t.layer, *chain)), Graph::own});
  }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, is_forward() ? 0 : 2 * m() * n()); }
  [[nodiscard]] Index priority() const {
    auto const chain = g.own_chain(t.layer, t.i, t.j);
    return 1 + (chain ? g.length(t.layer, t.i, *chain) : 0) + g.path(t.layer, t.i);
  }
  void writes(VisitTask visit) const { write_b(visit); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    if (!is_forward()) std::copy_n(a.given(context, Graph::own), m() * n(), a.tile_of_b(t));
  }
};

/// The sum so far minus L(i, k) Y(k), or L(k, i)^H X(k)
struct Update : OnTile {
  static constexpr std::uint16_t kind = Graph::U;
  [[nodiscard]] std::string name() const { return fmt::format("{}({}, {}, {})", named("U"), t.i, t.j, t.k); }
  [[nodiscard]] Rank owner() const { return g.chain_rank(t.layer, t.i, t.k); }
  /// Whether the sum is the tile of B.
  [[nodiscard]] bool in_b() const { return owner() == g.owner_of_b(t.i, t.j); }
  [[nodiscard]] bool begins_sum() const { return g.starts(t) && !in_b(); }
  [[nodiscard]] int parents() const { return begins_sum() ? 1 : 2; }
  void children(VisitEdge visit) const {
    auto const next = g.after(t);
    if (!next) return solve_from(visit);
    visit({g.update(t.layer, t.i, t.j, *next), Graph::own});
  }
  [[nodiscard]] Work work() const {
    auto const k = g.factor().extent(t.k);
    return kernel(Kernel::gemm, 2 * m() * n() * k, m() * k + k * n() + m() * n());
  }
  [[nodiscard]] Index priority() const {
    auto const left = (is_forward() ? t.i - t.k : t.k - t.i) - 1;
    return left / g.period(t.layer) + 1 + g.path(t.layer, t.i);
  }
  void writes(VisitTask visit) const { in_b() ? write_b(visit) : visit({Graph::sums, t.layer, t.i, t.j, 0}); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    auto const* const x = a.given(context, Graph::other);
    using T = std::remove_cvref_t<decltype(*x)>;
    auto const k = g.factor().extent(t.k);
    bool const as_stored = a.lower() == is_forward();
    blas::gemm(as_stored ? Trans::none : Trans::conjugate, Trans::none, m(), n(), k, T(-1),
               as_stored ? a.stored(t.i, t.k) : a.stored(t.k, t.i), a.ld(), x, k, begins_sum() ? T(0) : T(1),
               in_b() ? a.tile_of_b(t) : a.tile_of_sum(t), m());
  }
};

/// Y(i) = L(i, i)^-1 (sum), or X(i) = L(i, i)^-H (sum)
struct Solve : OnTile {
  static constexpr std::uint16_t kind = Graph::S;
  [[nodiscard]] std::string name() const { return fmt::format("{}({}, {})", named("S"), t.i, t.j); }
  [[nodiscard]] int parents() const {
    int sum = 1;
    contributors(Graph::own, [&](Task) { ++sum; });
    return sum;
  }
  void children(VisitEdge visit) const {
    if (is_forward()) {
      visit({g.begin(Graph::backward, t.i, t.j), Graph::own});
      for (auto i = t.i + 1; i < g.tiles(); ++i) visit({g.update(Graph::forward, i, t.j, t.i), Graph::other});
    } else {
      for (auto i = t.i - 1; i >= 0; --i) visit({g.update(Graph::backward, i, t.j, t.i), Graph::other});
    }
  }
  /// Its own rank first, then the others in the order in which they receive their first unknowns.
  void contributors(int /*input*/, VisitTask visit) const {
    auto const mine = g.own_chain(t.layer, t.i, t.j);
    auto const last = [&](std::int32_t x) { return g.update(t.layer, t.i, t.j, g.last_from(t.layer, t.i, x)); };
    visit(mine ? last(*mine) : g.begin(t.layer, t.i, t.j));
    for (std::int32_t x = 0; x < g.chains(t.layer, t.i); ++x) {
      if (x != mine) visit(last(x));
    }
  }
  [[nodiscard]] Work work() const { return kernel(Kernel::trsm, m() * m() * n(), m() * m() + m() * n()); }
  [[nodiscard]] Index priority() const { return g.path(t.layer, t.i); }
  /// Y is not written in place: while it is sent, its tile is solved for again.
  void writes(VisitTask visit) const {
    if (!is_forward()) write_b(visit);
  }
  [[nodiscard]] bool in_place(int /*index*/) const { return !is_forward(); }
  template <class Tiles>
  void run(Tiles const& a, TaskContext& context) const {
    auto* const x = a.output(context);
    auto const* const sum = a.given(context, Graph::own);
    if (sum != x) std::copy_n(sum, m() * n(), x);
    blas::trsm(blas::Side::left, a.lower() ? blas::Triangle::lower : blas::Triangle::upper,
               a.lower() == is_forward() ? Trans::none : Trans::conjugate, blas::Diagonal::stored, m(), n(),
               a.given(context, Graph::other), m(), x, m());
  }
};

}  // namespace cholesky_solve_tasks

}  // namespace allport
