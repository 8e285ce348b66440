// Models messages within a node: injection limits of its parts, and paths between sibling parts.
#pragma once

#include <vector>

#include "streams.h"

namespace allport::sim {

/// A resource that serves one request at a time, in the order of requests.
struct Server {
  double free = 0.0;
  std::int64_t last = -1;  ///< record
};

class Inside {
 public:
  explicit Inside(Streams const& streams);

  /// Calls visit(Server&, bytes per second) for each injection limit that a message of `rank` passes when it leaves its
  /// part of level `from`; 0: it also leaves the node.
  template <class Visit>
  void each_cap(Rank rank, int from, Visit&& visit) {
    for (auto& cap : caps_) {
      if (cap.level >= from) visit(cap.parts[part(rank, cap.level)], cap.rate);
    }
  }

  struct Path {
    Server* server = nullptr;  ///< that of the sending part; null: through the node's memory
    double bandwidth = 0.0;
    double latency = 0.0;
    int level = 0;
  };
  /// Between two ranks of one node.
  [[nodiscard]] Path path(Rank from, Rank to);
  /// Latency of a message within a node; 0 between nodes.
  [[nodiscard]] double latency(Rank from, Rank to) {
    return streams_.node(from) == streams_.node(to) ? path(from, to).latency : 0.0;
  }

 private:
  struct Cap {
    int level = 0;
    double rate = 0.0;
    std::vector<Server> parts;
  };

  [[nodiscard]] std::size_t part(Rank rank, int level) const {
    return at(streams_.place(rank) / levels_.ranks_of_part(level));
  }

  Streams const& streams_;
  Levels const& levels_;
  std::vector<Cap> caps_;
  std::vector<std::vector<Server>> servers_;  // by level and part; empty if messages go through memory
};

/// Whether a part's injection limit can be the bottleneck, beside the node's links and the path to its siblings.
[[nodiscard]] bool level_binds(Machine const& machine, Level const& level);

}  // namespace allport::sim
