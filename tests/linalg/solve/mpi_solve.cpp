// Solves, condition, determinant, residual and refinement on real ranks, against the definition.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>

#include "allport/linalg/solve.h"
#include "linalg/lu/lu_samples.h"

extern "C" void dgetrs_(char const*, int const*, int const*, double const*, int const*, int const*, double*, int const*,
                        int*);

namespace allport::lu_samples {
namespace {

class Solve : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
};

/// A factored on all ranks, in a distribution of the test's choice.
template <class T>
struct Factored {
  Factored(Communicator const& comm, Whole<T> const& a, LuOptions const& options,
           std::optional<Distribution> given = {})
      : plan(plan_lu({.m = a.m, .n = a.n, .type = scalar_of<T>, .pivoting = Pivoting::partial}, comm.machine(),
                     options)),
        held(distribute(a, given ? *given : plan.distribution, comm)),
        report(lu(plan, held.matrix, pivots)) {}
  LuPlan plan;
  Held<T> held;
  std::vector<Index> pivots;
  LuReport report;
};

template <class T>
T op(Whole<T> const& a, Trans trans, Index i, Index j) {
  if (trans == Trans::none) return a(i, j);
  if constexpr (scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z) {
    return trans == Trans::conjugate ? std::conj(a(j, i)) : a(j, i);
  } else {
    return a(j, i);
  }
}

/// SLATE's measure: norm1(B - op(A) X) / (n norm1(A) norm1(X)), in units of eps.
template <class T>
double solve_error(Whole<T> const& a, Trans trans, Whole<T> const& b, Whole<T> const& x) {
  auto rest = b;
  for (Index j = 0; j < b.n; ++j) {
    for (Index i = 0; i < a.m; ++i) {
      for (Index k = 0; k < a.m; ++k) rest(i, j) -= op(a, trans, i, k) * x(k, j);
    }
  }
  return norm1(rest) / (static_cast<double>(a.m) * norm1(a) * norm1(x) * eps_of<T>());
}

template <class T>
void solve_and_check(Communicator const& comm, Index n, Index sides, Trans trans, LuOptions const& options,
                     std::optional<Distribution> given = {}, std::optional<SolveForm> form = {}) {
  SCOPED_TRACE(fmt::format("n {} sides {} trans {} grid {}x{}x{} form {}", n, sides, static_cast<char>(trans),
                           options.grid.rows, options.grid.cols, options.grid.layers,
                           form ? static_cast<int>(*form) : -1));
  auto const a = make<T>(Sample::random, n, n);
  Factored<T> f(comm, a, options, given);
  auto b = make<T>(Sample::random, n, sides);
  auto const b_distribution = whole_on(comm.size() - 1, n, sides);
  auto held = distribute(b, b_distribution, comm);
  lu_solve(trans, f.held.matrix, f.pivots, held.matrix, form);
  auto const x = collect(held);
  if (n > 0 && sides > 0) {
    EXPECT_LE(solve_error(a, trans, b, x), 25.0);
  }
}

std::vector<LuOptions> grids(Communicator const& comm) {
  std::vector<LuOptions> all;
  for (int r = 1; r <= comm.size(); ++r) {
    if (comm.size() % r != 0) continue;
    LuOptions o;
    o.grid = {r, comm.size() / r, 1};
    o.panel = 6;
    all.push_back(o);
  }
  return all;
}

constexpr std::array forms{SolveForm::sums, SolveForm::panels};
constexpr std::array transposes{Trans::none, Trans::transpose, Trans::conjugate};

TEST_F(Solve, GivesTheSolutionForEveryTypeInEveryForm) {
  for (auto const& options : grids(comm)) {
    for (auto const trans : transposes) {
      for (auto const form : forms) {
        solve_and_check<float>(comm, 29, 3, trans, options, {}, form);
        solve_and_check<double>(comm, 29, 19, trans, options, {}, form);
        solve_and_check<std::complex<float>>(comm, 29, 5, trans, options, {}, form);
        solve_and_check<std::complex<double>>(comm, 29, 14, trans, options, {}, form);
      }
    }
  }
}

TEST_F(Solve, TakesFactorsOfLayers) {
  if (comm.size() % 2 != 0) return;
  LuOptions options;
  options.algorithm = "2.5d";
  options.grid = {1, comm.size() / 2, 2};
  options.panel = 4;
  for (auto const form : forms) solve_and_check<double>(comm, 23, 9, Trans::none, options, {}, form);
  solve_and_check<double>(comm, 23, 9, Trans::transpose, options);
}

TEST_F(Solve, TakesAnyNumberOfRightHandSides) {
  for (auto const form : forms) {
    for (Index const sides : {0, 1, 2, 300, 520}) {
      solve_and_check<double>(comm, 17, sides, Trans::none, grids(comm).back(), {}, form);
    }
    for (Index const sides : {1, 300}) {
      solve_and_check<double>(comm, 17, sides, Trans::transpose, grids(comm).front(), {}, form);
    }
  }
  solve_and_check<double>(comm, 0, 2, Trans::none, {});
  solve_and_check<double>(comm, 1, 1, Trans::none, {});
}

TEST_F(Solve, TakesFactorsWhereTheyLie) {
  auto const p = comm.size();
  std::vector<Rank> ranks(static_cast<std::size_t>(p));
  for (Rank r = 0; r < p; ++r) ranks[static_cast<std::size_t>(r)] = p - 1 - r;
  Distribution const tall(AxisDistribution::cyclic(31, p, 4, p - 1, 3), AxisDistribution::cyclic(31, 1, 5), ranks);
  Distribution const wide(AxisDistribution::balanced(31, 1), AxisDistribution::cyclic(31, p, 5, 0, 2), ranks);
  for (auto const form : forms) {
    for (auto const& distribution : {tall, wide}) {
      solve_and_check<double>(comm, 31, 2, Trans::none, {}, distribution, form);
      solve_and_check<double>(comm, 31, 15, Trans::transpose, {}, distribution, form);
    }
  }
}

/// LAPACK's X of a well-conditioned system.
Whole<double> lapack_solution(Whole<double> a, Trans trans, Whole<double> b) {
  int const n = static_cast<int>(a.n), sides = static_cast<int>(b.n);
  char const how = static_cast<char>(trans);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  dgetrf_(&n, &n, a.data.data(), &n, pivots.data(), &info);
  dgetrs_(&how, &n, &sides, a.data.data(), &n, pivots.data(), b.data.data(), &n, &info);
  return b;
}

TEST_F(Solve, EqualsLapackWhereverTheRightHandSidesLie) {
  Index const n = 40, sides = 21;
  auto a = make<double>(Sample::dominant, n, n);
  for (Index j = 0; j < n; ++j) std::swap(a(0, j), a(n - 1, j));  // so that rows are exchanged
  auto const b = make<double>(Sample::random, n, sides);
  for (auto const& options : grids(comm)) {
    Factored<double> f(comm, a, options);
    auto const& rows = f.held.matrix.distribution().rows();
    auto const parts = f.held.matrix.distribution().cols().parts();
    std::vector<Distribution> const distributions{
        Distribution(rows, AxisDistribution::cyclic(sides, parts, 6), f.held.matrix.distribution().grid()),
        Distribution(rows, AxisDistribution::cyclic(sides, parts, sides, parts - 1),
                     f.held.matrix.distribution().grid()),  // all in the last grid column
        whole_on(0, n, sides),
    };
    for (auto const trans : transposes) {
      auto const expected = lapack_solution(a, trans, b);
      for (auto const& distribution : distributions) {
        for (auto const form : forms) {
          auto held = distribute(b, distribution, comm);
          lu_solve(trans, f.held.matrix, f.pivots, held.matrix, form);
          auto x = collect(held);
          for (std::size_t e = 0; e < x.data.size(); ++e) ASSERT_NEAR(x.data[e], expected.data[e], 1e-14) << e;
        }
      }
    }
  }
}

/// Traffic of a solve is that of its plan: no rows are exchanged, B has the distribution of the form.
template <class T>
void count_and_compare(Communicator const& comm, Trans trans, Index sides, Distribution const& distribution,
                       SolveForm form) {
  SCOPED_TRACE(fmt::format("sides {} trans {} form {}", sides, static_cast<char>(trans), static_cast<int>(form)));
  auto const n = distribution.rows().extent();
  auto const factors =
      distribute(make<T>(Sample::dominant, n, n), distribution, comm);  // as good as factors: not singular
  std::vector<Index> pivots;
  for (Index i = 0; i < n; ++i) pivots.push_back(i);
  SolveProblem const problem{trans, scalar_of<T>};
  auto const b_distribution =
      plan_solve(problem, distribution, whole_on(0, n, sides), comm.machine(), form).distribution;
  auto const plan = plan_solve(problem, distribution, b_distribution, comm.machine(), form);
  EXPECT_EQ(plan.distribution, b_distribution);
  auto b = distribute(make<T>(Sample::random, n, sides), b_distribution, comm);
  auto const run = lu_solve(trans, factors.matrix, pivots, b.matrix, form);
  EXPECT_EQ(run.count.traffic, plan.traffic.at(static_cast<std::size_t>(comm.rank())));
  if (comm.size() > 1 && sides > 0) {
    std::int64_t all = 0;
    for (auto const& one : plan.traffic) all += one.bytes_sent;
    EXPECT_GT(all, 0);
  }
}

TEST_F(Solve, SendsWhatItsPlanSays) {
  for (auto const& options : grids(comm)) {
    auto const distribution = plan_lu({.m = 37, .n = 37}, comm.machine(), options).distribution;
    for (auto const form : forms) {
      for (auto const trans : {Trans::none, Trans::transpose}) {
        for (Index const sides : {0, 1, 3, 30, 300}) count_and_compare<double>(comm, trans, sides, distribution, form);
      }
      count_and_compare<float>(comm, Trans::none, 9, distribution, form);
      count_and_compare<std::complex<float>>(comm, Trans::conjugate, 9, distribution, form);
      count_and_compare<std::complex<double>>(comm, Trans::none, 9, distribution, form);
    }
  }
}

TEST_F(Solve, ChoosesByPrice) {
  // The busiest of 16 ranks has all updates to do while the factors stay, and an eighth of them when their panels
  // travel.
  Index const n = 4096;
  std::vector<Rank> ranks;
  for (Rank r = 0; r < 16; ++r) ranks.push_back(r);
  Distribution const distribution(AxisDistribution::cyclic(n, 2, 64), AxisDistribution::cyclic(n, 8, 64), ranks);
  auto const plan = [&](AxisDistribution const& sides, std::optional<SolveForm> form = {}) {
    return plan_solve({}, distribution, Distribution(distribution.rows(), sides, ranks), Machine::flat(16), form);
  };
  auto const few = plan(AxisDistribution::cyclic(1, 8, 64));
  auto const many = plan(AxisDistribution::cyclic(n, 8, 64));
  EXPECT_EQ(few.form, SolveForm::sums);
  EXPECT_EQ(many.form, SolveForm::panels);
  EXPECT_EQ(many.distribution.cols(), AxisDistribution::cyclic(n, 8, 64));  // balanced enough to stay
  EXPECT_LT(many.total, plan(AxisDistribution::cyclic(n, 8, 64), SolveForm::sums).total);
  EXPECT_LT(few.total, plan(AxisDistribution::cyclic(1, 8, 64), SolveForm::panels).total);
  EXPECT_EQ(plan(AxisDistribution::cyclic(n, 8, n)).distribution.cols(),
            AxisDistribution::balanced(n, 8));  // all in one grid column: distributed
  EXPECT_THROW((void)plan_solve({}, distribution, whole_on(0, n + 1, 1), Machine::flat(16)), Error);
}

TEST_F(Solve, NormsAreTheDefinitions) {
  auto const a = make<std::complex<double>>(Sample::random, 13, 9);
  auto const distribution = plan_lu({.m = 13, .n = 9, .type = Scalar::z}, comm.machine()).distribution;
  auto const held = distribute(a, distribution, comm);
  double infinity = 0, squares = 0, most = 0;
  for (Index i = 0; i < 13; ++i) {
    double sum = 0;
    for (Index j = 0; j < 9; ++j) {
      sum += std::abs(a(i, j));
      squares += std::norm(a(i, j));
      most = std::max(most, std::abs(a(i, j)));
    }
    infinity = std::max(infinity, sum);
  }
  EXPECT_NEAR(norm<std::complex<double>>(Norm::one, held.matrix), norm1(a), 1e-13);
  EXPECT_NEAR(norm<std::complex<double>>(Norm::infinity, held.matrix), infinity, 1e-13);
  EXPECT_NEAR(norm<std::complex<double>>(Norm::frobenius, held.matrix), std::sqrt(squares), 1e-13);
  EXPECT_EQ(norm<std::complex<double>>(Norm::max, held.matrix), most);
  auto const bad = distribute(make<double>(Sample::nan, 13, 9), distribution, comm);
  for (auto const which : {Norm::one, Norm::infinity, Norm::frobenius, Norm::max}) {
    EXPECT_TRUE(std::isnan(norm<double>(which, bad.matrix)));
  }
}

TEST_F(Solve, ConditionOfHilbertsMatrix) {
  // norm1(H) norm1(H^-1) of order 8 is 3.387e10 (Higham, Accuracy and Stability, table 28.1).
  auto h = make<double>(Sample::random, 8, 8);
  for (Index j = 0; j < 8; ++j) {
    for (Index i = 0; i < 8; ++i) h(i, j) = 1.0 / static_cast<double>(i + j + 1);
  }
  Factored<double> f(comm, h, {});
  auto const rcond = lu_condition<double>(f.held.matrix, f.pivots, norm1(h));
  EXPECT_NEAR(1.0 / rcond / 3.387e10, 1.0, 0.01);
  Factored<double> zero(comm, make<double>(Sample::zero, 5, 5), {});
  EXPECT_EQ(lu_condition<double>(zero.held.matrix, zero.pivots, 0.0), 0.0);
}

TEST_F(Solve, DeterminantOfAKnownMatrix) {
  // The tridiagonal matrix with 2 on and -1 beside the diagonal has determinant n + 1.
  Whole<std::complex<double>> a{20, 20, std::vector<std::complex<double>>(400)};
  for (Index i = 0; i < 20; ++i) {
    a(i, i) = 2;
    if (i > 0) a(i, i - 1) = a(i - 1, i) = -1;
  }
  for (Index i = 0; i < 20; ++i) a(i, 0) *= std::complex<double>(0, -3);  // times -3i
  Factored<std::complex<double>> f(comm, a, grids(comm).back());
  auto const det = lu_determinant<std::complex<double>>(f.held.matrix, f.pivots);
  EXPECT_NEAR(det.log_abs, std::log(63.0), 1e-12);
  EXPECT_NEAR(std::abs(det.phase - std::complex<double>(0, -1)), 0, 1e-12);
}

TEST_F(Solve, ResidualTellsRightFromWrong) {
  for (auto const& [m, n] : std::vector<std::pair<Index, Index>>{{30, 30}, {30, 19}, {19, 30}}) {
    auto const a = make<double>(Sample::random, m, n);
    auto const a_distribution = whole_on(0, m, n);
    auto const original = distribute(a, a_distribution, comm);
    Factored<double> f(comm, a, grids(comm).front());
    EXPECT_LE(lu_residual<double>(original.matrix, f.held.matrix, f.pivots), 1.0);
    for (auto& x : f.held.data) x *= 1.0 + 1e-9;
    EXPECT_GT(lu_residual<double>(original.matrix, f.held.matrix, f.pivots), 100.0);
  }
}

template <class T>
void refine(Communicator const& comm, Whole<T> const& a, bool falls_back, std::string const& why) {
  auto const n = a.n;
  auto const plan = plan_lu({.m = n, .n = n, .type = scalar_of<T>}, comm.machine());
  auto const distribution = plan.distribution;
  auto const held = distribute(a, distribution, comm);
  auto const b = make<T>(Sample::random, n, 2);
  auto const b_distribution = whole_on(0, n, 2);
  auto sides = distribute(b, b_distribution, comm);
  auto const how = solve_refined(plan, held.matrix, sides.matrix);
  EXPECT_EQ(how.fell_back, falls_back);
  EXPECT_EQ(how.why, why);
  if (why != "singular") {
    EXPECT_LE(solve_error(a, Trans::none, b, collect(sides)), 5.0);
  }
}

TEST_F(Solve, RefinesHalfThePrecisionOrFallsBack) {
  refine(comm, make<double>(Sample::random, 40, 40), false, "");
  refine(comm, make<std::complex<double>>(Sample::random, 23, 23), false, "");
  auto large = make<double>(Sample::random, 12, 12);
  large(3, 4) = 1e60;
  refine(comm, large, true, "overflow");
  refine(comm, make<double>(Sample::zero, 6, 6), true, "singular");
  auto hilbert = make<double>(Sample::random, 10, 10);
  for (Index j = 0; j < 10; ++j) {
    for (Index i = 0; i < 10; ++i) hilbert(i, j) = 1.0 / static_cast<double>(i + j + 1);
  }
  refine(comm, hilbert, true, "no convergence");
}

TEST_F(Solve, RefusesWrongArgumentsOnEveryRank) {
  auto const a = make<double>(Sample::random, 8, 7);
  Factored<double> f(comm, a, {});
  auto const b_distribution = whole_on(0, 8, 1);
  auto b = distribute(make<double>(Sample::random, 8, 1), b_distribution, comm);
  EXPECT_THROW(lu_solve(Trans::none, f.held.matrix, f.pivots, b.matrix), Error);
  Factored<double> g(comm, make<double>(Sample::random, 8, 8), {});
  auto pivots = g.pivots;
  if (comm.rank() == 0) pivots[0] = 9;
  EXPECT_THROW(lu_solve(Trans::none, g.held.matrix, pivots, b.matrix), Error);
}

}  // namespace
}  // namespace allport::lu_samples
