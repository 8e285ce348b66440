// Plans of QR factorizations: which grid and which tiles, by the price of their graph, before anything runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allport/graph/pool.h"
#include "allport/graph/price.h"
#include "allport/linalg/householder.h"
#include "allport/linalg/least_squares.h"
#include "allport/machine/machine.h"

namespace allport {

/// A: m x n.
struct QrProblem {
  Index m = 0;
  Index n = 0;
  Scalar type = Scalar::d;

  friend bool operator==(QrProblem const&, QrProblem const&) = default;
};

/// What the caller fixes; everything left empty is chosen by price.
struct QrPlanOptions {
  int rows = 0;  ///< of the process grid; 0: any
  int cols = 0;
  std::string order;  ///< "ij": the grid's rows run fastest over the machine's ranks; "ji": its columns; empty: any
  Index nb = 0;       ///< of the tiles; 0: one of 64 to 512, or given blocks
  int workers = 1;    ///< threads of each rank
  Bytes memory{0};    ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// Where the caller's A lies: its grid is taken, and tiles that are not its blocks cost bringing it there and back.
  std::optional<Distribution> given;
  int candidates = 0;  ///< keep only the best so many in the plan's table; 0: all
};

/// One way to factor, with its price.
struct QrCandidate {
  int rows = 1;
  int cols = 1;
  std::string order = "ij";
  Index nb = 0;
  graph::Price price;   ///< of qr_graph(), sent by tasks::default_tree()
  Seconds moving{};     ///< bringing the caller's A (QrPlanOptions::given) to the tiles and back
  Bytes memory{};       ///< peak per rank: its part of A, tiles and reflectors, and a panel's from other ranks
  std::string why_not;  ///< not empty: cannot be used, and why

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// A decision, equal on every rank, and what it will cost.
struct QrPlan {
  QrProblem problem;
  Machine machine = Machine::flat(1);
  QrPlanOptions options;
  QrCandidate chosen;
  std::vector<QrCandidate> candidates;  ///< best first; unusable ones last
  Distribution distribution;            ///< where A's blocks are the tiles
  /// Tasks, flops and traffic of each rank, a message from an output's owner to each rank that needs it. Empty beyond 4
  /// million tasks.
  std::vector<graph::Count> counts;
  /// Bytes of outputs that each rank keeps at most beside its tiles, as graph::pool() counts them. Empty likewise.
  std::vector<std::int64_t> pool;

  [[nodiscard]] std::string to_json() const;
};

/// Plans without MPI. Deterministic. Of tile sizes whose prices differ by less than a twentieth the largest is taken.
/// @throws Error(argument) for negative extents, a grid that does not fit machine.ranks(), an unknown order;
///         Error(machine) where the machine says no rates; Error(memory) with bytes needed and had when no candidate
///         fits
[[nodiscard]] QrPlan plan_qr(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options = {});

/// As geqrf(), by a plan: in its tiles, with its workers; those of `options` are not looked at. A that lies elsewhere
/// than in plan.distribution is brought there and back. Called by all ranks of A's communicator with equal plans.
/// @pre plan.machine == a.comm().machine(), the plan's type and extents are A's
/// @throws Error on every rank, as geqrf(), and with Error(memory) where moving A takes more than the plan's limit
template <class T>
QrReport geqrf(QrPlan const& plan, Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options = {});

#define ALLPORT_QR_PLANNED_INSTANCE(prefix, T) \
  prefix template QrReport geqrf(QrPlan const&, Matrix<T> const&, std::vector<T>&, QrOptions const&)
ALLPORT_QR_PLANNED_INSTANCE(extern, float);
ALLPORT_QR_PLANNED_INSTANCE(extern, double);
ALLPORT_QR_PLANNED_INSTANCE(extern, std::complex<float>);
ALLPORT_QR_PLANNED_INSTANCE(extern, std::complex<double>);

/// What a factorization or a least squares solution did on all ranks, as JSON; called by all of them.
[[nodiscard]] std::string to_json(QrReport const& report, Communicator const& comm);
[[nodiscard]] std::string to_json(LeastSquaresReport const& report, Communicator const& comm);

}  // namespace allport
