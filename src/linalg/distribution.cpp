#include "allport/linalg/distribution.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace allport {

AxisDistribution AxisDistribution::cyclic(Index extent, int parts, Index nb, int source, Index first_block) {
  ensure(extent >= 0, "extent", extent, "a number of indices >= 0");
  ensure(parts >= 1, "parts", parts, "at least one part");
  ensure(nb >= 1, "nb", nb, "a block of at least one index");
  ensure(source >= 0 && source < parts, "source", source, "a part in 0.." + std::to_string(parts - 1));
  ensure(first_block >= 0, "first_block", first_block, "at least one index",
         "pass 0 for a first block like the others");
  AxisDistribution d;
  d.extent_ = extent;
  d.parts_ = parts;
  d.nb_ = nb;
  d.source_ = source;
  d.first_block_ = first_block == 0 ? nb : first_block;
  d.cuts_.clear();
  return d;
}

AxisDistribution AxisDistribution::cuts(std::vector<Index> cuts) {
  ensure(cuts.size() >= 2, "cuts", cuts.size(), "at least two cuts", "pass {0, ..., extent}");
  ensure(cuts.front() == 0, "cuts[0]", cuts.front(), "0");
  for (std::size_t p = 1; p < cuts.size(); ++p) {
    ensure(cuts[p] >= cuts[p - 1], "cuts[" + std::to_string(p) + "]", cuts[p],
           "at least the cut before, " + std::to_string(cuts[p - 1]));
  }
  AxisDistribution d;
  d.extent_ = cuts.back();
  d.parts_ = static_cast<int>(cuts.size()) - 1;
  d.cuts_ = std::move(cuts);
  return d;
}

AxisDistribution AxisDistribution::listed(Index extent, int parts, std::vector<Index> const& starts,
                                          std::vector<int> const& owners) {
  ensure(extent >= 0, "extent", extent, "a number of indices >= 0");
  ensure(parts >= 1, "parts", parts, "at least one part");
  ensure(starts.size() == owners.size() && starts.empty() == (extent == 0), "starts", starts.size(),
         "one for each of " + std::to_string(owners.size()) + " owners, and none only where there are no indices");
  AxisDistribution d;
  d.extent_ = extent;
  d.parts_ = parts;
  d.counts_.assign(static_cast<std::size_t>(parts), 0);
  bool ascend = true;  // each part has one run, in the order of parts
  for (std::size_t q = 0; q < starts.size(); ++q) {
    auto const end = q + 1 < starts.size() ? starts[q + 1] : extent;
    auto const name = [q](char const* what) { return what + ("[" + std::to_string(q) + "]"); };
    ensure((q > 0 || starts[q] == 0) && starts[q] < end, name("starts"), starts[q],
           q == 0 ? "0, below the next" : "less than the next, and than the extent");
    ensure(owners[q] >= 0 && owners[q] < parts, name("owners"), owners[q], "a part in 0.." + std::to_string(parts - 1));
    auto& count = d.counts_[static_cast<std::size_t>(owners[q])];
    if (!d.owners_.empty() && d.owners_.back() == owners[q]) {
      d.runs_.back().length += end - starts[q];
    } else {
      ascend = ascend && (d.owners_.empty() || d.owners_.back() < owners[q]);
      d.runs_.push_back({starts[q], count, end - starts[q]});
      d.owners_.push_back(owners[q]);
    }
    count += end - starts[q];
  }
  if (!ascend) {
    d.cuts_.clear();
    return d;
  }
  std::vector<Index> ends(1, 0);
  for (auto const count : d.counts_) ends.push_back(ends.back() + count);
  return AxisDistribution::cuts(std::move(ends));
}

AxisDistribution AxisDistribution::balanced(Index extent, int parts) {
  ensure(extent >= 0, "extent", extent, "a number of indices >= 0");
  ensure(parts >= 1, "parts", parts, "at least one part");
  std::vector<Index> cuts(static_cast<std::size_t>(parts) + 1);
  auto const quotient = extent / parts;
  auto const rest = extent % parts;
  for (Index p = 0; p <= parts; ++p) {
    cuts[static_cast<std::size_t>(p)] = p * quotient + p * rest / parts;  // = floor(p * extent / parts), no overflow
  }
  return AxisDistribution::cuts(std::move(cuts));
}

void AxisDistribution::check_index(Index i) const {
  if (i < 0 || i >= extent_) [[unlikely]] {  // not ensure(), which would format its message for every index
    throw Error::argument("index", show(i), "an index in 0.." + std::to_string(extent_ - 1));
  }
}

std::size_t AxisDistribution::run_of(Index i) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(runs_, i, {}, &Run::global) - runs_.begin()) - 1;
}

int AxisDistribution::owner(Index i) const {
  check_index(i);
  if (is_listed()) return owners_[run_of(i)];
  if (is_cyclic()) {
    auto const t = i < first_block_ ? 0 : 1 + (i - first_block_) / nb_;
    return static_cast<int>((source_ + t) % parts_);
  }
  return static_cast<int>(std::upper_bound(cuts_.begin(), cuts_.end(), i) - cuts_.begin()) - 1;
}

Index AxisDistribution::local(Index i) const { return run_at(i).local; }

Run AxisDistribution::run_at(Index i) const {
  if (is_listed()) {
    check_index(i);
    auto const& run = runs_[run_of(i)];
    auto const done = i - run.global;
    return {i, run.local + done, run.length - done};
  }
  auto const part = owner(i);
  if (!is_cyclic()) {
    auto const p = static_cast<std::size_t>(part);
    return {i, i - cuts_[p], cuts_[p + 1] - i};
  }
  if (parts_ == 1) {
    return {i, i, extent_ - i};
  }
  if (i < first_block_) {
    return {i, i, std::min(first_block_, extent_) - i};
  }
  // Block u after the first one is number u / parts of its owner, counted from 0; part `source` also owns the first
  // block.
  auto const u = (i - first_block_) / nb_;
  auto const within = (i - first_block_) % nb_;
  auto const before = (part == source_ ? first_block_ : 0) + u / parts_ * nb_;
  return {i, before + within, std::min(nb_ - within, extent_ - i)};
}

void AxisDistribution::check_part(int part) const {
  if (part < 0 || part >= parts_) [[unlikely]] {
    throw Error::argument("part", show(part), "a part in 0.." + std::to_string(parts_ - 1));
  }
}

Index AxisDistribution::count(int part) const {
  check_part(part);
  return count_below(part, extent_);
}

Index AxisDistribution::before(int part, Index i) const {
  check_part(part);
  if (i != extent_) check_index(i);
  return count_below(part, i);
}

/// A part's indices below `end`.
Index AxisDistribution::count_below(int part, Index end) const {
  auto const p = static_cast<std::size_t>(part);
  if (is_listed()) return end == extent_ ? counts_[p] : head(end).counts_[p];
  if (!is_cyclic()) return std::min(cuts_[p + 1], end) - std::min(cuts_[p], end);
  // Blocks after the first are distributed from part source + 1 on: `turn` is this part's number in that order.
  auto const rest = std::max<Index>(0, end - first_block_);
  auto const full = rest / nb_;
  auto const turn = (part - source_ - 1 + 2 * static_cast<Index>(parts_)) % parts_;
  auto const last = full % parts_;
  return full / parts_ * nb_ +
         (turn < last    ? nb_
          : turn == last ? rest % nb_
                         : 0) +
         (part == source_ ? std::min(first_block_, end) : 0);
}

AxisDistribution AxisDistribution::head(Index extent) const {
  ensure(extent >= 0 && extent <= extent_, "extent", extent, "at most " + std::to_string(extent_));
  if (is_listed()) {
    std::vector<Index> starts;
    for (auto const& run : runs_) {
      if (run.global < extent) starts.push_back(run.global);
    }
    auto const first = owners_.begin();
    return listed(extent, parts_, starts, {first, first + static_cast<std::ptrdiff_t>(starts.size())});
  }
  auto distribution = *this;
  distribution.extent_ = extent;
  for (auto& cut : distribution.cuts_) cut = std::min(cut, extent);
  return distribution;
}

Index AxisDistribution::block_end(Index i) const {
  auto const run = run_at(i);
  return run.global + run.length;
}

std::vector<Run> AxisDistribution::runs(int part) const {
  auto const owned = count(part);
  if (owned == 0) {
    return {};
  }
  if (is_listed()) {
    std::vector<Run> own;
    for (std::size_t q = 0; q < runs_.size(); ++q) {
      if (owners_[q] == part) own.push_back(runs_[q]);
    }
    return own;
  }
  if (!is_cyclic()) {
    return {{cuts_[static_cast<std::size_t>(part)], 0, owned}};
  }
  if (parts_ == 1) {
    return {{0, 0, extent_}};
  }
  std::vector<Run> runs;
  runs.reserve(static_cast<std::size_t>(owned / nb_) + 2);
  Index local = 0;
  if (part == source_) {
    local = std::min(first_block_, extent_);
    runs.push_back({0, 0, local});
  }
  auto const turn = (part - source_ - 1 + 2 * static_cast<Index>(parts_)) % parts_;
  for (auto u = turn; local < owned; u += parts_) {
    auto const global = first_block_ + u * nb_;
    auto const length = std::min(nb_, extent_ - global);
    runs.push_back({global, local, length});
    local += length;
  }
  return runs;
}

ProcessGrid::ProcessGrid(int rows, int cols, std::vector<Rank> ranks)
    : rows_(rows), cols_(cols), ranks_(std::move(ranks)), by_rank_(ranks_.size()) {
  ensure(rows >= 1, "rows", rows, "at least one row of a process grid");
  ensure(cols >= 1, "cols", cols, "at least one column of a process grid");
  auto const places = static_cast<std::int64_t>(rows) * cols;
  ensure(static_cast<std::int64_t>(ranks_.size()) == places, "grid size", ranks_.size(),
         std::to_string(rows) + " x " + std::to_string(cols) + " = " + std::to_string(places) + " ranks",
         "grid[r + c * rows.parts()] is the owner of grid row r, column c");
  if (numbers_all()) return;
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  auto const rank_of = [&](int place) { return ranks_[static_cast<std::size_t>(place)]; };
  std::ranges::sort(by_rank_, {}, rank_of);
  ensure(rank_of(by_rank_.front()) >= 0, "rank in grid", rank_of(by_rank_.front()), "a rank >= 0");
  auto const twice = std::ranges::adjacent_find(by_rank_, {}, rank_of);
  if (twice != by_rank_.end()) {
    throw Error::argument("rank in grid", show(rank_of(*twice)), "each rank at most once",
                          "give every place of the grid its own rank");
  }
}

bool ProcessGrid::numbers_all() {
  std::ranges::fill(by_rank_, -1);
  for (std::size_t place = 0; place < ranks_.size(); ++place) {
    auto const rank = ranks_[place];
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()) return false;
    auto& known = by_rank_[static_cast<std::size_t>(rank)];
    if (known >= 0) return false;
    known = static_cast<int>(place);
  }
  return true;
}

ProcessGrid ProcessGrid::column_major(int rows, int cols, Rank first) {
  std::vector<Rank> ranks(static_cast<std::size_t>(std::max(0, rows)) * static_cast<std::size_t>(std::max(0, cols)));
  std::iota(ranks.begin(), ranks.end(), first);
  return {rows, cols, std::move(ranks)};
}

ProcessGrid ProcessGrid::row_major(int rows, int cols, Rank first) {
  std::vector<Rank> ranks;
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) ranks.push_back(first + r * cols + c);
  }
  return {rows, cols, std::move(ranks)};
}

ProcessGrid::Position ProcessGrid::position(Rank rank) const {
  auto place = static_cast<int>(rank);
  if (rank < 0 || rank >= static_cast<Rank>(ranks_.size()) || ranks_[static_cast<std::size_t>(rank)] != rank) {
    auto const rank_of = [&](int p) { return ranks_[static_cast<std::size_t>(p)]; };
    auto const found = std::ranges::lower_bound(by_rank_, rank, {}, rank_of);
    if (found == by_rank_.end() || rank_of(*found) != rank) {
      return {};
    }
    place = *found;
  }
  return {place % rows_, place / rows_};
}

Distribution::Distribution(AxisDistribution rows, AxisDistribution cols, std::vector<Rank> grid)
    : rows_(std::move(rows)), cols_(std::move(cols)), grid_(rows_.parts(), cols_.parts(), std::move(grid)) {}

Distribution::Distribution(AxisDistribution rows, AxisDistribution cols, ProcessGrid grid)
    : rows_(std::move(rows)), cols_(std::move(cols)), grid_(std::move(grid)) {
  ensure(rows_.parts() == grid_.rows(), "rows.parts()", rows_.parts(),
         std::to_string(grid_.rows()) + ", the rows of the process grid");
  ensure(cols_.parts() == grid_.cols(), "cols.parts()", cols_.parts(),
         std::to_string(grid_.cols()) + ", the columns of the process grid");
}

Index Distribution::local_rows(Rank rank) const {
  auto const at = position(rank);
  return at.row < 0 ? 0 : rows_.count(at.row);
}

Index Distribution::local_cols(Rank rank) const {
  auto const at = position(rank);
  return at.col < 0 ? 0 : cols_.count(at.col);
}

}  // namespace allport
