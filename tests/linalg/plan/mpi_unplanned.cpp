// gemm, lu and solve that plan by themselves: the same numbers as by definition, wherever the matrices lie.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <complex>
#include <vector>

#include "allport/linalg/solve.h"
#include "linalg/gemm/gemm_samples.h"
#include "linalg/matrix/refused.h"
#include "linalg/matrix/whole.h"

namespace allport::samples {
namespace {

/// In blocks of two over one row of all ranks, or the other way round.
Distribution over_all(Communicator const& comm, Index rows, Index cols, bool one_row) {
  auto const p = comm.size();
  return cyclic(one_row ? ProcessGrid::column_major(1, p) : ProcessGrid::column_major(p, 1), rows, cols, 2);
}

template <class T>
void multiplies_unplanned(Communicator const& comm, Trans trans_a, Trans trans_b) {
  Index const m = 9, n = 7, k = 5;
  bool const plain_a = trans_a == Trans::none, plain_b = trans_b == Trans::none;
  auto const a = fill<T>(comm, over_all(comm, plain_a ? m : k, plain_a ? k : m, true), 0, 1);
  auto const b = fill<T>(comm, over_all(comm, plain_b ? k : n, plain_b ? n : k, false), 1, 0);
  auto const c = fill<T>(comm, whole_on(0, m, n), 2, 2);
  auto const report = gemm(T(2), a.matrix, b.matrix, T(3), c.matrix, trans_a, trans_b);
  EXPECT_EQ(report.measured, report.predicted);
  c.matrix.for_each([&](Index i, Index j, T x) {
    auto sum = T(3) * element<T>(2, i, j);
    for (Index l = 0; l < k; ++l) sum += T(2) * op_element<T>(trans_a, 0, i, l) * op_element<T>(trans_b, 1, l, j);
    EXPECT_EQ(x, sum) << i << ", " << j;
  });
  EXPECT_EQ(c.overwritten(), 0);
}

/// n on the diagonal, elsewhere numbers of size 1: its solutions are accurate.
template <class T>
Whole<T> dominant(Index n) {
  auto a = random_whole<T>(n, n, 5);
  for (Index i = 0; i < n; ++i) a(i, i) = T(static_cast<float>(n));
  return a;
}

template <class T>
void solves_unplanned(Communicator const& comm, Pivoting pivoting) {
  Index const n = 11, sides = 3;
  auto const whole = dominant<T>(n), x = random_whole<T>(n, sides, 6), b = times(false, whole, x);
  Held<T> a(comm, over_all(comm, n, n, false), 1), right(comm, over_all(comm, n, sides, true), 0);
  set(a, whole);
  set(right, b);
  auto const report = solve(a.matrix, right.matrix, pivoting);
  EXPECT_EQ(report.info, 0);
  auto const is_near = [&](Matrix<T> const& made, Whole<T> const& wanted) {
    auto const found = gathered(made);
    if (comm.rank() == 0) {
      EXPECT_LE(frobenius(minus(found, wanted)), 100 * eps<T>() * frobenius(wanted));
    }
  };
  is_near(right.matrix, x);

  // The factors are lu()'s.
  Held<T> factors(comm, a.matrix.distribution(), 0);
  set(factors, whole);
  std::vector<Index> pivots;
  EXPECT_EQ(lu(factors.matrix, pivots, pivoting).info, 0);
  is_near(a.matrix, gathered(factors.matrix));
  set(right, b);
  lu_solve<T>(Trans::none, factors.matrix, pivots, right.matrix);
  is_near(right.matrix, x);
}

TEST(Unplanned, ProductsOfMatricesWhereTheyLie) {
  Communicator const comm(MPI_COMM_WORLD);
  for (auto const trans_a : {Trans::none, Trans::transpose, Trans::conjugate}) {
    for (auto const trans_b : {Trans::none, Trans::conjugate}) {
      multiplies_unplanned<double>(comm, trans_a, trans_b);
      multiplies_unplanned<std::complex<float>>(comm, trans_a, trans_b);
    }
  }
}

TEST(Unplanned, SolvesAndFactorsAlike) {
  Communicator const comm(MPI_COMM_WORLD);
  for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
    solves_unplanned<float>(comm, pivoting);
    solves_unplanned<double>(comm, pivoting);
    solves_unplanned<std::complex<float>>(comm, pivoting);
    solves_unplanned<std::complex<double>>(comm, pivoting);
  }
}

TEST(Unplanned, OfASingularMatrixTheRightHandSidesStay) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const a = Matrix<double>::zeros(comm, over_all(comm, 6, 6, true));
  auto const b = fill<double>(comm, over_all(comm, 6, 2, true), 3, 0);
  EXPECT_EQ(solve(a, b.matrix).info, 1);
  b.matrix.for_each([](Index i, Index j, double x) { EXPECT_EQ(x, element<double>(3, i, j)); });
}

TEST(Unplanned, NamesWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const of = [&](Index rows, Index cols) { return Matrix<double>::zeros(comm, over_all(comm, rows, cols, true)); };
  expect_on_every_rank([&] { gemm(1.0, of(4, 3), of(2, 5), 0.0, of(4, 5)); }, "B = '2 x 5': expected 3 x 5");
  expect_on_every_rank([&] { gemm(1.0, of(4, 3), of(3, 5), 0.0, of(3, 5)); }, "A = '4 x 3': expected 3 x 3");
  expect_on_every_rank([&] { solve(of(4, 3), of(4, 1)); }, "A = '4 x 3': expected 4 x 4");
  std::vector<Index> pivots;
  auto const elsewhere_than = Matrix<double>(comm, whole_on(comm.size(), 4, 4), nullptr);
  expect_on_every_rank([&] { lu(elsewhere_than, pivots); }, "A: rank in grid");
  GemmOptions options;
  options.algorithm = "none";
  expect_on_every_rank([&] { gemm(1.0, of(4, 3), of(3, 5), 0.0, of(4, 5), Trans::none, Trans::none, options); },
                       "algorithm");
}

}  // namespace
}  // namespace allport::samples
