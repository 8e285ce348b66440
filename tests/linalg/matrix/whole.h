// Whole matrices on one rank, and the arithmetic that tests of factorizations compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "allport/linalg/redistribute.h"
#include "linalg/cholesky/cholesky_samples.h"

namespace allport::samples {

/// A whole matrix on one rank, column-major.
template <class T>
struct Whole {
  Index rows = 0;
  Index cols = 0;
  std::vector<T> data;

  Whole() = default;
  Whole(Index m, Index n) : rows(m), cols(n), data(std::size_t(m * n)) {}
  T& operator()(Index i, Index j) { return data[std::size_t(i + j * rows)]; }
  T operator()(Index i, Index j) const { return data[std::size_t(i + j * rows)]; }
};

template <class T>
Whole<T> random_whole(Index m, Index n, unsigned seed) {
  std::mt19937 random(seed);
  Whole<T> made(m, n);
  for (auto& x : made.data) x = random_element<T>(random);
  return made;
}

/// a^H b or a b.
template <class T>
Whole<T> times(bool adjoint, Whole<T> const& a, Whole<T> const& b) {
  Whole<T> c(adjoint ? a.cols : a.rows, b.cols);
  for (Index j = 0; j < c.cols; ++j) {
    for (Index i = 0; i < c.rows; ++i) {
      T sum(0);
      for (Index l = 0; l < b.rows; ++l) sum += (adjoint ? conjugate(a(l, i)) : a(i, l)) * b(l, j);
      c(i, j) = sum;
    }
  }
  return c;
}

template <class T>
double frobenius(Whole<T> const& a) {
  double sum = 0;
  for (auto const x : a.data) sum += double(std::norm(x));
  return std::sqrt(sum);
}

template <class T>
Whole<T> minus(Whole<T> a, Whole<T> const& b) {
  for (std::size_t i = 0; i < a.data.size(); ++i) a.data[i] -= b.data[i];
  return a;
}

template <class T>
Whole<T> identity(Index n) {
  Whole<T> made(n, n);
  for (Index i = 0; i < n; ++i) made(i, i) = T(1);
  return made;
}

/// With rows of zeros below.
template <class T>
Whole<T> padded(Whole<T> const& a, Index rows) {
  Whole<T> made(rows, a.cols);
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) made(i, j) = a(i, j);
  }
  return made;
}

template <class T>
double eps() {
  return double(std::numeric_limits<decltype(std::abs(T()))>::epsilon());
}

/// On rank 0; nothing elsewhere.
template <class T>
Whole<T> gathered(Matrix<T> const& a) {
  auto const& comm = a.comm();
  Whole<T> whole(a.rows(), a.cols());
  redistribute(a, Matrix<T>(comm, whole_on(0, a.rows(), a.cols()), whole.data.data(), std::max<Index>(a.rows(), 1)));
  return whole;
}

template <class T>
Whole<T> upper(Whole<T> const& a) {
  Whole<T> r(std::min(a.rows, a.cols), a.cols);
  for (Index j = 0; j < r.cols; ++j) {
    for (Index i = 0; i <= std::min(j, r.rows - 1); ++i) r(i, j) = a(i, j);
  }
  return r;
}

template <class T>
void set(Held<T>& held, Whole<T> const& whole) {
  held.matrix.for_each([&](Index i, Index j, T& x) { x = whole(i, j); });
}

inline Distribution cyclic(ProcessGrid const& grid, Index m, Index n, Index nb) {
  return {AxisDistribution::cyclic(m, grid.rows(), nb, grid.rows() - 1), AxisDistribution::cyclic(n, grid.cols(), nb),
          grid};
}

}  // namespace allport::samples
