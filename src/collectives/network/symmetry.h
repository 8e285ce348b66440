// Automorphisms of a network that are found on its graph, not built into its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allport/machine/topology.h"
#include "collectives/network/link_table.h"
#include "collectives/network/quotient.h"

namespace allport {

/// A commutative group of automorphisms of a quotient, none of which but the identity leaves a compute node's class
/// where it is: translations of a torus, rotations of a tree's leaf switches. Elements are products of powers of
/// generators.
class TranslationGroup {
 public:
  /// Powers of a generator up to the first that generators before it make: [exponent][class]; the 0th is the identity.
  using Powers = std::vector<Permutation>;

  [[nodiscard]] std::vector<Powers> const& generators() const { return generators_; }
  [[nodiscard]] std::int64_t order() const { return order_; }
  /// Images of a class by all elements, always in the same order of elements.
  [[nodiscard]] std::vector<std::int32_t> images(std::int32_t c) const;
  /// The image by the element that is so many places behind the identity in images().
  [[nodiscard]] std::int32_t image(std::int64_t element, std::int32_t c) const;

  /// Adds a generator. False, and nothing is added: it does not commute with the others, or an element of the group
  /// would leave a compute class where it is.
  bool extend(Quotient const& quotient, Permutation const& generator);

 private:
  std::vector<Powers> generators_;
  std::int64_t order_ = 1;
};

/// Finds a large group of translations. Depends on the graph and the order of its vertices alone.
[[nodiscard]] TranslationGroup find_translations(Quotient const& quotient);

/// A group of automorphisms of a network, none of which but the identity leaves a compute node where it is.
class Symmetry {
 public:
  Symmetry(Topology const& topology, std::vector<std::int64_t> const& capacity);

  [[nodiscard]] std::int64_t order() const { return group_.order() * rotations_; }
  /// One compute node of each orbit, ascending.
  [[nodiscard]] std::vector<Vertex> const& representatives() const { return representatives_; }
  [[nodiscard]] Vertex representative(Vertex compute) const;
  /// The element that maps a compute node's representative to it.
  void element_to(Vertex compute, Permutation& into) const;
  [[nodiscard]] LinkTable const& links() const { return links_; }
  [[nodiscard]] std::vector<std::int32_t> const& orbit_of_link() const { return orbit_of_link_; }
  [[nodiscard]] std::vector<std::int64_t> const& links_of_orbit() const { return links_of_orbit_; }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  /// The element of a class' orbit, and of so many rotations within classes, as a permutation of vertices.
  void lift(std::int64_t element, std::int64_t rotation, Permutation& into) const;
  void find_orbits(Topology const& topology);

  Vertex compute_ = 0;
  LinkTable links_;
  VertexClasses classes_;
  TranslationGroup group_;
  std::int64_t rotations_ = 1;               // a compute class of m members is rotated by m / rotations_ places
  std::vector<std::int32_t> class_first_;    // [class] the representative of its orbit, compute classes only
  std::vector<std::int64_t> class_element_;  // [class] the element that maps that one to it
  std::vector<Vertex> representatives_;
  std::vector<std::int32_t> orbit_of_link_;
  std::vector<std::int64_t> links_of_orbit_;
};

}  // namespace allport
