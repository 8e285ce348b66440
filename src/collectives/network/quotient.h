// A network whose interchangeable vertices are one vertex each, and colour refinement on it.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/machine/topology.h"
#include "collectives/network/link_table.h"

namespace allport {

/// Vertices that have the same links to the same others (the nodes of a leaf switch, the spines of a tree) are one
/// class: any permutation of them is an automorphism.
struct VertexClasses {
  std::vector<std::int32_t> of;              ///< [vertex] its class
  std::vector<std::int32_t> place;           ///< [vertex] among the vertices of its class
  std::vector<std::vector<Vertex>> members;  ///< [class] ascending

  VertexClasses(Topology const& topology, LinkTable const& links);
};

/// [class]; equal for those that no invariant found so far tells apart.
using Colours = std::vector<std::uint64_t>;

/// The graph of classes.
class Quotient {
 public:
  Quotient(Topology const& topology, LinkTable const& links, VertexClasses const& classes);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(compute_.size()); }
  [[nodiscard]] bool is_compute(std::int32_t c) const { return compute_[static_cast<std::size_t>(c)] != 0; }
  /// Colours by kind, by number of members and by the links among them.
  [[nodiscard]] Colours const& kinds() const { return kinds_; }

  /// Distinguishes classes by the colours around them until that changes nothing, or for so many rounds, if given.
  /// Equal graphs with equal colours have equal colours after the same number of rounds. Returns the rounds.
  int refine(Colours& colours, int rounds = -1) const;
  /// Links from a class to each other one; -1: not reached.
  [[nodiscard]] std::vector<std::int32_t> distances(std::int32_t from) const;
  /// Whether a permutation of classes maps links to equal links.
  [[nodiscard]] bool is_automorphism(Permutation const& permutation) const;

 private:
  struct Arc {
    std::int32_t to;
    std::uint64_t colour;
  };
  std::vector<std::uint8_t> compute_;
  Colours kinds_;
  std::vector<std::vector<Arc>> out_;  // by `to`
  std::vector<std::vector<Arc>> in_;   // empty where each link has an equal one back
};

/// Equal where the numbers of classes of each colour are.
[[nodiscard]] std::uint64_t histogram(Colours const& colours);

}  // namespace allport
