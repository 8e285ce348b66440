// Products with Q in LAPACK's representation, as products of matrices.
#include <numeric>
#include <optional>
#include <span>

#include "allport/linalg/householder.h"
#include "allport/linalg/solve.h"
#include "linalg/matrix/adjoint.h"
#include "linalg/matrix/checks.h"

namespace allport {

namespace {

template <class T>
constexpr Trans adjoint_of =
    std::is_same_v<T, float> || std::is_same_v<T, double> ? Trans::transpose : Trans::conjugate;

/// C = alpha op(A) op(B) + beta C on a grid of C's shape. The plan is not searched for: that would take longer than the
/// three products if matrices are small.
template <class T>
void product(Trans trans_a, Trans trans_b, T alpha, Matrix<T> const& a, Matrix<T> const& b, T beta,
             Matrix<T> const& c) {
  if (c.rows() == 0 || c.cols() == 0) return;
  auto const k = trans_a == Trans::none ? a.cols() : a.rows();
  GemmProblem const problem{c.rows(), c.cols(), k, scalar_of<T>, trans_a, trans_b};
  GemmOptions options;
  options.algorithm = "summa";
  options.grid = {c.distribution().grid().rows(), c.distribution().grid().cols(), 1};
  options.order = "ijl";
  options.mapping = c.comm().mapping();
  static_cast<void>(gemm<T>(plan_gemm(problem, c.comm().machine(), options), alpha, a, b, beta, c));
}

/// Q = I - V T V^H with explicit V, and T represented by its inverse.
template <class T>
class CompactQ {
 public:
  CompactQ(Matrix<T const> const& v, std::vector<T> const& tau) : v_(explicit_v(v, tau)), inverse_(inverse_t(v_, tau)) {
    exchanges_.resize(tau.size());
    std::iota(exchanges_.begin(), exchanges_.end(), Index(0));
  }

  /// C = op(Q) C.
  void from_left(bool adjoint, Matrix<T> const& c) const {
    auto const w = detail::allocate_on_all<T>(c.comm(), like(c.distribution(), v_.cols(), c.cols()));
    product<T>(adjoint_of<T>, Trans::none, T(1), v_, c, T(0), w);
    solve(adjoint, w);
    product<T>(Trans::none, Trans::none, T(-1), v_, w, T(1), c);
  }
  /// C = C op(Q): (C V op(T))^H = op(T)^H (C V)^H.
  void from_right(bool adjoint, Matrix<T> const& c) const {
    auto const w = detail::allocate_on_all<T>(c.comm(), like(c.distribution(), c.rows(), v_.cols()));
    product<T>(Trans::none, Trans::none, T(1), c, v_, T(0), w);
    auto const transposed = detail::adjoint(w);
    solve(!adjoint, transposed);
    product<T>(adjoint_of<T>, adjoint_of<T>, T(-1), transposed, v_, T(1), c);
  }

 private:
  static Distribution like(Distribution const& d, Index rows, Index cols) {
    auto const axis = [](AxisDistribution const& given, Index extent) {
      return extent == given.extent() ? given : AxisDistribution::balanced(extent, given.parts());
    };
    return {axis(d.rows(), rows), axis(d.cols(), cols), d.grid()};
  }

  /// V with ones on the diagonal and zeros above it; a column with tau = 0 is zero, and its diagonal element of T is 1.
  static Matrix<T> explicit_v(Matrix<T const> const& v, std::vector<T> const& tau) {
    auto made = Matrix<T>::zeros(v.comm(), v.distribution());
    auto const& d = v.distribution();
    made.for_each([&](Index i, Index j, T& x) {
      if (tau[static_cast<std::size_t>(j)] == T(0) || i < j) return;
      x = i == j ? T(1) : v.data()[d.rows().local(i) + d.cols().local(j) * v.ld()];
    });
    return made;
  }
  static Matrix<T> inverse_t(Matrix<T> const& v, std::vector<T> const& tau) {
    auto const k = v.cols();
    auto const& d = v.distribution();
    auto made = detail::allocate_on_all<T>(v.comm(), {AxisDistribution::balanced(k, d.rows().parts()),
                                                      AxisDistribution::balanced(k, d.cols().parts()), d.grid()});
    product<T>(adjoint_of<T>, Trans::none, T(1), v, v, T(0), made);
    made.for_each([&](Index i, Index j, T& x) {
      auto const t = tau[static_cast<std::size_t>(j)];
      if (i >= j) x = i > j ? T(0) : t == T(0) ? T(1) : T(1) / t;
    });
    return made;
  }

  void solve(bool adjoint, Matrix<T> const& w) const {
    lu_solve(adjoint ? adjoint_of<T> : Trans::none, Matrix<T const>(inverse_), exchanges_, w);
  }

  Matrix<T> v_;
  Matrix<T> inverse_;  ///< T^-1, as the factors L = I and U of a solve
  std::vector<Index> exchanges_;
};

template <class T>
void check_reflectors(Matrix<T const> const& v, std::vector<T> const& tau, Communicator const& comm) {
  detail::check_operand("v", v, v.rows(), v.cols(), comm);
  ensure(v.cols() <= v.rows(), "v", fmt::format("{} x {}", v.rows(), v.cols()), "at most as many columns as rows");
  ensure(static_cast<Index>(tau.size()) == v.cols(), "tau", tau.size(), fmt::format("{} elements", v.cols()));
}

}  // namespace

template <class T>
void apply_householder(bool left, Trans trans, Matrix<std::type_identity_t<T> const> const& v,
                       std::vector<T> const& tau, Matrix<std::type_identity_t<T>> const& c) {
  auto const& comm = c.comm();
  detail::on_all(comm, [&] {
    check_reflectors<T>(v, tau, comm);
    detail::check_operand("c", c, left ? v.rows() : c.rows(), left ? c.cols() : v.rows(), comm);
    ensure(trans != Trans::transpose || adjoint_of<T> == Trans::transpose, "trans", "transposed",
           "none, or the conjugate transposed", "", ErrorKind::unsupported);
  });
  if (v.cols() == 0 || c.rows() == 0 || c.cols() == 0) return;
  CompactQ<T> const q(v, tau);
  bool const adjoint = trans != Trans::none;
  left ? q.from_left(adjoint, c) : q.from_right(adjoint, c);
}

template <class T>
void form_householder_q(Matrix<std::type_identity_t<T> const> const& v, std::vector<T> const& tau,
                        Matrix<std::type_identity_t<T>> const& q) {
  auto const& comm = q.comm();
  detail::on_all(comm, [&] {
    check_reflectors<T>(v, tau, comm);
    detail::check_operand("q", q, v.rows(), q.cols(), comm);
    ensure(q.cols() <= q.rows(), "q", fmt::format("{} x {}", q.rows(), q.cols()), "at most as many columns as rows");
  });
  std::optional<CompactQ<T>> compact;
  if (v.cols() > 0) compact.emplace(v, tau);
  q.for_each([](Index i, Index j, T& x) { x = i == j ? T(1) : T(0); });
  if (compact && q.cols() > 0) compact->from_left(false, q);
}

#define ALLPORT_HOUSEHOLDER_APPLY(T)                                                                                \
  template void apply_householder<T>(bool, Trans, Matrix<T const> const&, std::vector<T> const&, Matrix<T> const&); \
  template void form_householder_q<T>(Matrix<T const> const&, std::vector<T> const&, Matrix<T> const&);
ALLPORT_FOR_SCALARS(ALLPORT_HOUSEHOLDER_APPLY)

}  // namespace allport
