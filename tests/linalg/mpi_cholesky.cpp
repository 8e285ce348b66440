// Cholesky over odd grids, tiles and distributions, beside LAPACK's on the whole matrix.
#include <complex>
#include <limits>
#include <vector>

#include "allport/linalg/cholesky_plan.h"
#include "allport/tasks/summary.h"
#include "comm/world.h"
#include "linalg/any_workers.h"
#include "linalg/cholesky_samples.h"

extern "C" {
void spotrf_(char const*, int const*, float*, int const*, int*);
void dpotrf_(char const*, int const*, double*, int const*, int*);
void cpotrf_(char const*, int const*, std::complex<float>*, int const*, int*);
void zpotrf_(char const*, int const*, std::complex<double>*, int const*, int*);
}

namespace allport::testing {
namespace {

using namespace samples;

void lapack(char u, int n, float* a, int* info) { spotrf_(&u, &n, a, &n, info); }
void lapack(char u, int n, double* a, int* info) { dpotrf_(&u, &n, a, &n, info); }
void lapack(char u, int n, std::complex<float>* a, int* info) { cpotrf_(&u, &n, a, &n, info); }
void lapack(char u, int n, std::complex<double>* a, int* info) { zpotrf_(&u, &n, a, &n, info); }

template <class T>
void factors_as_lapack_does(Communicator const& comm, Distribution const& d, int n, Uplo uplo,
                            CholeskyOptions const& options) {
  auto const whole = positive<T>(n, uplo, unsigned(n));
  Held<T> held(comm, d, 3);
  fill(held, whole);
  auto wanted = whole;
  int info = 0;
  if (n > 0) lapack(static_cast<char>(uplo), n, wanted.data(), &info);
  auto const report = cholesky(held.matrix, uplo, options);
  EXPECT_EQ(report.info, info);
  using Real = decltype(std::abs(T()));
  EXPECT_EQ(held.overwritten(), 0);
  EXPECT_LE(difference(held, wanted), 30 * std::numeric_limits<Real>::epsilon() * std::sqrt(double(n + 1)))
      << n << " " << d.grid().rows() << " x " << d.grid().cols() << " nb " << report.nb;
}

TEST(Cholesky, IsLapacksOnEveryGridTypeAndTriangle) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      for (int const n : {0, 1, 5, 37}) {
        for (Index const nb : {1, 4, 7, 50}) {
          if ((nb == 1 && n > 5) || (comm.size() > 7 && nb != 4)) continue;
          Distribution const d(AxisDistribution::cyclic(n, grid.rows(), nb, grid.rows() - 1),
                               AxisDistribution::cyclic(n, grid.cols(), nb), grid);
          CholeskyOptions const options{.nb = nb, .workers = 1 + n % 2};
          factors_as_lapack_does<double>(comm, d, n, uplo, options);
          if (n != 37) continue;
          factors_as_lapack_does<float>(comm, d, n, uplo, options);
          factors_as_lapack_does<std::complex<float>>(comm, d, n, uplo, options);
          factors_as_lapack_does<std::complex<double>>(comm, d, n, uplo, options);
        }
      }
    }
  }
}

TEST(Cholesky, TakesAnyDistribution) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  int const n = 41;
  for (auto const& grid : grids(comm.size())) {
    auto const p = grid.rows();
    auto const q = grid.cols();
    for (auto const& [rows, cols] :
         {std::pair(AxisDistribution::balanced(n, p), AxisDistribution::balanced(n, q)),
          std::pair(AxisDistribution::cyclic(n, p, 3), AxisDistribution::cyclic(n, q, 5)),
          std::pair(AxisDistribution::cyclic(n, p, 6, 0, 2), AxisDistribution::cyclic(n, q, 6, 0, 2))}) {
      for (auto const uplo : {Uplo::lower, Uplo::upper}) {
        factors_as_lapack_does<double>(comm, {rows, cols, grid}, n, uplo, {.nb = 6});
        factors_as_lapack_does<double>(comm, {rows, cols, grid}, n, uplo, {});
      }
    }
  }
}

TEST(Cholesky, LeavesBlocksWhereTheyLieForTilesThatArePartsOfThem) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  int const n = 53;
  for (auto const& grid : grids(comm.size())) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      Distribution const d(AxisDistribution::cyclic(n, grid.rows(), 12, grid.rows() - 1),
                           AxisDistribution::cyclic(n, grid.cols(), 6), grid);
      for (Index const nb : {1, 3, 6}) factors_as_lapack_does<double>(comm, d, n, uplo, {.nb = nb});
      factors_as_lapack_does<std::complex<float>>(comm, d, n, uplo, {.nb = 2, .workers = 2});
      Held<double> held(comm, d, 0);
      fill(held, positive<double>(n, uplo, 5));
      EXPECT_FALSE(cholesky(held.matrix, uplo, {.nb = 2}).moved);
      fill(held, positive<double>(n, uplo, 5));
      EXPECT_EQ(cholesky(held.matrix, uplo, {.nb = 4}).moved, grid.cols() > 1);
    }
  }
}

TEST(Cholesky, TakesTheTilesOfItsPlanWhereNobodyNamesThem) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = grids(comm.size()).back();
  int const n = 700;
  for (Index const block : {5, 100}) {
    Distribution const d(AxisDistribution::cyclic(n, grid.rows(), block),
                         AxisDistribution::cyclic(n, grid.cols(), block), grid);
    for (int const workers : {1, 2}) {
      auto const plan = plan_cholesky({.n = n}, comm.machine(), {.workers = workers, .given = d});
      Held<double> held(comm, d, 0);
      fill(held, positive<double>(n, Uplo::lower, 5));
      EXPECT_EQ(cholesky(held.matrix, Uplo::lower, {.workers = workers}).nb, plan.chosen.nb) << block;
    }
  }
}

TEST(Cholesky, HasTheSameBitsOnAnyWorkers) {
  for (auto const uplo : {Uplo::lower, Uplo::upper}) {
    same_bits_on_any_workers(900, 900, [&]<class T>(Held<T>& held, int workers) {
      fill(held, positive<T>(900, uplo, 5));
      EXPECT_EQ(cholesky(held.matrix, uplo, {.nb = 250, .workers = workers}).info, 0);
    });
  }
}

TEST(Cholesky, SaysWhichMinorIsNotPositive) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  int const n = 30;
  for (auto const& grid : grids(comm.size())) {
    Distribution const d(AxisDistribution::cyclic(n, grid.rows(), 4), AxisDistribution::cyclic(n, grid.cols(), 4),
                         grid);
    for (double const bad : {-5.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
      for (int const at : {0, 13, 29}) {
        auto whole = positive<double>(n, Uplo::lower, 3);
        whole[std::size_t(at * (n + 1))] = bad;
        Held<double> held(comm, d, 3);
        fill(held, whole);
        EXPECT_EQ(cholesky(held.matrix, Uplo::lower, {.nb = 4}).info, at + 1) << bad;
      }
    }
  }
}

/// INFO of reference LAPACK's unblocked algorithm: the first pivot that is not a positive number.
template <class T>
Index info_of_lapack(std::vector<T> a, int n, Uplo uplo) {
  auto const at = [&](int i, int j) -> T& {
    auto const x = uplo == Uplo::lower ? i + j * n : j + i * n;
    return a[std::size_t(x)];
  };
  for (int j = 0; j < n; ++j) {
    auto pivot = std::real(at(j, j));
    for (int k = 0; k < j; ++k) pivot -= std::norm(at(j, k));
    if (!(pivot > 0)) return j + 1;
    at(j, j) = T(std::sqrt(pivot));
    for (int i = j + 1; i < n; ++i) {
      auto x = at(i, j);
      for (int k = 0; k < j; ++k) {
        if constexpr (std::is_floating_point_v<T>) {
          x -= at(i, k) * at(j, k);
        } else {  // above the diagonal are the conjugates of what is below: the conjugate of the same sum
          x -= at(i, k) * std::conj(at(j, k));
        }
      }
      at(i, j) = x / at(j, j);
    }
  }
  return 0;
}

template <class T>
void meets_nan_as_lapack_does(Communicator const& comm, ProcessGrid const& grid) {
  int const n = 23;
  Distribution const d(AxisDistribution::cyclic(n, grid.rows(), 4), AxisDistribution::cyclic(n, grid.cols(), 4), grid);
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  struct At {
    int i, j;
  };
  for (auto const uplo : {Uplo::lower, Uplo::upper}) {
    for (auto const [i, j] : {At{0, 0}, At{3, 3}, At{4, 4}, At{22, 22}, At{7, 2}, At{6, 5}, At{22, 21}, At{13, 0}}) {
      for (bool const earlier : {false, true}) {  // and a pivot before it that is not positive
        auto whole = positive<T>(n, uplo, 3);
        whole[std::size_t(uplo == Uplo::lower ? i + j * n : j + i * n)] = T(nan);
        if (earlier && i > 1) whole[std::size_t((i / 2) * (n + 1))] = T(-1);
        Held<T> held(comm, d, 3);
        fill(held, whole);
        EXPECT_EQ(cholesky(held.matrix, uplo, {.nb = 4}).info, info_of_lapack(whole, n, uplo))
            << "NaN at " << i << " " << j << (earlier ? ", and a pivot before it" : "");
      }
    }
  }
}

TEST(Cholesky, MeetsNanAsLapackDoes) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    meets_nan_as_lapack_does<float>(comm, grid);
    meets_nan_as_lapack_does<double>(comm, grid);
    meets_nan_as_lapack_does<std::complex<float>>(comm, grid);
    meets_nan_as_lapack_does<std::complex<double>>(comm, grid);
  }
}

template <class T>
void is_judged(Communicator const& comm, ProcessGrid const& grid, Uplo uplo) {
  int const n = 33;
  Distribution const d(AxisDistribution::cyclic(n, grid.rows(), 4), AxisDistribution::cyclic(n, grid.cols(), 4), grid);
  auto const whole = positive<T>(n, uplo, 5);
  Held<T> held(comm, d, 1);
  fill(held, whole);
  Held<T> a(comm, whole_on(0, n, n), 0);
  fill(a, whole);
  cholesky(held.matrix, uplo, {.nb = 4});
  EXPECT_LE(cholesky_residual<T>(a.matrix, held.matrix, uplo), 1);
  auto factor = whole;
  int info = 0;
  lapack(static_cast<char>(uplo), n, factor.data(), &info);
  double wanted = 0;
  for (int i = 0; i < n; ++i) wanted += 2 * std::log(double(std::real(factor[std::size_t(i * (n + 1))])));
  EXPECT_NEAR(cholesky_log_determinant<T>(held.matrix), wanted, 1e-4 * wanted);
  keep_triangle(held.matrix, uplo);
  held.matrix.for_each([&](Index i, Index j, T const& x) {
    if (uplo == Uplo::lower ? i < j : i > j) EXPECT_EQ(x, T(0));
  });
  held.matrix.for_each([&](Index i, Index j, T& x) {
    if (i == 20 && j == 20) x *= T(1.1F);
  });
  EXPECT_GT(cholesky_residual<T>(a.matrix, held.matrix, uplo), 10);
}

TEST(Cholesky, IsJudgedByItsResidual) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      is_judged<float>(comm, grid, uplo);
      is_judged<double>(comm, grid, uplo);
      is_judged<std::complex<float>>(comm, grid, uplo);
      is_judged<std::complex<double>>(comm, grid, uplo);
    }
  }
}

TEST(Cholesky, SaysOnAllRanksWhatAllDid) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const plan = plan_cholesky({.n = 61}, comm.machine(), {.nb = 8});
  Held<double> held(comm, plan.distribution, 0);
  fill(held, positive<double>(61, Uplo::lower, 3));
  auto const report = cholesky(held.matrix, Uplo::lower, {.nb = 8, .tree = MulticastTree::flat});
  auto const summary = tasks::summarize(report.run, comm);
  std::int64_t tasks = 0;
  ASSERT_EQ(summary.traffic.size(), plan.counts.size());
  for (std::size_t r = 0; r < plan.counts.size(); ++r) {
    EXPECT_EQ(summary.traffic[r], plan.counts[r].traffic) << r;
    tasks += plan.counts[r].tasks;
  }
  EXPECT_EQ(summary.tasks, tasks);
  EXPECT_NE(to_json(report, comm).find("\"info\":0"), std::string::npos);
}

TEST(Cholesky, SendsWhatItsGraphCounts) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  int const n = 61;
  for (auto const& grid : grids(comm.size())) {
    Distribution const d(AxisDistribution::cyclic(n, grid.rows(), 8), AxisDistribution::cyclic(n, grid.cols(), 8),
                         grid);
    auto const whole = positive<double>(n, Uplo::lower, 3);
    Held<double> held(comm, d, 3);
    fill(held, whole);
    auto const run = cholesky(held.matrix, Uplo::lower, {.nb = 8, .tree = MulticastTree::flat}).run;
    auto const counts = graph::count(*cholesky_graph(d), *graph::flat());
    auto const mine = std::size_t(comm.rank()) < counts.size() ? counts[std::size_t(comm.rank())] : graph::Count{};
    EXPECT_EQ(run.count.tasks, mine.tasks);
    EXPECT_EQ(run.count.traffic, mine.traffic);
    EXPECT_NEAR(run.count.flops, mine.flops, 1e-9 * mine.flops);
  }
}

TEST(Cholesky, NamesWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(1, comm.size());
  Distribution const oblong(AxisDistribution::cyclic(6, 1, 2), AxisDistribution::cyclic(7, comm.size(), 2), grid);
  std::vector<double> a(100);
  auto const of = [&](Distribution const& d, Part<double> part, CholeskyOptions const& options) {
    return error_of([&] { cholesky(Matrix<double>(comm, d, part.data, part.ld), Uplo::lower, options); });
  };
  EXPECT_NE(of(oblong, {a.data(), 10}, {}).find("a = '6 x 7'"), std::string::npos);
  Distribution const d(AxisDistribution::cyclic(6, 1, 2), AxisDistribution::cyclic(6, comm.size(), 2), grid);
  EXPECT_NE(of(d, {a.data(), 5}, {}), "");
  EXPECT_NE(of(d, {nullptr, 6}, {}), "");
  EXPECT_NE(of(d, {a.data(), 6}, {.nb = -1}).find("nb = -1"), std::string::npos);
  EXPECT_NE(of(d, {a.data(), 6}, {.workers = 0}).find("workers = 0"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
