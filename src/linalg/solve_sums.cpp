// Triangular solves with few right-hand sides: what the solved unknowns take from the others is summed where the
// factors lie, so that the factors never travel. A block of unknowns costs one reduction and one broadcast of its own
// size.
#include <algorithm>

#include "solve_forms.h"

namespace allport::lu_detail {

namespace {

/// Some right-hand sides of one rank of the line. `sums` is [local rows x count] on every rank of the grid: its share
/// of B - op(T) X; of solved rows X at the rank that solved them, else zero.
template <class T>
class Sums {
 public:
  Sums(Factors<T> const& factors, Index count, int home)
      : f_(factors),
        count_(count),
        home_(home),
        rows_(factors.local_rows()),
        panels_(panels_of(factors.rows, factors.cols, factors.rows.extent(), widest_block)),
        sums_(room(rows_)) {
    for (auto& block : blocks_) block = {room(widest_block), room(widest_block), {}};
  }

  /// `b`: this rank's rows of the right-hand sides where it is their home.
  void run(Part<T> b) {
    bool const at_home = f_.along.index() == home_ && rows_ > 0 && !f_.dry();
    if (at_home) gemm_detail::pack(rows_, count_, static_cast<T const*>(b.data), b.ld, sums_.data());
    for (auto const& sweep : sweeps_of(f_.trans)) solve(Course<T>(f_, panels_, sweep));
    auto const shares = sums_;
    f_.along.wait(f_.along.reduce(home_, shares.data(), sums_.data(), rows_ * count_, sum_of<T>()));
    if (!at_home) {
      return;
    }
    for (Index j = 0; j < count_; ++j) std::copy_n(sums_.data() + j * rows_, rows_, b.data + j * b.ld);
  }

 private:
  /// A panel's unknowns: this rank's share of B - op(T) X, then X.
  struct Block {
    std::vector<T> share;
    std::vector<T> x;
    Transfer transfer;
  };

  void solve(Course<T> const& course) {
    auto const last = course.size();
    if (last > 0) sum(course, 0);
    for (std::size_t k = 0; k < last; ++k) {
      auto& block = blocks_[k % 2];
      bool const mine = f_.along.index() == course.j(k);
      if (f_.across.index() == course.i(k)) settle(course, k, mine);
      if (mine) f_.across.wait(f_.across.broadcast(course.i(k), block.x.data(), course.at(k).width() * count_));
      if (k + 1 == last) continue;
      // The next unknowns' sums first: their column solves for them while this one updates the rest.
      if (mine) update(course, k, course.block(k + 1));
      sum(course, k + 1);
      if (mine) update(course, k, course.after(k + 1));
    }
  }

  [[nodiscard]] std::vector<T> room(Index rows) const {
    return std::vector<T>(f_.dry() ? 0 : static_cast<std::size_t>(rows * count_));
  }

  /// Sends the shares of a panel's unknowns to the rank that solves for them.
  void sum(Course<T> const& course, std::size_t k) {
    if (f_.across.index() != course.i(k)) {
      return;
    }
    auto& block = blocks_[k % 2];
    auto const width = course.at(k).width();
    if (!f_.dry()) {
      T const* const here = sums_.data() + course.block(k).begin;
      gemm_detail::pack(width, count_, here, rows_, block.share.data());
    }
    block.transfer = f_.along.reduce(course.j(k), block.share.data(), block.x.data(), width * count_, sum_of<T>());
  }

  /// X of a panel's unknowns, which is kept by the rank that solves for it.
  void settle(Course<T> const& course, std::size_t k, bool mine) {
    auto& block = blocks_[k % 2];
    f_.along.wait(block.transfer);
    if (f_.dry()) {
      return;
    }
    auto const width = course.at(k).width();
    auto const top = course.block(k).begin;
    if (mine) {
      blas::trsm(blas::Side::left, course.sweep().triangle, f_.trans, course.sweep().diagonal, width, count_,
                 f_.at(top, f_.col(course.at(k).begin)), f_.part.ld, block.x.data(), width);
    }
    for (Index c = 0; c < count_; ++c) {
      auto* const to = sums_.data() + top + c * rows_;
      if (mine) {
        std::copy_n(block.x.data() + c * width, width, to);
      } else {
        std::fill_n(to, width, T(0));
      }
    }
  }

  void update(Course<T> const& course, std::size_t k, typename Course<T>::Rows rows) {
    if (f_.dry() || rows.begin >= rows.end) {
      return;
    }
    auto const width = course.at(k).width();
    blas::gemm(f_.trans, Trans::none, rows.end - rows.begin, count_, width, T(-1),
               f_.at(rows.begin, f_.col(course.at(k).begin)), f_.part.ld, blocks_[k % 2].x.data(), width, T(1),
               sums_.data() + rows.begin, std::max<Index>(rows_, 1));
    f_.along.progress();
  }

  Factors<T> const& f_;
  Index count_;
  int home_;
  Index rows_;
  std::vector<Panel> panels_;
  std::vector<T> sums_;
  std::array<Block, 2> blocks_;
};

}  // namespace

template <class T>
void solve_with_sums(Factors<T> const& factors, AxisDistribution const& sides, Part<T> b) {
  for (int home = 0; home < factors.along.length(); ++home) {
    auto const count = sides.count(home);
    for (Index from = 0; from < count; from += widest_sides) {
      auto part = b;
      if (part.data != nullptr) part.data += from * part.ld;
      Sums<T>(factors, std::min(widest_sides, count - from), home).run(part);
    }
  }
}

#define ALLPORT_SUMS(T) template void solve_with_sums(Factors<T> const&, AxisDistribution const&, Part<T>);
ALLPORT_FOR_SCALARS(ALLPORT_SUMS)

}  // namespace allport::lu_detail
