// Distributed LU factorization with row exchanges: P A = L U, with a plan before and a report after.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/linalg/gemm.h"
#include "allport/machine/machine.h"

namespace allport {

/// How pivot rows are found.
enum class Pivoting : char {
  none = 'n',        ///< the diagonal; for diagonally dominant matrices and others that need no pivoting
  partial = 'p',     ///< the largest element of the column, as LAPACK and ScaLAPACK: one reduction per column
  tournament = 't',  ///< the winners of a tournament, one per panel (Solomonik11, slides 16 and 17; CALU)
};
/// "none", "partial", "tournament".
[[nodiscard]] std::string_view name(Pivoting pivoting);
/// The inverse of name(). @param argument  the name in the error's message @throws Error
[[nodiscard]] Pivoting pivoting_named(std::string_view argument, std::string_view text);

/// A: m x n.
struct LuProblem {
  Index m = 0;
  Index n = 0;
  Scalar type = Scalar::d;
  Pivoting pivoting = Pivoting::tournament;

  friend bool operator==(LuProblem const&, LuProblem const&) = default;
};

/// Choices of the caller; whatever is left empty is chosen by predicted time.
struct LuOptions {
  std::string algorithm;   ///< of lu_algorithms(); empty: any
  GemmGrid grid{0, 0, 0};  ///< p_r x p_c x c; zeros: any
  std::string order;       ///< as GemmOptions::order, or "given" as in LuCandidate; empty: any
  Index panel = 0;         ///< b: columns of a panel, with layers of a layer's slice; 0: chosen
  Index nb = 0;            ///< columns of a rank's blocks, a multiple of b; 0: chosen
  Index outer_panel = 0;   ///< 2.5D: B_g, columns of which each layer has a slice of b, a multiple of b; 0: c b
  Bytes memory{0};         ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// How panels and rows of U are sent to several ranks; none: tasks::default_tree().
  std::optional<MulticastTree> tree{};
  /// The distribution of the caller's A: the price of candidates in others includes redistribution.
  std::optional<Distribution> given;
  int candidates = 0;  ///< length of the plan's table, the best first; 0: all
  /// Places of the communicator's ranks (Communicator::mapping); none: rank r at place r of the machine.
  std::optional<Mapping> mapping{};
};

/// An algorithm on a grid, with its price.
struct LuCandidate {
  std::string algorithm;
  GemmGrid grid;
  /// The grid axes from the fastest running over the machine's ranks; "given": one row of the ranks of the caller's
  /// grid, each with the columns of which its process column has the most.
  std::string order = "ijl";
  bool in_place = false;       ///< on the caller's own distribution (LuOptions::given)
  Index panel = 0;             ///< columns of a panel, with layers of a layer's slice
  Index nb = 0;                ///< columns of a rank's blocks in the distribution
  int ahead = 1;               ///< look-ahead: panels under way at a time
  Index outer_panel = 0;       ///< columns that the layers share; equals `panel` with one layer
  Seconds compute{};           ///< local work of the busiest rank (graph::Price::work)
  Seconds communicate{};       ///< messages on the busiest axis (graph::Price::links)
  Seconds total{};             ///< with overlap, and with redistribution if `given`
  std::int64_t words = 0;      ///< elements moved by the busiest rank, without exchanged rows: max(sent, received)
  std::int64_t messages = 0;   ///< of the busiest rank, likewise
  double exchanged_words = 0;  ///< expected elements of exchanged rows of the busiest rank
  Bytes memory{};              ///< peak per rank: its part of A and all work space
  double most_products = 0;    ///< W: upper bound on the busiest rank's multiplications of an element of L and one of U
  double bound_words = 0;      ///< lower bound on words including exchanged ones: the larger of the two below
  double bound_memory = 0;     ///< memory-dependent: model::LuBound
  double bound_extents = 0;    ///< memory-independent
  std::string why_not;         ///< not empty: why it cannot be used
};

/// The chosen algorithm and grid, equal on every rank, and their predicted cost.
struct LuPlan {
  LuProblem problem;
  Machine machine = Machine::flat(1);
  LuOptions options;
  LuCandidate chosen;
  std::vector<LuCandidate> candidates;  ///< best first; unusable ones last
  Distribution distribution;            ///< that the algorithm uses; an A in it needs no redistribution
  /// Exact prediction per rank, without redistribution and without exchanged rows, which depend on the pivots. Empty if
  /// counting would take over a second: panels times ranks above 60,000.
  std::vector<Traffic> traffic;

  [[nodiscard]] std::string to_json() const;
};

/// Plans without MPI. Deterministic: depends only on its arguments.
/// @throws Error(argument) for negative extents, unknown names, a grid that does not fit machine.ranks();
///         Error(memory) with the bytes needed and available if no candidate fits the limit
[[nodiscard]] LuPlan plan_lu(LuProblem const& problem, Machine const& machine, LuOptions const& options = {});

/// Results and measurements of a factorization; equal on all ranks.
struct LuReport {
  LuCandidate chosen;
  Pivoting pivoting = Pivoting::tournament;  ///< what was done in the end
  /// 0, or j >= 1: U(j, j) is exactly zero (the first one, counted from 1 as LAPACK does). The factors are complete,
  /// but dividing by U fails.
  Index info = 0;
  double growth = 0;  ///< max |U| / max |A|; NaN when A has NaN
  int fell_back = 0;  ///< panels with partial pivoting because a tournament met an exactly zero pivot
  Seconds total{};
  Seconds compute{};      ///< busiest rank: multiplications and triangular solves
  Seconds panel{};        ///< busiest rank: in panels, with their communication
  Seconds communicate{};  ///< longest wait for communication that was not hidden
  Seconds redistribute{};
  std::vector<Traffic> predicted;  ///< per rank, without redistribution and exchanged rows
  std::vector<Traffic> measured;   ///< likewise
  std::vector<Traffic> exchanged;  ///< per rank, exchanged rows
  std::vector<Traffic> moved;      ///< per rank, by redistribution
  Bytes predicted_memory{};
  Bytes measured_memory{};
  double bound_words = 0;

  [[nodiscard]] std::string to_json() const;
};

/// P A = L U in place: U on and above the diagonal, the multipliers of L (its unit diagonal is not stored) below.
/// Called by all ranks of A's communicator with equal arguments (but for the data).
/// @param pivots  on every rank: min(m, n) rows counted from 0; row i was exchanged with row pivots[i] >= i, in order
/// @pre plan.machine == a.comm().machine()
/// @throws Error on every rank; A is then undefined. A singular matrix is no error: see LuReport::info
template <class T>
LuReport lu(LuPlan const& plan, Matrix<T> const& a, std::vector<Index>& pivots, Progress const& progress = {});

/// As above without a plan: plan_lu() makes one on A's communicator, for a matrix that is distributed as A is.
/// @param a  m x n
/// @param options  for plan_lu(); its `mapping` and `given` are replaced by the communicator's and A's
/// @throws Error on every rank, as plan_lu() and lu() with a plan; A is then undefined
template <class T>
LuReport lu(Matrix<T> const& a, std::vector<Index>& pivots, Pivoting pivoting = Pivoting::tournament,
            LuOptions const& options = {});

/// The registered algorithms' names with a sentence each.
[[nodiscard]] std::vector<GemmAlgorithmName> lu_algorithms();

#define ALLPORT_LU_INSTANCE(prefix, T) \
  prefix template LuReport lu(LuPlan const&, Matrix<T> const&, std::vector<Index>&, Progress const&)
ALLPORT_LU_INSTANCE(extern, float);
ALLPORT_LU_INSTANCE(extern, double);
ALLPORT_LU_INSTANCE(extern, std::complex<float>);
ALLPORT_LU_INSTANCE(extern, std::complex<double>);

}  // namespace allport
