// Triangular solves with distributed factors and few right-hand sides at once: what the solved unknowns take from the
// others is summed where the factors lie, so that the factors never travel. A block of unknowns costs one reduction and
// one broadcast of its own size.
#include "allport/linalg/solve.h"

#include <algorithm>

#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

/// Unknowns that are solved at once, at most; and right-hand sides.
constexpr Index widest_block = 128;
constexpr Index widest_sides = 256;

template <class T>
struct Factors {
  View<T const> view;
  blas::Triangle triangle;
  blas::Diagonal diagonal;
};

/// Some right-hand sides while they are solved: `sums` is [local rows x count] on every rank of the grid.
template <class T>
class Substitution {
 public:
  Substitution(LayoutGrid const& grid, View<T const> const& factors, Index count, int home)
      : grid_(grid),
        factors_(factors),
        count_(count),
        home_(home),
        rows_(factors.local_rows()),
        panels_(panels_of(factors.rows, factors.cols, factors.rows.extent(), widest_block)),
        sums_(static_cast<std::size_t>(rows_ * count)) {}

  /// `b`: this rank's rows of the right-hand sides where it is in the home column; overwritten by the solution.
  void run(Trans trans, std::vector<Move> const& exchanges, std::vector<Move> const& back, Part<T> b) {
    bool const at_home = grid_.row().index() == home_;
    if (trans == Trans::none && at_home) {
      move_rows<T>(grid_.col(), factors_.rows, {{b.data, count_, b.ld, exchanges}});
    }
    if (at_home) gemm_detail::pack(rows_, count_, static_cast<T const*>(b.data), b.ld, sums_.data());
    if (trans == Trans::none) {
      solve(blas::Triangle::lower, blas::Diagonal::unit);
      solve(blas::Triangle::upper, blas::Diagonal::stored);
      collect();
    } else {
      spread();
      solve_transposed(blas::Triangle::upper, blas::Diagonal::stored, trans);
      solve_transposed(blas::Triangle::lower, blas::Diagonal::unit, trans);
    }
    if (!at_home) {
      return;
    }
    for (Index j = 0; j < count_; ++j) std::copy_n(sums_.data() + j * rows_, rows_, b.data + j * b.ld);
    if (trans != Trans::none) {
      move_rows<T>(grid_.col(), factors_.rows, {{b.data, count_, b.ld, back}});
    }
  }

 private:
  [[nodiscard]] T const* factor(Index local_row, Index local_col) const { return factors_.at(local_row, local_col); }
  template <class Visit>
  void each_panel(bool ascending, Visit&& visit) {
    if (ascending) {
      for (auto const& panel : panels_) visit(panel);
    } else {
      for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) visit(*panel);
    }
  }

  /// T X = B: sums hold each grid column's share of B - T X; the share of solved rows is X at its owner, else zero.
  void solve(blas::Triangle triangle, blas::Diagonal diagonal) {
    bool const lower = triangle == blas::Triangle::lower;
    each_panel(lower, [&](Panel panel) {
      auto const i = factors_.rows.owner(panel.begin);
      auto const j = factors_.cols.owner(panel.begin);
      auto const width = panel.width();
      auto const elements = width * count_;
      auto const top = factors_.row(panel.begin);
      auto const left = factors_.col(panel.begin);
      std::vector<T> share(static_cast<std::size_t>(elements));
      std::vector<T> x(share.size());
      if (grid_.col().index() == i) {
        gemm_detail::pack(width, count_, static_cast<T const*>(sums_.data() + top), rows_, share.data());
        grid_.row().wait(grid_.row().reduce(j, share.data(), x.data(), elements, sum_of<T>()));
        bool const mine = grid_.row().index() == j;
        if (mine) {
          blas::trsm(blas::Side::left, triangle, Trans::none, diagonal, width, count_, factor(top, left), factors_.ld,
                     x.data(), width);
        }
        for (Index c = 0; c < count_; ++c) {
          for (Index r = 0; r < width; ++r)
            sums_[at(top + r, c)] = mine ? x[static_cast<std::size_t>(r + c * width)] : T(0);
        }
      }
      if (grid_.row().index() != j) {
        return;
      }
      grid_.col().wait(grid_.col().broadcast(i, x.data(), elements));
      auto const from = lower ? factors_.row(panel.end) : 0;
      auto const to = lower ? rows_ : top;
      blas::gemm(Trans::none, Trans::none, to - from, count_, width, T(-1), factor(from, left), factors_.ld, x.data(),
                 width, T(1), sums_.data() + from, std::max<Index>(rows_, 1));
    });
  }

  /// op(T) X = B: sums hold B, in solved rows X, on every rank of a grid row alike.
  void solve_transposed(blas::Triangle triangle, blas::Diagonal diagonal, Trans trans) {
    bool const ascending = triangle == blas::Triangle::upper;
    each_panel(ascending, [&](Panel panel) {
      auto const i = factors_.rows.owner(panel.begin);
      auto const j = factors_.cols.owner(panel.begin);
      auto const width = panel.width();
      auto const elements = width * count_;
      auto const top = factors_.row(panel.begin);
      auto const left = factors_.col(panel.begin);
      std::vector<T> share(static_cast<std::size_t>(elements));
      std::vector<T> x(share.size());
      if (grid_.row().index() == j) {
        auto const from = ascending ? 0 : factors_.row(panel.end);
        auto const to = ascending ? top : rows_;
        blas::gemm(trans, Trans::none, width, count_, to - from, T(-1), factor(from, left), factors_.ld,
                   sums_.data() + from, std::max<Index>(rows_, 1), T(0), share.data(), width);
        grid_.col().wait(grid_.col().reduce(i, share.data(), x.data(), elements, sum_of<T>()));
        if (grid_.col().index() == i) {
          for (Index c = 0; c < count_; ++c) {
            for (Index r = 0; r < width; ++r) x[static_cast<std::size_t>(r + c * width)] += sums_[at(top + r, c)];
          }
          blas::trsm(blas::Side::left, triangle, trans, diagonal, width, count_, factor(top, left), factors_.ld,
                     x.data(), width);
        }
      }
      if (grid_.col().index() != i) {
        return;
      }
      grid_.row().wait(grid_.row().broadcast(j, x.data(), elements));
      for (Index c = 0; c < count_; ++c) {
        for (Index r = 0; r < width; ++r) sums_[at(top + r, c)] = x[static_cast<std::size_t>(r + c * width)];
      }
    });
  }

  /// Every row of X lies on one rank: sums them at home.
  void collect() {
    std::vector<T> const shares = sums_;
    grid_.row().wait(grid_.row().reduce(home_, shares.data(), sums_.data(), rows_ * count_, sum_of<T>()));
  }
  void spread() { grid_.row().wait(grid_.row().broadcast(home_, sums_.data(), rows_ * count_)); }

  [[nodiscard]] std::size_t at(Index row, Index c) const { return static_cast<std::size_t>(row + c * rows_); }

  LayoutGrid const& grid_;
  View<T const> const& factors_;
  Index count_;
  int home_;
  Index rows_;
  std::vector<Panel> panels_;
  std::vector<T> sums_;
};

std::vector<Move> inverse(std::vector<Move> moves) {
  for (auto& move : moves) std::swap(move.to, move.from);
  std::ranges::sort(moves, {}, &Move::to);
  return moves;
}

/// What is wrong with the arguments on this rank, or empty.
template <class T>
std::string wrong_with(Communicator const& comm, Layout const& lu_layout, Part<T const> factors,
                       std::span<Index const> pivots, Layout const& b_layout, Part<T> b) {
  auto const n = lu_layout.rows().extent();
  if (lu_layout.cols().extent() != n) {
    return fmt::format("factors = {} x {}: expected those of a square matrix", n, lu_layout.cols().extent());
  }
  if (static_cast<Index>(pivots.size()) != n) return fmt::format("pivots = {}: expected {}", pivots.size(), n);
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    if (pivots[s] < static_cast<Index>(s) || pivots[s] >= n) {
      return fmt::format("pivots[{}] = {}: expected a row in {}..{}", s, pivots[s], s, n - 1);
    }
  }
  auto error = gemm_detail::trouble("factors", {n, n}, lu_layout, factors.data, factors.ld, comm.rank(), comm.size());
  if (error.empty()) {
    error =
        gemm_detail::trouble<T>("B", {n, b_layout.cols().extent()}, b_layout, b.data, b.ld, comm.rank(), comm.size());
  }
  return error;
}

}  // namespace

template <class T>
void lu_solve(Communicator const& comm, Trans trans, Layout const& lu_layout, Part<T const> factors,
              std::span<Index const> pivots, Layout const& b_layout, Part<T> b) {
  comm.ensure_all_well(wrong_with(comm, lu_layout, factors, pivots, b_layout, b));
  auto const n = lu_layout.rows().extent();
  auto const sides = b_layout.cols().extent();
  comm.ensure_agreement("trans, n and right-hand sides",
                        gemm_detail::hash_of(fmt::format("{} {} {}", static_cast<char>(trans), n, sides)));
  if (n == 0 || sides == 0) {
    return;
  }
  // The right-hand sides lie as the factors' rows do, so many at once in a grid column.
  Layout const want(lu_layout.rows(), Deal::cyclic(sides, lu_layout.cols().parts(), widest_sides), lu_layout.grid());
  auto native = gemm_detail::make_native(b_layout, b, want, comm.rank());
  if (!native.borrowed) redistribute(comm, b_layout, gemm_detail::constant(b), want, native.part);
  LayoutGrid const grid(comm, lu_layout);
  if (grid.seated()) {
    View<T const> const view{lu_layout.rows(),   lu_layout.cols(), grid.col().index(),
                             grid.row().index(), factors.data,     factors.ld};
    auto const exchanges = moves_of(pivots, 0);
    auto const back = inverse(exchanges);
    for (Index from = 0; from < sides; from += widest_sides) {
      auto const home = want.cols().owner(from);
      auto part = native.part;
      if (home == view.j && part.data != nullptr) part.data += want.cols().local(from) * part.ld;
      Substitution<T>(grid, view, std::min(widest_sides, sides - from), home).run(trans, exchanges, back, part);
    }
  }
  if (!native.borrowed) redistribute(comm, want, gemm_detail::constant(native.part), b_layout, b);
}

#define ALLPORT_SOLVE(T)                                                                                   \
  template void lu_solve(Communicator const&, Trans, Layout const&, Part<T const>, std::span<Index const>, \
                         Layout const&, Part<T>);
ALLPORT_FOR_SCALARS(ALLPORT_SOLVE)

}  // namespace allport
