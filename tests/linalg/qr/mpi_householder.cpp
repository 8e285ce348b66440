// LAPACK's representation of Q: V, tau and R beside geqrf's, products from both sides, columns.
#include "allport/linalg/householder.h"

#include <complex>
#include <limits>
#include <vector>

#include "comm/world.h"
#include "geqrf_of_lapack.h"
#include "linalg/matrix/whole.h"

namespace allport::testing {
namespace {

using namespace samples;

/// What both leave in A and in tau.
template <class T>
void represents_as_lapack_does(Communicator const& comm, Distribution const& d, Index nb) {
  auto const m = d.rows().extent();
  auto const n = d.cols().extent();
  SCOPED_TRACE(fmt::format("{} x {} on {} x {} nb {}", m, n, d.grid().rows(), d.grid().cols(), nb));
  auto const a = random_whole<T>(m, n, unsigned(100 * m + n));
  Held<T> held(comm, d, 3);
  set(held, a);
  std::vector<T> tau;
  static_cast<void>(geqrf(held.matrix, tau, {.nb = nb}));
  EXPECT_EQ(held.overwritten(), 0);
  ASSERT_EQ(Index(tau.size()), std::min(m, n));
  auto const found = gathered(held.matrix);
  auto wanted = a;
  auto const wanted_tau = geqrf_of_lapack(wanted);
  auto const bound = 4000 * eps<T>() * (1 + frobenius(a));
  // A complex matrix' last row is reflected by us where LAPACK may leave it alone, so compare sizes there.
  if (comm.rank() == 0) EXPECT_LE(frobenius(minus(found, wanted)), bound);
  for (std::size_t j = 0; j < tau.size(); ++j) EXPECT_LE(double(std::abs(tau[j] - wanted_tau[j])), bound) << j;
}

TEST(Householder, IsLapacksOnEveryGridTypeAndShape) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const& [m, n] :
         {std::pair<Index, Index>(0, 0), {0, 3}, {3, 0}, {1, 1}, {1, 6}, {6, 1}, {25, 25}, {40, 11}, {13, 30}}) {
      represents_as_lapack_does<double>(comm, cyclic(grid, m, n, 4), 4);
      if (m * n < 300) continue;
      represents_as_lapack_does<double>(comm, cyclic(grid, m, n, 7), 5);
      represents_as_lapack_does<float>(comm, cyclic(grid, m, n, 4), 4);
      represents_as_lapack_does<std::complex<float>>(comm, cyclic(grid, m, n, 4), 4);
      represents_as_lapack_does<std::complex<double>>(comm, cyclic(grid, m, n, 4), 4);
    }
  }
}

TEST(Householder, TakesWhatHasNotFullRank) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const& a :
         {Whole<double>(20, 12), times(false, random_whole<double>(20, 3, 1), random_whole<double>(3, 12, 2))}) {
      Held<double> held(comm, cyclic(grid, 20, 12, 4), 0);
      set(held, a);
      std::vector<double> tau;
      static_cast<void>(geqrf(held.matrix, tau, {.nb = 4}));
      auto const r = upper(gathered(held.matrix));
      Held<double> q(comm, cyclic(grid, 20, 12, 4), 0);
      form_householder_q(held.matrix, tau, q.matrix);
      auto const columns = gathered(q.matrix);
      if (comm.rank() != 0) continue;
      EXPECT_LE(frobenius(minus(times(false, columns, r), a)), 1e-13 * (1 + frobenius(a)));
      auto gram = times(true, columns, columns);
      for (Index i = 0; i < 12; ++i) gram(i, i) -= 1;
      EXPECT_LE(frobenius(gram), 1e-13);
    }
  }
}

/// V and tau of LAPACK's own, and of ours.
template <class T>
void multiplies(Communicator const& comm, ProcessGrid const& grid, Index m, Index k, Index other) {
  SCOPED_TRACE(fmt::format("Q of {} by {} reflectors, {} on {} x {}", m, k, other, grid.rows(), grid.cols()));
  auto v = random_whole<T>(m, k, 3);
  auto const tau = geqrf_of_lapack(v);
  Held<T> held(comm, cyclic(grid, m, k, 3), 1);
  set(held, v);
  Held<T> square(comm, cyclic(grid, m, m, 5), 1);
  form_householder_q(held.matrix, tau, square.matrix);
  EXPECT_EQ(held.overwritten() + square.overwritten(), 0);
  auto const q = gathered(square.matrix);
  auto const bound = 200 * eps<T>() * double(m + 1);
  if (comm.rank() == 0) {
    auto gram = times(true, q, q);
    for (Index i = 0; i < m; ++i) gram(i, i) -= T(1);
    EXPECT_LE(frobenius(gram), bound);
    EXPECT_LE(frobenius(minus(times(false, q, padded(upper(v), m)), random_whole<T>(m, k, 3))), bound * double(k + 1));
  }
  for (bool const left : {true, false}) {
    for (auto const trans : {Trans::none, Trans::conjugate}) {
      auto const c = left ? random_whole<T>(m, other, 4) : random_whole<T>(other, m, 5);
      Held<T> changed(comm, cyclic(grid, c.rows, c.cols, 2), 1);
      set(changed, c);
      apply_householder(left, trans, held.matrix, tau, changed.matrix);
      EXPECT_EQ(changed.overwritten(), 0);
      auto const found = gathered(changed.matrix);
      if (comm.rank() != 0) continue;
      auto const op = trans == Trans::none ? q : times(true, q, identity<T>(m));
      EXPECT_LE(frobenius(minus(found, left ? times(false, op, c) : times(false, c, op))), bound * (1 + frobenius(c)));
    }
  }
}

TEST(Householder, MultipliesFromBothSides) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const& [m, k] : {std::pair<Index, Index>(20, 12), {9, 9}, {14, 1}, {1, 1}, {6, 0}}) {
      if (comm.size() < 5 || m == 20) multiplies<double>(comm, grid, m, k, 7);
    }
    if (comm.size() > 4 && grid.rows() > 1) continue;
    multiplies<double>(comm, grid, 9, 4, 0);
    multiplies<float>(comm, grid, 20, 12, 7);
    multiplies<std::complex<float>>(comm, grid, 20, 12, 7);
    multiplies<std::complex<double>>(comm, grid, 20, 12, 7);
  }
}

TEST(Householder, ColumnsWithoutReflectionAreLeftAlone) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(comm.size(), 1);
  Held<double> held(comm, cyclic(grid, 8, 3, 2), 0);
  set(held, random_whole<double>(8, 3, 1));
  Held<double> q(comm, cyclic(grid, 8, 8, 2), 0);
  form_householder_q(held.matrix, std::vector<double>{0, 0, 0}, q.matrix);
  auto const found = gathered(q.matrix);
  if (comm.rank() == 0) EXPECT_EQ(found.data, identity<double>(8).data);
}

TEST(Householder, NamesWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(1, comm.size());
  auto const zeros = [&](Index m, Index n) { return Matrix<double>::zeros(comm, cyclic(grid, m, n, 2)); };
  std::vector<double> const tau(4);
  auto const v = zeros(6, 4);
  auto const c = zeros(5, 3);
  EXPECT_NE(error_of([&] { apply_householder(true, Trans::none, v, tau, c); }).find("c = '5 x 3'"), std::string::npos);
  std::vector<double> const few(3);
  EXPECT_NE(error_of([&] { form_householder_q(v, few, v); }).find("tau = 3"), std::string::npos);
  auto const wide = zeros(6, 7);
  EXPECT_NE(error_of([&] { form_householder_q(v, tau, wide); }).find("q = '6 x 7'"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
