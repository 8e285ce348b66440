// Plans of factorizations in tiles (Cholesky, QR): grid and tile size by the price of the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/graph/count.h"
#include "allport/graph/pool.h"
#include "allport/graph/price.h"
#include "allport/linalg/gemm.h"
#include "allport/machine/machine.h"
#include "allport/tasks/transport.h"

namespace allport {

/// Choices of the caller; whatever is left empty is chosen by price.
struct TiledPlanOptions {
  GemmGrid grid{0, 0, 0};  ///< p_r x p_c x 1; zeros: any
  std::string order;  ///< "ij": the grid's rows run fastest over the machine's ranks; "ji": its columns; empty: any
  Index nb = 0;       ///< of the tiles; 0: one of 64 to 512, or that of the blocks of `given`
  int workers = 1;    ///< threads of each rank
  Bytes memory{0};    ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// The distribution of the caller's A: its grid is used, and tiles that it does not hold cost redistribution there
  /// and back. Cholesky's blocks may hold several tiles.
  std::optional<Distribution> given;
  int candidates = 0;  ///< length of the plan's table, the best first; 0: all
};

/// A grid and a tile size, with their price.
struct TiledCandidate {
  std::string algorithm = "tiles";
  GemmGrid grid;
  std::string order = "ij";
  Index nb = 0;
  graph::Price price;          ///< of the graph, sent by tasks::default_tree()
  Seconds moving{};            ///< redistributing the caller's A (TiledPlanOptions::given) to the tiles and back
  Seconds total{};             ///< of both
  std::int64_t words = -1;     ///< elements moved by the busiest rank, if it is the chosen one and counted; else -1
  std::int64_t messages = -1;  ///< of the busiest rank, likewise
  Bytes memory{};              ///< peak per rank: its part of A, its tiles, and a step's data from other ranks
  double most_products = 0;    ///< W: upper bound on the busiest rank's multiplications of two elements of L (Cholesky)
  double bound_words = 0;      ///< lower bound on words with that memory and W: model::cholesky_bound() (Cholesky)
  std::string why_not;         ///< not empty: why it cannot be used
};

/// The chosen grid and tiles, equal on every rank, and their predicted cost.
template <class OfProblem>
struct TiledPlan {
  OfProblem problem;
  Machine machine = Machine::flat(1);
  TiledPlanOptions options;
  TiledCandidate chosen;
  std::vector<TiledCandidate> candidates;  ///< best first; unusable ones last
  Distribution distribution;               ///< of A: its blocks are tiles, or (Cholesky) multiples of tiles
  /// Tasks, flops and traffic of each rank, with one message from an output's owner to each rank that needs it; relays
  /// only shift sending from rank to rank. Empty above 4 million tasks.
  std::vector<graph::Count> counts;
  /// Maximum bytes of outputs that each rank stores beside its tiles, as graph::pool() counts them. Empty likewise.
  std::vector<std::int64_t> pool;

  [[nodiscard]] std::string to_json() const;
};

/// The transport of the edges of plan_graph(plan), with multicasts. One thread at a time.
template <class OfProblem>
[[nodiscard]] std::unique_ptr<graph::Transport> plan_transport(TiledPlan<OfProblem> const& plan) {
  return tasks::transport(plan.machine);
}

}  // namespace allport
