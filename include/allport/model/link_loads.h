// How many messages share a link: dimension-ordered routes laid over a machine, and the binomial tree's rounds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allport/machine/machine.h"

namespace allport::model {

/// Counts the messages on every directed link while routes are added (Machine::route: x first, shortest route). Every
/// message has the same size. Stores one counter per link id.
class LinkLoads {
 public:
  explicit LinkLoads(Machine const& machine);

  /// One message from node to node; nothing is counted for from == to.
  void add(Node from, Node to);
  void clear();

  /// Most messages on any one link.
  [[nodiscard]] std::int32_t flows() const { return flows_; }
  /// Seconds per byte of message size until the slowest link has carried all its messages: max of flows / bandwidth.
  [[nodiscard]] double seconds_per_byte() const { return seconds_per_byte_; }
  /// Longest route's latency.
  [[nodiscard]] Seconds path() const { return path_; }
  [[nodiscard]] std::int32_t load(LinkId link) const { return load_[static_cast<std::size_t>(link)]; }

 private:
  std::shared_ptr<Machine const> machine_;
  std::vector<std::int32_t> load_;
  std::vector<LinkId> used_;  ///< links with a load, so that clear() costs what add() did
  std::int32_t flows_ = 0;
  double seconds_per_byte_ = 0.0;
  Seconds path_{};
};

/// Seconds per byte of `flows` copies within a node: each is read once and written once.
[[nodiscard]] double copy_seconds_per_byte(Machine const& machine, double flows);

/// One round of a tree in which every sender sends the whole message once.
struct Round {
  std::int32_t flows = 0;         ///< most messages on one link (0: all stay within their nodes)
  double seconds_per_byte = 0.0;  ///< of the slowest link, with its contention; within a node that of its memory
  Seconds path{};                 ///< latency of the longest route
};

/// The binomial tree over root-relative, x-fastest ranks (Solomonik11, slides 4 and 21): for k = ceil(log2 P) - 1 down
/// to 0, every v with v mod 2^(k+1) = 0 sends to v + 2^k. Upwards v + 2^k sends to v, over the links of its own route.
struct BinomialLoads {
  std::vector<Round> rounds;  ///< first round first
  double all_at_once = 0.0;   ///< seconds per byte when segments stream through all rounds at the same time
  std::int32_t all_at_once_flows = 0;
  Seconds path{};     ///< latency of the deepest chain: sum of the rounds' paths
  bool exact = true;  ///< false: assumed free of contention, the machine is above binomial_exact_ranks
};

/// Machines above this many ranks are assumed free of contention, one message per link and round.
inline constexpr std::int64_t binomial_exact_ranks = std::int64_t{1} << 21;

/// Exact loads, O(P * hops); under 0.1 s for 262,144 nodes, after that from a small cache. Dead links are routed over
/// as if they lived: a binomial tree cannot avoid them.
/// @pre 0 <= root < machine.ranks()
[[nodiscard]] std::shared_ptr<BinomialLoads const> binomial_loads(Machine const& machine, Rank root, bool up = false);

/// The same with ranks placed at will: in a scheduler's order, at random. Exact at every size, not cached.
/// @pre one node of the machine per rank
[[nodiscard]] BinomialLoads binomial_loads(Machine const& machine, Rank root, std::span<Node const> node_of_rank,
                                           bool up = false);

}  // namespace allport::model
