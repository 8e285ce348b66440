#include "hierarchical.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/binomial.h"

namespace allport {

InnerTrees::InnerTrees(Levels const& levels, Rank leader, Below how)
    : ranks_(levels.ranks()), leader_(leader), how_(how) {
  ensure(leader >= 0 && leader < ranks_, "leader", leader, "a rank of the node");
  bool memory_above = false;
  for (int l = 0; l < levels.size(); ++l) {
    auto const& level = levels[l];
    bool const memory = level.bandwidth.value() == 0.0 && level.latency.value() == 0.0;
    if (!memory || !memory_above) digits_[static_cast<std::size_t>(size_++)] = {};
    auto& digit = digits_[static_cast<std::size_t>(size_ - 1)];
    digit = {levels.ranks_of_part(l), digit.count * level.count};
    memory_above = memory;
  }
}

Rank InnerTrees::relative(Rank rank, Digit const& digit) const {
  auto const position = [&](Rank r) { return r / digit.stride % digit.count; };
  return (position(rank) - position(leader_) + digit.count) % digit.count;
}

int InnerTrees::rounds() const {
  if (how_ == Below::direct) return ranks_ - 1;
  int rounds = 0;
  for (int i = 0; i < size_; ++i) {
    rounds +=
        static_cast<int>(std::bit_width(static_cast<std::uint32_t>(digits_[static_cast<std::size_t>(i)].count - 1)));
  }
  return rounds;
}

Rank InnerTrees::parent(Rank rank) const {
  ensure(!leads(rank), "rank", rank, "a rank that is not its node's leader");
  if (how_ == Below::direct) return leader_of(rank / ranks_);
  for (auto i = size_; i-- > 0;) {
    auto const& digit = digits_[static_cast<std::size_t>(i)];
    auto const v = relative(rank, digit);
    if (v == 0) continue;
    auto const here = rank / digit.stride % digit.count;
    auto const there = (here - v + binomial_parent(v) + digit.count) % digit.count;
    return rank + (there - here) * digit.stride;
  }
  return rank;
}

void InnerTrees::add_children(Rank rank, TreePlace& into) const {
  if (how_ == Below::direct) {
    auto const first = rank / ranks_ * ranks_;
    for (auto r = first; leads(rank) && r < first + ranks_; ++r) {
      if (r != rank) into.add(r, any_port);
    }
    return;
  }
  auto top = size_ - 1;  // the innermost level at which it is not its part's leader: it got the data there
  while (top > 0 && relative(rank, digits_[static_cast<std::size_t>(top)]) == 0) --top;
  for (auto i = std::max(top, 0); i < size_; ++i) {
    auto const& digit = digits_[static_cast<std::size_t>(i)];
    auto const here = rank / digit.stride % digit.count;
    auto const v = relative(rank, digit);
    each_binomial_child(v, digit.count, [&](Rank w) {
      into.add(rank + ((here + w - v) % digit.count - here) * digit.stride, any_port);
    });
  }
}

void InnerTrees::lead(TreePlace const& outer, TreePlace& into) const {
  into.clear();
  if (auto const& up = outer.parent; up.rank >= 0) into.parent = {leader_of(up.rank), up.out};
  for (std::size_t i = 0; i < outer.children(); ++i) into.add(leader_of(outer.child(i).rank), outer.child(i).out);
}

void place_below(TreePlace const& outer, InnerTrees const& inner, Rank rank, TreePlace& into) {
  if (inner.leads(rank)) {
    inner.lead(outer, into);
  } else {
    into.clear();
    into.parent = {inner.parent(rank), any_port};
  }
  inner.add_children(rank, into);
}

TreeSet hierarchical(TreeSet outer, InnerTrees const& inner) {
  if (inner.ranks() == 1) return outer;
  return {outer.count, [over = std::move(outer.place), inner](int tree, Rank rank, TreePlace& into) {
            TreePlace place;
            if (inner.leads(rank)) over(tree, rank / inner.ranks(), place);
            place_below(place, inner, rank, into);
          }};
}

}  // namespace allport
