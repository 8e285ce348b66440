// Matrices that are hard for LU, distributed to ranks and collected, and what the definition says of their factors.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "allport/linalg/lu.h"
#include "allport/linalg/redistribute.h"
#include "linalg/matrix/held.h"

extern "C" void dgetrf_(int const*, int const*, double*, int const*, int*, int*);

namespace allport::lu_samples {

enum class Sample {
  random,
  dominant,
  graded,
  wilkinson,
  nearly_singular,
  hilbert,
  rank_deficient,
  orthogonal,
  zero,
  nan,
  zero_column
};
inline constexpr Index zero_column_of_sample = 17;

inline std::string name_of(Sample s) {
  static constexpr char const* names[] = {"random",     "dominant",       "graded",     "wilkinson", "nearly singular",
                                          "hilbert",    "rank-deficient", "orthogonal", "zero",      "NaN-bearing",
                                          "zero column"};
  return names[static_cast<int>(s)];
}

/// A whole matrix, column-major.
template <class T>
struct Whole {
  Index m = 0;
  Index n = 0;
  std::vector<T> data;
  T& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i + j * m)]; }
  T operator()(Index i, Index j) const { return data[static_cast<std::size_t>(i + j * m)]; }
};

template <class T>
T value_of(double re, double im) {
  if constexpr (scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z) {
    return {static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im)};
  } else {
    return static_cast<T>(re);
  }
}

/// The same on every rank.
template <class T>
Whole<T> make(Sample sample, Index m, Index n) {
  Whole<T> a{m, n, std::vector<T>(static_cast<std::size_t>(m * n))};
  std::mt19937_64 random(static_cast<std::uint64_t>(m * 1000 + n));
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& x : a.data) x = value_of<T>(uniform(random), uniform(random));
  auto const each = [&](auto value) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) a(i, j) = value(i, j, a(i, j));
    }
  };
  switch (sample) {
    case Sample::random:
      break;
    case Sample::dominant:
      each([&](Index i, Index j, T x) { return i == j ? T(static_cast<float>(n)) : x; });
      break;
    case Sample::graded:
      each([](Index i, Index j, T x) {
        return x * T(static_cast<float>(std::pow(10.0, -0.2 * static_cast<double>(i + j))));
      });
      break;
    case Sample::wilkinson:  // growth 2^(n-1) with partial pivoting
      each([&](Index i, Index j, T) { return j == n - 1 || i == j ? T(1) : i > j ? T(-1) : T(0); });
      break;
    case Sample::nearly_singular:
      for (Index i = 0; i < m && n > 1; ++i) a(i, n - 1) = a(i, 0) + a(i, n - 1) * T(1e-6f);
      break;
    case Sample::hilbert:
      each([](Index i, Index j, T) { return T(1.0f / static_cast<float>(i + j + 1)); });
      break;
    case Sample::rank_deficient:  // of rank 3, in small integers
      each([](Index i, Index j, T) {
        return T(static_cast<float>((i % 5 - 2) * (j % 3 - 1) + (i % 2) * (j % 7) + (i % 3) * (j % 4)));
      });
      break;
    case Sample::orthogonal:
      each([&](Index i, Index j, T) {
        return T(static_cast<float>(std::sqrt(2.0 / static_cast<double>(n + 1)))) *
               T(static_cast<float>(
                   std::sin(M_PI * static_cast<double>((i + 1) * (j + 1)) / static_cast<double>(n + 1))));
      });
      break;
    case Sample::zero:
      each([](Index, Index, T) { return T(0); });
      break;
    case Sample::nan:
      if (m > 3 && n > 2) a(3, 2) = T(std::numeric_limits<float>::quiet_NaN());
      break;
    case Sample::zero_column:
      for (Index i = 0; i < m; ++i) a(i, zero_column_of_sample) = T(0);
      break;
  }
  return a;
}

using samples::Held;

template <class T>
Held<T> distribute(Whole<T> const& whole, Distribution const& distribution, Communicator const& comm) {
  Held<T> held(comm, distribution, 2);
  held.matrix.for_each([&](Index i, Index j, T& x) { x = whole(i, j); });
  return held;
}

/// The whole matrix on every rank.
template <class T>
Whole<T> collect(Held<T> const& held) {
  auto const& a = held.matrix;
  EXPECT_EQ(held.overwritten(), 0);
  Whole<T> whole{a.rows(), a.cols(), std::vector<T>(static_cast<std::size_t>(a.rows() * a.cols()))};
  redistribute(a, Matrix(a.comm(), whole_on(0, a.rows(), a.cols()), whole.data.data()));
  auto transfer = a.comm().start_broadcast(std::as_writable_bytes(std::span<T>(whole.data)), 0);
  transfer.wait();
  return whole;
}

template <class T>
Index first_zero(Whole<T> const& factors) {
  for (Index s = 0; s < std::min(factors.m, factors.n); ++s) {
    if (factors(s, s) == T(0)) return s + 1;
  }
  return 0;
}

template <class T>
double eps_of() {
  return static_cast<double>(std::numeric_limits<decltype(std::abs(T{}))>::epsilon()) / 2;
}

template <class T>
double norm1(Whole<T> const& a) {
  double most = 0;
  for (Index j = 0; j < a.n; ++j) {
    double sum = 0;
    for (Index i = 0; i < a.m; ++i) sum += static_cast<double>(std::abs(a(i, j)));
    most = std::max(most, sum);
  }
  return most;
}

/// norm1(P A - L U) / (norm1(A) n eps), with |L| |U| in the place of A where elements grew (the bound that elimination
/// has): growth is the matrix's fault, a wrong factor is ours.
template <class T>
double residual(Whole<T> a, Whole<T> const& f, std::vector<Index> const& pivots) {
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    for (Index j = 0; j < a.n; ++j) std::swap(a(static_cast<Index>(s), j), a(pivots[s], j));
  }
  auto const k = std::min(a.m, a.n);
  auto difference = a;
  double scale = norm1(a);
  double products = 0;
  for (Index j = 0; j < a.n; ++j) {
    double column = 0;
    for (Index i = 0; i < a.m; ++i) {
      T sum(0);
      double size = 0;
      for (Index x = 0; x < std::min({k, i + 1, j + 1}); ++x) {
        auto const l = x == i ? T(1) : f(i, x);
        sum += l * f(x, j);
        size += static_cast<double>(std::abs(l) * std::abs(f(x, j)));
      }
      difference(i, j) -= sum;
      column += size;
    }
    products = std::max(products, column);
  }
  scale = std::max(scale, products);
  if (scale == 0) return 0;
  return norm1(difference) / (scale * static_cast<double>(std::max(a.m, a.n)) * eps_of<T>());
}

inline std::vector<Index> lapack_pivots(Whole<double> a) {
  int const m = static_cast<int>(a.m);
  int const n = static_cast<int>(a.n);
  std::vector<int> pivots(static_cast<std::size_t>(std::min(m, n)));
  int info = 0;
  dgetrf_(&m, &n, a.data.data(), &m, pivots.data(), &info);
  std::vector<Index> from_zero;
  for (auto const p : pivots) from_zero.push_back(p - 1);
  return from_zero;
}

}  // namespace allport::lu_samples
