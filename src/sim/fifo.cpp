// Links that transfer one segment at a time, in the order of arrival.
#include <algorithm>

#include "network.h"

namespace allport::sim {

double path_latency(Streams const& streams, LinkedOp const& send) {
  double sum = 0.0;
  streams.route(send, [&](LinkId l) { sum += streams.machine().latency(l).value(); });
  return sum;
}

double links_of_a_node(Machine const& machine) {
  double sum = 0.0;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length > 1) sum += 2.0 * machine.axis(a).bandwidth.value();
  }
  return sum;
}

bool injection_binds(Machine const& machine) {
  auto const limit = machine.rates().injection.value();
  if (limit <= 0.0) return false;
  // Exceptions may be faster than their axis, so the limit may bind.
  return !machine.exceptions().empty() || links_of_a_node(machine) > limit * (1.0 + 1e-12);
}

namespace {

class Fifo final : public Network {
 public:
  explicit Fifo(EventEngine& engine)
      : engine_(engine),
        streams_(engine.streams()),
        machine_(streams_.machine()),
        injects_(injection_binds(machine_)),
        links_(at(machine_.link_ids())) {
    if (injects_) injection_.resize(at(machine_.nodes()));
    auto const ports = machine_.rates().ports;
    if (ports > 0 && ports < 2 * machine_.axes()) ports_.resize(at(machine_.nodes()) * at(ports));
    if (machine_.rates().tau_short > 0.0) starts_.resize(at(machine_.nodes()));
  }

  void start(OpId send, std::int32_t segment, double now, std::int64_t cause) override {
    auto const& row = streams_.op(send);
    auto const here = streams_.node(row.rank);
    auto const target = streams_.node(row.peer);
    auto const link = streams_.next_link(row, here, target);
    auto const bytes = engine_.bytes_on_wire(send, segment);
    auto const crossed = cross(link, send, segment, now, bytes, 0.0, cause, here);
    engine_.at_time(crossed.tail, EventKind::sent, send, segment, crossed.record);
    go_on(link, send, segment, target, crossed);
  }

  void handle(Event const& e) override {
    auto const head = heads_[e.token];
    free_.push_back(e.token);
    auto const& row = streams_.op(e.row);
    auto const target = streams_.node(row.peer);
    auto const link = streams_.next_link(row, head.node, target);
    auto const crossed =
        cross(link, e.row, e.segment, e.time, engine_.bytes_on_wire(e.row, e.segment), head.tail, e.cause, -1);
    go_on(link, e.row, e.segment, target, crossed);
  }

  void settle(double) override {}

 private:
  struct Head {
    Node node;
    double tail;  // when the last byte is at this node
  };
  struct Crossed {
    double begin;
    double tail;  // when the last byte has left
    std::int64_t record;
  };

  /// source: the sending node, or -1 for a forwarded segment.
  Crossed cross(LinkId link, OpId send, std::int32_t segment, double now, double bytes, double tail, std::int64_t cause,
                Node source) {
    auto& server = links_[at(link)];
    auto begin = now;
    if (server.free > begin) {
      begin = server.free;
      cause = server.last;
    }
    auto seconds = bytes / machine_.bandwidth(link).value();
    Server* port = nullptr;
    if (source >= 0) {
      port = free_port(source);
      auto const wait = [&](Server const& s) {
        if (s.free <= begin) return;
        begin = s.free;
        cause = s.last;
      };
      if (port != nullptr) wait(*port);
      if (injects_) wait(injection_[at(source)]);
      engine_.inside().each_cap(streams_.op(send).rank, 0, [&](Server const& s, double) { wait(s); });
      if (!starts_.empty()) wait(starts_[at(source)]);
      auto const tau = machine_.rates().tau;
      if (tau > 0.0) seconds *= 1.0 + static_cast<double>(busy_links(source, begin)) * tau;
    }
    auto const end = std::max(begin + seconds, tail);
    auto const& row = streams_.op(send);
    auto const record = engine_.tracer().keep(
        {begin, end, cause, link, segment, row.rank, streams_.linked().index(send), row.peer, Deed::link});
    server = {end, record};
    if (port != nullptr) *port = {end, record};
    if (source >= 0 && !starts_.empty()) {
      auto const alpha = 2.0 * machine_.rates().overhead.value() + path_latency(streams_, row);
      starts_[at(source)] = {begin + machine_.rates().tau_short * alpha, record};
    }
    if (source >= 0 && injects_) {
      injection_[at(source)] = {begin + bytes / machine_.rates().injection.value(), record};
    }
    if (source >= 0) {
      engine_.inside().each_cap(row.rank, 0, [&](Server& s, double rate) { s = {begin + bytes / rate, record}; });
    }
    return {begin, end, record};
  }

  void go_on(LinkId link, OpId send, std::int32_t segment, Node target, Crossed const& crossed) {
    auto const latency = machine_.latency(link).value();
    auto const next = *machine_.neighbour(machine_.link_source(link), machine_.link_port(link));
    if (next == target) {
      engine_.at_time(crossed.tail + latency, EventKind::arrived, send, segment, crossed.record);
      return;
    }
    std::uint32_t token = 0;
    if (free_.empty()) {
      token = static_cast<std::uint32_t>(heads_.size());
      heads_.push_back({});
    } else {
      token = free_.back();
      free_.pop_back();
    }
    heads_[token] = {next, crossed.tail + latency};
    engine_.at_time(crossed.begin + latency, EventKind::network, send, segment, crossed.record, token);
  }

  [[nodiscard]] Server* free_port(Node node) {
    if (ports_.empty()) return nullptr;
    auto const count = machine_.rates().ports;
    auto const first = ports_.begin() + static_cast<std::ptrdiff_t>(node) * count;
    return &*std::min_element(first, first + count, [](Server const& a, Server const& b) { return a.free < b.free; });
  }

  [[nodiscard]] int busy_links(Node node, double now) const {
    int busy = 0;
    for (int p = 0; p < 2 * machine_.axes(); ++p) {
      busy += links_[at(machine_.link(node, static_cast<Port>(p)))].free > now ? 1 : 0;
    }
    return busy;
  }

  EventEngine& engine_;
  Streams const& streams_;
  Machine const& machine_;
  bool injects_;
  std::vector<Server> links_;
  std::vector<Server> injection_;  // of nodes
  std::vector<Server> ports_;      // of nodes, several each
  std::vector<Server> starts_;     // of nodes: a message's start keeps the next one waiting (tau_short)
  std::vector<Head> heads_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

std::unique_ptr<Network> fifo_network(EventEngine& engine) { return std::make_unique<Fifo>(engine); }

}  // namespace allport::sim
