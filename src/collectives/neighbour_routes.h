// Neighbourhood collectives: every rank has blocks for a few others, the same ones in every call. Blocks are sent
// directly, or in parts over intermediate ranks on routes that avoid busy links.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// A block that one rank has for another in every call. Two ranks may have several, and a rank one for itself.
struct NeighbourEdge {
  Rank from = 0;
  std::int32_t out = 0;  ///< which of the sender's blocks
  Rank to = 0;
  std::int32_t in = 0;  ///< which of the receiver's

  friend bool operator==(NeighbourEdge const&, NeighbourEdge const&) = default;
};

/// Routes of the blocks of a neighbourhood collective. Immutable; copies share their data.
class NeighbourRoutes {
 public:
  /// Number of shares of a block that may take different routes.
  static constexpr int shares = 8;

  /// A part of a block, in shares, and the ranks on its route: sender, relays, receiver.
  struct Part {
    std::int32_t edge = 0;
    std::int32_t begin = 0;
    std::int32_t end = shares;
    std::vector<Rank> path;
    std::vector<std::int32_t> channels;  ///< of the streams between consecutive ranks
  };

  /// All blocks directly from rank to rank. `edges` are those of all ranks, or all of one rank; then only that rank's
  /// program is valid. Edges between the same two ranks are distinguished by their order.
  /// @throws Error naming an edge whose rank is not in 0..ranks-1
  [[nodiscard]] static NeighbourRoutes straight(Rank ranks, std::vector<NeighbourEdge> edges);
  /// The edges of all ranks, with parts on alternative routes if that reduces the load of the machine's busiest links,
  /// for blocks of equal length: a part may leave over any of the sender's links, arrive over any of the receiver's, or
  /// take its axes in another order; between ranks it is routed as by Machine::route. Minimises the sum over links of
  /// (load / maximum load)^8, plus a small cost per link. Deterministic: the same on every rank. All blocks are sent
  /// directly if the machine has dead links, or if there are too many edges (more than `effort` links examined).
  /// @pre machine.ranks() == ranks; rank r at place r
  [[nodiscard]] static NeighbourRoutes spread(Machine const& machine, std::vector<NeighbourEdge> edges,
                                              std::int64_t effort = 40'000'000);

  [[nodiscard]] Rank ranks() const;
  [[nodiscard]] std::span<NeighbourEdge const> edges() const;
  [[nodiscard]] std::span<Part const> parts() const;
  [[nodiscard]] bool is_straight() const;  ///< every block is one part without relays
  /// Maximum number of streams from one rank to another.
  [[nodiscard]] std::int32_t channels() const;

  /// Predicted time of blocks of `bytes` bytes, all at once: t_at_once() of all parts, plus, for each relay of the part
  /// with most relays, 2 o and the time of a segment.
  [[nodiscard]] Seconds price(Machine const& machine, std::int64_t bytes) const;

  /// Offset of a rank's block in its input (by NeighbourEdge::out) or output (by NeighbourEdge::in).
  using Offset = std::function<std::int64_t(Rank rank, std::int32_t block)>;
  /// Bytes of an edge's block.
  using Length = std::function<std::int64_t(std::int32_t edge)>;
  /// A schedule with contract `none` that sends each edge's block from its sender's input to its receiver's output.
  /// @param buffers by rank; only this rank's entry is used on a rank
  [[nodiscard]] Schedule schedule(Length length, Offset input, Offset output, std::vector<Extents> buffers) const;

 private:
  struct Table;
  explicit NeighbourRoutes(std::shared_ptr<Table const> table) : table_(std::move(table)) {}

  std::shared_ptr<Table const> table_;
};

}  // namespace allport
