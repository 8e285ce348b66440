// Factored in half the precision, corrected to full: LAPACK's dsgesv and zcgesv, distributed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "allport/linalg/gather.h"
#include "allport/linalg/solve.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

template <class T>
using Half = std::conditional_t<std::is_same_v<T, double>, float, std::complex<float>>;

constexpr int most_corrections = 30;

/// The local part in another precision; false when a number does not fit.
template <class To, class From>
bool convert(Index rows, Index cols, From const* from, Index ld, To* to, Index to_ld) {
  using Small = decltype(std::abs(To{}));
  bool fits = true;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      auto const x = from[i + j * ld];
      auto const size = static_cast<double>(std::abs(x));
      fits = fits && !(size > static_cast<double>(std::numeric_limits<Small>::max()));
      to[i + j * to_ld] = static_cast<To>(x);
    }
  }
  return fits;
}

bool everywhere(Communicator const& comm, bool mine) {
  std::int64_t const word = mine ? 1 : 0;
  auto const all = comm.all_gather(std::span<std::int64_t const>(&word, 1));
  return std::ranges::all_of(all, [](auto x) { return x == 1; });
}

/// The right-hand sides and the solution, whole on every rank.
template <class T>
struct Sides {
  Index n = 0;
  Index count = 0;
  std::vector<T> b;
  std::vector<T> x;
  std::vector<T> r;

  [[nodiscard]] double largest(std::vector<T> const& v, Index j) const {
    double most = 0;
    for (Index i = 0; i < n; ++i) {
      auto const size = static_cast<double>(std::abs(v[static_cast<std::size_t>(i + j * n)]));
      if (!(size <= most)) most = std::isnan(most) ? most : size;
    }
    return most;
  }
};

template <class T>
void to_all(Communicator const& comm, std::vector<T>& whole) {
  auto transfer = comm.start_broadcast(std::as_writable_bytes(std::span<T>(whole)), 0);
  transfer.wait();
}

template <class T>
class Corrections {
 public:
  Corrections(Communicator const& comm, Distribution const& distribution, Part<T const> a,
              Distribution const& half_distribution, std::vector<Half<T>> const& factors, Index ld,
              std::vector<Index> const& pivots)
      : comm_(comm),
        layout_(distribution),
        a_(a),
        half_layout_(half_distribution),
        factors_(factors),
        ld_(ld),
        pivots_(pivots) {}

  /// The number of corrections, or nothing when they do not converge.
  std::optional<int> run(Sides<T>& s) {
    auto const norm_a = norm(comm_, Norm::infinity, layout_, a_);
    auto const enough = norm_a * (std::numeric_limits<double>::epsilon() / 2) * std::sqrt(static_cast<double>(s.n));
    std::fill(s.x.begin(), s.x.end(), T(0));
    s.r = s.b;
    for (int step = 0; step <= most_corrections; ++step) {
      if (!correct(s)) return std::nullopt;
      apply<T>(comm_, Trans::none, layout_, a_, s.x.data(), s.count, std::span<T>(s.r));
      for (std::size_t x = 0; x < s.r.size(); ++x) s.r[x] = s.b[x] - s.r[x];
      bool done = true;
      for (Index j = 0; j < s.count; ++j) {
        done = done && s.largest(s.r, j) <= s.largest(s.x, j) * enough;  // false for NaN
      }
      if (done) return step;
    }
    return std::nullopt;
  }

 private:
  /// x += A^-1 r in half the precision; false when r does not fit into it.
  bool correct(Sides<T>& s) {
    std::vector<Half<T>> small(s.r.size());
    if (!convert(s.n, s.count, s.r.data(), s.n, small.data(), s.n)) {
      return false;
    }
    lu_solve<Half<T>>(comm_, Trans::none, half_layout_, {factors_.data(), ld_}, pivots_, whole_on(0, s.n, s.count),
                      {small.data(), s.n});
    to_all(comm_, small);
    for (std::size_t x = 0; x < s.x.size(); ++x) s.x[x] += static_cast<T>(small[x]);
    return true;
  }

  Communicator const& comm_;
  Distribution const& layout_;
  Part<T const> a_;
  Distribution const& half_layout_;
  std::vector<Half<T>> const& factors_;
  Index ld_;
  std::vector<Index> const& pivots_;
};

}  // namespace

template <class T>
Refinement solve_refined(Communicator const& comm, LuPlan const& plan, Distribution const& a_distribution,
                         Part<T const> a, Distribution const& b_distribution, Part<T> b, Progress const& progress) {
  auto const n = a_distribution.rows().extent();
  auto const sides = b_distribution.cols().extent();
  auto const rank = comm.rank();
  auto error = gemm_detail::trouble("A", {n, n}, a_distribution, a.data, a.ld, rank, comm.size());
  if (error.empty()) error = gemm_detail::trouble<T>("B", {n, sides}, b_distribution, b.data, b.ld, rank, comm.size());
  if (error.empty() && (plan.problem.m != n || plan.problem.n != n)) {
    error = fmt::format("plan = for {} x {}: expected {} x {}", plan.problem.m, plan.problem.n, n, n);
  }
  comm.ensure_all_well(error);
  Refinement how;

  auto half_problem = plan.problem;
  half_problem.type = scalar_of<Half<T>>;
  auto half_options = plan.options;
  half_options.given.reset();
  half_options.algorithm = plan.chosen.algorithm;
  half_options.grid = plan.chosen.grid;
  half_options.candidates = 1;
  auto const half_plan = plan_lu(half_problem, plan.machine, half_options);
  auto const rows = a_distribution.local_rows(rank);
  auto const cols = a_distribution.local_cols(rank);
  auto const ld = std::max<Index>(rows, 1);
  std::vector<Half<T>> half(static_cast<std::size_t>(ld * std::max<Index>(cols, 1)));
  std::vector<Index> pivots;
  if (!everywhere(comm, convert(rows, cols, a.data, a.ld, half.data(), ld))) {
    how.why = "overflow";
  } else {
    how.factorization = lu<Half<T>>(comm, half_plan, a_distribution, {half.data(), ld}, pivots, progress);
    if (how.factorization.info != 0) how.why = "singular";
  }
  Sides<T> s{n, sides, std::vector<T>(static_cast<std::size_t>(n * sides)), {}, {}};
  if (how.why[0] == '\0') {
    s.x.resize(s.b.size());
    gather_to_root<T>(comm, b_distribution, {b.data, b.ld}, 0, {s.b.data(), std::max<Index>(n, 1)});
    to_all(comm, s.b);
    auto const corrections = Corrections<T>(comm, a_distribution, a, a_distribution, half, ld, pivots).run(s);
    if (corrections) {
      how.iterations = *corrections;
      scatter_from_root<T>(comm, 0, {s.x.data(), std::max<Index>(n, 1)}, b_distribution, b);
      return how;
    }
    how.why = "no convergence";
  }
  how.fell_back = true;
  std::vector<T> full(half.size());
  for (Index j = 0; j < cols; ++j) std::copy_n(a.data + j * a.ld, rows, full.data() + j * ld);
  half = {};
  how.factorization = lu<T>(comm, plan, a_distribution, {full.data(), ld}, pivots, progress);
  if (how.factorization.info == 0) {
    lu_solve<T>(comm, Trans::none, a_distribution, {full.data(), ld}, pivots, b_distribution, b);
  }
  return how;
}

template Refinement solve_refined(Communicator const&, LuPlan const&, Distribution const&, Part<double const>,
                                  Distribution const&, Part<double>, Progress const&);
template Refinement solve_refined(Communicator const&, LuPlan const&, Distribution const&,
                                  Part<std::complex<double> const>, Distribution const&, Part<std::complex<double>>,
                                  Progress const&);

}  // namespace allport
