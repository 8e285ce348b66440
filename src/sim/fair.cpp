// Links that transfer all their messages at once: max-min fair rates by progressive filling. When a message starts or
// ends, rates are updated for the messages that share a resource with it, directly or indirectly.
#include <algorithm>
#include <limits>
#include <span>

#include "network.h"

namespace allport::sim {

namespace {

using FlowId = std::uint32_t;
using ResourceId = std::uint32_t;

/// Resources used by the messages of a send, and the latency.
struct Route {
  std::uint32_t first = 0;  // of Fair::uses_
  std::uint32_t count = 0;  // 0: not computed yet
  double latency = 0.0;
};

/// A message in flight. Fluid: `left` bytes at time `since`, drained at `rate`.
struct Flow {
  double left = 0.0;
  double rate = 0.0;
  double since = 0.0;
  double weight = 1.0;
  double begin = 0.0;
  std::int64_t cause = -1;
  OpId row = 0;
  std::int32_t segment = 0;
  std::uint32_t version = 0;  // of the event that ends it; also 0 while latency passes
  bool moving = false;
  bool fixed = false;  // while rates are computed
};

/// A shared resource: a link's bandwidth, a node's injection.
struct Resource {
  double capacity = 0.0;
  std::vector<FlowId> flows;
  double spare = 0.0;    // while rates are computed
  double weights = 0.0;  // of flows without a rate
  int open = 0;
  int wide = 0;  // number of flows that also use other resources
  bool touched = false;
};

class Fair final : public Network {
 public:
  explicit Fair(EventEngine& engine)
      : engine_(engine),
        streams_(engine.streams()),
        machine_(streams_.machine()),
        injects_(injection_binds(machine_)),
        resources_(at(machine_.link_ids() + (injects_ ? machine_.nodes() : 0))),
        routes_(streams_.size()) {
    auto const& rates = machine_.rates();
    auto const cannot = [](std::string_view what, auto const& value) {
      throw Error::argument(what, show(value), "0 where links are shared fairly", "simulate with sharing fifo",
                            ErrorKind::unsupported);
    };
    if (rates.tau > 0.0) cannot("tau", rates.tau);
    if (rates.tau_short > 0.0) cannot("tau_short", rates.tau_short);
    if (rates.ports > 0 && rates.ports < 2 * machine_.axes()) cannot("ports", rates.ports);
    for (LinkId l = 0; l < machine_.link_ids(); ++l) resources_[at(l)].capacity = machine_.bandwidth(l).value();
    for (Node n = 0; injects_ && n < machine_.nodes(); ++n) {
      resources_[at(machine_.link_ids() + n)].capacity = rates.injection.value();
    }
    for (int l = 0; l < machine_.levels().size(); ++l) {
      auto const& level = machine_.levels()[l];
      if (!level_binds(machine_, level)) continue;
      auto const ranks = machine_.levels().ranks_of_part(l);
      parts_.push_back({static_cast<ResourceId>(resources_.size()), ranks});
      for (Rank part = 0; part < machine_.ranks() / ranks; ++part) {
        resources_.emplace_back().capacity = level.injection.value();
      }
    }
  }

  void start(OpId send, std::int32_t segment, double now, std::int64_t cause) override {
    auto const& route = route_of(send);
    auto const id = fresh();
    auto& flow = flows_[id];
    flow.row = send;
    flow.segment = segment;
    flow.cause = cause;
    flow.left = engine_.bytes_on_wire(send, segment);
    flow.rate = 0.0;
    flow.begin = now;
    flow.moving = false;
    flow.weight = engine_.options().latency_weights && route.latency > 0.0 ? 1.0 / route.latency : 1.0;
    ++flow.version;
    engine_.at_time(now + route.latency, EventKind::network, send, static_cast<std::int32_t>(flow.version), cause, id);
  }

  void handle(Event const& e) override {
    auto& flow = flows_[e.token];
    if (static_cast<std::uint32_t>(e.segment) != flow.version) return;  // its rate has changed since
    if (flow.moving) {
      finish(e.token, e.time);
      return;
    }
    flow.moving = true;
    flow.since = e.time;
    auto const uses = uses_of(flow);
    for (auto const r : uses) {
      resources_[r].flows.push_back(e.token);
      resources_[r].wide += uses.size() > 1 ? 1 : 0;
      touch(r);
    }
  }

  // Rates hold until a flow starts or ends; all starts and ends at one time are handled together.
  void settle(double now) override {
    if (touched_.empty()) return;
    if (std::ranges::none_of(touched_, [&](ResourceId r) { return resources_[r].wide > 0; })) {
      for (auto const r : touched_) share(resources_[r], now);
    } else {
      find_rates(now);
    }
    for (auto const r : touched_) resources_[r].touched = false;
    touched_.clear();
  }

 private:
  Route const& route_of(OpId send) {
    auto& route = routes_[send];
    if (route.count > 0) return route;
    auto const& row = streams_.op(send);
    route.first = static_cast<std::uint32_t>(uses_.size());
    streams_.route(row, [&](LinkId l) {
      uses_.push_back(static_cast<ResourceId>(l));
      route.latency += machine_.latency(l).value();
    });
    if (injects_) uses_.push_back(static_cast<ResourceId>(machine_.link_ids() + streams_.node(row.rank)));
    for (auto const& p : parts_) uses_.push_back(p.first + static_cast<ResourceId>(streams_.place(row.rank) / p.ranks));
    route.count = static_cast<std::uint32_t>(uses_.size()) - route.first;
    return route;
  }

  [[nodiscard]] std::span<ResourceId const> uses_of(Flow const& flow) const {
    auto const& route = routes_[flow.row];
    return {uses_.data() + route.first, route.count};
  }

  static void drain(Flow& flow, double now) {
    flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
    flow.since = now;
  }

  // Reschedules the end of a flow.
  void end_anew(FlowId f, double now) {
    auto& flow = flows_[f];
    ++flow.version;
    engine_.at_time(now + flow.left / flow.rate, EventKind::network, flow.row, static_cast<std::int32_t>(flow.version),
                    flow.cause, f);
  }

  // A resource whose flows use no other resource: each gets its share.
  void share(Resource const& resource, double now) {
    double weights = 0.0;
    for (auto const f : resource.flows) weights += flows_[f].weight;
    auto const level = resource.capacity / weights;
    for (auto const f : resource.flows) {
      auto& flow = flows_[f];
      drain(flow, now);
      auto const rate = level * flow.weight;
      if (rate == flow.rate) continue;
      flow.rate = rate;
      end_anew(f, now);
    }
  }

  void find_rates(double now) {
    spread();
    old_rates_.clear();
    for (auto const f : flows_touched_) {
      auto& flow = flows_[f];
      drain(flow, now);
      flow.fixed = false;
      old_rates_.push_back(flow.rate);
    }
    fill();
    for (std::size_t i = 0; i < flows_touched_.size(); ++i) {
      auto const f = flows_touched_[i];
      flows_[f].fixed = false;
      if (flows_[f].rate != old_rates_[i]) end_anew(f, now);
    }
    flows_touched_.clear();
  }

  FlowId fresh() {
    if (!unused_.empty()) {
      auto const id = unused_.back();
      unused_.pop_back();
      return id;
    }
    flows_.emplace_back();
    return static_cast<FlowId>(flows_.size() - 1);
  }

  void touch(ResourceId r) {
    if (resources_[r].touched) return;
    resources_[r].touched = true;
    touched_.push_back(r);
  }

  void finish(FlowId id, double now) {
    auto& flow = flows_[id];
    auto const& row = streams_.op(flow.row);
    std::int64_t record = -1;
    if (engine_.tracer().on()) {
      streams_.route(row, [&](LinkId l) {
        record = engine_.tracer().keep({flow.begin, now, flow.cause, l, flow.segment, row.rank,
                                        streams_.linked().index(flow.row), row.peer, Deed::link});
      });
    }
    auto const uses = uses_of(flow);
    for (auto const r : uses) {
      auto& flows = resources_[r].flows;
      flows.erase(std::ranges::find(flows, id));
      resources_[r].wide -= uses.size() > 1 ? 1 : 0;
      touch(r);
    }
    engine_.at_time(now, EventKind::sent, flow.row, flow.segment, record);
    engine_.at_time(now, EventKind::arrived, flow.row, flow.segment, record);
    flow.rate = 0.0;
    flow.moving = false;
    ++flow.version;
    unused_.push_back(id);
  }

  // Collects all flows and resources that a change can affect.
  void spread() {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      for (auto const f : resources_[touched_[i]].flows) {
        auto& flow = flows_[f];
        if (flow.fixed) continue;
        flow.fixed = true;  // seen
        flows_touched_.push_back(f);
        for (auto const r : uses_of(flow)) touch(r);
      }
    }
  }

  // Progressive filling: the resource with the smallest share per flow saturates first; its flows get that rate, which
  // is subtracted from their other resources.
  void fill() {
    for (auto const r : touched_) {
      auto& resource = resources_[r];
      resource.spare = resource.capacity;
      resource.weights = 0.0;
      resource.open = static_cast<int>(resource.flows.size());
      for (auto const f : resource.flows) resource.weights += flows_[f].weight;
    }
    auto open = flows_touched_.size();
    filling_ = touched_;
    while (open > 0) {
      std::erase_if(filling_, [&](ResourceId r) { return resources_[r].weights <= 0.0; });
      auto least = std::numeric_limits<double>::infinity();
      for (auto const r : filling_) least = std::min(least, resources_[r].spare / resources_[r].weights);
      full_.clear();
      for (auto const r : filling_) {
        if (resources_[r].spare / resources_[r].weights <= least * (1.0 + 1e-12)) full_.push_back(r);
      }
      for (auto const r : full_) {
        for (auto const f : resources_[r].flows) {
          auto& flow = flows_[f];
          if (flow.fixed) continue;
          flow.fixed = true;
          flow.rate = least * flow.weight;
          --open;
          for (auto const u : uses_of(flow)) {
            auto& used = resources_[u];
            used.spare = std::max(0.0, used.spare - flow.rate);
            used.weights -= flow.weight;
            if (--used.open == 0) used.weights = 0.0;  // avoids a rounding error in the sum
          }
        }
      }
    }
  }

  EventEngine& engine_;
  Streams const& streams_;
  Machine const& machine_;
  bool injects_;
  /// The parts of a level whose injection limit can bind.
  struct Parts {
    ResourceId first = 0;
    std::int32_t ranks = 1;  // of a part
  };

  std::vector<Resource> resources_;  // links, then nodes, then parts of nodes
  std::vector<Parts> parts_;
  std::vector<Route> routes_;  // of rows
  std::vector<ResourceId> uses_;
  std::vector<Flow> flows_;
  std::vector<FlowId> unused_;
  std::vector<ResourceId> touched_;
  std::vector<FlowId> flows_touched_;
  std::vector<ResourceId> filling_;  // not saturated yet
  std::vector<ResourceId> full_;
  std::vector<double> old_rates_;
};

}  // namespace

std::unique_ptr<Network> fair_network(EventEngine& engine) { return std::make_unique<Fair>(engine); }

}  // namespace allport::sim
