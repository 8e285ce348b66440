// 2D LU (deck 1 slides 14 to 17 with one layer): panels of L travel along rows, blocks of U along columns.
#include "lu_2d.h"

#include <algorithm>

#include "lu_gang_line.h"

namespace allport::lu_detail {

namespace {

template <class T>
class Factoring {
 public:
  Factoring(Grid const& grid, View<T> const& a, Index count, Index widest, Pivoting pivoting, Progress const& progress)
      : grid_(grid),
        a_(a),
        rows_(a.local_rows()),
        cols_(a.local_cols()),
        pivoting_(pivoting),
        progress_(progress),
        panels_(panels_of(a.rows, a.cols, count, widest)) {
    Index most = 0;
    for (auto const& panel : panels_) most = std::max(most, panel.width());
    auto& ledger = grid.ledger();
    if (grid.row.length() > 1) {
      for (auto& slot : slots_) {
        slot.buffer =
            space<std::byte>(ledger, grid.dry(), head_bytes(most) + rows_ * most * static_cast<Index>(sizeof(T)));
      }
    }
    if (grid.col.length() > 1) {
      u_buffer_ = space<T>(ledger, grid.dry(), most * cols_);
    }
    ledger.work.note(panel_space(rows_, most) * static_cast<Index>(sizeof(T)));
  }

  Found run() {
    if (!panels_.empty()) start(0);
    for (std::size_t k = 0; k < panels_.size(); ++k) {
      auto const panel = panels_[k];
      auto& slot = slots_[k % 2];
      arrive(panel, slot);
      exchange(panel, slot);
      upper(panel, slot);
      auto const right = a_.col(panel.end);
      if (k + 1 < panels_.size()) {
        // The next panel's columns first, so that it can be on its way under the rest of the update.
        auto const next = panels_[k + 1];
        auto const ready = a_.cols.owner(next.begin) == grid_.j() ? next.width() : 0;
        update(panel, slot, right, right + ready);
        start(k + 1);
        update(panel, slot, right + ready, cols_);
      } else {
        update(panel, slot, right, cols_);
      }
      if (progress_ && !grid_.dry()) progress_(static_cast<int>(k) + 1, static_cast<int>(panels_.size()));
    }
    permute_left(grid_.col, a_, panels_, std::span<Index const>(found_.pivots));
    return std::move(found_);
  }

 private:
  using Slot = TravellingPanel<T>;

  void start(std::size_t k) {
    auto const panel = panels_[k];
    auto& slot = slots_[k % 2];
    auto const owner = a_.cols.owner(panel.begin);
    auto const top = a_.row(panel.begin);
    auto const height = rows_ - top;
    if (owner == grid_.j()) {
      slot.pivots = factor_panel(grid_.col, a_, panel, pivoting_, found_.fell_back);
    }
    if (grid_.row.length() == 1) {
      slot.l = a_.at(top, a_.col(panel.begin));
      slot.ld = a_.ld;
      return;
    }
    auto const elements = head_bytes(panel.width()) + height * panel.width() * static_cast<Index>(sizeof(T));
    if (!grid_.dry()) {
      auto* const l = reinterpret_cast<T*>(slot.buffer + head_bytes(panel.width()));
      if (owner == grid_.j()) {
        std::memcpy(slot.buffer, slot.pivots.data(), slot.pivots.size() * sizeof(Index));
        gemm_detail::pack(height, panel.width(), static_cast<T const*>(a_.at(top, a_.col(panel.begin))), a_.ld, l);
      }
      slot.l = l;
      slot.ld = std::max<Index>(height, 1);
    }
    slot.transfer = grid_.row.broadcast(owner, slot.buffer, elements);
  }

  void arrive(Panel panel, Slot& slot) {
    grid_.row.wait(slot.transfer);
    if (grid_.row.length() > 1) slot.read_pivots(panel, grid_.dry());
    found_.pivots.insert(found_.pivots.end(), slot.pivots.begin(), slot.pivots.end());
  }

  void exchange(Panel panel, Slot const& slot) {
    auto const right = a_.col(panel.end);
    move_rows<T>(grid_.col, a_.rows, {{a_.at(0, right), cols_ - right, a_.ld, moves_of(slot.pivots, panel.begin)}});
  }

  /// U12 = L11^-1 A12, and to the whole grid column with it.
  void upper(Panel panel, Slot const& slot) {
    auto const right = a_.col(panel.end);
    auto const count = cols_ - right;
    auto const owner = a_.rows.owner(panel.begin);
    auto const top = a_.row(panel.begin);
    if (owner == grid_.i() && !grid_.dry()) {
      Stopwatch const watch(grid_.ledger().compute);
      blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, panel.width(), count,
                 slot.l, slot.ld, a_.at(top, right), a_.ld);
    }
    if (grid_.col.length() == 1) {
      u_ = a_.at(top, right);
      u_ld_ = a_.ld;
      return;
    }
    if (owner == grid_.i() && !grid_.dry()) {
      gemm_detail::pack(panel.width(), count, static_cast<T const*>(a_.at(top, right)), a_.ld, u_buffer_);
    }
    grid_.col.wait(grid_.col.broadcast(owner, u_buffer_, panel.width() * count));
    u_ = u_buffer_;
    u_ld_ = std::max<Index>(panel.width(), 1);
  }

  /// A22 -= L21 U12 for local columns begin..end-1, moving communication along between pieces.
  void update(Panel panel, Slot const& slot, Index begin, Index end) {
    if (grid_.dry()) {
      return;
    }
    Stopwatch const watch(grid_.ledger().compute);
    constexpr Index piece = 512;
    auto const right = a_.col(panel.end);
    auto const below = a_.row(panel.end);
    auto const skip = below - a_.row(panel.begin);
    for (auto from = begin; from < end; from += piece) {
      blas::gemm(Trans::none, Trans::none, rows_ - below, std::min(piece, end - from), panel.width(), T(-1),
                 slot.l + skip, slot.ld, u_ + (from - right) * u_ld_, u_ld_, T(1), a_.at(below, from), a_.ld);
      grid_.row.progress();
    }
  }

  Grid const& grid_;
  View<T> const& a_;
  Index rows_;
  Index cols_;
  Pivoting pivoting_;
  Progress const& progress_;
  std::vector<Panel> panels_;
  Slot slots_[2];
  T* u_buffer_ = nullptr;
  T const* u_ = nullptr;
  Index u_ld_ = 1;
  Found found_;
};

}  // namespace

template <class T>
Found factor_2d(Grid const& grid, View<T> const& a, Index count, Index widest, Pivoting pivoting,
                Progress const& progress) {
  ensure_columns(a, count);
  return Factoring<T>(grid, a, count, widest, pivoting, progress).run();
}

template <class T, class Talk>
void permute_left(Talk const& line, View<T> const& a, std::vector<Panel> const& panels, std::span<Index const> pivots) {
  // So many columns at once that the buffers stay small beside the matrix.
  constexpr Index columns_at_once = 1024;
  std::vector<RowMoves<T>> jobs;
  Index width = 0;
  for (std::size_t k = 0; k < panels.size() && !line.dry(); ++k) {
    auto const panel = panels[k];
    if (a.cols.owner(panel.begin) == a.j && panel.settled < static_cast<Index>(pivots.size())) {
      auto const later = pivots.subspan(static_cast<std::size_t>(panel.settled));
      jobs.push_back({a.at(0, a.col(panel.begin)), panel.width(), a.ld, moves_of(later, panel.settled)});
      width += panel.width();
    }
    if (width >= columns_at_once || k + 1 == panels.size()) {
      move_rows(line, a.rows, jobs);
      jobs.clear();
      width = 0;
    }
  }
}

#define ALLPORT_2D(T)                                                                                         \
  template Found factor_2d(Grid const&, View<T> const&, Index, Index, Pivoting, Progress const&);             \
  template void permute_left(Line const&, View<T> const&, std::vector<Panel> const&, std::span<Index const>); \
  template void permute_left(GangLine const&, View<T> const&, std::vector<Panel> const&, std::span<Index const>);
ALLPORT_FOR_SCALARS(ALLPORT_2D)

}  // namespace allport::lu_detail
