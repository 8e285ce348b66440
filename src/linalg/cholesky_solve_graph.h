// A X = B with A's Cholesky factors as a graph: L Y = B, then L^H X = Y, over tiles of B. The factors are not moved:
// unknowns are sent to them, and their products are summed on the rank that solves for the next unknowns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "allport/linalg/graphs.h"
#include "triangle_tiles.h"

namespace allport {

/// Kinds are those of cholesky_solve_graph(): F sends a diagonal tile of the factors, B starts a tile of right-hand
/// sides (layer 0) or of Y (layer 1), U is an update, S a solve. Layer 0 is the forward sweep, 1 the backward sweep; j
/// is a block of right-hand sides. Row i's updates on one rank are a chain that sums in place, in the order in which
/// unknowns become known.
class CholeskySolveGraph : public TaskGraph {
 public:
  enum Kind : std::uint16_t { F, B, U, S };
  enum Input { own, other };                  ///< of U: its sum so far, unknowns; of S: the sum, the factor; of B: Y
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
  std::string name(Task t) const override {
    auto const* const mark = t.layer == forward ? "" : "'";
    if (t.kind == F) return fmt::format("F({})", t.k);
    if (t.kind == U) return fmt::format("U{}({}, {}, {})", mark, t.i, t.j, t.k);
    return fmt::format("{}{}({}, {})", t.kind == S ? "S" : "B", mark, t.i, t.j);
  }

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

  Rank owner(Task t) const override {
    if (t.kind == F) return factor_.owner(t.k, t.k);
    return t.kind == U ? chain_rank(t.layer, t.i, t.k) : owner_of_b(t.i, t.j);
  }
  int num_parents(Task t) const override {
    switch (t.kind) {
      case F:
        return 0;
      case B:
        return t.layer;
      case U:
        return 1 + (starts(t) && owner(t) != owner_of_b(t.i, t.j) ? 0 : 1);
      default:
        int sum = 1;
        contributors(t, own, [&](Task) { ++sum; });
        return sum;
    }
  }
  void children(Task t, VisitEdge visit) const override {
    switch (t.kind) {
      case F:
        for (auto r = first_; r < first_ + count_; ++r) {
          for (auto const sweep : {forward, backward}) visit({solve(sweep, t.k, r), other});
        }
        break;
      case B:
        if (auto const at = own_chain(t.layer, t.i, t.j)) {
          visit({update(t.layer, t.i, t.j, first_from(t.layer, *at)), own});
        } else {
          visit({solve(t.layer, t.i, t.j), own, 0, EdgeKind::sum});
        }
        break;
      case U:
        if (auto const next = after(t)) {
          visit({update(t.layer, t.i, t.j, *next), own});
        } else {
          visit({solve(t.layer, t.i, t.j), own, 0, EdgeKind::sum});
        }
        break;
      default:
        if (t.layer == forward) {
          visit({begin(backward, t.i, t.j), own});
          for (auto i = t.i + 1; i < tiles_; ++i) visit({update(forward, i, t.j, t.i), other});
        } else {
          for (auto i = t.i - 1; i >= 0; --i) visit({update(backward, i, t.j, t.i), other});
        }
    }
  }
  /// The child's own rank first, then the others in the order in which they receive their first unknowns.
  void contributors(Task child, int, VisitTask visit) const override {
    auto const mine = own_chain(child.layer, child.i, child.j);
    auto const last = [&](std::int32_t x) {
      return update(child.layer, child.i, child.j, last_from(child.layer, child.i, x));
    };
    visit(mine ? last(*mine) : begin(child.layer, child.i, child.j));
    for (std::int32_t x = 0; x < chains(child.layer, child.i); ++x) {
      if (x != mine) visit(last(x));
    }
  }

  Shape output(Task t, int) const override {
    auto const rows = factor_.extent(t.i);
    return {rows, t.kind == F ? rows : width(t.j), 0};
  }
  Work work(Task t) const override {
    auto const m = static_cast<double>(factor_.extent(t.i));
    auto const k = static_cast<double>(factor_.extent(t.k));
    auto const size = static_cast<double>(element_);
    if (t.kind == F) return {Kernel::copy, 0, size * 2 * m * m};
    auto const n = static_cast<double>(width(t.j));
    if (t.kind == B) return {Kernel::copy, 0, t.layer == forward ? 0 : size * 2 * m * n};
    if (t.kind == S) return {Kernel::trsm, m * m * n, size * (m * m + m * n)};
    return {Kernel::gemm, 2 * m * n * k, size * (m * k + k * n + m * n)};
  }
  /// Tasks on the longest path from here to the end, this one included.
  double priority(Task t) const override {
    auto const behind = [&](std::uint16_t sweep, Index i) {
      return sweep == backward ? 2 * i + 1 : 4 * tiles_ - 2 * i - 1;
    };
    switch (t.kind) {
      case F:
        return static_cast<double>(1 + behind(forward, t.k));
      case B: {
        auto const at = own_chain(t.layer, t.i, t.j);
        auto const chain = at ? length(t.layer, t.i, *at) : 0;
        return static_cast<double>(1 + chain + behind(t.layer, t.i));
      }
      case U: {
        auto const left = (t.layer == forward ? t.i - t.k : t.k - t.i) - 1;
        return static_cast<double>(left / period(t.layer) + 1 + behind(t.layer, t.i));
      }
      default:
        return static_cast<double>(behind(t.layer, t.i));
    }
  }
  void writes(Task t, VisitTask visit) const override {
    if (t.kind == F || (t.kind == S && t.layer == forward)) return;
    bool const in_b = t.kind != U || owner(t) == owner_of_b(t.i, t.j);
    visit(in_b ? Tile{sides, 0, t.i, t.j, 0} : Tile{sums, t.layer, t.i, t.j, 0});
  }
  /// Y is not written in place: while it is sent, its tile is solved for again.
  bool in_place(Task t, int) const override {
    return t.kind == B || t.kind == U || (t.kind == S && t.layer == backward);
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

 protected:
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

 private:
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
  [[nodiscard]] std::optional<std::int32_t> after(Task t) const {
    auto const next = t.layer == forward ? t.k + period(forward) : t.k - period(backward);
    bool const more = t.layer == forward ? next < t.i : next > t.i;
    return more ? std::optional(next) : std::nullopt;
  }
  /// The chain of row i on the rank that solves for the row.
  [[nodiscard]] std::optional<std::int32_t> own_chain(std::uint16_t sweep, std::int32_t i, std::int32_t r) const {
    auto const owner = owner_of_b(i, r);
    for (std::int32_t x = 0; x < chains(sweep, i); ++x) {
      if (chain_rank(sweep, i, first_from(sweep, x)) == owner) return x;
    }
    return std::nullopt;
  }

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

}  // namespace allport
