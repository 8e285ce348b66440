// Plans of QR factorizations: grid and tile size by the price of the graph.
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

/// Choices of the caller; whatever is left empty is chosen by price.
struct QrPlanOptions {
  int rows = 0;  ///< of the process grid; 0: any
  int cols = 0;
  std::string order;  ///< "ij": the grid's rows run fastest over the machine's ranks; "ji": its columns; empty: any
  Index nb = 0;       ///< of the tiles; 0: one of 64 to 512, or that of the blocks of `given`
  int workers = 1;    ///< threads of each rank
  Bytes memory{0};    ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// The distribution of the caller's A: its grid is used, and tiles other than its blocks cost redistribution there
  /// and back.
  std::optional<Distribution> given;
  int candidates = 0;  ///< length of the plan's table, the best first; 0: all
};

/// A grid and a tile size, with their price.
struct QrCandidate {
  int rows = 1;
  int cols = 1;
  std::string order = "ij";
  Index nb = 0;
  graph::Price price;   ///< of qr_graph(), sent by tasks::default_tree()
  Seconds moving{};     ///< redistributing the caller's A (QrPlanOptions::given) to the tiles and back
  Bytes memory{};       ///< peak per rank: its part of A, tiles and reflectors, and a panel's from other ranks
  std::string why_not;  ///< not empty: why it cannot be used

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// The chosen grid and tiles, equal on every rank, and their predicted cost.
struct QrPlan {
  QrProblem problem;
  Machine machine = Machine::flat(1);
  QrPlanOptions options;
  QrCandidate chosen;
  std::vector<QrCandidate> candidates;  ///< best first; unusable ones last
  Distribution distribution;            ///< of A: its blocks are the tiles
  /// Tasks, flops and traffic of each rank, with one message from an output's owner to each rank that needs it. Empty
  /// above 4 million tasks.
  std::vector<graph::Count> counts;
  /// Maximum bytes of outputs that each rank stores beside its tiles, as graph::pool() counts them. Empty likewise.
  std::vector<std::int64_t> pool;

  [[nodiscard]] std::string to_json() const;
};

/// Plans without MPI. Deterministic. Of tile sizes whose prices differ by less than a twentieth the largest is chosen.
/// @throws Error(argument) for negative extents, a grid that does not fit machine.ranks(), an unknown order;
/// Error(machine) if the machine has no rates; Error(memory) with the bytes needed and available if no candidate fits
[[nodiscard]] QrPlan plan_qr(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options = {});

/// geqrf() by a plan: in its tiles, with its workers; nb and workers of `options` are ignored. A in a distribution
/// other than plan.distribution is redistributed there and back. Called by all ranks of A's communicator with equal
/// plans.
/// @pre plan.machine == a.comm().machine(), the plan's type and extents are A's
/// @throws Error on every rank, as geqrf(), and with Error(memory) if moving A takes more than the plan's limit
template <class T>
QrReport geqrf(QrPlan const& plan, Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options = {});

#define ALLPORT_QR_PLANNED_INSTANCE(prefix, T) \
  prefix template QrReport geqrf(QrPlan const&, Matrix<T> const&, std::vector<T>&, QrOptions const&)
ALLPORT_QR_PLANNED_INSTANCE(extern, float);
ALLPORT_QR_PLANNED_INSTANCE(extern, double);
ALLPORT_QR_PLANNED_INSTANCE(extern, std::complex<float>);
ALLPORT_QR_PLANNED_INSTANCE(extern, std::complex<double>);

/// The report of a factorization or a least squares solution on all ranks, as JSON. Called by all of them.
[[nodiscard]] std::string to_json(QrReport const& report, Communicator const& comm);
[[nodiscard]] std::string to_json(LeastSquaresReport const& report, Communicator const& comm);

}  // namespace allport
