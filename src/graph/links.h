// The machine's links as whole messages book them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "allport/machine/machine.h"
#include "shared_cores.h"

namespace allport::graph {

class Links {
 public:
  /// @param wait  for shared cores: see SharedCores
  explicit Links(Machine const& machine, bool wait = true);

  /// A message in flight: when it begins, when its head and its last byte are at the other end.
  struct Transfer {
    double begin = 0;
    double head = 0;
    double tail = 0;
  };
  /// Books the way of a message whose head can leave at `first` and whose last byte is there at `last`.
  Transfer cross(Rank from, Rank to, std::int64_t bytes, double first, double last) {
    return cross(from, to, -1, bytes, first, last);
  }
  /// @param link  the one that is all of its way; -1: looked for
  Transfer cross(Rank from, Rank to, LinkId link, std::int64_t bytes, double first, double last);
  /// All that messages from one rank to another have in common.
  struct PathCost {
    double latency = 0;           ///< of its links
    double seconds_per_byte = 0;  ///< of the slowest of them
  };
  [[nodiscard]] PathCost path_cost(Rank from, Rank to) const { return route_of(from, to).second; }
  /// With the link that is all of it, or -1.
  [[nodiscard]] std::pair<LinkId, PathCost> route_of(Rank from, Rank to) const;
  /// Seconds until a message is there if nothing else is in flight, and everybody is at work.
  [[nodiscard]] double alone(PathCost const& path_cost, double bytes) const {
    return 2 * overhead_ + path_cost.latency + bytes * path_cost.seconds_per_byte;
  }
  /// The same of no bytes, where only who sends it and who gets it are awake.
  [[nodiscard]] double idle_cost(Rank from, Rank to) const {
    return 2 * cores_.alone(overhead_) + path_cost(from, to).latency;
  }
  [[nodiscard]] double alone(Rank from, Rank to, double bytes) const { return alone(path_cost(from, to), bytes); }
  [[nodiscard]] double burst() const { return burst_; }
  /// Seconds that `bytes` take to follow a head.
  [[nodiscard]] double trailing(PathCost const& path_cost, std::int64_t bytes) const {
    return alone(path_cost, static_cast<double>(bytes)) - alone(path_cost, 0);
  }
  [[nodiscard]] double trailing(Rank from, Rank to, std::int64_t bytes) const {
    return trailing(path_cost(from, to), bytes);
  }
  [[nodiscard]] std::vector<double> busy() const {
    std::vector<double> busy;
    for (auto const& link : of_links_) busy.push_back(link.busy);
    return busy;
  }
  /// That tasks and messages' ends wait for.
  [[nodiscard]] SharedCores& cores() { return cores_; }

 private:
  [[nodiscard]] PathCost within(Rank from, Rank to) const;
  /// Machine::route() without its divisions: visit(LinkId, bytes a second, latency) for every link.
  template <class Visit>
  void route(Node from, Node to, Visit&& visit) const;

  Machine const& machine_;
  int axes_;
  bool alike_;                        // all links of an axis
  double injection_rate_;             // of a node; 0: no limit
  std::vector<std::int32_t> coords_;  // of nodes
  double overhead_;
  double burst_;  // bytes that an idle link has saved up: the fit "burst" (docs/reference/machine-file.md)
  SharedCores cores_;
  struct Link {
    double free = -1e9;  // from then on: idle for long at the begin
    double busy = 0;
  };
  std::vector<Link> of_links_;
  std::vector<double> ends_;       // by rank: of its processor, which begins one message after the other
  std::vector<double> injection_;  // by node
  std::vector<double> inside_;     // by rank: what it hands to others of its node
};

}  // namespace allport::graph
