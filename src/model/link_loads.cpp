#include "allport/model/link_loads.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "base/recent.h"
#include "rounds.h"
#include "within_node.h"

namespace allport::model {

LinkLoads::LinkLoads(Machine const& machine)
    : machine_(std::make_shared<Machine const>(machine)), load_(static_cast<std::size_t>(machine.link_ids())) {}

void LinkLoads::add(Node from, Node to) {
  Seconds path{};
  machine_->route(from, to, [&](LinkId l) {
    auto const flows = ++load_[static_cast<std::size_t>(l)];
    if (flows == 1) used_.push_back(l);
    flows_ = std::max(flows_, flows);
    seconds_per_byte_ = std::max(seconds_per_byte_, flows / machine_->bandwidth(l).value());
    path += machine_->latency(l);
  });
  path_ = std::max(path_, path);
}

void LinkLoads::clear() {
  for (auto const l : used_) {
    load_[static_cast<std::size_t>(l)] = 0;
  }
  used_.clear();
  flows_ = 0;
  seconds_per_byte_ = 0.0;
  path_ = {};
}

double copy_seconds_per_byte(Machine const& machine, double flows) {
  auto const beta = machine.rates().memory_bandwidth.value();
  return beta > 0.0 ? 2.0 * flows / beta : 0.0;
}

namespace {

Round assumed_round(Machine const& machine) {
  Round round{1, 0.0, {}};
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) {
      round.seconds_per_byte = std::max(round.seconds_per_byte, 1.0 / axis.bandwidth.value());
      round.path += axis.latency * static_cast<double>(axis.wraps ? axis.length / 2 : axis.length - 1);
    }
  }
  return round;
}

BinomialLoads assume(Machine const& machine) {
  BinomialLoads loads;
  loads.exact = false;
  loads.rounds.assign(static_cast<std::size_t>(rounds_of(machine.ranks())), assumed_round(machine));
  for (auto const& round : loads.rounds) {
    loads.path += round.path;
    loads.all_at_once += round.seconds_per_byte;
    loads.all_at_once_flows += round.flows;
  }
  return loads;
}

/// Messages of one round within nodes: through the memory of each, or over the connections of its parts to their
/// siblings.
class Within {
 public:
  explicit Within(Machine const& machine) : machine_(machine), copies_(static_cast<std::size_t>(machine.nodes())) {
    for (int l = 0; l < machine.levels().size(); ++l) {
      auto const parts = machine.ranks() / machine.levels().ranks_of_part(l);
      sends_.emplace_back(machine.levels()[l].bandwidth.value() > 0.0 ? static_cast<std::size_t>(parts) : 0);
    }
  }

  void clear() {
    std::fill(copies_.begin(), copies_.end(), 0);
    for (auto& level : sends_) std::fill(level.begin(), level.end(), 0);
    seconds_per_byte_ = 0.0;
  }
  /// @param from, to places among the machine's ranks, of one node
  void add(Rank from, Rank to) {
    auto const l = machine_.levels().parting(from, to);
    if (l < machine_.levels().size() && machine_.levels()[l].bandwidth.value() > 0.0) {
      auto const part = static_cast<std::size_t>(from / machine_.levels().ranks_of_part(l));
      raise(++sends_[static_cast<std::size_t>(l)][part] / machine_.levels()[l].bandwidth.value());
    } else {
      raise(copy_seconds_per_byte(machine_, ++copies_[static_cast<std::size_t>(machine_.node_of(from))]));
    }
  }
  [[nodiscard]] double seconds_per_byte() const { return seconds_per_byte_; }

 private:
  void raise(double seconds) { seconds_per_byte_ = std::max(seconds_per_byte_, seconds); }

  Machine const& machine_;
  std::vector<std::int32_t> copies_;              // by node
  std::vector<std::vector<std::int32_t>> sends_;  // by level and part; empty where memory carries
  double seconds_per_byte_ = 0.0;
};

/// @param place a rank's place among the machine's ranks
BinomialLoads count(Machine const& machine, Rank root, bool up, std::function<Rank(Rank)> const& place) {
  BinomialLoads loads;
  LinkLoads one(machine);
  LinkLoads all(machine);
  auto const ranks = machine.ranks();
  auto const where = [&](std::int64_t v) { return place(static_cast<Rank>((v + root) % ranks)); };
  Within within(machine);
  for (int k = rounds_of(ranks) - 1; k >= 0; --k) {
    one.clear();
    within.clear();
    auto const step = std::int64_t{1} << k;
    for (std::int64_t v = 0; v + step < ranks; v += 2 * step) {
      auto const from = where(up ? v + step : v);
      auto const to = where(up ? v : v + step);
      one.add(machine.node_of(from), machine.node_of(to));
      all.add(machine.node_of(from), machine.node_of(to));
      if (machine.node_of(from) == machine.node_of(to)) within.add(from, to);
    }
    loads.rounds.push_back({one.flows(), std::max(one.seconds_per_byte(), within.seconds_per_byte()), one.path()});
    loads.path += one.path();
  }
  loads.all_at_once_flows = all.flows();
  loads.all_at_once = std::max(all.seconds_per_byte(), spread_seconds_per_byte(machine));
  return loads;
}

}  // namespace

std::shared_ptr<BinomialLoads const> binomial_loads(Machine const& machine, Rank root, bool up) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine");
  static Recent<std::tuple<Machine, Rank, bool>, BinomialLoads> recent(16);
  return recent.get({machine, root, up}, [&] {
    auto const exact = std::int64_t{machine.ranks()} <= binomial_exact_ranks;
    return exact ? count(machine, root, up, [](Rank r) { return r; }) : assume(machine);
  });
}

BinomialLoads binomial_loads(Machine const& machine, Rank root, std::span<Node const> node_of_rank, bool up) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine");
  ensure(node_of_rank.size() == static_cast<std::size_t>(machine.ranks()), "node_of_rank",
         static_cast<std::int64_t>(node_of_rank.size()), "one node per rank of the machine");
  return count(machine, root, up,
               [places = places_on(machine, node_of_rank)](Rank r) { return places[static_cast<std::size_t>(r)]; });
}

}  // namespace allport::model
