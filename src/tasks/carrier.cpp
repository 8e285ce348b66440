#include "allport/tasks/carrier.h"

#include <vector>

#include "allport/multicast/schedule.h"
#include "frontier.h"

namespace allport::tasks {

namespace {

class WayCarrier final : public graph::Carrier {
 public:
  WayCarrier(Machine const& machine, MulticastWay way)
      : ids_(machine, TopologyIds::usual_bits(machine.ranks())), way_(way) {}

  /// Ranks that the machine has no place for would have no ID.
  void hops(graph::Delivery const& delivery, VisitHop visit) const override {
    for (auto const rank : delivery.ranks) {
      ensure(rank < ids_.ranks(), "machine", ids_.ranks(), "as many ranks as the graph has", "take a larger machine");
    }
    auto const root = delivery.ranks[static_cast<std::size_t>(delivery.root)];
    if (delivery.what == Collective::reduce) {
      for (auto const rank : delivery.ranks) {
        if (rank != root) visit({rank, root, delivery.bytes, 1});
      }
    } else if (delivery.what == Collective::broadcast) {
      std::vector<Rank> targets;
      for (auto const rank : delivery.ranks) {
        if (rank != root) targets.push_back(rank);
      }
      for (auto const& [from, to] : messages(
               ids_, multicast_by(way_, ids_, root, DestinationSet::of(ids_, targets), TaskHash()(delivery.task)))) {
        visit({from, to, delivery.bytes, 1});
      }
    } else {
      gangs_->hops(delivery, visit);
    }
  }

 private:
  TopologyIds ids_;
  MulticastWay way_;
  std::unique_ptr<graph::Carrier> gangs_ = graph::binomial();
};

}  // namespace

MulticastWay usual_way(Machine const& machine) {
  return machine == Machine::flat(machine.ranks()) ? MulticastWay::prefix : MulticastWay::axes;
}

std::unique_ptr<graph::Carrier> carrier(Machine const& machine) { return carrier(machine, usual_way(machine)); }

std::unique_ptr<graph::Carrier> carrier(Machine const& machine, MulticastWay way) {
  return std::make_unique<WayCarrier>(machine, way);
}

}  // namespace allport::tasks
