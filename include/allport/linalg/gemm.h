// Distributed matrix products: C = alpha op(A) op(B) + beta C, with a plan before and a report after.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/linalg/matrix.h"
#include "allport/machine/machine.h"
#include "allport/tasks/transport.h"

namespace allport {

/// op(X) = X, X^T or X^H.
enum class Trans : char { none = 'N', transpose = 'T', conjugate = 'C' };

/// op(A): m x k, op(B): k x n, C: m x n.
struct GemmProblem {
  Index m = 0;
  Index n = 0;
  Index k = 0;
  Scalar type = Scalar::d;
  Trans trans_a = Trans::none;
  Trans trans_b = Trans::none;

  friend bool operator==(GemmProblem const&, GemmProblem const&) = default;
};

/// p_r x p_c x c: rows of C over p_r, its columns over p_c, k over c layers.
struct GemmGrid {
  int rows = 1;
  int cols = 1;
  int layers = 1;

  [[nodiscard]] int ranks() const { return rows * cols * layers; }
  friend bool operator==(GemmGrid const&, GemmGrid const&) = default;
};

/// The distributions of a caller's A, B and C, as stored.
struct GemmGiven {
  Distribution a, b, c;
  bool reads_c = false;  ///< beta is not zero
};

/// Choices of the caller; whatever is left empty is chosen by predicted time.
struct GemmOptions {
  std::string algorithm;   ///< of gemm_algorithms(); empty: any
  GemmGrid grid{0, 0, 0};  ///< zeros: any
  std::string order;       ///< grid axes from the fastest running over the ranks, a permutation of "ijl"; empty: any
  Index panel = 0;         ///< columns of A that are sent at once; 0: chosen
  Bytes memory{0};         ///< limit per rank; 0: the machine's memory per rank, or no limit if that is unknown
  /// How panels and blocks are sent to several ranks; none: tasks::default_tree().
  std::optional<MulticastTree> tree{};
  int candidates = 0;  ///< length of the plan's table, the best first; 0: all
  /// Places of the communicator's ranks (Communicator::mapping); none: rank r at place r of the machine.
  std::optional<Mapping> mapping{};
  /// The distributions of the matrices: the price of candidates includes redistribution there and back. A product
  /// without transpositions on the grid of the matrices needs none, also for block-cyclic matrices.
  std::optional<GemmGiven> given{};
};

/// Where the parts of a product's axes begin, and where the last one ends: of m along the grid's rows, of n along its
/// columns, of k along its columns in A and along its rows in B.
struct GemmCuts {
  std::vector<Index> m, n, k_of_a, k_of_b;

  [[nodiscard]] bool even() const { return m.empty(); }
};

/// An algorithm on a grid, with its price.
struct GemmCandidate {
  std::string algorithm;
  GemmGrid grid;
  std::string order = "ijl";  ///< which grid axis runs fastest over the machine's ranks
  Index panel = 0;
  GemmCuts cuts;              ///< those of the `given` matrices if 2D SUMMA multiplies them in place; none: even parts
  Seconds compute{};          ///< work of the busiest rank
  Seconds communicate{};      ///< of the mean link of the busiest axis, or of a rank's messages, without overlap
  Seconds total{};            ///< with overlap, and with redistribution there and back if `given`
  std::int64_t words = 0;     ///< elements moved by the busiest rank: max(sent, received)
  std::int64_t messages = 0;  ///< of the busiest rank: max(sent, received)
  Bytes memory{};             ///< peak per rank: its parts of A, B, C and all work space
  double most_products = 0;   ///< W: upper bound on the multiplications of the busiest rank
  double bound_words = 0;     ///< lower bound on words with that memory and W: model::gemm_bound()
  std::string why_not;        ///< not empty: why it cannot be used
};

/// The chosen algorithm and grid, equal on every rank, and their predicted cost.
struct GemmPlan {
  GemmProblem problem;
  Machine machine = Machine::flat(1);
  GemmOptions options;
  GemmCandidate chosen;
  std::vector<GemmCandidate> candidates;  ///< best first; unusable ones last
  /// The distributions that the algorithm uses (ranks are the communicator's). A is stored as given: op is applied when
  /// multiplying, so a transposed A is distributed k x m. Matrices in these distributions need no redistribution.
  Distribution a;
  Distribution b;
  Distribution c;
  /// Exact prediction per rank, without redistribution.
  std::vector<Traffic> traffic;

  [[nodiscard]] std::string to_json() const;
};

/// Plans without MPI. Deterministic: depends only on its arguments.
/// @throws Error(argument) for negative extents, unknown names, a grid that does not fit machine.ranks();
///         Error(memory) with the bytes needed and available if no candidate fits the limit
[[nodiscard]] GemmPlan plan_gemm(GemmProblem const& problem, Machine const& machine, GemmOptions const& options = {});

/// Measurements of a run, gathered from all ranks; equal on all ranks.
struct GemmReport {
  GemmCandidate chosen;
  Seconds total{};
  Seconds compute{};      ///< busiest rank
  Seconds communicate{};  ///< longest wait for communication that was not hidden
  Seconds redistribute{};
  std::vector<Traffic> predicted;  ///< per rank, without redistribution
  std::vector<Traffic> measured;   ///< per rank, without redistribution
  std::vector<Traffic> moved;      ///< per rank, by redistribution
  Bytes predicted_memory{};
  Bytes measured_memory{};  ///< peak of the busiest rank
  double bound_words = 0;   ///< that of the plan; 0 if alpha == 0

  [[nodiscard]] std::string to_json() const;
};

/// Called on every rank from time to time with (steps done, steps in all).
using Progress = std::function<void(int, int)>;

/// Runs a plan. Matrices in other distributions than the plan's are redistributed. beta == 0 never reads C. Called by
/// all ranks of C's communicator with equal arguments (but for the data).
/// @pre plan.machine == c.comm().machine(); A and B are over the same ranks
/// @throws Error on every rank; C is then undefined
template <class T>
GemmReport gemm(GemmPlan const& plan, std::type_identity_t<T> alpha, Matrix<std::type_identity_t<T> const> const& a,
                Matrix<std::type_identity_t<T> const> const& b, std::type_identity_t<T> beta, Matrix<T> const& c,
                Progress const& progress = {});

/// C = alpha op(A) op(B) + beta C without a plan: plan_gemm() makes one on C's communicator, for matrices that are
/// distributed as these are. Called by all ranks of the communicator with equal arguments (but for the data).
/// @param a  op(A) is m x k: A itself is k x m if trans_a is not Trans::none
/// @param b  op(B) is k x n, likewise
/// @param c  m x n; not read if beta == 0
/// @param options  for plan_gemm(); its `mapping` and `given` are replaced by the communicator's and the matrices'
/// @throws Error on every rank, as plan_gemm() and gemm() with a plan; C is then undefined
template <class T>
GemmReport gemm(std::type_identity_t<T> alpha, Matrix<std::type_identity_t<T> const> const& a,
                Matrix<std::type_identity_t<T> const> const& b, std::type_identity_t<T> beta, Matrix<T> const& c,
                Trans trans_a = Trans::none, Trans trans_b = Trans::none, GemmOptions const& options = {});

#define ALLPORT_GEMM_INSTANCE(prefix, T)                                                                    \
  prefix template GemmReport gemm<T>(GemmPlan const&, T, Matrix<T const> const&, Matrix<T const> const&, T, \
                                     Matrix<T> const&, Progress const&)
ALLPORT_INSTANCES(ALLPORT_GEMM_INSTANCE, extern);

/// The registered algorithms' names with a sentence each.
struct GemmAlgorithmName {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::vector<GemmAlgorithmName> gemm_algorithms();

}  // namespace allport
