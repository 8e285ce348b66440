#include "along.h"

#include <algorithm>

namespace allport::graph {

void Along::go_alone(Delivery const& delivery, bool rested) {
  auto const seconds = [&](Hop const& hop, std::int64_t bytes) {
    auto const length = static_cast<double>(bytes);
    return rested ? links_.rested(hop.from, hop.to, length) : links_.alone(hop.from, hop.to, length);
  };
  auto const trailing = [&](Hop const& hop, std::int64_t bytes) { return seconds(hop, bytes) - seconds(hop, 0); };
  go(delivery, 0, trailing, [&](Hop const& hop, Reached& from) {
    auto const begin = std::max(from.first, from.sends);
    auto const start = seconds(hop, 0);
    auto const rest = trailing(hop, hop.bytes);
    from.sends = begin + rest;
    return Links::Passage{begin, begin + start, std::max(begin + start + rest, from.last + start)};
  });
}

double Along::alone(Delivery const& delivery, Rank to) {
  go_alone(delivery, false);
  return at(to).there;
}

double Along::alone(Delivery const& delivery, bool rested) {
  go_alone(delivery, rested);
  double last = 0;
  for (auto const rank : delivery.ranks) last = std::max(last, at(rank).there);
  return last;
}

double Along::talk(TaskGraph const& graph, Gang const& gang) {
  std::vector<Rank> ranks;
  for (auto const member : gang.members) ranks.push_back(graph.owner(member));
  double sum = 0;
  for (auto const& talk : gang.talk) {
    if (talk.bytes == 0) continue;
    sum += alone({gang.members.front(), 0, talk.what, ranks, talk.root, talk.bytes, talk.element, true}, true) *
           static_cast<double>(talk.times);
  }
  auto const start = links_.rested(ranks[0], ranks[1], 0);
  return sum + gang.expected_messages * start + links_.rested(ranks[0], ranks[1], gang.expected_bytes) - start;
}

}  // namespace allport::graph
