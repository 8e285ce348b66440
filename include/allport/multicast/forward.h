// The forwarding rule of Song09: what a rank does with a message, from its own table and the destinations alone.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/multicast/destinations.h"
#include "allport/multicast/table.h"

namespace allport {

/// When a rank sends several groups of one row together: the row of a digit of w bits is then treated as rows of `bits`
/// bits each, which replaces 2^w - 1 sends by a tree of degree 2^bits. Of tree `kary`: its degree, 2^bits.
struct Split {
  int bits = 0;  ///< rows with more than 2^bits groups are split; 0: none is, as in Song09

  friend bool operator==(Split, Split) = default;
};

/// A message to `next`, which delivers it locally if it is in `set`, and forwards it to all others in `set`.
struct Hop {
  Rank next = -1;
  Positions covers;  ///< all positions whose IDs share the prefix of this group, in `set` or not; includes next
  DestinationSet set;

  friend bool operator==(Hop const&, Hop const&) = default;
};

struct Forwarding {
  bool deliver = false;   ///< the rank itself is among the destinations
  std::vector<Hop> hops;  ///< the farthest groups first
};

/// Destinations are grouped by the row at which their IDs first differ from this rank's, and by their digit there;
/// every group is sent to the table's entry. The ranks of a hop share a longer prefix with `next` than with this rank,
/// so no message returns, and all are reached after at most as many steps as an ID has digits (bits / split.bits times
/// as many if rows are split).
/// @pre 0 <= split.bits <= TopologyIds::most_bits
[[nodiscard]] Forwarding forward(RoutingTable const& table, DestinationSet const& set, Split split = {});

/// The tree of a multicast.
///   flat      the source sends to one destination after the other
///   chain     from the source to the next destination in the order of IDs, cyclically to the last
///   prefix    forward()
///   axes      from node to neighbour along the machine's axes: a tree that uses no link twice
///   binomial  the binomial tree (Solomonik11, slide 4) over source and destinations in the order of IDs, round from
///             the source, which sends ceil(log2 p) messages where p have it in the end; nobody relays
///   kary      a balanced tree of degree k = 2^max(1, split.bits) over the same order: each rank divides the
///             destinations behind it into k runs of consecutive ones, and sends to the first of each; nobody relays
enum class MulticastTree : std::uint8_t { flat, chain, prefix, axes, binomial, kary };
[[nodiscard]] std::string_view name(MulticastTree tree);
/// @throws Error(argument) that lists the names
[[nodiscard]] MulticastTree parse_multicast_tree(std::string_view text);

/// A multicast from one rank to a set of ranks, which may include the source.
struct Multicast {
  Rank source = 0;
  DestinationSet set{};
  MulticastTree tree = MulticastTree::prefix;
  Split split{};
  int order = 0;  ///< of tree axes: order of the axes and directions on rings; below axis_orders()
};

/// Number of orders that are searched for a tree along the axes. Axes: all orders of up to three; for more, first to
/// last and reversed. Rings: the shortest direction, or the same for all. Behind these are the orders of rectangular
/// trees (Solomonik11, slides 4-5), of which each begins along another axis, or the other way: those of a torus, one
/// way round, and those of a mesh have no link in common.
[[nodiscard]] int axis_orders(int axes);
/// Default of the maximum extra depth of a tree, in hops, compared with shortest routes.
inline constexpr std::int64_t default_detour = 2;
/// The orders of axis_orders() whose trees have the fewest links and are at most `detour` hops deeper than a tree of
/// shortest routes; at least one. Among these, trees with one direction round rings are preferred, and then, if the
/// destinations form a box, rectangular trees, which begin over one link where others begin along all axes. A message
/// sent in several parts uses rectangular trees, a different one for each part as far as possible, if that reduces the
/// load of the busiest link (without other traffic), also to destinations that form no box.
/// @throws Error(argument) if the IDs are not a machine's
[[nodiscard]] std::vector<int> orders_along_axes(TopologyIds const& ids, Rank source, DestinationSet const& set,
                                                 int parts = 1, std::int64_t detour = default_detour);
/// Picks one of `choices` equally good choices: a hash of `spread`, so that different messages spread evenly; the turns
/// 0, 1, ... of one message take consecutive choices.
[[nodiscard]] std::size_t pick(std::size_t choices, std::uint64_t spread, int turn = 0);
/// Selects one of several equally good trees.
struct TreeChoice {
  std::uint64_t spread = 0;  ///< a number of the message, which is hashed
  int turn = 0;              ///< index of a part of the message
  int parts = 1;
  std::int64_t detour = default_detour;
};
/// A multicast with tree axes, in the order of orders_along_axes() that `spread` picks, so that many multicasts load
/// all links of a ring. The parts of a message (`turn`) go round a ring in both directions, and to a box over
/// link-disjoint trees.
/// @throws Error(argument) if the IDs are not a machine's
[[nodiscard]] Multicast along_axes(TopologyIds const& ids, Rank source, DestinationSet set, TreeChoice choice = {});
/// As above with precomputed `orders`, those of orders_along_axes() for the same source, set and wish.
[[nodiscard]] Multicast along_axes(Rank source, DestinationSet set, TreeChoice choice, std::span<int const> orders);
/// Whether a message of one part goes to one other rank over a unique shortest route along the axes: the network then
/// routes it, since relays on the route would only delay it. If there are several routes, along_axes() uses each
/// equally often.
[[nodiscard]] bool goes_straight(MulticastTree tree, TopologyIds const& ids, Rank source, DestinationSet const& set,
                                 int parts = 1);
/// A multicast with any tree: along_axes() for tree axes, and a direct message if goes_straight().
[[nodiscard]] Multicast multicast_by(MulticastTree tree, TopologyIds const& ids, Rank source, DestinationSet set,
                                     TreeChoice choice = {});

/// One rank's part in a multicast.
struct Share {
  Rank from = -1;         ///< the rank that sends it the message; -1 on the source and on ranks that do not take part
  bool deliver = false;   ///< the rank is a destination
  std::vector<Hop> hops;  ///< messages that it sends, in this order

  [[nodiscard]] bool takes_part() const { return from >= 0 || deliver || !hops.empty(); }
};

/// Computed locally, hop by hop from the source, so that a relay knows its destinations from the multicast's name
/// alone. O(steps * (table + set)).
/// @pre 0 <= rank, multicast.source < ids.ranks(); positions of the set below ids.ranks(); axes: the IDs are a
/// machine's
/// @param table  the rank's own, if available
[[nodiscard]] Share share(TopologyIds const& ids, Multicast const& multicast, Rank rank,
                          RoutingTable const* table = nullptr);
/// The same for a rank that received the message with its destination set: the hops to the destinations of `rank`'s
/// part of the multicast, or to all if `rank` is the source. O(table + set).
/// @param received  with the set in the received message
[[nodiscard]] Forwarding forwarding_of(TopologyIds const& ids, Multicast const& received, Rank rank,
                                       RoutingTable const* table = nullptr);

}  // namespace allport
