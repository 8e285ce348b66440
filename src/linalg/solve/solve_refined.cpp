// Solves with factors in half the precision and iterative refinement, as LAPACK's dsgesv and zcgesv.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "allport/linalg/solve.h"
#include "linalg/lu/lu_team.h"
#include "linalg/matrix/elements.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

template <class T>
using Half = std::conditional_t<std::is_same_v<T, double>, float, std::complex<float>>;

constexpr int most_corrections = 30;

/// Converts the local part to another precision; false if a number overflows.
template <class To, class From>
bool convert(Index rows, Index cols, Part<From const> from, Part<To> to) {
  using Small = decltype(std::abs(To{}));
  bool fits = true;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      auto const x = from.data[i + j * from.ld];
      auto const size = static_cast<double>(std::abs(x));
      fits = fits && !(size > static_cast<double>(std::numeric_limits<Small>::max()));
      to.data[i + j * to.ld] = static_cast<To>(x);
    }
  }
  return fits;
}

bool everywhere(Communicator const& comm, bool mine) {
  std::int64_t const word = mine ? 1 : 0;
  auto const all = comm.all_gather(std::span<std::int64_t const>(&word, 1));
  return std::ranges::all_of(all, [](auto x) { return x == 1; });
}

/// The right-hand sides and the solution, all elements on every rank.
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
      detail::raise(most, static_cast<double>(std::abs(v[static_cast<std::size_t>(i + j * n)])));
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
  Corrections(Matrix<T const> const& a, Matrix<Half<T> const> const& factors, std::vector<Index> const& pivots)
      : a_(a), factors_(factors), pivots_(pivots) {}

  /// The number of corrections, or nothing if they do not converge.
  std::optional<int> run(Sides<T>& s) {
    auto const norm_a = norm(Norm::infinity, a_);
    auto const enough = norm_a * (std::numeric_limits<double>::epsilon() / 2) * std::sqrt(static_cast<double>(s.n));
    std::fill(s.x.begin(), s.x.end(), T(0));
    s.r = s.b;
    for (int step = 0; step <= most_corrections; ++step) {
      if (!correct(s)) return std::nullopt;
      apply(Trans::none, a_, static_cast<T const*>(s.x.data()), s.count, std::span<T>(s.r));
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
  /// x += A^-1 r in half the precision; false if r overflows.
  bool correct(Sides<T>& s) {
    std::vector<Half<T>> small(s.r.size());
    if (!convert(s.n, s.count, Part<T const>{s.r.data(), s.n}, Part<Half<T>>{small.data(), s.n})) {
      return false;
    }
    auto const& comm = a_.comm();
    lu_solve(Trans::none, factors_, pivots_, Matrix(comm, whole_on(0, s.n, s.count), small.data(), s.n));
    to_all(comm, small);
    for (std::size_t x = 0; x < s.x.size(); ++x) s.x[x] += static_cast<T>(small[x]);
    return true;
  }

  Matrix<T const> const& a_;
  Matrix<Half<T> const> factors_;
  std::vector<Index> const& pivots_;
};

/// Options that fix the choice of a plan, so that a second plan takes the same on ranks whose plans were made with
/// different options.
LuOptions as_chosen(LuPlan const& plan) {
  auto options = plan.options;
  auto const& chosen = plan.chosen;
  options.given.reset();
  options.algorithm = chosen.algorithm;
  options.grid = chosen.grid;
  options.candidates = 1;
  bool const own_blocks = !chosen.in_place;  // else the caller's
  options.order = own_blocks && chosen.order != rows_of_given ? chosen.order : "";
  options.panel = own_blocks ? chosen.panel : 0;
  options.nb = own_blocks ? chosen.nb : 0;
  options.outer_panel = own_blocks ? chosen.outer_panel : 0;
  return options;
}

}  // namespace

template <class T>
Refinement solve_refined(LuPlan const& plan, Matrix<std::type_identity_t<T> const> const& a, Matrix<T> const& b,
                         Progress const& progress) {
  auto const n = a.rows();
  auto const sides = b.cols();
  auto const& comm = b.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("A", a, n, n, comm);
    detail::check_operand("B", b, n, sides, comm);
    ensure(plan.problem.m == n && plan.problem.n == n, "plan",
           fmt::format("for {} x {}", plan.problem.m, plan.problem.n), fmt::format("{} x {}", n, n));
  });
  Refinement how;

  auto half_problem = plan.problem;
  half_problem.type = scalar_of<Half<T>>;
  auto const half_plan = plan_lu(half_problem, plan.machine, as_chosen(plan));
  std::optional half(Matrix<Half<T>>::allocate(comm, a.distribution()));
  std::vector<Index> pivots;
  if (!everywhere(comm, convert(a.local_rows(), a.local_cols(), a.part(), half->part()))) {
    how.why = "overflow";
  } else {
    how.factorization = lu(half_plan, *half, pivots, progress);
    if (how.factorization.info != 0) how.why = "singular";
  }
  Sides<T> s{n, sides, std::vector<T>(static_cast<std::size_t>(n * sides)), {}, {}};
  if (how.why[0] == '\0') {
    s.x.resize(s.b.size());
    auto const on_root = [&](std::vector<T>& whole) { return Matrix(comm, whole_on(0, n, sides), whole.data()); };
    redistribute(b, on_root(s.b));
    to_all(comm, s.b);
    auto const corrections = Corrections<T>(a, *half, pivots).run(s);
    if (corrections) {
      how.iterations = *corrections;
      redistribute(on_root(s.x), b);
      return how;
    }
    how.why = "no convergence";
  }
  how.fell_back = true;
  half.reset();
  auto const full = Matrix<T>::allocate(comm, a.distribution());
  for (Index j = 0; j < a.local_cols(); ++j) {
    std::copy_n(a.data() + j * a.ld(), a.local_rows(), full.data() + j * full.ld());
  }
  how.factorization = lu(plan, full, pivots, progress);
  if (how.factorization.info == 0) lu_solve(Trans::none, full, pivots, b);
  return how;
}

template Refinement solve_refined<double>(LuPlan const&, Matrix<double const> const&, Matrix<double> const&,
                                          Progress const&);
template Refinement solve_refined<std::complex<double>>(LuPlan const&, Matrix<std::complex<double> const> const&,
                                                        Matrix<std::complex<double>> const&, Progress const&);

}  // namespace allport
