#include "talk.h"

#include <algorithm>
#include <map>

namespace allport::graph {

namespace {

/// When a rank has the head and all of what comes to it, and when it is done sending.
struct End {
  double head = 0;
  double tail = 0;
  double sends = 0;
};

std::map<Rank, End> ends_of(Delivery const& delivery, Carrier const& carrier, Links const& links,
                            std::int64_t segment) {
  std::map<Rank, End> ends;
  carrier.hops(delivery, [&](Hop const& hop) {
    auto const trailing = links.trailing(hop.from, hop.to, hop.bytes);
    auto const piece = links.trailing(hop.from, hop.to, std::min(hop.bytes, segment));
    auto const start = links.alone(hop.from, hop.to, 0);
    auto& from = ends[hop.from];
    auto const begin = std::max(from.head, from.sends);
    from.sends = begin + trailing;
    auto& to = ends[hop.to];
    to.head = std::max(to.head, begin + start + piece);
    to.tail = std::max({to.tail, begin + start + trailing, from.tail + start + piece});
  });
  return ends;
}

}  // namespace

double delivery_seconds(Delivery const& delivery, Rank to, Carrier const& carrier, Links const& links,
                        std::int64_t segment) {
  return ends_of(delivery, carrier, links, segment)[to].tail;
}

double talk_seconds(TaskGraph const& graph, Gang const& gang, Carrier const& carrier, Links const& links,
                    std::int64_t segment) {
  std::vector<Rank> ranks;
  for (auto const member : gang.members) ranks.push_back(graph.owner(member));
  double sum = 0;
  for (auto const& talk : gang.talk) {
    if (talk.bytes == 0) continue;
    double last = 0;
    Delivery const delivery{gang.members.front(), 0, talk.what, ranks, talk.root, talk.bytes, talk.element, true};
    for (auto const& [rank, end] : ends_of(delivery, carrier, links, segment)) last = std::max(last, end.tail);
    sum += last * static_cast<double>(talk.times);
  }
  auto const start = links.alone(ranks[0], ranks[1], 0);
  return sum + gang.expected_messages * start + links.alone(ranks[0], ranks[1], gang.expected_bytes) - start;
}

}  // namespace allport::graph
