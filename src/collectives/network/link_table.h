// A network's links by their two ends; parallel links are told apart by their place among those of the same ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allport/machine/topology.h"
#include "base/scramble.h"

namespace allport {

/// A hash of two numbers in this order.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return scramble(scramble(a) ^ b); }

/// A permutation of vertices: [vertex] its image.
using Permutation = std::vector<std::int32_t>;

class LinkTable {
 public:
  /// All links from one vertex to another.
  struct Parallel {
    Vertex to = 0;
    std::int32_t first = 0;
    std::uint64_t colour = 0;  ///< equal for equal capacities and latencies
  };

  LinkTable(Topology const& topology, std::vector<std::int64_t> const& capacity);

  /// By the vertex they lead to.
  [[nodiscard]] std::span<Parallel const> from(Vertex v) const;
  /// The link between the images of its ends that has the same place among parallel ones; -1: there is none.
  [[nodiscard]] std::int32_t image(std::int32_t link, Permutation const& permutation) const;
  /// Whether it maps links to links of the same capacity and latency.
  [[nodiscard]] bool is_automorphism(Permutation const& permutation) const;
  [[nodiscard]] Vertex vertices() const { return static_cast<Vertex>(begin_.size()) - 1; }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  [[nodiscard]] Parallel const* find(Vertex from, Vertex to) const;

  struct Ends {
    Vertex from, to;
  };
  std::vector<Ends> ends_;            // [link]
  std::vector<std::int32_t> sorted_;  // links by their ends, then by capacity and latency
  std::vector<std::int32_t> place_;   // [link] among its parallel ones
  std::vector<Parallel> parallel_;    // by `from`, then `to`
  std::vector<std::int32_t> begin_;   // [vertex] in parallel_
};

}  // namespace allport
