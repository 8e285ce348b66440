#include "streams.h"

#include <fmt/format.h>

namespace allport::sim {

Streams::Streams(Schedule const& schedule, Machine const& machine, Options const& options)
    : schedule_(schedule), machine_(machine), nodes_(options.placement), places_(options.places) {
  ensure(nodes_.empty() || places_.empty(), "places", places_.size(), "no placement beside it");
  if (schedule.ranks() != machine.ranks() && nodes_.empty() && places_.empty()) {
    throw Error::argument("schedule.ranks()", show(schedule.ranks()),
                          fmt::format("the machine's ranks, {}", machine.ranks()), "pass a placement");
  }
  if (!nodes_.empty()) {
    ensure(static_cast<Rank>(nodes_.size()) == schedule.ranks(), "placement", nodes_.size(),
           fmt::format("a node for each of {} ranks", schedule.ranks()));
    for (auto const n : nodes_) ensure(n >= 0 && n < machine.nodes(), "placement", n, "nodes of the machine");
    places_ = places_on(machine, nodes_);
  } else if (!places_.empty()) {
    ensure(static_cast<Rank>(places_.size()) == schedule.ranks(), "places", places_.size(),
           fmt::format("a place for each of {} ranks", schedule.ranks()));
    for (auto const p : places_) {
      ensure(p >= 0 && p < machine.ranks(), "places", p, fmt::format("places in 0..{}", machine.ranks() - 1));
      nodes_.push_back(machine.node_of(p));
    }
  }
  linked_ = LinkedProgram(schedule);
  check_links();
}

void Streams::check_links() const {
  auto const fail = [](std::string const& what) { throw Error(ErrorKind::schedule, what); };
  for (OpId i = 0; i < size(); ++i) {
    auto const& send = op(i);
    if (send.kind != OpKind::send) continue;
    if (auto const by = leaves_by(send); by != any_port) {
      auto const there = by >= 0 && by < 2 * machine_.axes() ? machine_.neighbour(node(send.rank), by) : std::nullopt;
      if (there != node(send.peer)) {
        fail(fmt::format("{} leaves by port {}, which leads elsewhere", linked_.text(i), by));
      }
    } else if (!machine_.has_dead_links()) {
      continue;
    }
    route(send, [&](LinkId l) {
      if (machine_.dead(l)) fail(fmt::format("{} crosses the dead link {}", linked_.text(i), machine_.link_name(l)));
    });
  }
}

LinkId Streams::next_link(LinkedOp const& send, Node here, Node target) const {
  if (auto const by = leaves_by(send); by != any_port) return machine_.link(here, by);
  for (int a = 0; a < machine_.axes(); ++a) {
    auto const steps = machine_.offset(machine_.coord(here, a), machine_.coord(target, a), a);
    if (steps != 0) return machine_.link(here, port(a, steps));
  }
  return -1;
}

}  // namespace allport::sim
