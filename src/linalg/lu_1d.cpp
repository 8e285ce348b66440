// LU on one row of ranks: whole columns lie on one rank, which factors its panels alone and sends them to all others.
#include "lu_1d.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::lu_detail {

namespace {

/// Local work between two looks at the network: panels for others pass through this rank meanwhile.
constexpr double flops_between_looks = 2e7;

template <class T>
class Columns {
 public:
  Columns(Grid const& grid, View<T> const& a, Index count, Index widest, int ahead, Pivoting pivoting,
          Progress const& progress)
      : grid_(grid),
        a_(a),
        rows_(a.local_rows()),
        cols_(a.local_cols()),
        pivoting_(pivoting),
        progress_(progress),
        panels_(panels_of(a.rows, a.cols, count, widest)),
        slots_(std::min(panels_.size(), static_cast<std::size_t>(std::max(ahead, 1)))) {
    Index most = 0;
    for (auto const& panel : panels_) most = std::max(most, panel.width());
    if (grid.row.length() > 1) {
      for (auto& slot : slots_) {
        slot.buffer = space<std::byte>(grid.ledger(), grid.dry(),
                                       head_bytes(most) + rows_ * most * static_cast<Index>(sizeof(T)));
      }
    }
  }

  Found run() {
    for (; done_ < panels_.size(); ++done_) {
      start_all();
      arrive();
      start_all();
      // Columns of panels that are on their way have all that they need.
      update(done_, a_.col(panels_[started_ - 1].end), cols_);
      if (progress_ && !grid_.dry()) progress_(static_cast<int>(done_) + 1, static_cast<int>(panels_.size()));
    }
    for (auto& slot : slots_) grid_.row.wait(slot.transfer);
    permute_left(grid_.col, a_, panels_, std::span<Index const>(found_.pivots));
    return std::move(found_);
  }

 private:
  using Slot = TravellingPanel<T>;
  Slot& slot_of(std::size_t k) { return slots_[k % slots_.size()]; }
  [[nodiscard]] bool is_mine(std::size_t k) const { return a_.cols.owner(panels_[k].begin) == grid_.j(); }

  /// How many panels of its own a rank sends at a time. More only fill the queues of its links, whose losses then delay
  /// all.
  static constexpr std::ptrdiff_t most_sent = 2;

  [[nodiscard]] bool sends_enough() const {
    return std::ranges::count_if(slots_, [](Slot const& slot) { return slot.transfer.active(); }) >= most_sent;
  }

  /// Begins to send or to receive as many panels as can be begun, in their order.
  void start_all() {
    while (started_ < panels_.size() && started_ < done_ + slots_.size()) {
      if (is_mine(started_) && (here_ < started_ || (started_ > done_ && sends_enough()))) return;
      start(started_++);
    }
  }

  void start(std::size_t k) {
    auto const panel = panels_[k];
    auto& slot = slot_of(k);
    grid_.row.wait(slot.transfer);
    auto const top = a_.row(panel.begin);
    auto const height = rows_ - top;
    auto const mine = is_mine(k);
    if (mine) {
      for (auto x = k > slots_.size() ? k - slots_.size() : 0; x < k && sends_enough(); ++x) {
        grid_.row.wait(slot_of(x).transfer);
      }
      for (auto before = done_; before < k; ++before) update(before, a_.col(panel.begin), a_.col(panel.end));
      slot.pivots = factor_panel(grid_.col, a_, panel, pivoting_, found_.fell_back);
      slot.l = a_.at(top, a_.col(panel.begin));
      slot.ld = a_.ld;
      here_ = k + 1;
    }
    if (grid_.row.length() == 1) return;
    // Of the last block the others need the pivots only.
    auto const needed = a_.cols.block_end(panel.begin) < a_.cols.extent() ? height : 0;
    auto const bytes = head_bytes(panel.width()) + needed * panel.width() * static_cast<Index>(sizeof(T));
    if (!grid_.dry()) {
      auto* const l = reinterpret_cast<T*>(slot.buffer + head_bytes(panel.width()));
      if (mine) {
        std::memcpy(slot.buffer, slot.pivots.data(), slot.pivots.size() * sizeof(Index));
        gemm_detail::pack(needed, panel.width(), slot.l, a_.ld, l);
      } else {
        slot.l = l;
        slot.ld = std::max<Index>(height, 1);
      }
    }
    slot.transfer = grid_.row.broadcast(a_.cols.owner(panel.begin), slot.buffer, bytes);
  }

  /// Waits for panel done_; what this rank passes on of it may still be under way.
  void arrive() {
    auto& slot = slot_of(done_);
    if (!is_mine(done_)) {
      grid_.row.wait_for_data(slot.transfer);
      slot.read_pivots(panels_[done_], grid_.dry());
    }
    here_ = std::max(here_, done_ + 1);
    found_.pivots.insert(found_.pivots.end(), slot.pivots.begin(), slot.pivots.end());
  }

  /// Panel k's exchanges, its rows of U and A22 -= L21 U12, in local columns begin..end-1.
  void update(std::size_t k, Index begin, Index end) {
    if (grid_.dry() || begin >= end) {
      return;
    }
    auto const panel = panels_[k];
    auto const& slot = slot_of(k);
    auto const top = a_.row(panel.begin);
    auto const below = a_.row(panel.end);
    auto const width = panel.width();
    move_rows<T>(grid_.col, a_.rows, {{a_.at(0, begin), end - begin, a_.ld, moves_of(slot.pivots, panel.begin)}});
    Stopwatch const watch(grid_.ledger().compute);
    auto const flops = 2.0 * static_cast<double>(std::max<Index>(rows_ - below, 1) * width);
    auto const piece = std::max<Index>(64, static_cast<Index>(flops_between_looks / flops));
    for (auto from = begin; from < end; from += piece) {
      auto const columns = std::min(piece, end - from);
      T* const u = a_.at(top, from);
      blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, width, columns, slot.l,
                 slot.ld, u, a_.ld);
      blas::gemm(Trans::none, Trans::none, rows_ - below, columns, width, T(-1), slot.l + (below - top), slot.ld, u,
                 a_.ld, T(1), a_.at(below, from), a_.ld);
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
  std::vector<Slot> slots_;
  std::size_t started_ = 0;  ///< panels that are being sent or received, or were
  std::size_t here_ = 0;     ///< panels 0..here_-1 are complete on this rank
  std::size_t done_ = 0;     ///< panels 0..done_-1 have been applied to all local columns
  Found found_;
};

}  // namespace

template <class T>
Found factor_1d(Grid const& grid, View<T> const& a, Index count, Index widest, int ahead, Pivoting pivoting,
                Progress const& progress) {
  auto const most = std::min(a.rows.extent(), a.cols.extent());
  ensure(count >= 0 && count <= most, "count", count, fmt::format("0..{} columns of the matrix", most));
  ensure(grid.col.length() == 1, "grid.col", grid.col.length(), "one row of ranks");
  return Columns<T>(grid, a, count, widest, ahead, pivoting, progress).run();
}

#define ALLPORT_1D(T) \
  template Found factor_1d(Grid const&, View<T> const&, Index, Index, int, Pivoting, Progress const&);
ALLPORT_FOR_SCALARS(ALLPORT_1D)

}  // namespace allport::lu_detail
