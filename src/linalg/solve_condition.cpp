// Estimates norm1(A^-1) by solves with the factors: Hager 1984 and Higham 1988, as LAPACK's lacn2.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allport/linalg/solve.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

/// Every rank holds all elements of the vectors.
template <class T>
class InverseNorm {
 public:
  InverseNorm(Matrix<T const> const& factors, std::span<Index const> pivots)
      : factors_(factors), pivots_(pivots), n_(factors.rows()) {}

  [[nodiscard]] double estimate() {
    constexpr int most_steps = 5;
    std::vector<T> x(size(), T(1) / T(static_cast<float>(n_)));
    solve(Trans::none, x);
    double best = sum_of_sizes(x);
    Index last = -1;
    for (int step = 0; step < most_steps && n_ > 1; ++step) {
      for (auto& value : x) value = direction(value);
      solve(Trans::conjugate, x);
      auto const next = largest(x);
      if (next == last) break;
      last = next;
      std::fill(x.begin(), x.end(), T(0));
      x[static_cast<std::size_t>(next)] = T(1);
      solve(Trans::none, x);
      auto const found = sum_of_sizes(x);
      if (!(found > best)) break;
      best = found;
    }
    // A second estimate by an alternating vector, for matrices for which the iteration fails.
    for (Index i = 0; i < n_; ++i) {
      auto const size = 1.0 + static_cast<double>(i) / static_cast<double>(std::max<Index>(n_ - 1, 1));
      x[static_cast<std::size_t>(i)] = T(static_cast<float>(i % 2 == 0 ? size : -size));
    }
    solve(Trans::none, x);
    return std::max(best, 2.0 * sum_of_sizes(x) / (3.0 * static_cast<double>(n_)));
  }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n_); }

  void solve(Trans trans, std::vector<T>& x) {
    auto const& comm = factors_.comm();
    lu_solve(trans, factors_, pivots_, Matrix(comm, whole_on(0, n_, 1), x.data(), n_));
    auto transfer = comm.start_broadcast(std::as_writable_bytes(std::span<T>(x)), 0);
    transfer.wait();
  }
  static T direction(T value) {
    auto const size = std::abs(value);
    return size == 0 ? T(1) : value / size;
  }
  static double sum_of_sizes(std::vector<T> const& x) {
    double sum = 0;
    for (auto const value : x) sum += static_cast<double>(std::abs(value));
    return sum;
  }
  static Index largest(std::vector<T> const& x) {
    auto const most = std::ranges::max_element(x, {}, [](T value) { return std::abs(value); });
    return static_cast<Index>(most - x.begin());
  }

  Matrix<T const> const& factors_;
  std::span<Index const> pivots_;
  Index n_;
};

}  // namespace

template <class T>
double lu_condition(Matrix<T const> const& factors, std::span<Index const> pivots, double norm1) {
  if (factors.rows() == 0) {
    return 1;
  }
  auto const det = lu_determinant(factors, pivots);
  if (norm1 == 0 || det.phase == 0.0) {
    return 0;
  }
  auto const inverse = InverseNorm<T>(factors, pivots).estimate();
  if (std::isnan(inverse) || std::isnan(norm1)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return 1.0 / inverse / norm1;
}

#define ALLPORT_CONDITION(T) template double lu_condition<T>(Matrix<T const> const&, std::span<Index const>, double);
ALLPORT_FOR_SCALARS(ALLPORT_CONDITION)

}  // namespace allport
