// Solves with Cholesky factors over odd grids, tiles and distributions, beside LAPACK's on the whole matrix.
#include <complex>
#include <limits>
#include <vector>

#include "allport/linalg/cholesky.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"
#include "linalg/cholesky_samples.h"

extern "C" {
void sposv_(char const*, int const*, int const*, float*, int const*, float*, int const*, int*);
void dposv_(char const*, int const*, int const*, double*, int const*, double*, int const*, int*);
void cposv_(char const*, int const*, int const*, std::complex<float>*, int const*, std::complex<float>*, int const*,
            int*);
void zposv_(char const*, int const*, int const*, std::complex<double>*, int const*, std::complex<double>*, int const*,
            int*);
}

namespace allport::testing {
namespace {

using namespace samples;

void posv(char u, int n, int m, float* a, float* b) {
  int info = 0;
  sposv_(&u, &n, &m, a, &n, b, &n, &info);
}
void posv(char u, int n, int m, double* a, double* b) {
  int info = 0;
  dposv_(&u, &n, &m, a, &n, b, &n, &info);
}
void posv(char u, int n, int m, std::complex<float>* a, std::complex<float>* b) {
  int info = 0;
  cposv_(&u, &n, &m, a, &n, b, &n, &info);
}
void posv(char u, int n, int m, std::complex<double>* a, std::complex<double>* b) {
  int info = 0;
  zposv_(&u, &n, &m, a, &n, b, &n, &info);
}

template <class T>
std::vector<T> right_hand_sides(int n, int count) {
  std::mt19937 random(static_cast<unsigned>(n + count));
  std::vector<T> b(std::size_t(n) * std::size_t(count));
  for (auto& x : b) x = random_element<T>(random);
  return b;
}

Distribution square(int n, ProcessGrid const& grid, Index nb) {
  return {AxisDistribution::cyclic(n, grid.rows(), nb, grid.rows() - 1), AxisDistribution::cyclic(n, grid.cols(), nb),
          grid};
}

template <class T>
struct System {
  System(Communicator const& comm, Distribution const& a_distribution, Distribution const& b_distribution, Uplo uplo)
      : n(int(a_distribution.rows().extent())),
        count(int(b_distribution.cols().extent())),
        whole(positive<T>(n, uplo, unsigned(n))),
        x(right_hand_sides<T>(n, count)),
        a(comm, a_distribution, 3),
        b(comm, b_distribution, 2) {
    fill(a, whole);
    fill(b, x);
    factor = whole;
    if (n > 0) posv(static_cast<char>(uplo), n, count, factor.data(), x.data());
  }

  void is_solved() const {
    using Real = decltype(std::abs(T()));
    EXPECT_EQ(a.overwritten() + b.overwritten(), 0);
    EXPECT_LE(difference(b, x), 30 * std::numeric_limits<Real>::epsilon())
        << n << " x " << count << ", B " << b.matrix.distribution().grid().rows() << " x "
        << b.matrix.distribution().grid().cols();
  }

  int n;
  int count;
  std::vector<T> whole;
  std::vector<T> x;
  std::vector<T> factor;
  Held<T> a;
  Held<T> b;
};

template <class T>
void solves_as_lapack_does(Communicator const& comm, Distribution const& a, Distribution const& b, Uplo uplo,
                           CholeskyOptions const& options) {
  System<T> s(comm, a, b, uplo);
  fill(s.a, s.factor);
  auto const report = cholesky_solve<T>(s.a.matrix, uplo, s.b.matrix, options);
  s.is_solved();
  EXPECT_EQ(difference(s.a, s.factor), 0);
  if (s.n > 0 && s.count > 0) EXPECT_GE(report.sweeps, 1);
}

TEST(CholeskySolve, IsLapacksOnEveryGridTypeAndTriangle) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      for (auto const [n, nb] : {std::pair(0, 4), {1, 4}, {5, 1}, {37, 4}, {37, 7}, {37, 50}}) {
        for (int const count : {0, 1, 3, 40}) {
          if (comm.size() > 7 && nb == 7) continue;
          auto const a = square(n, grid, nb);
          Distribution const b(AxisDistribution::cyclic(n, grid.rows(), nb, grid.rows() - 1),
                               AxisDistribution::cyclic(count, grid.cols(), nb, grid.cols() - 1), grid);
          CholeskyOptions const options{.nb = nb, .workers = 1 + count % 2};
          solves_as_lapack_does<double>(comm, a, b, uplo, options);
          if (n != 37 || nb != 4) continue;
          solves_as_lapack_does<float>(comm, a, b, uplo, options);
          solves_as_lapack_does<std::complex<float>>(comm, a, b, uplo, options);
          solves_as_lapack_does<std::complex<double>>(comm, a, b, uplo, options);
        }
      }
    }
  }
}

TEST(CholeskySolve, TakesAnyDistribution) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  int const n = 41;
  int const ranks = comm.size();
  for (auto const& grid : grids(ranks)) {
    Distribution const balanced(AxisDistribution::balanced(n, grid.rows()), AxisDistribution::balanced(n, grid.cols()),
                                grid);
    Distribution const uneven(AxisDistribution::cyclic(n, grid.rows(), 6, 0, 2),
                              AxisDistribution::cyclic(n, grid.cols(), 5), grid);
    for (auto const& a : {balanced, uneven, square(n, grid, 6)}) {
      for (int const count : {2, 70}) {
        for (auto const& b : {whole_on(ranks - 1, n, count),
                              Distribution(AxisDistribution::balanced(n, 1), AxisDistribution::balanced(count, ranks),
                                           ProcessGrid::row_major(1, ranks)),
                              Distribution(AxisDistribution::cyclic(n, grid.rows(), 6),
                                           AxisDistribution::cyclic(count, grid.cols(), 33, 0, 9), grid),
                              Distribution(AxisDistribution::cyclic(n, grid.rows(), 6, grid.rows() - 1),
                                           AxisDistribution::cyclic(count, grid.cols(), 33), grid)}) {
          solves_as_lapack_does<double>(comm, a, b, Uplo::lower, {.nb = 6});
          solves_as_lapack_does<double>(comm, a, b, Uplo::upper, {});
        }
      }
    }
  }
}

TEST(CholeskySolve, ManyRightHandSidesGoInSweeps) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  int const n = 40;
  for (auto const& grid : grids(comm.size())) {
    auto const a = square(n, grid, 8);
    Distribution const b(AxisDistribution::cyclic(n, grid.rows(), 8), AxisDistribution::cyclic(1100, grid.cols(), 32),
                         grid);
    System<double> s(comm, a, b, Uplo::lower);
    auto const report = solve_positive_definite(s.a.matrix, Uplo::lower, s.b.matrix, {.nb = 8});
    s.is_solved();
    EXPECT_EQ(report.factorization.info, 0);
    EXPECT_GT(report.solve.sweeps, 1);
    EXPECT_LE(difference(s.a, s.factor), 1e-13);
  }
}

TEST(CholeskySolve, LeavesBWhereTheMatrixIsNotPositiveDefinite) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    auto const a = square(30, grid, 4);
    System<double> s(comm, a, whole_on(0, 30, 3), Uplo::upper);
    s.whole[13 * 31] = -1;
    fill(s.a, s.whole);
    auto const sides = right_hand_sides<double>(30, 3);
    fill(s.b, sides);
    auto const report = solve_positive_definite(s.a.matrix, Uplo::upper, s.b.matrix, {.nb = 4});
    EXPECT_EQ(report.factorization.info, 14);
    EXPECT_EQ(report.solve.sweeps, 0);
    EXPECT_EQ(difference(s.b, sides), 0);
  }
}

TEST(CholeskySolve, SendsWhatItsGraphCounts) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      auto const a = square(61, grid, 8);
      Distribution const b(AxisDistribution::cyclic(61, grid.rows(), 8, grid.rows() - 1),
                           AxisDistribution::cyclic(65, grid.cols(), 32), grid);
      System<double> s(comm, a, b, uplo);
      fill(s.a, s.factor);
      auto const report = cholesky_solve<double>(s.a.matrix, uplo, s.b.matrix, {.nb = 8, .tree = MulticastTree::flat});
      if (report.sweeps > 1) continue;
      EXPECT_FALSE(report.b_moved);
      auto const transport = tasks::transport(comm.machine(), MulticastTree::flat);
      auto const counts = graph::count(*cholesky_solve_graph(a, b, uplo), *transport);
      auto const mine = std::size_t(comm.rank()) < counts.size() ? counts[std::size_t(comm.rank())] : graph::Count{};
      EXPECT_EQ(report.run.count.tasks, mine.tasks);
      EXPECT_EQ(report.run.count.traffic, mine.traffic);
      EXPECT_NEAR(report.run.count.flops, mine.flops, 1e-9 * mine.flops);
    }
  }
}

TEST(CholeskySolve, GivesTheSameBitsEveryTime) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = grids(comm.size()).front();
  auto const a = square(90, grid, 8);
  std::vector<std::vector<double>> answers;
  for (int turn = 0; turn < 3; ++turn) {
    System<double> s(comm, a, a, Uplo::lower);
    fill(s.a, s.factor);
    cholesky_solve<double>(s.a.matrix, Uplo::lower, s.b.matrix, {.nb = 8, .workers = 1 + turn});
    answers.push_back(s.b.data);
  }
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0], answers[2]);
}

TEST(CholeskySolve, NamesWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(1, comm.size());
  auto const of = [&](int rows, int cols, int b_rows, CholeskyOptions const& options) {
    auto const lying = [&](int m, int n) {
      return Matrix<double>::zeros(
          comm, {AxisDistribution::cyclic(m, 1, 2), AxisDistribution::cyclic(n, comm.size(), 2), grid});
    };
    return error_of([&] { cholesky_solve<double>(lying(rows, cols), Uplo::lower, lying(b_rows, 3), options); });
  };
  EXPECT_NE(of(6, 7, 6, {}).find("factors = '6 x 7'"), std::string::npos);
  EXPECT_NE(of(6, 6, 5, {}).find("B = '5 x 3'"), std::string::npos);
  EXPECT_NE(of(6, 6, 6, {.nb = -1}).find("nb = -1"), std::string::npos);
  EXPECT_NE(of(6, 6, 6, {.workers = 0}).find("workers = 0"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
