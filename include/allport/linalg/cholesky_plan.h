// Plans of Cholesky factorizations: which grid and which tiles, by the price of their graph, before anything runs.
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

/// What the caller fixes; everything left empty is chosen by price.
struct CholeskyPlanOptions {
  int rows = 0;  ///< of the process grid; 0: any
  int cols = 0;
  std::string order;  ///< "ij": the grid's rows run fastest over the machine's ranks; "ji": its columns; empty: any
  Index nb = 0;       ///< of the tiles; 0: one of 64 to 512, or given blocks
  int workers = 1;    ///< threads of each rank
  Bytes memory{0};    ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// Where the caller's A lies: its grid is taken, and tiles that are not its blocks or parts of them cost bringing it
  /// there and back.
  std::optional<Distribution> given;
  int candidates = 0;  ///< keep only the best so many in the plan's table; 0: all
};

/// One way to factor, with its price.
struct CholeskyCandidate {
  int rows = 1;
  int cols = 1;
  std::string order = "ij";
  Index nb = 0;
  graph::Price price;        ///< of cholesky_graph(), sent by tasks::default_tree()
  Seconds moving{};          ///< bringing the caller's A (CholeskyPlanOptions::given) to the tiles and back
  Bytes memory{};            ///< peak per rank: its part of A, its tiles, and a step's tiles from other ranks
  double most_products = 0;  ///< W: multiplications of two elements of L of the busiest rank, at most
  double bound_words = 0;    ///< lower bound on words with that memory and W: model::cholesky_bound()
  std::string why_not;       ///< not empty: cannot be used, and why

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// A decision, equal on every rank, and what it will cost.
struct CholeskyPlan {
  CholeskyProblem problem;
  Machine machine = Machine::flat(1);
  CholeskyPlanOptions options;
  CholeskyCandidate chosen;
  std::vector<CholeskyCandidate> candidates;  ///< best first; unusable ones last
  Distribution distribution;                  ///< where A's blocks are tiles, or multiples of tiles
  /// Tasks, flops and traffic of each rank, a message from a tile's owner to each rank that needs it; relays only move
  /// the sending from rank to rank. Empty beyond 4 million tasks.
  std::vector<graph::Count> counts;
  /// Bytes of outputs that each rank keeps at most beside its tiles, as graph::pool() counts them. Empty likewise.
  std::vector<std::int64_t> pool;

  [[nodiscard]] std::string to_json() const;
};

/// Plans without MPI. Deterministic. Of tile sizes whose prices differ by less than a twentieth the largest is taken:
/// kernels run faster on larger tiles, and rates need not know that.
/// @throws Error(argument) for a negative n, a grid that does not fit machine.ranks(), an unknown order; Error(machine)
///         where the machine says no rates; Error(memory) with bytes needed and had when no candidate fits
[[nodiscard]] CholeskyPlan plan_cholesky(CholeskyProblem const& problem, Machine const& machine,
                                         CholeskyPlanOptions const& options = {});

/// As cholesky(), by a plan: in its tiles, with its workers; those of `options` are not looked at. A that lies
/// elsewhere than in plan.distribution is brought there and back. Called by all ranks of A's communicator with equal
/// plans.
/// @pre plan.machine == a.comm().machine(), the plan's type and extents are A's
/// @throws Error on every rank, as cholesky(), and with Error(memory) where moving A takes more than the plan's limit
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
  Seconds moving{};    ///< bringing the factors to their tiles, and B to its and back

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// Plans without MPI what cholesky_solve() will do with factors and right-hand sides that lie so. Deterministic.
/// @throws Error for factors that are not square, a B of other rows; Error(machine) where the machine says no rates
[[nodiscard]] CholeskySolvePlan plan_cholesky_solve(CholeskyProblem const& problem, Distribution const& factors,
                                                    Distribution const& b, Machine const& machine,
                                                    CholeskyOptions const& options = {});

/// What a factorization or a solve did on all ranks, as JSON; called by all of them.
[[nodiscard]] std::string to_json(CholeskyReport const& report, Communicator const& comm);
[[nodiscard]] std::string to_json(CholeskySolveReport const& report, Communicator const& comm);

}  // namespace allport
