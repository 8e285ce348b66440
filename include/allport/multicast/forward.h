// The forwarding rule of deck 5: what a rank does with a message, from its own table and the destinations alone.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/multicast/destinations.h"
#include "allport/multicast/table.h"

namespace allport {

/// When a rank that has the message for many groups of one row hands several of them on together: the row of a digit of
/// w bits is then taken as rows of `bits` bits each, which makes a tree of 2^bits ways out of a fan of 2^w - 1 sends.
struct Split {
  int bits = 0;  ///< rows with more than 2^bits groups are split; 0: none is, as in the deck

  friend bool operator==(Split, Split) = default;
};

/// A message to `next`, which delivers it to itself if it is among `set`, and to all others there.
struct Hop {
  Rank next = -1;
  Positions covers;  ///< whose IDs share the prefix of this group, in `set` or not; next is one of them
  DestinationSet set;

  friend bool operator==(Hop const&, Hop const&) = default;
};

struct Forwarding {
  bool deliver = false;   ///< the rank itself is among the destinations
  std::vector<Hop> hops;  ///< the farthest groups first
};

/// Destinations are grouped by the row at which their IDs part from this rank's and by their digit there; every group
/// goes to the table's entry. Each hop's ranks share a longer prefix with `next` than with this rank, so that no
/// message comes back, and after at most as many steps as an ID has digits (bits / split.bits as many where rows are
/// split) all are reached.
/// @pre 0 <= split.bits <= TopologyIds::most_bits
[[nodiscard]] Forwarding forward(RoutingTable const& table, DestinationSet const& set, Split split = {});

/// How a multicast goes.
///   flat      the source sends to one destination after the other
///   chain     from the source to the next destination in the order of IDs, round to the last
///   prefix    forward()
///   axes      from node to neighbour along the machine's axes: a tree that takes no link twice
///   binomial  the binomial tree (deck 1 slide 4) over source and destinations in the order of IDs, round from the
///             source, which sends ceil(log2 p) messages where p have it in the end; nobody relays
enum class MulticastTree : std::uint8_t { flat, chain, prefix, axes, binomial };
[[nodiscard]] std::string_view name(MulticastTree tree);
/// @throws Error(argument) that lists the names
[[nodiscard]] MulticastTree parse_multicast_tree(std::string_view text);

/// A multicast from one rank to some. The source may be among the destinations: it has the message anyway.
struct Multicast {
  Rank source = 0;
  DestinationSet set{};
  MulticastTree tree = MulticastTree::prefix;
  Split split{};
  int order = 0;  ///< axes: which one first, which then, and which way round; below axis_orders()
};

/// In how many orders a tree along the axes is looked for. Axes: all orders of up to three; of more, first to last and
/// back. Rings: the shortest way round, or one and the same for all. Behind these are the orders of rectangular trees
/// (deck 1 slides 4-5), of which each begins along another axis, or the other way: those of a torus, one way round, and
/// those of a mesh have no link in common.
[[nodiscard]] int axis_orders(int axes);
/// Hops that a tree may be deeper than by the shortest ways, where nobody says it.
inline constexpr std::int64_t usual_detour = 2;
/// The orders, of axis_orders(), whose trees have the fewest links, and are at most `detour` hops deeper than one by
/// the shortest ways; one at least. Of these those that go one way round rings are taken, where there are any; and then
/// rectangular ones, which begin over one link where others begin along all axes: where the destinations are a box.
/// What is sent in several parts takes rectangular trees, one for each part as far as there are so many, wherever
/// otherwise a link has more of it (alone on the machine), also to destinations that fill no box.
/// @throws Error(argument) where the IDs are no machine's
[[nodiscard]] std::vector<int> orders_along_axes(TopologyIds const& ids, Rank source, DestinationSet const& set,
                                                 int parts = 1, std::int64_t detour = usual_detour);
/// Which of so many choices that are equally good: all are picked equally often by numbers without order, and by the
/// turns 0, 1, ... of one number each after the other.
[[nodiscard]] std::size_t pick(std::size_t choices, std::uint64_t spread, int turn = 0);
/// What one of the trees that are equally good is picked by.
struct TreeWish {
  std::uint64_t spread = 0;  ///< a number of the message
  int turn = 0;              ///< which of a message's parts it is
  int parts = 1;
  std::int64_t detour = usual_detour;
};
/// By way of axes, in one of orders_along_axes(): the one that `spread` picks, so that many multicasts load all links
/// of a ring. What is sent in parts, one after the other a `turn`, goes round a ring both ways, and to a box over
/// link-disjoint trees.
/// @throws Error(argument) where the IDs are no machine's
[[nodiscard]] Multicast along_axes(TopologyIds const& ids, Rank source, DestinationSet set, TreeWish wish = {});
/// In one of these orders, which are those of orders_along_axes() for the same source, set and wish.
[[nodiscard]] Multicast along_axes(Rank source, DestinationSet set, TreeWish wish, std::span<int const> orders);
/// Whether a message goes to one other rank, and there is one shortest way there along the axes: the network takes it
/// by itself, and ranks on the way would only hold the message up. Of several ways along_axes() takes each as often.
/// What is sent in parts goes by several ways.
[[nodiscard]] bool goes_straight(MulticastTree tree, TopologyIds const& ids, Rank source, DestinationSet const& set,
                                 int parts = 1);
/// By any way; along_axes() for that one, and straight where goes_straight().
[[nodiscard]] Multicast multicast_by(MulticastTree tree, TopologyIds const& ids, Rank source, DestinationSet set,
                                     TreeWish wish = {});

/// One rank's share in a multicast.
struct Share {
  Rank from = -1;         ///< whom it gets the message from; -1: it has it (the source), or has nothing to do with it
  bool deliver = false;   ///< it is among the destinations
  std::vector<Hop> hops;  ///< to whom it hands the message on, in this order

  [[nodiscard]] bool takes_part() const { return from >= 0 || deliver || !hops.empty(); }
};

/// Computed from the source on, hop by hop, without asking anybody: what lets a relay know its destinations from the
/// multicast's name alone. O(steps * (table + set)).
/// @pre 0 <= rank, multicast.source < ids.ranks(); positions of the set below ids.ranks(); axes: the IDs are a
/// machine's
/// @param table  the rank's own, where it is at hand
[[nodiscard]] Share share(TopologyIds const& ids, Multicast const& multicast, Rank rank,
                          RoutingTable const* table = nullptr);
/// The same by who does not compute it from the source on, but was handed the message for these destinations: of the
/// multicast's share to `rank`, or all of them where that is the source. O(table + set).
/// @param received  with the set that the message came with
[[nodiscard]] Forwarding forwarding_of(TopologyIds const& ids, Multicast const& received, Rank rank,
                                       RoutingTable const* table = nullptr);

}  // namespace allport
