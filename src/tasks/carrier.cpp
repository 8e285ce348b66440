#include "allport/tasks/carrier.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "allport/graph/sum_tree.h"
#include "allport/multicast/schedule.h"
#include "frontier.h"

namespace allport::tasks {

namespace {

class WayCarrier final : public graph::Carrier {
 public:
  WayCarrier(Machine const& machine, MulticastWay way, Mapping mapping)
      : ids_(machine, TopologyIds::usual_bits(machine.ranks())),
        way_(way),
        machine_(machine),
        places_(std::move(mapping)),
        ranks_(places_.inverse()) {}

  /// Ranks that the machine has no place for would have no ID.
  void hops(graph::Delivery const& delivery, VisitHop visit) const override {
    for (auto const rank : delivery.ranks) {
      ensure(rank < ids_.ranks(), "machine", ids_.ranks(), "as many ranks as the graph has", "take a larger machine");
    }
    if (delivery.in_gang) return gangs_->hops(delivery, visit);
    auto const at = [&](int place) { return delivery.ranks[static_cast<std::size_t>(place)]; };
    auto const root = at(delivery.root);
    if (delivery.what == Collective::reduce) {
      auto const contributions = static_cast<int>(delivery.ranks.size());
      graph::sum_messages(contributions, delivery.root, [&](int from, int to) {
        visit({at(from), at(to), delivery.bytes, 1});
      });
    } else {
      // The source, how many parts and how far they may go: with these the ranks say who sends to whom.
      std::vector<Rank> key{places_.place(root), delivery.parts,
                            static_cast<Rank>(detour_of(machine_, delivery.bytes))};
      for (auto const rank : delivery.ranks) {
        if (rank != root) key.push_back(places_.place(rank));
      }
      for (auto const& [from, to] : messages_of(key, TaskHash()(delivery.task), delivery.output)) {
        visit({ranks_.place(from), ranks_.place(to), delivery.bytes, 1});
      }
    }
  }

 private:
  using Messages = std::vector<std::pair<Rank, Rank>>;
  /// Those that are equally good, as multicast_by() picks from them; filled in when they are first picked.
  struct Trees {
    MulticastWay way;
    std::vector<int> orders;
    std::vector<std::optional<Messages>> messages;
  };

  /// Between places. A graph sends to the same ones again and again.
  [[nodiscard]] Messages const& messages_of(std::vector<Rank> const& key, std::uint64_t spread, int turn) const {
    auto const set = [&] { return DestinationSet::of(ids_, std::span(key).subspan(3)); };
    if (known_.size() >= most_known) known_.clear();
    auto& trees = known_.try_emplace(key, Trees{way_, {}, {}}).first->second;
    if (trees.messages.empty()) {
      if (goes_straight(way_, ids_, key.front(), set())) trees.way = MulticastWay::flat;
      trees.orders = trees.way == MulticastWay::axes ? orders_along_axes(ids_, key[0], set(), key[1], key[2])
                                                     : std::vector<int>{0};
      trees.messages.resize(trees.orders.size());
    }
    auto const picked = pick(trees.orders.size(), spread, turn);
    auto& found = trees.messages[picked];
    if (!found) found = messages(ids_, Multicast{key.front(), set(), trees.way, {}, trees.orders[picked]});
    return *found;
  }

  static constexpr std::size_t most_known = 1 << 14;

  TopologyIds ids_;
  MulticastWay way_;
  Machine machine_;
  Mapping places_;  // of ranks
  Mapping ranks_;   // at places
  mutable std::map<std::vector<Rank>, Trees> known_;
  std::unique_ptr<graph::Carrier> gangs_ = graph::binomial();
};

}  // namespace

MulticastWay usual_way(Machine const& machine) {
  return machine == Machine::flat(machine.ranks()) ? MulticastWay::prefix : MulticastWay::axes;
}

Bytes usual_segment(Machine const& machine) {
  constexpr std::int64_t shortest = 4 * 1024;
  constexpr std::int64_t longest = 64 * 1024;
  constexpr double times = 5;
  auto const ends = 2 * machine.rates().overhead.value();
  if (ends <= 0) return Bytes(longest);
  auto slowest = std::numeric_limits<double>::infinity();
  for (int a = 0; a < machine.axes(); ++a) slowest = std::min(slowest, machine.axis(a).bandwidth.value());
  auto segment = shortest;
  while (segment < longest && static_cast<double>(segment) < times * ends * slowest) segment *= 2;
  return Bytes(segment);
}

bool moves_while_polled(Machine const& machine) {
  constexpr double moved_by_a_poll = 64 << 10;
  constexpr double short_poll = 1e-3;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const bandwidth = machine.axis(a).bandwidth.value();
    if (bandwidth > 0 && moved_by_a_poll / bandwidth > short_poll) return false;
  }
  return true;
}

std::int64_t detour_of(Machine const& machine, std::int64_t bytes) {
  std::int64_t longest = 0;  // of any tree that goes one way round
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).wraps) longest += machine.axis(a).length - 1 - machine.axis(a).length / 2;
  }
  auto const pieces = bytes / usual_segment(machine).value();
  return std::max(usual_detour, std::min(pieces, longest + usual_detour));
}

std::unique_ptr<graph::Carrier> carrier(Machine const& machine, std::optional<Mapping> const& mapping) {
  return carrier(machine, usual_way(machine), mapping);
}

std::unique_ptr<graph::Carrier> carrier(Machine const& machine, MulticastWay way,
                                        std::optional<Mapping> const& mapping) {
  return std::make_unique<WayCarrier>(machine, way, mapping.value_or(Mapping::identity(machine.ranks())));
}

}  // namespace allport::tasks
