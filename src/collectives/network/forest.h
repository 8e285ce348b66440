// Trees of several roots that move to less loaded routes until the links share the load.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "allport/collectives/network_trees.h"
#include "allport/machine/topology.h"

namespace allport {

/// What trees are wanted, and what they may load.
struct ForestProblem {
  Topology const* topology = nullptr;
  std::vector<Vertex> roots;
  int trees = 1;                    ///< of each root
  std::vector<std::int32_t> orbit;  ///< [link] those of an orbit share their load
  std::vector<double> limit;        ///< [orbit] routes that use its links when the optimum is reached
  int longest_route = 1;            ///< links of the longest route through switches that is looked for
  bool few_children = false;        ///< begin with trees that load no link beyond its limit, if they find such
};

class Forest {
 public:
  /// Begins with shortest trees, and of routes of equal length the least loaded; or with few children, see above.
  explicit Forest(ForestProblem problem);

  /// Moves nodes to other routes while no tree becomes higher than `height` links, until the rate is `goal` times the
  /// optimum or the load does not fall any more.
  void balance(int height, double goal);

  /// The largest load of an orbit over its limit: optimum / rate.
  [[nodiscard]] double overload() const;
  /// Links from a root to the farthest node, the largest of all trees.
  [[nodiscard]] int height() const;
  /// Trees root by root.
  [[nodiscard]] std::vector<RoutedTree> trees() const;

 private:
  using Job = std::size_t;  // tree * compute nodes + node

  void grow(std::size_t tree);
  void plant(std::size_t tree);
  /// From a node of a tree to the nearest one that is not in it yet, over links that may still be used: into found_.
  bool look_for_child(std::size_t tree, Vertex node);
  void hang(std::size_t tree, Vertex node);
  void sweep(double steepness, int height, bool on_ties, bool noisy);
  void set_labels(std::size_t tree, int height);
  void improve(std::size_t tree, Vertex node, bool on_ties);
  /// The cheapest route into a node from a node of lower label, if it costs less than `cost`.
  bool look_for_route(std::size_t tree, Vertex node, double& cost);
  void load(std::span<std::int32_t const> route, double by);
  void set_price(std::int32_t orbit);
  void set_prices(double steepness);
  [[nodiscard]] double price(std::int32_t link) const;
  [[nodiscard]] std::span<std::int32_t const> route(Job job) const;
  void set_route(Job job, std::span<std::int32_t const> links);
  [[nodiscard]] Vertex parent(Job job) const;
  /// Links from the root to each node of a tree. Parents have lower labels than their children.
  void find_depths(std::size_t tree, std::vector<std::int32_t>& depth) const;

  ForestProblem problem_;
  Topology const& topology_;
  std::size_t nodes_;
  std::size_t stride_;
  std::vector<std::int32_t> routes_;  // [job * stride] links from the parent on; -1 behind the last
  std::vector<std::uint16_t>
      label_;  // [job] no less than the node's depth, and by its route's length above its parent's
  std::vector<double> load_, price_, noise_;  // [orbit]
  double steepness_ = 0;
  int most_switches_ = 0;  // that a search for a route passes
  std::mt19937_64 random_{1};
  // Of look_for_route and grow:
  struct Open {
    double cost;
    Vertex at;
    std::int32_t link;   // towards the node
    std::int32_t after;  // the entry behind it, -1: none
    std::int32_t links;
  };
  std::vector<Open> open_;
  std::vector<std::int32_t> heap_, found_;
  std::vector<double> cheapest_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<std::int32_t> depth_, inner_, begin_;
  std::vector<Vertex> order_;
};

}  // namespace allport
