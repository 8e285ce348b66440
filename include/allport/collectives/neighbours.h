// Neighbourhood collectives: every rank has blocks for a few others, the same ones in every call. Blocks go straight,
// or in parts by several ways, over ranks between, that lead them round what is busy.
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

/// Where the blocks of a neighbourhood collective go along. Immutable; copies share everything.
class NeighbourRoutes {
 public:
  /// What a block is cut into, for parts to go by different ways.
  static constexpr int shares = 8;

  /// A part of a block, in shares of it, and the ranks that it visits: the sender, who passes it on, the receiver.
  struct Part {
    std::int32_t edge = 0;
    std::int32_t begin = 0;
    std::int32_t end = shares;
    std::vector<Rank> path;
    std::vector<std::int32_t> channels;  ///< of the streams between them
  };

  /// All blocks straight from rank to rank. The edges of all ranks, or all those of one rank, whose program is then the
  /// only one that is right. Edges of one pair of ranks are told apart by their order here.
  /// @throws Error naming the edge whose rank is none of 0..ranks-1
  [[nodiscard]] static NeighbourRoutes straight(Rank ranks, std::vector<NeighbourEdge> edges);
  /// The edges of all ranks, in parts over other ways where that takes load off the busiest links of the machine,
  /// blocks being equally long: a part leaves by any of the sender's links, comes in by any of the receiver's, or turns
  /// its corners in another order, and the network routes it between ranks as Machine::route does. Minimises the sum
  /// over links of (load / largest load)^8, with a little for every link crossed. Deterministic: the same on
  /// every rank. All stays straight where links are dead, and where there are too many edges (`effort` links looked
  /// at).
  /// @pre machine.ranks() == ranks; rank r at place r
  [[nodiscard]] static NeighbourRoutes spread(Machine const& machine, std::vector<NeighbourEdge> edges,
                                              std::int64_t effort = 40'000'000);

  [[nodiscard]] Rank ranks() const;
  [[nodiscard]] std::span<NeighbourEdge const> edges() const;
  [[nodiscard]] std::span<Part const> parts() const;
  [[nodiscard]] bool is_straight() const;  ///< every block in one part, over no rank between
  /// Most streams that go from one rank to another: their channels.
  [[nodiscard]] std::int32_t channels() const;

  /// What blocks of so many bytes take, all at once: t_at_once() of all parts, and what passing on adds to it: for each
  /// rank between 2 o and the time of a segment, of the part that has most.
  [[nodiscard]] Seconds price(Machine const& machine, std::int64_t bytes) const;

  /// Where a rank's block lies in its input (by NeighbourEdge::out) or output (by NeighbourEdge::in).
  using Offset = std::function<std::int64_t(Rank rank, std::int32_t block)>;
  /// Bytes of an edge's block.
  using Length = std::function<std::int64_t(std::int32_t edge)>;
  /// A schedule without a promise that carries each edge's block from its sender's input to its receiver's output.
  /// @param buffers of each rank; the same on all ranks, or this rank's own right and others any
  [[nodiscard]] Schedule schedule(Length length, Offset input, Offset output, std::vector<Extents> buffers) const;

 private:
  struct Table;
  explicit NeighbourRoutes(std::shared_ptr<Table const> table) : table_(std::move(table)) {}

  std::shared_ptr<Table const> table_;
};

}  // namespace allport
