// The combinator: trees over the grid's nodes become trees over ranks, with a machine's inner levels below them. Who
// builds trees builds them over nodes; every collective over trees is hierarchical by it.
#pragma once

#include <array>
#include <cstdint>

#include "allport/collectives/trees.h"
#include "allport/machine/levels.h"

namespace allport {

/// How the ranks of a node hang below the one that its links end at.
enum class Below : std::uint8_t {
  binomial,  ///< level by level, outermost first: a binomial tree over the parts, then one within each
  direct,    ///< all of them its children
};

/// The inner trees: one in every node, from the rank `leader` of it. Neighbouring levels that have neither bandwidth
/// nor latency of their own are one to a binomial tree, as they are to model::spread_time. What enters a part of a
/// level enters it once, so each of the level's ways carries no more than the price counts.
class InnerTrees {
 public:
  /// @pre 0 <= leader < levels.ranks()
  InnerTrees(Levels const& levels, Rank leader, Below how);

  [[nodiscard]] Rank ranks() const { return ranks_; }
  [[nodiscard]] Rank leader_of(Node node) const { return node * ranks_ + leader_; }
  [[nodiscard]] bool leads(Rank rank) const { return rank % ranks_ == leader_; }
  /// Rounds until all of a node's ranks have what its leader has, each passing it on once a round.
  [[nodiscard]] int rounds() const;
  /// The parent within the node. @pre !leads(rank)
  [[nodiscard]] Rank parent(Rank rank) const;
  void add_children(Rank rank, TreePlace& into) const;
  /// What a leader has over links: its node's place `outer` among nodes.
  void lead(TreePlace const& outer, TreePlace& into) const;

 private:
  struct Digit {
    Rank stride = 1;
    Rank count = 1;
  };
  /// A rank's position at a level, counted from the leader's.
  [[nodiscard]] Rank relative(Rank rank, Digit const& digit) const;

  Rank ranks_ = 1;
  Rank leader_ = 0;
  Below how_ = Below::binomial;
  int size_ = 0;
  std::array<Digit, max_levels> digits_{};  // outermost first
};

/// The place of a rank whose node has the place `outer` among nodes; only leaders look at that.
void place_below(TreePlace const& outer, InnerTrees const& inner, Rank rank, TreePlace& into);

/// The nodes of `outer` (Rank means node there) become their leaders; the other ranks of a node hang below its leader.
[[nodiscard]] TreeSet hierarchical(TreeSet outer, InnerTrees const& inner);

}  // namespace allport
