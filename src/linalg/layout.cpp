#include "allport/linalg/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace allport {

Deal Deal::cyclic(Index extent, int parts, Index block, int first, Index first_block) {
  ensure(extent >= 0, "extent", extent, "a number of indices >= 0");
  ensure(parts >= 1, "parts", parts, "at least one part");
  ensure(block >= 1, "block", block, "a block of at least one index");
  ensure(first >= 0 && first < parts, "first", first, "a part in 0.." + std::to_string(parts - 1));
  ensure(first_block >= 0, "first_block", first_block, "at least one index",
         "pass 0 for a first block like the others");
  Deal d;
  d.extent_ = extent;
  d.parts_ = parts;
  d.block_ = block;
  d.first_ = first;
  d.first_block_ = first_block == 0 ? block : first_block;
  d.cuts_.clear();
  return d;
}

Deal Deal::cuts(std::vector<Index> cuts) {
  ensure(cuts.size() >= 2, "cuts", cuts.size(), "at least two cuts", "pass {0, ..., extent}");
  ensure(cuts.front() == 0, "cuts[0]", cuts.front(), "0");
  for (std::size_t p = 1; p < cuts.size(); ++p) {
    ensure(cuts[p] >= cuts[p - 1], "cuts[" + std::to_string(p) + "]", cuts[p],
           "at least the cut before, " + std::to_string(cuts[p - 1]));
  }
  Deal d;
  d.extent_ = cuts.back();
  d.parts_ = static_cast<int>(cuts.size()) - 1;
  d.cuts_ = std::move(cuts);
  return d;
}

Deal Deal::balanced(Index extent, int parts) {
  ensure(extent >= 0, "extent", extent, "a number of indices >= 0");
  ensure(parts >= 1, "parts", parts, "at least one part");
  std::vector<Index> cuts(static_cast<std::size_t>(parts) + 1);
  auto const quotient = extent / parts;
  auto const rest = extent % parts;
  for (Index p = 0; p <= parts; ++p) {
    cuts[static_cast<std::size_t>(p)] = p * quotient + p * rest / parts;  // = floor(p * extent / parts), no overflow
  }
  return Deal::cuts(std::move(cuts));
}

void Deal::check_index(Index i) const {
  if (i < 0 || i >= extent_) [[unlikely]] {  // not ensure(): its message would be made for every index
    throw Error::argument("index", show(i), "an index in 0.." + std::to_string(extent_ - 1));
  }
}

int Deal::owner(Index i) const {
  check_index(i);
  if (is_cyclic()) {
    auto const t = i < first_block_ ? 0 : 1 + (i - first_block_) / block_;
    return static_cast<int>((first_ + t) % parts_);
  }
  return static_cast<int>(std::upper_bound(cuts_.begin(), cuts_.end(), i) - cuts_.begin()) - 1;
}

Index Deal::local(Index i) const { return run_at(i).local; }

Run Deal::run_at(Index i) const {
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
  // Block u after the first one is its owner's number u / parts, counted from the first; part `first` also has the
  // first.
  auto const u = (i - first_block_) / block_;
  auto const within = (i - first_block_) % block_;
  auto const before = (part == first_ ? first_block_ : 0) + u / parts_ * block_;
  return {i, before + within, std::min(block_ - within, extent_ - i)};
}

Index Deal::count(int part) const {
  ensure(part >= 0 && part < parts_, "part", part, "a part in 0.." + std::to_string(parts_ - 1));
  if (!is_cyclic()) {
    auto const p = static_cast<std::size_t>(part);
    return cuts_[p + 1] - cuts_[p];
  }
  // Every block but the first is dealt from part first + 1 on: `turn` is this part's place in that order.
  auto const rest = std::max<Index>(0, extent_ - first_block_);
  auto const full = rest / block_;
  auto const turn = (part - first_ - 1 + 2 * static_cast<Index>(parts_)) % parts_;
  auto const last = full % parts_;
  return full / parts_ * block_ +
         (turn < last    ? block_
          : turn == last ? rest % block_
                         : 0) +
         (part == first_ ? std::min(first_block_, extent_) : 0);
}

Index Deal::before(int part, Index i) const {
  ensure(i >= 0 && i <= extent_, "index", i, "an index in 0.." + std::to_string(extent_));
  return head(i).count(part);
}

Deal Deal::head(Index extent) const {
  ensure(extent >= 0 && extent <= extent_, "extent", extent, "at most " + std::to_string(extent_));
  auto deal = *this;
  deal.extent_ = extent;
  for (auto& cut : deal.cuts_) cut = std::min(cut, extent);
  return deal;
}

Index Deal::block_end(Index i) const {
  auto const run = run_at(i);
  return run.global + run.length;
}

std::vector<Run> Deal::runs(int part) const {
  auto const owned = count(part);
  if (owned == 0) {
    return {};
  }
  if (!is_cyclic()) {
    return {{cuts_[static_cast<std::size_t>(part)], 0, owned}};
  }
  if (parts_ == 1) {
    return {{0, 0, extent_}};
  }
  std::vector<Run> runs;
  runs.reserve(static_cast<std::size_t>(owned / block_) + 2);
  Index local = 0;
  if (part == first_) {
    local = std::min(first_block_, extent_);
    runs.push_back({0, 0, local});
  }
  auto const turn = (part - first_ - 1 + 2 * static_cast<Index>(parts_)) % parts_;
  for (auto u = turn; local < owned; u += parts_) {
    auto const global = first_block_ + u * block_;
    auto const length = std::min(block_, extent_ - global);
    runs.push_back({global, local, length});
    local += length;
  }
  return runs;
}

Layout::Layout(Deal rows, Deal cols, std::vector<Rank> grid)
    : rows_(std::move(rows)), cols_(std::move(cols)), grid_(std::move(grid)) {
  auto const places = static_cast<std::int64_t>(rows_.parts()) * cols_.parts();
  ensure(
      static_cast<std::int64_t>(grid_.size()) == places, "grid size", grid_.size(),
      std::to_string(rows_.parts()) + " x " + std::to_string(cols_.parts()) + " = " + std::to_string(places) + " ranks",
      "grid[r + c * rows.parts()] is the owner of grid row r, column c");
  by_rank_.resize(grid_.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  auto const rank_of = [&](int place) { return grid_[static_cast<std::size_t>(place)]; };
  std::ranges::sort(by_rank_, {}, rank_of);
  ensure(rank_of(by_rank_.front()) >= 0, "rank in grid", rank_of(by_rank_.front()), "a rank >= 0");
  auto const twice = std::ranges::adjacent_find(by_rank_, {}, rank_of);
  if (twice != by_rank_.end()) {
    throw Error::argument("rank in grid", show(rank_of(*twice)), "each rank at most once",
                          "give every place of the grid its own rank");
  }
}

Layout::Position Layout::position(Rank rank) const {
  auto place = static_cast<int>(rank);
  if (rank < 0 || rank >= static_cast<Rank>(grid_.size()) || grid_[static_cast<std::size_t>(rank)] != rank) {
    auto const rank_of = [&](int p) { return grid_[static_cast<std::size_t>(p)]; };
    auto const found = std::ranges::lower_bound(by_rank_, rank, {}, rank_of);
    if (found == by_rank_.end() || rank_of(*found) != rank) {
      return {};
    }
    place = *found;
  }
  return {place % rows_.parts(), place / rows_.parts()};
}

Index Layout::local_rows(Rank rank) const {
  auto const at = position(rank);
  return at.row < 0 ? 0 : rows_.count(at.row);
}

Index Layout::local_cols(Rank rank) const {
  auto const at = position(rank);
  return at.col < 0 ? 0 : cols_.count(at.col);
}

}  // namespace allport
