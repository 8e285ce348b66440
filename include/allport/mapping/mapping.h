// Mappings of ranks to places, and the boxes of the machine that sub-communicators form.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"
#include "allport/machine/machine.h"

namespace allport {

/// A permutation of 0..ranks-1: rank -> place, where a place is a rank in the machine's own x-fastest order. The
/// identity stores nothing; others copy their list.
class Mapping {
 public:
  /// Rank r at place r: x-fastest over the axes, the ranks of a node next to each other.
  /// @pre ranks >= 0
  [[nodiscard]] static Mapping identity(Rank ranks);
  /// places[r] is the place of rank r.
  /// @pre places is a permutation of 0..places.size()-1; the error names the first entry that is not
  [[nodiscard]] static Mapping from_list(std::vector<Rank> places);

  [[nodiscard]] Rank ranks() const { return ranks_; }
  [[nodiscard]] bool is_identity() const { return places_.empty(); }
  /// @pre 0 <= rank < ranks()
  [[nodiscard]] Rank place(Rank rank) const;
  /// All places, in rank order.
  [[nodiscard]] std::vector<Rank> list() const;

  /// inverse().place(p) is the rank at place p.
  [[nodiscard]] Mapping inverse() const;
  /// This mapping, then `next`: rank -> next.place(place(rank)).
  /// @pre next.ranks() == ranks()
  [[nodiscard]] Mapping then(Mapping const& next) const;

  friend bool operator==(Mapping const&, Mapping const&) = default;

 private:
  explicit Mapping(Rank ranks) : ranks_(ranks) {}

  Rank ranks_ = 0;
  std::vector<Rank> places_;  // empty for the identity, so equal permutations are equal objects
};

/// Some ranks of a machine that fill a box of it: a product of cyclic intervals of nodes.
struct BoxInMachine {
  Machine machine;  ///< the box as a separate machine (Machine::box)
  Mapping mapping;  ///< member i of the communicator -> rank in `machine`
  Coord lo{};       ///< corners in the large machine; hi[a] < lo[a] if the box crosses the wrap-around of axis a
  Coord hi{};
};

/// The box that `members` fill, if they fill one (duplicates fill none). With several ranks per node, members are
/// either all ranks of each node of the box (machine.ranks_per_node() is kept) or exactly one rank of each (then it is
/// 1; node rates stay those of the whole node). A fully covered axis keeps its wrap; dead links inside the box are
/// kept.
/// O(members * axes), plus a sort of the members' coordinates along axes longer than 4 times their number.
/// @param members the communicator's ranks in `machine`, in the communicator's order
/// @pre members is not empty; 0 <= member < machine.ranks()
[[nodiscard]] std::optional<BoxInMachine> find_box(Machine const& machine, std::span<Rank const> members);

/// The substitute for ranks that form no box, for algorithms that need one: an open line of one-rank nodes in the
/// members' order. Its bandwidth is that of the slowest message when every member sends to both neighbours at the same
/// time over the machine's routes; its latency is that of the longest such route. Routes cross dead links as if these
/// worked, as `binomial` does.
/// @pre members is not empty; 0 <= member < machine.ranks()
[[nodiscard]] Machine line_through(Machine const& machine, std::span<Rank const> members);

}  // namespace allport
