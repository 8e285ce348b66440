// Least squares and minimum norms beside LAPACK's gels.
#include "allport/linalg/least_squares.h"

#include <complex>
#include <limits>
#include <vector>

#include "comm/world.h"
#include "linalg/matrix/whole.h"

extern "C" {
#define DECLARE_GELS(name, T) \
  void name(char const*, int const*, int const*, int const*, T*, int const*, T*, int const*, T*, int const*, int*);
DECLARE_GELS(sgels_, float)
DECLARE_GELS(dgels_, double)
DECLARE_GELS(cgels_, std::complex<float>)
DECLARE_GELS(zgels_, std::complex<double>)
#undef DECLARE_GELS
}

namespace allport::testing {
namespace {

using namespace samples;

template <class T>
Whole<T> gels(Whole<T> a, Whole<T> const& b) {
  int const m = int(a.rows), n = int(a.cols), count = int(b.cols), ldb = std::max({m, n, 1}), lda = std::max(m, 1);
  Whole<T> both(ldb, b.cols);
  for (Index j = 0; j < b.cols; ++j) {
    for (Index i = 0; i < b.rows; ++i) both(i, j) = b(i, j);
  }
  int const length = 64 * (m + n + count + 1);
  std::vector<T> work{};
  work.resize(std::size_t(length));
  int info = 0;
  char const no = 'N';
  auto const call = [&](auto* name) {
    name(&no, &m, &n, &count, a.data.data(), &lda, both.data.data(), &ldb, work.data(), &length, &info);
  };
  if constexpr (scalar_of<T> == Scalar::s) {
    call(&sgels_);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    call(&dgels_);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    call(&cgels_);
  } else {
    call(&zgels_);
  }
  Whole<T> x(a.cols, b.cols);
  for (Index j = 0; j < x.cols; ++j) {
    for (Index i = 0; i < x.rows; ++i) x(i, j) = both(i, j);
  }
  return x;
}

template <class T>
void solves(Communicator const& comm, ProcessGrid const& grid, Index m, Index n, Index count, Index nb) {
  SCOPED_TRACE(fmt::format("{} x {}, {} right-hand sides on {} x {}", m, n, count, grid.rows(), grid.cols()));
  auto const a = random_whole<T>(m, n, unsigned(100 * m + n));
  auto const b = random_whole<T>(m, count, unsigned(count));
  Held<T> held(comm, cyclic(grid, m, n, nb), 2);
  set(held, a);
  Held<T> right(comm, cyclic(grid, m, count, 3), 1);
  set(right, b);
  Held<T> x(comm, {AxisDistribution::balanced(n, grid.rows()), AxisDistribution::balanced(count, grid.cols()), grid},
            1);
  auto const report = least_squares(held.matrix, right.matrix, x.matrix, {.nb = nb});
  EXPECT_EQ(held.overwritten() + right.overwritten() + x.overwritten(), 0);
  EXPECT_EQ(report.rank, std::min(m, n));
  EXPECT_EQ(report.dependent, -1);
  ASSERT_EQ(Index(report.residuals.size()), count);
  auto const found = gathered(x.matrix);
  if (comm.rank() != 0) return;
  auto const wanted = gels(a, b);
  if (m > 0 && n > 0) {
    auto const slack = 300 * eps<T>() * (1 + 1 / report.condition_reciprocal);
    EXPECT_LE(frobenius(minus(found, wanted)), slack * (1 + frobenius(wanted)));
  }
  auto const left = minus(b, times(false, a, found));
  for (Index j = 0; j < count; ++j) {
    double sum = 0;
    for (Index i = 0; i < m; ++i) sum += double(std::norm(left(i, j)));
    EXPECT_NEAR(report.residuals[std::size_t(j)], std::sqrt(sum), 3000 * eps<T>() * double(m + n + 1));
  }
}

TEST(LeastSquares, AreLapacksOnEveryGridTypeAndShape) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const& [m, n] : {std::pair<Index, Index>(40, 17), {17, 40}, {1, 1}, {9, 1}, {1, 9}, {60, 4}, {5, 48}}) {
      for (Index const count : {1, 6}) solves<double>(comm, grid, m, n, count, 4);
    }
    for (auto const& [m, n] : {std::pair<Index, Index>(0, 0), {5, 0}, {0, 5}}) solves<double>(comm, grid, m, n, 2, 4);
    solves<double>(comm, grid, 30, 20, 0, 4);
    for (auto const& [m, n] : {std::pair<Index, Index>(40, 17), {17, 40}}) {
      solves<float>(comm, grid, m, n, 3, 7);
      solves<std::complex<float>>(comm, grid, m, n, 3, 7);
      solves<std::complex<double>>(comm, grid, m, n, 3, 7);
    }
  }
}

/// Column `j` of 30 x 12 becomes a combination of those before it, or of ones that have more: zeros.
Whole<double> dependent_at(Index j) {
  auto a = random_whole<double>(30, 12, 5);
  for (Index i = 0; i < 30; ++i) {
    a(i, j) = 0;
    for (Index l = 0; l < j; ++l) a(i, j) += double(l + 1) * a(i, l);
  }
  return a;
}

TEST(LeastSquares, SayWhichColumnDependsOnThoseBefore) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (Index const at : {0, 5, 11}) {
      for (bool const wide : {false, true}) {
        auto const a = dependent_at(at);
        Held<double> held(comm, wide ? cyclic(grid, 12, 30, 4) : cyclic(grid, 30, 12, 4), 0);
        held.matrix.for_each([&](Index i, Index j, double& x) { x = wide ? a(j, i) : a(i, j); });
        auto const b = Matrix<double>::zeros(comm, cyclic(grid, held.matrix.rows(), 2, 1));
        auto const x = Matrix<double>::zeros(comm, cyclic(grid, held.matrix.cols(), 2, 1));
        auto const report = least_squares(held.matrix, b, x, {.nb = 4});
        EXPECT_EQ(report.dependent, at);
        EXPECT_EQ(report.rank, 11);
        EXPECT_EQ(report.condition_reciprocal, 0);
      }
    }
  }
}

TEST(LeastSquares, ColumnsOfAnySizeAreNotTakenForDependent) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(comm.size(), 1);
  auto a = random_whole<double>(30, 8, 5);
  for (Index j = 0; j < 8; ++j) {
    for (Index i = 0; i < 30; ++i) a(i, j) *= std::pow(10.0, double(35 * (j - 4)));
  }
  Held<double> held(comm, cyclic(grid, 30, 8, 3), 0);
  set(held, a);
  auto const b = Matrix<double>::zeros(comm, cyclic(grid, 30, 1, 1));
  auto const x = Matrix<double>::zeros(comm, cyclic(grid, 8, 1, 1));
  auto const report = least_squares(held.matrix, b, x, {.nb = 3});
  EXPECT_EQ(report.rank, 8);
  EXPECT_LT(report.condition_reciprocal, 1e-100);
}

TEST(LeastSquares, NameWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(1, comm.size());
  auto const of = [&](Index b_rows, Index x_rows, Index x_cols) {
    return error_of([&] {
      least_squares(Matrix<double>::zeros(comm, cyclic(grid, 6, 4, 2)),
                    Matrix<double>::zeros(comm, cyclic(grid, b_rows, 3, 2)),
                    Matrix<double>::zeros(comm, cyclic(grid, x_rows, x_cols, 2)));
    });
  };
  EXPECT_NE(of(5, 4, 3).find("b = '5 x 3'"), std::string::npos);
  EXPECT_NE(of(6, 6, 3).find("x = '6 x 3'"), std::string::npos);
  EXPECT_NE(of(6, 4, 2).find("x = '4 x 2'"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
