#include "allport/pattern/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "allport/schedule/linked.h"
#include "index.h"
#include "together.h"

namespace allport {

namespace {

using pattern::at;

std::int64_t sum_of(Flows const& flows) {
  std::int64_t sum = 0;
  for (Rank r = 0; r < flows.ranks(); ++r) {
    for (auto const& f : flows.of(r)) sum += f.bytes;
  }
  return sum;
}

void check_groups(Rank ranks, std::vector<Concurrent> const& concurrent) {
  std::vector<std::int64_t> seen(at(ranks), -1);
  std::int64_t group = 0;
  for (std::size_t c = 0; c < concurrent.size(); ++c) {
    for (std::size_t g = 0; g < concurrent[c].groups.size(); ++g, ++group) {
      auto const& members = concurrent[c].groups[g];
      auto const size = concurrent[c].schedule.ranks();
      if (static_cast<Rank>(members.size()) != size) {
        ensure(false, fmt::format("concurrent[{}].groups[{}]", c, g), static_cast<std::int64_t>(members.size()),
               fmt::format("the {} ranks of its schedule", size));
      }
      for (auto const r : members) {
        if (r < 0 || r >= ranks || seen[at(r)] == group) {
          ensure(false, fmt::format("concurrent[{}].groups[{}]", c, g), r,
                 fmt::format("ranks in 0..{}, each once", ranks - 1));
        }
        seen[at(r)] = group;
      }
    }
  }
}

/// Number of receives in the longest chain in which each waits for the one before.
std::int64_t chain_of(Schedule const& schedule) {
  auto const linked = LinkedProgram(schedule);
  std::vector<std::int64_t> depth(linked.size(), 0);
  std::vector<std::int32_t> open(linked.size());
  std::vector<OpId> ready;
  for (OpId i = 0; i < linked.size(); ++i) {
    // A dependence with a lag waits for buffer space, not for data.
    for (auto const& need : linked.needs(i)) open[i] += need.lag <= 0 ? 1 : 0;
    if (linked.op(i).kind == OpKind::receive) ++open[i];
    if (open[i] == 0) ready.push_back(i);
  }
  std::int64_t longest = 0;
  auto const settle = [&](OpId i, std::int64_t came) {
    depth[i] = std::max(depth[i], came);
    if (--open[i] == 0) ready.push_back(i);
  };
  while (!ready.empty()) {
    auto const i = ready.back();
    ready.pop_back();
    longest = std::max(longest, depth[i]);
    if (linked.op(i).kind == OpKind::send) settle(linked.op(i).partner, depth[i] + 1);
    OpId last = no_op;
    for (auto const w : linked.wakes(i)) {
      if (w == last) continue;  // listed once for each of its dependences, one after the other
      last = w;
      for (auto const& need : linked.needs(w)) {
        if (need.op == i && need.lag <= 0) settle(w, depth[i]);
      }
    }
  }
  return longest;
}

/// Messages of one run of the schedule, by its own ranks.
std::vector<Message> messages_of(Schedule const& schedule) {
  std::vector<Message> found;
  Program program;
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    schedule.program(r, program);
    for (auto const& op : program.ops) {
      if (op.kind == OpKind::send) found.push_back({r, op.peer, op.length});
    }
  }
  return found;
}

}  // namespace

Pattern Pattern::of_messages(std::string name, Rank ranks, std::vector<Message> const& messages,
                             std::optional<CartGrid> grid) {
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  if (grid) {
    grid->check();
    ensure(grid->ranks() == ranks, "grid", grid->ranks(), fmt::format("as many ranks as there are, {}", ranks));
  }
  Pattern t;
  t.name_ = std::move(name);
  t.grid_ = std::move(grid);
  t.direct_ = std::make_shared<Flows const>(ranks, messages);
  t.flows_ = t.direct_;
  t.concurrent_ = std::make_shared<std::vector<Concurrent> const>();
  t.bytes_ = sum_of(*t.flows_);
  t.chain_ = t.flows_->size() > 0 ? 1 : 0;
  return t;
}

Pattern Pattern::of_schedules(std::string name, Rank ranks, std::vector<Concurrent> concurrent,
                              std::optional<CartGrid> grid) {
  auto t = of_messages(std::move(name), ranks, {}, std::move(grid));
  check_groups(ranks, concurrent);
  std::vector<Message> all;
  for (auto const& c : concurrent) {
    if (c.groups.empty()) continue;
    auto const once = messages_of(c.schedule);
    for (auto const& members : c.groups) {
      for (auto const& m : once) all.push_back({members[at(m.from)], members[at(m.to)], m.bytes});
    }
    t.chain_ = std::max(t.chain_, chain_of(c.schedule));
  }
  t.flows_ = std::make_shared<Flows const>(ranks, all);
  t.concurrent_ = std::make_shared<std::vector<Concurrent> const>(std::move(concurrent));
  t.bytes_ = sum_of(*t.flows_);
  return t;
}

Pattern Pattern::plus(Pattern const& other) const {
  ensure(other.ranks() == ranks(), "other.ranks()", other.ranks(), fmt::format("the {} ranks of this one", ranks()));
  auto const joined = [&](Flows const& a, Flows const& b) {
    std::vector<Message> both;
    both.reserve(at(a.size() + b.size()));
    for (auto const* flows : {&a, &b}) {
      for (Rank r = 0; r < flows->ranks(); ++r) {
        for (auto const& f : flows->of(r)) both.push_back({r, f.peer, f.bytes});
      }
    }
    return std::make_shared<Flows const>(ranks(), both);
  };
  auto t = *this;
  t.name_ = fmt::format("{} and {}", name_, other.name_);
  t.direct_ = joined(*direct_, *other.direct_);
  auto concurrent = *concurrent_;
  concurrent.insert(concurrent.end(), other.concurrent_->begin(), other.concurrent_->end());
  t.flows_ = concurrent.empty() ? t.direct_ : joined(*flows_, *other.flows_);
  t.concurrent_ = std::make_shared<std::vector<Concurrent> const>(std::move(concurrent));
  t.bytes_ = bytes_ + other.bytes_;
  t.chain_ = std::max(chain_, other.chain_);
  return t;
}

Pattern Pattern::named(std::string name) const {
  auto t = *this;
  t.name_ = std::move(name);
  return t;
}

Schedule Pattern::schedule(Cut cut) const { return pattern::together(name_, direct_, concurrent_, cut); }

}  // namespace allport
