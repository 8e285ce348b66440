// The hops of a delivery from rank to rank, on links shared with other messages or on an idle network.
#pragma once

#include <algorithm>
#include <vector>

#include "allport/graph/transport.h"
#include "delivery_costs.h"
#include "links.h"

namespace allport::graph {

class Along {
 public:
  /// @param ranks    of the machine
  /// @param segment  bytes that a relay receives before it forwards a message
  Along(Transport const& transport, Links& links, Rank ranks, std::int64_t segment)
      : transport_(transport), links_(links), segment_(segment), reached_(static_cast<std::size_t>(ranks)) {}

  /// Reserves the routes of a delivery from `now` on, and calls visit(Hop) for each hop; returns when it is complete at
  /// `to`.
  template <class Visit>
  double book(Delivery const& delivery, double now, Rank to, Visit&& visit) {
    auto const trailing = [&](Hop const& hop, std::int64_t bytes) { return links_.trailing(hop.from, hop.to, bytes); };
    go(delivery, now, trailing, [&](Hop const& hop, Reached& from) {
      visit(hop);
      return links_.cross(hop.from, hop.to, hop.bytes, from.first, from.last);
    });
    return at(to).there;
  }
  /// Seconds until a delivery is complete at a rank, on an idle network.
  [[nodiscard]] double alone(Delivery const& delivery, Rank to);
  /// Seconds until it is complete at all of its ranks.
  [[nodiscard]] double alone(Delivery const& delivery);
  /// The same if all other ranks are idle, too.
  [[nodiscard]] IdleCost idle_cost(Delivery const& delivery);
  /// Seconds of a gang's collectives, message by message, and of the data-dependent messages that it expects, if
  /// nothing else is in flight and nobody else at work.
  /// @pre gang.members.size() > 1
  [[nodiscard]] double gang_seconds(TaskGraph const& graph, Gang const& gang);

 private:
  /// Times of a delivery at a rank.
  struct Reached {
    double first = 0;  // its first segment can be forwarded
    double last = 0;   // its last segment can be forwarded
    double there = 0;  // it is complete
    double sends = 0;  // end of the rank's sends, one after the other
    std::int64_t delivery = 0;
  };
  /// A rank that nothing has come to has what it sends from `now_` on.
  [[nodiscard]] Reached& at(Rank rank) {
    auto& known = reached_[static_cast<std::size_t>(rank)];
    if (known.delivery != delivery_) known = {now_, now_, now_, now_, delivery_};
    return known;
  }
  /// cross(Hop, where it begins) gives a Links::Transfer; trailing(Hop, bytes) what so many bytes take to follow a
  /// head.
  template <class Trailing, class Cross>
  void go(Delivery const& delivery, double now, Trailing const& trailing, Cross&& cross) {
    ++delivery_;
    now_ = now;
    transport_.hops(delivery, [&](Hop const& hop) {
      auto const transfer = cross(hop, at(hop.from));
      auto const piece = trailing(hop, std::min(hop.bytes, segment_));
      auto& to = at(hop.to);
      to.first = std::max(to.first, std::min(transfer.head + piece, transfer.tail));
      to.last = std::max(to.last, transfer.tail + piece);
      to.there = std::max(to.there, transfer.tail);
    });
  }
  /// What is timed: the whole message, its start, or its start while all other ranks are idle.
  enum class Taken { whole, start, idle };
  void go_alone(Delivery const& delivery, Taken taken);
  /// Until all have it.
  [[nodiscard]] double last_alone(Delivery const& delivery, Taken taken);

  Transport const& transport_;
  Links& links_;
  std::int64_t segment_;
  std::vector<Reached> reached_;  // by rank, of the delivery at hand
  std::int64_t delivery_ = 0;
  double now_ = 0;
};

}  // namespace allport::graph
