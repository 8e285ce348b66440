#include "contents.h"

#include <algorithm>

#include "base/scramble.h"

namespace allport::verify {
namespace {

bool continues(Run const& a, Run const& b) { return a.end == b.begin && a.shift() == b.shift() && a.value == b.value; }

}  // namespace

Value contribution(Rank rank) {
  auto const r = static_cast<std::uint64_t>(rank);
  return {{scramble(r), scramble(~r * 0x2545F4914F6CDD1Du)}, 1, rank, true, 0};
}

Value combine(Value const& left, Value const& right) {
  Value both;
  both.print[0] = left.print[0] + right.print[0];
  both.print[1] = left.print[1] + right.print[1];
  both.count = left.count + right.count;
  both.first = left.first;
  both.ordered = left.ordered && right.ordered && left.first + left.count == right.first;
  // Without rank order `first` has no meaning; one value lets neighbouring runs merge.
  if (!both.ordered) both.first = -1;
  return both;
}

std::size_t Contents::first_after(std::int64_t position) const {
  if (runs_.size() <= 8) {
    std::size_t i = 0;
    while (i < runs_.size() && runs_[i].end <= position) ++i;
    return i;
  }
  auto const found = std::ranges::upper_bound(runs_, position, {}, &Run::end);
  return static_cast<std::size_t>(found - runs_.begin());
}

void Contents::read(std::int64_t begin, std::int64_t end, std::vector<Run>& into) const {
  for (auto i = first_after(begin); i < runs_.size() && runs_[i].begin < end; ++i) {
    into.push_back(runs_[i].clip(begin, end));
  }
}

void Contents::write(std::int64_t begin, std::int64_t end, std::span<Run const> content) {
  auto const first = first_after(begin);
  // Common case: a segment continues the previous one, and nothing is overwritten.
  bool const free = first == runs_.size() || runs_[first].begin >= end;
  if (free && content.size() == 1 && first > 0 && continues(runs_[first - 1], content[0])) {
    runs_[first - 1].end = content[0].end;
    merge(first - 1, first + 1);
    return;
  }
  auto last = first;
  while (last < runs_.size() && runs_[last].begin < end) ++last;
  Run keep[2];
  std::size_t kept_left = 0;
  std::size_t kept_right = 0;
  if (last > first) {
    if (runs_[first].begin < begin) keep[kept_left++] = runs_[first].clip(runs_[first].begin, begin);
    if (runs_[last - 1].end > end) {
      keep[1] = runs_[last - 1].clip(end, runs_[last - 1].end);
      kept_right = 1;
    }
  }
  auto const wanted = kept_left + content.size() + kept_right;
  auto const at = runs_.begin() + static_cast<std::ptrdiff_t>(first);
  if (wanted > last - first) {
    runs_.insert(at, wanted - (last - first), Run{});
  } else {
    runs_.erase(at, at + static_cast<std::ptrdiff_t>(last - first - wanted));
  }
  auto out = first;
  if (kept_left > 0) runs_[out++] = keep[0];
  for (auto const& run : content) runs_[out++] = run;
  if (kept_right > 0) runs_[out++] = keep[1];
  merge(first == 0 ? 0 : first - 1, out + 1);
}

void Contents::merge(std::size_t from, std::size_t to) {
  to = std::min(to, runs_.size());
  if (from + 1 >= to) return;
  auto kept = from;
  for (auto i = from + 1; i < to; ++i) {
    if (continues(runs_[kept], runs_[i])) {
      runs_[kept].end = runs_[i].end;
    } else {
      runs_[++kept] = runs_[i];
    }
  }
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(kept + 1), runs_.begin() + static_cast<std::ptrdiff_t>(to));
}

}  // namespace allport::verify
