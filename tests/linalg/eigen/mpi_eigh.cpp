// Eigenvalues and vectors beside LAPACK's, on hard spectra, for every type, grid and number of ranks.
#include "allport/linalg/eigh.h"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <limits>
#include <vector>

#include "comm/world.h"
#include "linalg/matrix/whole.h"

extern "C" {
void ssyev_(char const*, char const*, int const*, float*, int const*, float*, float*, int const*, int*);
void dsyev_(char const*, char const*, int const*, double*, int const*, double*, double*, int const*, int*);
void cheev_(char const*, char const*, int const*, std::complex<float>*, int const*, float*, std::complex<float>*,
            int const*, float*, int*);
void zheev_(char const*, char const*, int const*, std::complex<double>*, int const*, double*, std::complex<double>*,
            int const*, double*, int*);
}

namespace allport::testing {
namespace {

using namespace samples;

template <class T>
using Real = decltype(std::abs(T()));

/// LAPACK's eigenvalues by QR iteration.
template <class T>
std::vector<Real<T>> lapack_values(Whole<T> a) {
  int const n = int(a.rows), length = std::max(4 * n, 1);
  std::vector<Real<T>> values(a.rows), real_work(std::size_t(std::max(3 * n, 1)));
  std::vector<T> work;
  work.resize(std::size_t(length));
  int info = 0;
  if (n == 0) return values;
  auto* const x = a.data.data();
  if constexpr (scalar_of<T> == Scalar::s) {
    ssyev_("N", "L", &n, x, &n, values.data(), work.data(), &length, &info);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    dsyev_("N", "L", &n, x, &n, values.data(), work.data(), &length, &info);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    cheev_("N", "L", &n, x, &n, values.data(), work.data(), &length, real_work.data(), &info);
  } else {
    zheev_("N", "L", &n, x, &n, values.data(), work.data(), &length, real_work.data(), &info);
  }
  EXPECT_EQ(info, 0);
  return values;
}

template <class T>
Whole<T> random_hermitian(Index n, unsigned seed) {
  auto const a = random_whole<T>(n, n, seed);
  Whole<T> made(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) made(i, j) = a(i, j) + conjugate(a(j, i));
  }
  return made;
}

/// Q diag(w) Q^H with a random reflector Q.
template <class T>
Whole<T> with_spectrum(Index n, std::function<double(Index)> const& w) {
  auto const v = random_whole<T>(n, 1, 7);
  auto const square = frobenius(v) * frobenius(v);
  Whole<T> q = identity<T>(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) q(i, j) -= T(Real<T>(2 / square)) * v(i, 0) * conjugate(v(j, 0));
  }
  Whole<T> scaled = q;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) scaled(i, j) *= T(Real<T>(w(j)));
  }
  Whole<T> adjoint(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) adjoint(i, j) = conjugate(q(j, i));
  }
  auto made = times(false, scaled, adjoint);
  for (Index j = 0; j < n; ++j) {  // Hermitian to the last bit
    made(j, j) = T(std::real(made(j, j)));
    for (Index i = 0; i < j; ++i) made(i, j) = conjugate(made(j, i));
  }
  return made;
}

/// Wilkinson's W+: pairs of eigenvalues that agree to many digits.
template <class T>
Whole<T> wilkinson(Index n) {
  Whole<T> made(n, n);
  for (Index i = 0; i < n; ++i) {
    made(i, i) = T(Real<T>(std::abs(2 * i - (n - 1)) / 2));
    if (i > 0) made(i, i - 1) = made(i - 1, i) = T(1);
  }
  return made;
}

template <class T>
Whole<T> triangle_of(Whole<T> a, Uplo uplo) {
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) {
      if (uplo == Uplo::lower ? i < j : i > j) a(i, j) = T(0);
    }
  }
  return a;
}

template <class T>
Whole<T> columns_of(Whole<T> const& a, Index first, Index count) {
  Whole<T> made(a.rows, count);
  std::copy_n(a.data.begin() + first * a.rows, a.rows * count, made.data.begin());
  return made;
}

/// Residual and orthogonality under ScaLAPACK's thresholds, eigenvalues within 10 n eps ||A|| of LAPACK's.
template <class T>
void decomposes(Communicator const& comm, Distribution const& d, Whole<T> const& a, Uplo uplo = Uplo::lower,
                EighOptions const& options = {}) {
  auto const n = a.rows;
  SCOPED_TRACE(fmt::format("n {} on {} x {} {}", n, d.grid().rows(), d.grid().cols(), char(uplo)));
  Held<T> held(comm, d, 2);
  set(held, triangle_of(a, uplo));
  auto const found = eigh<T>(held.matrix, uplo, options);
  EXPECT_EQ(held.overwritten(), 0);
  ASSERT_TRUE(found.vectors);
  auto const v = gathered(*found.vectors);
  if (comm.rank() != 0) return;
  auto const unit = double(std::numeric_limits<Real<T>>::epsilon()) * double(std::max<Index>(n, 1));
  auto const size = frobenius(a);
  auto const wanted = lapack_values(a);
  auto const first = options.subset_by_index ? options.subset_by_index->first : 0;
  auto const count = Index(found.values.size());
  ASSERT_EQ(count, options.subset_by_index ? options.subset_by_index->second - first + 1 : n);
  ASSERT_EQ(v.rows, n);
  ASSERT_EQ(v.cols, count);
  for (Index j = 0; j < count; ++j) {
    EXPECT_NEAR(double(found.values[std::size_t(j)]), double(wanted[std::size_t(first + j)]), 10 * unit * size) << j;
  }
  auto residual = times(false, a, v);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < n; ++i) residual(i, j) -= v(i, j) * T(found.values[std::size_t(j)]);
  }
  EXPECT_LE(frobenius(residual), 10 * unit * size + std::numeric_limits<Real<T>>::min());
  EXPECT_LE(frobenius(minus(times(true, v, v), identity<T>(count))), 10 * unit);
}

template <class T>
void decomposes_all_sizes(Communicator const& comm, ProcessGrid const& grid) {
  for (Index const n : {0, 1, 2, 3, 16, 70}) {
    auto const a = random_hermitian<T>(n, unsigned(n));
    decomposes<T>(comm, cyclic(grid, n, n, 5), a, n % 4 == 0 ? Uplo::upper : Uplo::lower, {.panel = n > 20 ? 0 : 4});
  }
}

TEST(Eigh, IsRightForEveryGridTypeAndTriangle) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    decomposes_all_sizes<double>(comm, grid);
    decomposes_all_sizes<float>(comm, grid);
    decomposes_all_sizes<std::complex<float>>(comm, grid);
    decomposes_all_sizes<std::complex<double>>(comm, grid);
  }
}

template <class T>
void decomposes_hard_ones(Communicator const& comm) {
  Index const n = 150;
  auto const d = cyclic(grids(comm.size()).front(), n, n, 8);
  auto const eps = double(std::numeric_limits<Real<T>>::epsilon());
  decomposes<T>(comm, d, Whole<T>(n, n));
  decomposes<T>(comm, d, identity<T>(n));
  decomposes<T>(comm, d, wilkinson<T>(n));
  decomposes<T>(comm, d, with_spectrum<T>(n, [](Index j) { return double(j % 3); }));
  decomposes<T>(comm, d, with_spectrum<T>(n, [&](Index j) { return j == 0 ? 1.0 : eps; }));
  decomposes<T>(comm, d, with_spectrum<T>(n, [&](Index j) { return 1 + eps * double(j); }));
  decomposes<T>(comm, d, with_spectrum<T>(n, [&](Index j) { return std::pow(eps, double(j) / double(n - 1)); }));
  decomposes<T>(comm, d, with_spectrum<T>(n, [&](Index j) { return j % 2 == 0 ? 1.0 : -1.0; }));
}

TEST(Eigh, IsRightForClusteredRepeatedAndGradedSpectra) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  decomposes_hard_ones<double>(comm);
  decomposes_hard_ones<std::complex<float>>(comm);
}

TEST(Eigh, GivesARange) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Index const n = 90;
  auto const a = random_hermitian<double>(n, 3);
  auto const d = cyclic(grids(comm.size()).back(), n, n, 7);
  for (auto const& [first, last] : {std::pair<Index, Index>(0, 0), {40, 41}, {13, 89}}) {
    decomposes<double>(comm, d, a, Uplo::lower, {.subset_by_index = std::pair(first, last)});
  }
  Held<double> held(comm, d, 0);
  set(held, a);
  auto const all = eigh<double>(held.matrix, Uplo::lower, {.vectors = false});
  EXPECT_FALSE(all.vectors);
  ASSERT_EQ(Index(all.values.size()), n);
  auto const low = all.values[9], high = all.values[20];
  auto const some =
      eigh<double>(held.matrix, Uplo::lower,
                   {.subset_by_value = std::pair((low + all.values[10]) / 2, (high + all.values[21]) / 2)});
  ASSERT_EQ(some.values.size(), 11U);
  EXPECT_NEAR(some.values.front(), all.values[10], 1e-12);
  EXPECT_EQ(some.vectors->cols(), 11);
  auto const none = eigh<double>(held.matrix, Uplo::lower, {.subset_by_value = std::pair(1e6, 2e6)});
  EXPECT_TRUE(none.values.empty());
  EXPECT_EQ(none.vectors->cols(), 0);
}

TEST(Eigh, HasTheSameBitsOnEveryRun) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Held<double> held(comm, cyclic(grids(comm.size()).front(), 80, 80, 8), 0);
  set(held, random_hermitian<double>(80, 5));
  auto const one = eigh<double>(held.matrix), other = eigh<double>(held.matrix);
  EXPECT_EQ(one.values, other.values);
  EXPECT_EQ(gathered(*one.vectors).data, gathered(*other.vectors).data);
}

TEST(Eigh, RefusesWhatIsWrongOnEveryRank) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Index const n = 40;
  auto const d = cyclic(grids(comm.size()).front(), n, n, 8);
  auto const refused = [&](Whole<double> const& a, EighOptions const& options, char const* text) {
    Held<double> held(comm, d, 0);
    set(held, a);
    try {
      static_cast<void>(eigh<double>(held.matrix, Uplo::lower, options));
      FAIL() << text;
    } catch (Error const& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  };
  auto const good = random_hermitian<double>(n, 1);
  auto wrong = good;
  wrong(3, 20) += 1;
  refused(wrong, {}, "not Hermitian");
  auto nan = good;
  nan(30, 2) = std::numeric_limits<double>::quiet_NaN();
  refused(nan, {}, "NaN or inf at (30, 2)");
  refused(good, {.subset_by_index = std::pair<Index, Index>(3, 40)}, "subset_by_index");
  refused(good, {.subset_by_index = std::pair<Index, Index>(3, 2)}, "subset_by_index");
  refused(good, {.subset_by_value = std::pair(2.0, 1.0)}, "subset_by_value");
  refused(good, {.panel = -1}, "panel");
  Held<double> tall(comm, cyclic(grids(comm.size()).front(), n, n - 1, 8), 0);
  EXPECT_THROW(static_cast<void>(eigh<double>(tall.matrix)), Error);
}

}  // namespace
}  // namespace allport::testing
