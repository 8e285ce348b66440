#include "allport/graph/count.h"

#include "deliveries.h"
#include "walk.h"

namespace allport::graph {

namespace {

Traffic sent(Hop const& hop) { return {hop.messages, 0, hop.bytes, 0}; }
Traffic received(Hop const& hop) { return {0, hop.messages, 0, hop.bytes}; }

}  // namespace

std::vector<Count> count(TaskGraph const& graph, Transport const& transport) {
  std::vector<Count> counts(static_cast<std::size_t>(graph.ranks()));
  auto const of = [&](Rank r) -> Count& {
    if (static_cast<std::size_t>(r) >= counts.size()) counts.resize(static_cast<std::size_t>(r) + 1);
    return counts[static_cast<std::size_t>(r)];
  };
  Leaving leaving;
  Gang gang;
  std::vector<Rank> members;
  walk(graph, [&](Task task) {
    leaving.read(graph, task);
    of(leaving.owner()).tasks += 1;
    of(leaving.owner()).flops += graph.work(task).flops;
    auto const add_delivery = [&](Delivery const& delivery, std::int64_t times) {
      transport.hops(delivery, [&](Hop const& hop) {
        for (std::int64_t t = 0; t < times; ++t) {
          of(hop.from).traffic += sent(hop);
          of(hop.to).traffic += received(hop);
        }
      });
    };
    leaving.deliveries(graph, task, [&](Delivery const& delivery) { add_delivery(delivery, 1); });
    if (!graph.gang(task, gang)) return;
    of(leaving.owner()).expected_bytes += gang.expected_bytes;
    of(leaving.owner()).expected_messages += gang.expected_messages;
    if (gang.members.front() != task || gang.members.size() < 2) return;
    members.clear();
    for (auto const member : gang.members) members.push_back(graph.owner(member));
    for (auto const& collective : gang.collectives) {
      if (collective.bytes > 0)
        add_delivery({task, 0, collective.what, members, collective.root, collective.bytes, collective.element, true},
                     collective.times);
    }
  });
  return counts;
}

}  // namespace allport::graph
