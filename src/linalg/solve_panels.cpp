// Triangular solves with many right-hand sides, which are distributed over the grid as the unknowns are: panels of the
// factors travel along the lines of ranks with the same unknowns, blocks of X along the others, and every rank updates
// its own B -= op(T) X. Two panels and the next block of X are on their way under the update.
#include <algorithm>

#include "solve_forms.h"

namespace allport::lu_detail {

namespace {

template <class T>
class Panels {
 public:
  Panels(Factors<T> const& factors, Index count, Part<T> b)
      : f_(factors),
        count_(count),
        b_(b),
        rows_(factors.local_rows()),
        panels_(panels_of(factors.rows, factors.cols, factors.rows.extent(), widest_block)) {
    Index most = 0;
    for (auto const& panel : panels_) most = std::max(most, panel.width());
    if (f_.along.length() > 1) {
      for (auto& slot : slots_) slot.buffer = space<T>(f_.ledger, f_.dry(), most * rows_);
    }
    if (f_.across.length() > 1) {
      for (auto& block : blocks_) block.buffer = space<T>(f_.ledger, f_.dry(), most * count_);
    }
  }

  void run() {
    for (auto const& sweep : sweeps_of(f_.trans)) solve(Course<T>(f_, panels_, sweep));
  }

 private:
  static constexpr std::size_t ahead = 2;  ///< panels under way

  /// A panel from its local row `first` on: the block that X is solved with, and the rows that it is taken from.
  struct Slot {
    T* buffer = nullptr;
    T const* data = nullptr;
    Index ld = 1;
    Index first = 0;
    Index width = 0;
    Transfer transfer;
  };
  /// A block of X.
  struct Block {
    T* buffer = nullptr;
    T const* data = nullptr;
    Index ld = 1;
    Transfer transfer;
  };

  void solve(Course<T> const& course) {
    auto const last = course.size();
    for (std::size_t k = 0; k < std::min(ahead, last); ++k) send(course, k);
    if (last > 0) solve_for(course, 0);
    for (std::size_t k = 0; k < last; ++k) {
      if (k + ahead < last) send(course, k + ahead);
      f_.along.wait_for_data(slot(k).transfer);
      f_.across.wait_for_data(block(k).transfer);
      if (k + 1 == last) continue;
      // The next unknowns first, so that they can be solved for and on their way under the rest of the update.
      update(k, course.block(k + 1));
      solve_for(course, k + 1);
      update(k, course.after(k + 1));
    }
  }

  [[nodiscard]] Slot& slot(std::size_t k) { return slots_[k % slots_.size()]; }
  [[nodiscard]] Block& block(std::size_t k) { return blocks_[k % blocks_.size()]; }

  void send(Course<T> const& course, std::size_t k) {
    auto& to = slot(k);
    f_.along.wait(to.transfer);
    auto const rows = course.from(k);
    auto const height = rows.end - rows.begin;
    auto const width = course.at(k).width();
    T const* const here = f_.at(rows.begin, f_.col(course.at(k).begin));
    to.first = rows.begin;
    to.width = width;
    if (f_.along.length() == 1) {
      to.data = here;
      to.ld = f_.part.ld;
      return;
    }
    bool const plain = f_.trans == Trans::none;
    auto const stored_rows = plain ? height : width;
    if (course.j(k) == f_.along.index() && !f_.dry()) {
      gemm_detail::pack(stored_rows, plain ? width : height, here, f_.part.ld, to.buffer);
    }
    to.data = to.buffer;
    to.ld = std::max<Index>(stored_rows, 1);
    to.transfer = f_.along.broadcast(course.j(k), to.buffer, height * width);
  }

  /// A panel's local row.
  [[nodiscard]] T const* factor(std::size_t k, Index row) {
    auto const& from = slot(k);
    return from.data + f_.step(row - from.first, from.ld);
  }

  /// X of a panel's unknowns, where they lie, and to all that share the right-hand sides.
  void solve_for(Course<T> const& course, std::size_t k) {
    auto& x = block(k);
    f_.across.wait(x.transfer);
    auto const width = course.at(k).width();
    if (course.i(k) == f_.across.index() && !f_.dry() && count_ > 0) {
      f_.along.wait_for_data(slot(k).transfer);
      auto const top = course.block(k).begin;
      T* const here = b_.data + top;
      blas::trsm(blas::Side::left, course.sweep().triangle, f_.trans, course.sweep().diagonal, width, count_,
                 factor(k, top), slot(k).ld, here, b_.ld);
      if (f_.across.length() == 1) {
        x.data = here;
        x.ld = b_.ld;
        return;
      }
      gemm_detail::pack(width, count_, static_cast<T const*>(here), b_.ld, x.buffer);
    }
    x.data = x.buffer;
    x.ld = width;
    x.transfer = f_.across.broadcast(course.i(k), x.buffer, width * count_);
  }

  /// B -= op(T) X for some local rows, moving communication along between pieces.
  void update(std::size_t k, typename Course<T>::Rows rows) {
    if (f_.dry() || rows.begin >= rows.end) {
      return;
    }
    Stopwatch const watch(f_.ledger.compute);
    constexpr Index piece = 512;
    auto const& x = block(k);
    for (Index from = 0; from < count_; from += piece) {
      blas::gemm(f_.trans, Trans::none, rows.end - rows.begin, std::min(piece, count_ - from), slot(k).width, T(-1),
                 factor(k, rows.begin), slot(k).ld, x.data + from * x.ld, x.ld, T(1),
                 b_.data + rows.begin + from * b_.ld, b_.ld);
      f_.along.progress();
      f_.across.progress();
    }
  }

  Factors<T> const& f_;
  Index count_;
  Part<T> b_;
  Index rows_;
  std::vector<Panel> panels_;
  std::array<Slot, ahead + 1> slots_;
  std::array<Block, 2> blocks_;
};

}  // namespace

template <class T>
void solve_with_panels(Factors<T> const& factors, AxisDistribution const& sides, Part<T> b) {
  Panels<T>(factors, sides.count(factors.along.index()), b).run();
}

#define ALLPORT_PANELS(T) template void solve_with_panels(Factors<T> const&, AxisDistribution const&, Part<T>);
ALLPORT_FOR_SCALARS(ALLPORT_PANELS)

}  // namespace allport::lu_detail
