// Partial pivoting on a grid column: one small allreduce per column finds the largest element and sends the two rows to
// exchange to all ranks, so that every rank holds the panel's U without further messages.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "lu_gang_line.h"
#include "lu_panel.h"

namespace allport::lu_detail {

namespace {

/// Columns that are factored before one multiplication updates the columns behind them.
constexpr Index leaf = 16;

/// The absolute value that i?amax compares.
template <class T>
double size_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(static_cast<double>(x));
  } else {
    return std::abs(static_cast<double>(x.real())) + std::abs(static_cast<double>(x.imag()));
  }
}

/// Head of a pivot candidate: the largest element's row, and whether the row to be replaced is in the message.
struct Head {
  double size = -1;  // of the largest element; -1 for NaN
  Index row = std::numeric_limits<Index>::max();
  Index has_top = 0;
  Index unused = 0;
};
static_assert(pivot_candidate_bytes(0, 1) == sizeof(Head));

template <class T>
class PivotCandidate {
 public:
  explicit PivotCandidate(Index width)
      : width_(width), words_(static_cast<std::size_t>(bytes(width)) / sizeof(double)) {}
  static Index bytes(Index width) { return pivot_candidate_bytes(width, static_cast<Index>(sizeof(T))); }

  [[nodiscard]] Head& head() { return *reinterpret_cast<Head*>(words_.data()); }
  [[nodiscard]] T* pivot_row() { return reinterpret_cast<T*>(words_.data() + sizeof(Head) / sizeof(double)); }
  [[nodiscard]] T* top_row() { return pivot_row() + width_; }
  [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }

 private:
  Index width_;
  std::vector<double> words_;
};

/// The larger element wins, of equal ones the upper; the row to be replaced comes from the rank that owns it.
Combine better_candidate(Index row_bytes) {
  return [row_bytes](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    auto const stride = static_cast<std::int64_t>(sizeof(Head)) + 2 * row_bytes;
    for (std::int64_t at = 0; at < bytes; at += stride) {
      Head l;
      Head r;
      std::memcpy(&l, left + at, sizeof l);
      std::memcpy(&r, right + at, sizeof r);
      bool const right_wins = r.size > l.size || (r.size == l.size && r.row < l.row);
      auto const* const winner = (right_wins ? right : left) + at;
      auto const* const top = (r.has_top != 0 ? right : left) + at;
      auto head = right_wins ? r : l;
      head.has_top = l.has_top + r.has_top;
      auto const rows = sizeof(Head);
      auto const size = static_cast<std::size_t>(row_bytes);
      if (winner != out + at) std::memcpy(out + at + rows, winner + rows, size);
      if (top != out + at) std::memcpy(out + at + rows + size, top + rows + size, size);
      std::memcpy(out + at, &head, sizeof head);
    }
  };
}

/// One panel while it is factored on this rank.
template <class T>
class Partial {
 public:
  Partial(GangLine const& line, View<T> const& a, Panel panel)
      : line_(line),
        a_(a),
        panel_(panel),
        width_(panel.width()),
        rows_(a.local_rows()),
        base_(a.at(0, a.col(panel.begin))),
        rows_of_u_(static_cast<std::size_t>(width_ * width_)),
        mine_(width_),
        best_(width_) {}

  std::vector<Index> run() {
    std::vector<Index> pivots;
    for (Index begin = 0; begin < width_; begin += leaf) {
      auto const end = std::min(begin + leaf, width_);
      for (Index s = begin; s < end; ++s) pivots.push_back(column(s, end));
      finish(begin, end);
    }
    return pivots;
  }

 private:
  [[nodiscard]] T* element(Index row, Index s) const { return base_ == nullptr ? nullptr : base_ + row + s * a_.ld; }
  [[nodiscard]] T& u(Index r, Index s) { return rows_of_u_[static_cast<std::size_t>(r + s * width_)]; }

  /// Finds the pivot of column s, exchanges two rows and eliminates column s from the columns before `end`.
  Index column(Index s, Index end) {
    auto const top = panel_.begin + s;
    auto const first = a_.row(top);
    auto const owner = a_.rows.owner(top);
    propose(s, first, owner);
    auto const bytes = PivotCandidate<T>::bytes(width_);
    line_.wait(line_.allreduce<std::byte>(mine_.data(), best_.data(), bytes,
                                          better_candidate(width_ * static_cast<Index>(sizeof(T)))));
    auto const pivot = best_.head().row;
    if (pivot != top) {
      if (a_.rows.owner(pivot) == line_.index()) write_row(a_.rows.local(pivot), best_.top_row());
      if (owner == line_.index()) write_row(first, best_.pivot_row());
    }
    for (Index c = 0; c < width_; ++c) u(s, c) = best_.pivot_row()[c];
    eliminate(s, end, a_.row(top + 1));
    return pivot;
  }

  /// This rank's candidate for the pivot of column s.
  void propose(Index s, Index first, int owner) {
    auto& head = mine_.head();
    head = Head{};
    Index row = -1;
    for (Index r = first; r < rows_; ++r) {
      auto const size = size_of(*element(r, s));
      if (row < 0 || size > head.size) {
        row = r;
        head.size = std::isnan(size) ? -1 : size;
      }
    }
    if (row >= 0) {
      head.row = global_row(row);
      for (Index c = 0; c < width_; ++c) mine_.pivot_row()[c] = *element(row, c);
    }
    if (owner == line_.index()) {
      head.has_top = 1;
      for (Index c = 0; c < width_; ++c) mine_.top_row()[c] = *element(first, c);
    }
  }

  [[nodiscard]] Index global_row(Index local) {
    if (runs_.empty()) runs_ = a_.rows.runs(line_.index());
    auto const after =
        std::upper_bound(runs_.begin(), runs_.end(), local, [](Index l, Run const& run) { return l < run.local; });
    auto const& run = *std::prev(after);
    return run.global + local - run.local;
  }

  void write_row(Index row, T const* values) {
    for (Index c = 0; c < width_; ++c) *element(row, c) = values[c];
  }

  void eliminate(Index s, Index end, Index below) {
    auto const pivot = u(s, s);
    T* const column = element(0, s);
    if (pivot != T(0)) {
      if (std::abs(pivot) >= std::numeric_limits<decltype(std::abs(pivot))>::min()) {
        auto const factor = T(1) / pivot;
        for (Index r = below; r < rows_; ++r) column[r] *= factor;
      } else {
        for (Index r = below; r < rows_; ++r) column[r] /= pivot;
      }
    }
    for (Index c = s + 1; c < end; ++c) {
      auto const factor = u(s, c);
      T* const other = element(0, c);
      for (Index r = below; r < rows_; ++r) other[r] -= column[r] * factor;
    }
  }

  /// Updates the columns behind `end` by columns begin..end-1.
  void finish(Index begin, Index end) {
    auto const rest = width_ - end;
    auto const count = end - begin;
    if (rest == 0) {
      return;
    }
    blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, count, rest,
               &u(begin, begin), width_, &u(begin, end), width_);
    if (a_.rows.owner(panel_.begin) == line_.index()) {
      auto const first = a_.row(panel_.begin + begin);
      for (Index c = end; c < width_; ++c) {
        for (Index r = 0; r < count; ++r) *element(first + r, c) = u(begin + r, c);
      }
    }
    auto const below = a_.row(panel_.begin + end);
    blas::gemm(Trans::none, Trans::none, rows_ - below, rest, count, T(-1), element(below, begin), a_.ld,
               &u(begin, end), width_, T(1), element(below, end), a_.ld);
  }

  GangLine const& line_;
  View<T> const& a_;
  Panel panel_;
  Index width_;
  Index rows_;
  T* base_;
  std::vector<T> rows_of_u_;  // [width x width]: the pivot rows, which become U
  PivotCandidate<T> mine_;
  PivotCandidate<T> best_;
  std::vector<Run> runs_;
};

}  // namespace

template <class T>
std::vector<Index> panel_partial(GangLine const& line, View<T> const& a, Panel panel) {
  return Partial<T>(line, a, panel).run();
}

#define ALLPORT_PANEL(T) template std::vector<Index> panel_partial(GangLine const&, View<T> const&, Panel);
ALLPORT_FOR_SCALARS(ALLPORT_PANEL)
#undef ALLPORT_PANEL

}  // namespace allport::lu_detail
