#include "along.h"

#include <algorithm>

namespace allport::graph {

void Along::go_alone(Delivery const& delivery, bool rested) {
  rested_ = rested;
  go(delivery, 0, [&](Hop const& hop, Reached& from) {
    auto const begin = std::max(from.first, from.sends);
    auto const start = rested ? links_.rested(hop.from, hop.to, 0) : links_.alone(hop.from, hop.to, 0);
    auto const trailing = this->trailing(hop, hop.bytes);
    from.sends = begin + trailing;
    return Links::Passage{begin, begin + start, std::max(begin + start + trailing, from.last + start)};
  });
  rested_ = false;
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
