// The memory that the workers of a node share, in the simulation: bandwidth of sockets and cores, and caches.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "allport/graph/task_graph.h"
#include "allport/machine/machine.h"

namespace allport::graph {

/// Tasks that run at the same time on a node share the memory bandwidth of the parts of the machine's levels, max-min
/// fair: all get the same rate, but for those that need less, or are limited by a part of their own. A task takes
/// max(compute, bytes / rate), the roofline (Williams, Waterman, Patterson 2009), where the rate is constant.
///
/// A tile is in the memory of the part (of the outermost level that has a memory bandwidth) where it was used first, as
/// operating systems place pages by first touch; tasks elsewhere take their bytes from there. A cache holds the tiles
/// that its part used last, and a task whose tile is in one moves no bytes.
class SharedMemory {
 public:
  /// @param levels  of a node's workers; rank r's worker w is in part (r % ranks_per_node * workers + w) of them, or in
  ///                the one that holds this share of the node's, where their numbers differ
  /// @pre ranks >= 1, ranks_per_node >= 1, workers >= 1
  SharedMemory(Levels levels, Rank ranks, std::int32_t ranks_per_node, int workers);

  /// Whether a level limits memory.
  [[nodiscard]] bool limits() const { return outermost_ >= 0; }
  /// Bytes that a task has to move: those of its work, but none where its tile is in a cache. The task's worker uses
  /// the tile from now on.
  double bytes_to_move(Rank rank, int worker, Tile tile, Work const& work);
  /// A task begins to compute for `compute` seconds, and to move bytes from where its tile is.
  void begin(std::size_t slot, Rank rank, int worker, Tile tile, double now, double compute, double bytes);
  void end(std::size_t slot, Rank rank, double now);
  /// Calls visit(slot, end) for each task on the rank's node whose end has changed.
  template <class Visit>
  void each_changed(Rank rank, Visit&& visit) {
    for (auto& use : of_node(rank)) {
      if (use.changed) visit(use.slot, use.end);
      use.changed = false;
    }
  }

 private:
  struct Use {
    std::size_t slot = 0;
    double compute = 0;
    double bytes = 0;
    std::vector<std::size_t> parts{};  // that limit it, as numbers of capacities_
    double left = 1;                   // of the task
    double rate = 0;                   // of left, per second
    double end = 0;
    bool changed = false;
  };
  struct Node {
    std::vector<Use> uses;
    double since = 0;
  };
  using Key = std::pair<Rank, Tile>;
  struct Cache {
    std::list<std::pair<Key, double>> held{};  // the last used first, with its bytes
    double bytes = 0;
  };

  [[nodiscard]] std::size_t node_number(Rank rank) const { return static_cast<std::size_t>(rank / ranks_per_node_); }
  [[nodiscard]] std::vector<Use>& of_node(Rank rank) { return nodes_[node_number(rank)].uses; }
  [[nodiscard]] std::int32_t place(Rank rank, int worker) const;
  void share(Node& node, double now);
  /// Bytes/s of each use.
  [[nodiscard]] std::vector<double> fair_rates(std::vector<Use> const& uses) const;

  Levels levels_;
  std::int32_t ranks_per_node_;
  int workers_;
  int outermost_ = -1;              // level with a memory bandwidth
  std::vector<std::size_t> first_;  // by level: number of its first part in capacities_
  std::vector<double> capacities_;  // bytes/s, of a node's parts level by level, then of their links to siblings
  std::vector<Node> nodes_;
  std::map<Key, std::int32_t> homes_;                    // where tiles were used first
  std::vector<std::vector<std::vector<Cache>>> caches_;  // by node, level and part
};

}  // namespace allport::graph
