#include "allport/multicast/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace allport {
namespace {

constexpr std::size_t most_faults = 20;
constexpr Rank most_asked = 1024;  // whether they take part, of those that nobody sends anything

/// A rank that has the message, and the destinations in its message.
struct Holder {
  Rank rank;
  Rank from;
  int step;
  DestinationSet set;
};

class Walk {
 public:
  Walk(TopologyIds const& ids, DestinationSet const& set, Machine const* machine)
      : ids_(ids), set_(set), machine_(machine) {
    ensure(machine == nullptr || machine->ranks() == ids.ranks(), "machine", machine ? machine->ranks() : 0,
           fmt::format("a machine of {} ranks, as the IDs", ids.ranks()));
    report_.destinations = set.size();
  }

  /// @param visit (holder, its forwarding)
  template <class Visit>
  void run(Rank source, ForwardRule rule, Visit&& visit) {
    waiting_.push_back({source, -1, 0, set_});
    reached_.insert(source);
    while (!waiting_.empty()) {
      auto const holder = std::move(waiting_.front());
      waiting_.pop_front();
      auto const forwarding = rule(holder.rank, holder.set);
      take(holder, forwarding);
      visit(holder, forwarding);
      for (auto const& hop : forwarding.hops) send(holder, hop);
    }
    for (auto const& i : set_.intervals()) {
      for (auto p = i.begin; p < i.end; ++p) {
        if (!delivered_.contains(p)) fault(fmt::format("rank {} never gets the message", ids_.rank_at(p)));
      }
    }
    if (machine_ != nullptr) bound(source);
  }

  void fault(std::string text) {
    if (report_.faults.size() < most_faults) report_.faults.push_back(std::move(text));
  }
  [[nodiscard]] MulticastReport take_report() { return std::move(report_); }
  [[nodiscard]] bool reached(Rank rank) const { return reached_.contains(rank); }

 private:
  void take(Holder const& holder, Forwarding const& forwarding) {
    auto const position = ids_.position(holder.rank);
    report_.fan_out = std::max(report_.fan_out, static_cast<int>(forwarding.hops.size()));
    report_.steps = std::max(report_.steps, holder.step);
    if (forwarding.deliver != set_.contains(position)) {
      fault(fmt::format("rank {} {} the message, and is {} of the destinations", holder.rank,
                        forwarding.deliver ? "keeps" : "does not keep", forwarding.deliver ? "none" : "one"));
    }
    if (forwarding.deliver) {
      delivered_.insert(position);
    } else if (holder.from >= 0) {
      ++report_.relays;
    }
  }

  void send(Holder const& holder, Hop const& hop) {
    ++report_.messages;
    if (hop.set.empty())
      fault(fmt::format("rank {} sends rank {} a message without destinations", holder.rank, hop.next));
    for (auto const& i : hop.set.intervals()) {
      if (holder.set.within(i).size() != i.size()) {
        fault(fmt::format("rank {} sends rank {} destinations that it was not given", holder.rank, hop.next));
        break;
      }
    }
    if (!reached_.insert(hop.next).second) {
      fault(fmt::format("rank {} sends rank {} the message, which has it", holder.rank, hop.next));
      return;
    }
    if (machine_ != nullptr) count_links(holder.rank, hop.next);
    waiting_.push_back({hop.next, holder.rank, holder.step + 1, hop.set});
  }

  void count_links(Rank from, Rank to) {
    machine_->route(machine_->node_of(from), machine_->node_of(to), [&](LinkId link) {
      ++report_.links;
      report_.busiest = std::max(report_.busiest, ++load_[link]);
    });
  }

  void bound(Rank source) {
    auto const home = machine_->node_of(source);
    std::unordered_set<Node> nodes;
    for (auto const rank : set_.ranks(ids_)) {
      auto const node = machine_->node_of(rank);
      if (node != home) nodes.insert(node);
      report_.bound = std::max<std::int64_t>(report_.bound, machine_->hops(home, node));
    }
    report_.bound = std::max(report_.bound, static_cast<std::int64_t>(nodes.size()));
  }

  TopologyIds const& ids_;
  DestinationSet const& set_;
  Machine const* machine_;
  MulticastReport report_;
  std::deque<Holder> waiting_;
  std::unordered_set<Rank> reached_;
  std::unordered_set<Rank> delivered_;
  std::unordered_map<LinkId, std::int32_t> load_;
};

/// Equal leading bits, or bits of equal leading digits where rows are not split.
int prefix_bits(TopologyIds const& ids, TopologyId a, TopologyId b, Split split) {
  auto const all = ids.digits() * ids.bits();
  auto const equal = a == b ? all : all - static_cast<int>(std::bit_width(a ^ b));
  return split.bits > 0 ? equal : equal / ids.bits() * ids.bits();
}

/// In the order of IDs, those at the ends of a group share the shortest prefix with one within it, and the longest with
/// one outside of it.
void check_prefixes(TopologyIds const& ids, Rank rank, Hop const& hop, Split split, Walk& walk) {
  if (hop.set.empty()) return;
  auto const& intervals = hop.set.intervals();
  for (auto const end : {intervals.front().begin, intervals.back().end - 1}) {
    auto const y = ids.rank_at(end);
    auto const before = prefix_bits(ids, ids.of(rank), ids.of(y), split);
    auto const behind = prefix_bits(ids, ids.of(hop.next), ids.of(y), split);
    if (behind > before) continue;
    walk.fault(fmt::format("from rank {} to rank {} the prefix in common with rank {} does not grow: {} bits, then {}",
                           rank, hop.next, y, before, behind));
  }
}

void check_steps(TopologyIds const& ids, Split split, MulticastReport& report) {
  auto const most = split.bits > 0 ? ids.digits() * ids.bits() : ids.digits();
  if (report.steps <= most) return;
  report.faults.push_back(
      fmt::format("{} steps, where IDs have {} {}", report.steps, most, split.bits > 0 ? "bits" : "digits"));
}

bool same(Share const& a, Rank from, Forwarding const& b) {
  return a.from == from && a.deliver == b.deliver && a.hops == b.hops;
}

}  // namespace

MulticastReport check_rule(TopologyIds const& ids, Rank source, DestinationSet const& set, Split split,
                           ForwardRule rule, Machine const* machine) {
  Walk walk(ids, set, machine);
  walk.run(source, rule, [&](Holder const& holder, Forwarding const& forwarding) {
    for (auto const& hop : forwarding.hops) check_prefixes(ids, holder.rank, hop, split, walk);
  });
  auto report = walk.take_report();
  check_steps(ids, split, report);
  return report;
}

MulticastReport check(TopologyIds const& ids, Multicast const& m, Machine const* machine) {
  Walk walk(ids, m.set, machine);
  auto const by_prefix = m.tree == MulticastTree::prefix;
  auto const rule = [&](Rank rank, DestinationSet const& set) {
    return forwarding_of(ids, {m.source, set, m.tree, m.split, m.order}, rank);
  };
  walk.run(m.source, rule, [&](Holder const& holder, Forwarding const& forwarding) {
    for (auto const& hop : forwarding.hops) {
      if (by_prefix) check_prefixes(ids, holder.rank, hop, m.split, walk);
    }
    if (!same(share(ids, m, holder.rank), holder.from, forwarding)) {
      walk.fault(fmt::format("rank {} computes another share than it receives", holder.rank));
    }
  });
  for (Rank rank = 0; rank < ids.ranks() && ids.ranks() <= most_asked; ++rank) {
    if (!walk.reached(rank) && share(ids, m, rank).takes_part()) {
      walk.fault(fmt::format("rank {} takes part, but no rank sends it the message", rank));
    }
  }
  auto report = walk.take_report();
  if (by_prefix) check_steps(ids, m.split, report);
  return report;
}

}  // namespace allport
