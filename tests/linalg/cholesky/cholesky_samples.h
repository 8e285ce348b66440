// Positive definite matrices, and the grids that they are factored on.
#pragma once

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "allport/linalg/graphs.h"
#include "linalg/matrix/held.h"

namespace allport::samples {

template <class T>
T random_element(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  if constexpr (scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z) {
    auto const real = number(random);
    return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(number(random)));
  } else {
    return static_cast<T>(number(random));
  }
}

template <class T>
T conjugate(T x) {
  if constexpr (scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z) {
    return std::conj(x);
  } else {
    return x;
  }
}

/// Hermitian, diagonally dominant; the triangle that is not named holds marks.
template <class T>
std::vector<T> positive(int n, Uplo uplo, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> a(std::size_t(n) * std::size_t(n));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      auto const x = random_element<T>(random);
      auto const upper = std::size_t(i) + std::size_t(j) * std::size_t(n);
      auto const lower = std::size_t(j) + std::size_t(i) * std::size_t(n);
      a[upper] = uplo == Uplo::upper ? x : T(77);
      a[lower] = uplo == Uplo::lower ? conjugate(x) : T(77);
      if (i == j) a[upper] = T(static_cast<float>(n + 2));
    }
  }
  return a;
}

template <class T>
void fill(Held<T>& held, std::vector<T> const& whole) {
  held.matrix.for_each([&](Index i, Index j, T& x) { x = whole[std::size_t(i + j * held.matrix.rows())]; });
}

/// Largest difference from the whole matrix.
template <class T>
double difference(Held<T> const& held, std::vector<T> const& whole) {
  double most = 0;
  held.matrix.for_each([&](Index i, Index j, T const& x) {
    most = std::max(most, double(std::abs(x - whole[std::size_t(i + j * held.matrix.rows())])));
  });
  return most;
}

inline std::vector<ProcessGrid> grids(int ranks) {
  std::vector<ProcessGrid> all;
  for (int p = 1; p <= ranks; ++p) {
    if (ranks % p == 0) all.push_back(ProcessGrid::column_major(p, ranks / p));
  }
  if (ranks > 2) all.push_back(ProcessGrid::row_major(1, ranks - 1, 1));  // one rank has no part
  return all;
}

}  // namespace allport::samples
