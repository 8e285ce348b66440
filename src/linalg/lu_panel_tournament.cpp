// Tournament pivoting on a grid column (Solomonik11, slides 16 and 17): each rank selects candidate rows of its own,
// pairs of candidate sets compete along the tree of a reduction, and the winners are the pivot rows of the whole panel.
// One reduction and one broadcast per panel, where partial pivoting needs a reduction per column.
#include <algorithm>
#include <numeric>
#include <utility>

#include "lu_gang_line.h"
#include "lu_panel.h"

namespace allport::lu_detail {

namespace {

/// At most `width` rows with their global numbers: one element of the reduction. Missing rows have number -1.
template <class T>
class Entry {
 public:
  static Index bytes(Index width) { return entry_bytes(width, static_cast<Index>(sizeof(T))); }
};

/// Rows read from entries: original values, column-major with `ld` rows.
template <class T>
struct Rows {
  std::vector<Index> ids;
  std::vector<T> values;
  Index ld = 0;
};

template <class T>
void append(Rows<T>& rows, std::byte const* entry, Index width) {
  std::vector<Index> ids(static_cast<std::size_t>(width));
  std::memcpy(ids.data(), entry, ids.size() * sizeof(Index));
  auto const* const values = entry + head_bytes(width);
  for (Index r = 0; r < width; ++r) {
    if (ids[static_cast<std::size_t>(r)] < 0) continue;
    auto const at = static_cast<Index>(rows.ids.size());
    rows.ids.push_back(ids[static_cast<std::size_t>(r)]);
    for (Index c = 0; c < width; ++c) {
      std::memcpy(&rows.values[static_cast<std::size_t>(at + c * rows.ld)],
                  values + (r + c * width) * static_cast<Index>(sizeof(T)), sizeof(T));
    }
  }
}

/// The rows in the order in which Gaussian elimination with partial pivoting selects them; `scratch` holds a copy of
/// the rows and is overwritten by their factors.
template <class T>
std::vector<Index> order_of(Index count, Index width, T* scratch, Index ld) {
  std::vector<int> pivots(static_cast<std::size_t>(std::min(count, width)));
  blas::getrf(count, width, scratch, ld, pivots.data());
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    std::swap(order[s], order[static_cast<std::size_t>(pivots[s] - 1)]);
  }
  return order;
}

/// Writes the chosen rows as an entry.
template <class T>
void write(std::byte* entry, Index width, std::vector<Index> const& order, Index const* ids, T const* values,
           Index ld) {
  std::vector<Index> numbers(static_cast<std::size_t>(width), -1);
  auto* const out = entry + head_bytes(width);
  std::memset(out, 0, static_cast<std::size_t>(width * width) * sizeof(T));
  for (Index r = 0; r < std::min(width, static_cast<Index>(order.size())); ++r) {
    auto const from = order[static_cast<std::size_t>(r)];
    numbers[static_cast<std::size_t>(r)] = ids[from];
    for (Index c = 0; c < width; ++c) {
      std::memcpy(out + (r + c * width) * static_cast<Index>(sizeof(T)), &values[from + c * ld], sizeof(T));
    }
  }
  std::memcpy(entry, numbers.data(), numbers.size() * sizeof(Index));
}

/// Stacks two entries and keeps the rows that elimination selects first.
template <class T>
Combine match(Index width) {
  return [width](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    auto const stride = Entry<T>::bytes(width);
    for (std::int64_t at = 0; at < bytes; at += stride) {
      Rows<T> rows{{}, std::vector<T>(static_cast<std::size_t>(2 * width * width)), 2 * width};
      append(rows, left + at, width);
      append(rows, right + at, width);
      auto scratch = rows.values;
      auto const order = order_of(static_cast<Index>(rows.ids.size()), width, scratch.data(), rows.ld);
      write(out + at, width, order, rows.ids.data(), rows.values.data(), rows.ld);
    }
  };
}

std::vector<Index> global_rows(AxisDistribution const& rows, int part, Index from_local) {
  std::vector<Index> ids;
  for (auto const& run : rows.runs(part)) {
    for (Index x = std::max<Index>(0, from_local - run.local); x < run.length; ++x) ids.push_back(run.global + x);
  }
  return ids;
}

/// This rank's candidate rows.
template <class T>
void enter(View<T> const& a, Panel panel, std::byte* entry) {
  auto const width = panel.width();
  auto const top = a.row(panel.begin);
  auto const count = a.local_rows() - top;
  auto const ids = global_rows(a.rows, a.i, top);
  std::vector<T> scratch(static_cast<std::size_t>(count * width));
  T const* const mine = a.at(top, a.col(panel.begin));
  pack(count, width, mine, a.ld, scratch.data());
  auto const order = count > 0 ? order_of(count, width, scratch.data(), count) : std::vector<Index>();
  write(entry, width, order, ids.data(), mine, a.ld);
}

/// Final broadcast: the winning rows in their final order, and U of their factors, column by column.
template <class T>
struct Winners {
  explicit Winners(Index columns) : width(columns), bytes_(static_cast<std::size_t>(bytes(columns))) {}
  static Index bytes(Index columns) { return winners_bytes(columns, static_cast<Index>(sizeof(T))); }

  [[nodiscard]] std::byte* data() { return bytes_.data(); }
  [[nodiscard]] std::span<Index const> ids() const {
    return {reinterpret_cast<Index const*>(bytes_.data()), static_cast<std::size_t>(width)};
  }
  /// Column c of U: its first c + 1 elements.
  [[nodiscard]] T* column(Index c) { return reinterpret_cast<T*>(bytes_.data() + head_bytes(width)) + c * (c + 1) / 2; }
  [[nodiscard]] std::vector<T> u() {
    std::vector<T> square(static_cast<std::size_t>(width * width));
    for (Index c = 0; c < width; ++c) std::copy_n(column(c), c + 1, square.begin() + c * width);
    return square;
  }

  Index width;

 private:
  std::vector<std::byte> bytes_;
};

/// Factors the winners of an entry; returns the factors.
template <class T>
std::vector<T> factor_winners(std::byte const* entry, Winners<T>& winners) {
  auto const width = winners.width;
  Rows<T> rows{{}, std::vector<T>(static_cast<std::size_t>(width * width)), width};
  append(rows, entry, width);
  auto const order = order_of(width, width, rows.values.data(), width);
  std::vector<Index> ids;
  for (auto const r : order) ids.push_back(rows.ids[static_cast<std::size_t>(r)]);
  std::memcpy(winners.data(), ids.data(), ids.size() * sizeof(Index));
  for (Index c = 0; c < width; ++c) std::copy_n(rows.values.begin() + c * width, c + 1, winners.column(c));
  return std::move(rows.values);
}

/// Brings the panel into its final order: the factors on top, and the rows that were there at the winners' former
/// places. Rows that leave the top go below it only. @param factors  on the rank that owns the top rows
template <class T>
void exchange_rows(GangLine const& line, View<T> const& a, Panel panel, std::vector<T> const& factors,
                   std::vector<Index> const& pivots) {
  auto const width = panel.width();
  auto const first_col = a.col(panel.begin);
  auto moves = moves_of(pivots, panel.begin);
  std::erase_if(moves, [&](Move const& move) { return move.to < panel.end; });
  RowMoves<T> const displaced{a.at(0, first_col), width, a.ld, std::move(moves)};
  RowExchange<T> const rows(a.rows, line.index(), std::span(&displaced, 1));
  send_rows(line, rows);
  receive_rows(line, rows);
  if (a.rows.owner(panel.begin) != line.index()) return;
  auto const top = a.row(panel.begin);
  for (Index c = 0; c < width; ++c) {
    for (Index r = 0; r < width; ++r) *a.at(top + r, first_col + c) = factors[static_cast<std::size_t>(r + c * width)];
  }
}

}  // namespace

template <class T>
std::optional<std::vector<Index>> panel_tournament(GangLine const& line, View<T> const& a, Panel panel) {
  auto const width = panel.width();
  auto const owner = a.rows.owner(panel.begin);
  auto const bytes = Entry<T>::bytes(width);
  std::vector<std::byte> mine(static_cast<std::size_t>(bytes));
  std::vector<std::byte> best(owner == line.index() ? mine.size() : 0);
  Winners<T> winners(width);
  std::vector<T> factors;
  enter(a, panel, mine.data());
  line.wait(line.reduce<std::byte>(owner, mine.data(), best.data(), bytes, match<T>(width)));
  if (owner == line.index()) {
    factors = factor_winners<T>(best.data(), winners);
  }
  line.wait(line.broadcast<std::byte>(owner, winners.data(), Winners<T>::bytes(width)));
  for (Index s = 0; s < width; ++s) {
    if (winners.column(s)[s] == T(0)) {
      return std::nullopt;
    }
  }
  auto pivots = exchanges_for(winners.ids(), panel.begin);
  exchange_rows(line, a, panel, factors, pivots);
  auto const u = winners.u();
  divide_below(a, panel, u.data(), width);
  return pivots;
}

#define ALLPORT_PANEL(T) \
  template std::optional<std::vector<Index>> panel_tournament(GangLine const&, View<T> const&, Panel);
ALLPORT_FOR_SCALARS(ALLPORT_PANEL)
#undef ALLPORT_PANEL

}  // namespace allport::lu_detail
