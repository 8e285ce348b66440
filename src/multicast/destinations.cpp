#include "allport/multicast/destinations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace allport {

DestinationSet::DestinationSet(std::vector<Positions> intervals) {
  for (auto const& i : intervals) {
    ensure(i.begin >= 0 && i.begin <= i.end, "intervals", fmt::format("[{}, {})", i.begin, i.end),
           "intervals [begin, end) with 0 <= begin <= end");
  }
  std::erase_if(intervals, [](Positions i) { return i.size() == 0; });
  std::ranges::sort(intervals, {}, &Positions::begin);
  Rank count = 0;
  for (auto const& i : intervals) {
    if (!intervals_.empty() && i.begin <= intervals_.back().end) {
      auto& last = intervals_.back();
      count += std::max(i.end - last.end, 0);
      last.end = std::max(last.end, i.end);
    } else {
      intervals_.push_back(i);
      before_.push_back(count);
      count += i.size();
    }
  }
}

DestinationSet DestinationSet::of(TopologyIds const& ids, std::span<Rank const> ranks) {
  std::vector<Positions> each;
  each.reserve(ranks.size());
  for (auto const r : ranks) {
    ensure(r >= 0 && r < ids.ranks(), "destination", r, fmt::format("a rank in 0..{}", ids.ranks() - 1));
    auto const position = ids.position(r);
    each.push_back({position, position + 1});
  }
  return DestinationSet(std::move(each));
}

Rank DestinationSet::size() const { return intervals_.empty() ? 0 : before_.back() + intervals_.back().size(); }

bool DestinationSet::contains(Rank position) const { return meets({position, position + 1}); }

Rank DestinationSet::below(Rank position) const {
  auto const next = std::ranges::lower_bound(intervals_, position, {}, &Positions::begin) - intervals_.begin();
  if (next == 0) return 0;
  auto const i = static_cast<std::size_t>(next - 1);
  return before_[i] + std::min(position, intervals_[i].end) - intervals_[i].begin;
}

Rank DestinationSet::at(Rank index) const {
  ensure(index >= 0 && index < size(), "index", index, fmt::format("0 <= index < {}", size()));
  auto const i = static_cast<std::size_t>(std::ranges::upper_bound(before_, index) - before_.begin() - 1);
  return intervals_[i].begin + index - before_[i];
}

bool DestinationSet::meets(Positions interval) const {
  auto const i = std::ranges::upper_bound(intervals_, interval.begin, {}, &Positions::end);
  return i != intervals_.end() && i->begin < interval.end;
}

DestinationSet DestinationSet::within(Positions interval) const {
  DestinationSet part;
  Rank count = 0;
  for (auto i = std::ranges::upper_bound(intervals_, interval.begin, {}, &Positions::end);
       i != intervals_.end() && i->begin < interval.end; ++i) {
    auto const cut = Positions{std::max(i->begin, interval.begin), std::min(i->end, interval.end)};
    part.intervals_.push_back(cut);
    part.before_.push_back(count);
    count += cut.size();
  }
  return part;
}

DestinationSet DestinationSet::without(Rank position) const {
  if (!contains(position)) return *this;
  auto parts = within({0, position}).intervals_;
  auto const rest = within({position + 1, intervals_.back().end}).intervals_;
  parts.insert(parts.end(), rest.begin(), rest.end());
  return DestinationSet(std::move(parts));
}

std::vector<Rank> DestinationSet::ranks(TopologyIds const& ids) const {
  std::vector<Rank> ranks;
  ranks.reserve(static_cast<std::size_t>(size()));
  for (auto const& i : intervals_) {
    for (auto p = i.begin; p < i.end; ++p) ranks.push_back(ids.rank_at(p));
  }
  return ranks;
}

}  // namespace allport
