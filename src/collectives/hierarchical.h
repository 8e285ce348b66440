// The hierarchical combinator: turns trees over nodes into trees over ranks, with trees over a machine's inner levels
// below them. Trees are built over nodes only; the combinator makes every tree collective hierarchical.
#pragma once

#include <array>
#include <cstdint>

#include "allport/collectives/trees.h"
#include "allport/machine/levels.h"

namespace allport {

/// How the ranks of a node are attached to its leader, the rank that uses its links.
enum class Below : std::uint8_t {
  binomial,  ///< level by level, outermost first: a binomial tree over the parts, then one within each
  direct,    ///< all of them its children
};

/// The inner trees: one in every node, from the rank `leader` of it. Neighbouring levels that have neither bandwidth
/// nor latency of their own form one binomial tree, as in model::spread_time. Data enter each part of a level once, so
/// each link of the level carries no more than the price assumes.
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
  /// Adds a leader's tree edges over links: those of its node, `outer`.
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

/// The tree edges of a rank; `outer` are those of its node, used by leaders only.
void place_below(TreePlace const& outer, InnerTrees const& inner, Rank rank, TreePlace& into);

/// The nodes of `outer` (Rank means node there) become their leaders; the other ranks of a node hang below its leader.
[[nodiscard]] TreeSet hierarchical(TreeSet outer, InnerTrees const& inner);

}  // namespace allport
