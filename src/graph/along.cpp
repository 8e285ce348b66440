#include "along.h"

#include <algorithm>

namespace allport::graph {

void Along::go_alone(Delivery const& delivery, Taken taken) {
  auto const seconds = [&](Hop const& hop, std::int64_t bytes) {
    if (taken == Taken::idle) return links_.idle_cost(hop.from, hop.to);
    return links_.alone(hop.from, hop.to, taken == Taken::whole ? static_cast<double>(bytes) : 0.0);
  };
  auto const trailing = [&](Hop const& hop, std::int64_t bytes) { return seconds(hop, bytes) - seconds(hop, 0); };
  go(delivery, 0, trailing, [&](Hop const& hop, Reached& from) {
    auto const begin = std::max(from.first, from.sends);
    auto const start = seconds(hop, 0);
    auto const rest = trailing(hop, hop.bytes);
    from.sends = begin + rest;
    return Links::Transfer{begin, begin + start, std::max(begin + start + rest, from.last + start)};
  });
}

double Along::last_alone(Delivery const& delivery, Taken taken) {
  go_alone(delivery, taken);
  double last = 0;
  for (auto const rank : delivery.ranks) last = std::max(last, at(rank).there);
  return last;
}

double Along::alone(Delivery const& delivery, Rank to) {
  go_alone(delivery, Taken::whole);
  return at(to).there;
}

double Along::alone(Delivery const& delivery) { return last_alone(delivery, Taken::whole); }

IdleCost Along::idle_cost(Delivery const& delivery) {
  auto const trailing = alone(delivery) - last_alone(delivery, Taken::start);
  auto const bytes = static_cast<double>(std::max<std::int64_t>(delivery.bytes, 1));
  return {last_alone(delivery, Taken::idle), std::max(0.0, trailing) / bytes, links_.burst()};
}

double IdleCost::seconds(double bytes, double times) const {
  auto const again = std::min(start, burst * per_byte);  // saved up until the next one
  auto const saved = burst * per_byte + (times - 1) * again;
  return times * start + std::max(times * trailing(bytes), times * bytes * per_byte - saved);
}

double Along::gang_seconds(TaskGraph const& graph, Gang const& gang) {
  std::vector<Rank> ranks;
  for (auto const member : gang.members) ranks.push_back(graph.owner(member));
  double sum = 0;
  for (auto const& collective : gang.collectives) {
    if (collective.bytes == 0) continue;
    Delivery const delivery{gang.members.front(), 0,   collective.what, ranks, collective.root, collective.bytes,
                            collective.element,   true};
    sum += idle_cost(delivery).seconds(static_cast<double>(collective.bytes), static_cast<double>(collective.times));
  }
  IdleCost const neighbour{links_.idle_cost(ranks[0], ranks[1]), links_.path_cost(ranks[0], ranks[1]).seconds_per_byte,
                           links_.burst()};
  return sum + gang.expected_messages * neighbour.start + neighbour.trailing(gang.expected_bytes);
}

}  // namespace allport::graph
