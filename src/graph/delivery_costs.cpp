#include "delivery_costs.h"

#include <algorithm>

#include "along.h"

namespace allport::graph {

AxisLoads::AxisLoads(Machine const& machine)
    : machine_(&machine), seconds_(static_cast<std::size_t>(machine.axes()), 0.0), links_(seconds_) {
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    auto const per_line = axis.length == 1 ? 0 : axis.wraps ? 2 * axis.length : 2 * (axis.length - 1);
    links_[static_cast<std::size_t>(a)] = static_cast<double>(per_line) * machine.nodes() / axis.length;
  }
}

void AxisLoads::add(Hop const& hop, double times) {
  machine_->route(machine_->node_of(hop.from), machine_->node_of(hop.to), [&](LinkId l) {
    seconds_[static_cast<std::size_t>(axis_of(machine_->link_port(l)))] +=
        times * static_cast<double>(hop.bytes) / machine_->bandwidth(l).value();
  });
}

void AxisLoads::add(AxisLoads const& other, double times) {
  for (std::size_t a = 0; a < seconds_.size(); ++a) seconds_[a] += times * other.seconds_[a];
}

double AxisLoads::mean_link() const {
  double longest = 0;
  for (std::size_t a = 0; a < seconds_.size(); ++a) {
    if (links_[a] > 0) longest = std::max(longest, seconds_[a] / links_[a]);
  }
  return longest;
}

namespace {

/// Replays the messages of one delivery with another number of bytes.
class Again final : public Transport {
 public:
  std::vector<Hop> hops_;
  std::int64_t bytes_ = 0;

  void hops(Delivery const&, VisitHop visit) const override {
    for (auto hop : hops_) {
      hop.bytes = bytes_;
      visit(hop);
    }
  }
};

}  // namespace

struct DeliveryCosts::Inside {
  Inside(Machine const& on, Transport const& by, std::int64_t segment)
      : machine(on),
        transport(by),
        links(on),
        along(again, links, on.ranks(), segment),
        as_sent(by, links, on.ranks(), segment) {}

  double seconds(Delivery const& delivery, std::int64_t bytes) {
    again.bytes_ = bytes;
    return along.alone(delivery);
  }

  Machine const& machine;
  Transport const& transport;
  Again again;
  Links links;
  Along along;
  Along as_sent;
};

DeliveryCosts::DeliveryCosts(Machine const& machine, Transport const& transport, std::int64_t segment)
    : inside_(std::make_unique<Inside>(machine, transport, segment)) {}

DeliveryCosts::~DeliveryCosts() = default;

DeliveryCosts::Cost DeliveryCosts::of(Delivery const& delivery) {
  Cost cost{0, 0, AxisLoads(inside_->machine)};
  auto& hops = inside_->again.hops_;
  hops.clear();
  inside_->transport.hops(delivery, [&](Hop const& hop) {
    hops.push_back(hop);
    cost.loads.add(hop);
  });
  // Fitted to long messages, which are forwarded in segments; the start is the remainder.
  auto const some = std::max<std::int64_t>(delivery.bytes / 2, 1);
  auto const all = inside_->seconds(delivery, delivery.bytes);
  auto const more = std::max<std::int64_t>(delivery.bytes - some, 1);
  cost.per_byte = std::max(0.0, all - inside_->seconds(delivery, some)) / static_cast<double>(more);
  cost.start = std::max(0.0, all - cost.per_byte * static_cast<double>(delivery.bytes));
  return cost;
}

double DeliveryCosts::burst() const { return inside_->links.burst(); }

IdleCost DeliveryCosts::idle_cost(Delivery const& delivery) { return inside_->as_sent.idle_cost(delivery); }

}  // namespace allport::graph
