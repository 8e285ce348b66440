// Plans of Cholesky factorizations: grid and tile size by the price of the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allport/graph/pool.h"
#include "allport/graph/price.h"
#include "allport/linalg/cholesky.h"
#include "allport/machine/machine.h"

namespace allport {

/// A: n x n.
struct CholeskyProblem {
  Index n = 0;
  Scalar type = Scalar::d;
  Uplo uplo = Uplo::lower;

  friend bool operator==(CholeskyProblem const&, CholeskyProblem const&) = default;
};

/// Choices of the caller; whatever is left empty is chosen by price.
struct CholeskyPlanOptions {
  int rows = 0;  ///< of the process grid; 0: any
  int cols = 0;
  std::string order;  ///< "ij": the grid's rows run fastest over the machine's ranks; "ji": its columns; empty: any
  Index nb = 0;       ///< of the tiles; 0: one of 64 to 512, or that of the blocks of `given`
  int workers = 1;    ///< threads of each rank
  Bytes memory{0};    ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// The distribution of the caller's A: its grid is used, and tiles other than its blocks or parts of them cost
  /// redistribution there and back.
  std::optional<Distribution> given;
  int candidates = 0;  ///< length of the plan's table, the best first; 0: all
};

/// A grid and a tile size, with their price.
struct CholeskyCandidate {
  int rows = 1;
  int cols = 1;
  std::string order = "ij";
  Index nb = 0;
  graph::Price price;        ///< of cholesky_graph(), sent by tasks::default_tree()
  Seconds moving{};          ///< redistributing the caller's A (CholeskyPlanOptions::given) to the tiles and back
  Bytes memory{};            ///< peak per rank: its part of A, its tiles, and a step's tiles from other ranks
  double most_products = 0;  ///< W: upper bound on the busiest rank's multiplications of two elements of L
  double bound_words = 0;    ///< lower bound on words with that memory and W: model::cholesky_bound()
  std::string why_not;       ///< not empty: why it cannot be used

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// The chosen grid and tiles, equal on every rank, and their predicted cost.
struct CholeskyPlan {
  CholeskyProblem problem;
  Machine machine = Machine::flat(1);
  CholeskyPlanOptions options;
  CholeskyCandidate chosen;
  std::vector<CholeskyCandidate> candidates;  ///< best first; unusable ones last
  Distribution distribution;                  ///< of A: its blocks are tiles, or multiples of tiles
  /// Tasks, flops and traffic of each rank, with one message from a tile's owner to each rank that needs it; relays
  /// only shift sending from rank to rank. Empty above 4 million tasks.
  std::vector<graph::Count> counts;
  /// Maximum bytes of outputs that each rank stores beside its tiles, as graph::pool() counts them. Empty likewise.
  std::vector<std::int64_t> pool;

  [[nodiscard]] std::string to_json() const;
};

/// Plans without MPI. Deterministic. Of tile sizes whose prices differ by less than a twentieth the largest is chosen:
/// kernels run faster on larger tiles than the rates may show.
/// @throws Error(argument) for a negative n, a grid that does not fit machine.ranks(), an unknown order; Error(machine)
/// if the machine has no rates; Error(memory) with the bytes needed and available if no candidate fits
[[nodiscard]] CholeskyPlan plan_cholesky(CholeskyProblem const& problem, Machine const& machine,
                                         CholeskyPlanOptions const& options = {});

/// cholesky() by a plan: in its tiles, with its workers; nb and workers of `options` are ignored. A in a distribution
/// other than plan.distribution is redistributed there and back. Called by all ranks of A's communicator with equal
/// plans.
/// @pre plan.machine == a.comm().machine(), the plan's type and extents are A's
/// @throws Error on every rank, as cholesky(), and with Error(memory) if moving A takes more than the plan's limit
template <class T>
CholeskyReport cholesky(CholeskyPlan const& plan, Matrix<T> const& a, CholeskyOptions const& options = {});

#define ALLPORT_CHOLESKY_PLANNED_INSTANCE(prefix, T) \
  prefix template CholeskyReport cholesky(CholeskyPlan const&, Matrix<T> const&, CholeskyOptions const&)
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, float);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, double);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, std::complex<float>);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, std::complex<double>);

/// A X = B with the factors of an n x n matrix.
struct CholeskySolvePlan {
  Index nb = 0;        ///< of the tiles
  graph::Price price;  ///< of cholesky_solve_graph(), sent by tasks::default_tree()
  Seconds moving{};    ///< redistributing the factors to tiles, and B to tiles and back

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// Predicts without MPI what cholesky_solve() does with factors and right-hand sides in these distributions.
/// Deterministic.
/// @throws Error for factors that are not square, a B of other rows; Error(machine) if the machine has no rates
[[nodiscard]] CholeskySolvePlan plan_cholesky_solve(CholeskyProblem const& problem, Distribution const& factors,
                                                    Distribution const& b, Machine const& machine,
                                                    CholeskyOptions const& options = {});

/// The report of a factorization or a solve on all ranks, as JSON. Called by all of them.
[[nodiscard]] std::string to_json(CholeskyReport const& report, Communicator const& comm);
[[nodiscard]] std::string to_json(CholeskySolveReport const& report, Communicator const& comm);

}  // namespace allport
