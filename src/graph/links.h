// The machine's links in the simulation: whole messages reserve them.
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

  /// Times of a message: start, arrival of its head and of its last byte.
  struct Transfer {
    double begin = 0;
    double head = 0;
    double tail = 0;
  };
  /// Reserves the route of a message whose head can leave at `first` and whose last byte is available at `last`.
  Transfer cross(Rank from, Rank to, std::int64_t bytes, double first, double last) {
    return cross(from, to, -1, bytes, first, last);
  }
  /// @param link  the route, if it is a single link; -1: computed
  Transfer cross(Rank from, Rank to, LinkId link, std::int64_t bytes, double first, double last);
  /// Cost of the path between two ranks.
  struct PathCost {
    double latency = 0;           ///< sum over its links
    double seconds_per_byte = 0;  ///< of the slowest link
  };
  [[nodiscard]] PathCost path_cost(Rank from, Rank to) const { return route_of(from, to).second; }
  /// With the link, if the path is a single link, else -1.
  [[nodiscard]] std::pair<LinkId, PathCost> route_of(Rank from, Rank to) const;
  /// Seconds of a message on an idle network while all ranks are busy.
  [[nodiscard]] double alone(PathCost const& path_cost, double bytes) const {
    return 2 * overhead_ + path_cost.latency + bytes * path_cost.seconds_per_byte;
  }
  /// Seconds of an empty message while only its sender and receiver are busy.
  [[nodiscard]] double idle_cost(Rank from, Rank to) const {
    return 2 * cores_.alone(overhead_) + path_cost(from, to).latency;
  }
  [[nodiscard]] double alone(Rank from, Rank to, double bytes) const { return alone(path_cost(from, to), bytes); }
  [[nodiscard]] double burst() const { return burst_; }
  /// Seconds from the arrival of a message's head to that of its last byte.
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
  /// Shared cores, for which tasks and message overheads wait.
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
