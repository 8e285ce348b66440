// Operations without a plan: they make one for matrices that are distributed as the caller's are, and run it.
#include <complex>
#include <optional>

#include "allport/linalg/solve.h"
#include "linalg/matrix/checks.h"

namespace allport {

template <class T>
GemmReport gemm(std::type_identity_t<T> alpha, Matrix<std::type_identity_t<T> const> const& a,
                Matrix<std::type_identity_t<T> const> const& b, std::type_identity_t<T> beta, Matrix<T> const& c,
                Trans trans_a, Trans trans_b, GemmOptions const& options) {
  auto const& comm = c.comm();
  bool const plain_a = trans_a == Trans::none, plain_b = trans_b == Trans::none;
  auto const m = c.rows(), n = c.cols(), k = plain_a ? a.cols() : a.rows();
  std::optional<GemmPlan> plan;
  detail::on_all(comm, [&] {
    detail::check_operand("A", a, plain_a ? m : k, plain_a ? k : m, comm);
    detail::check_operand("B", b, plain_b ? k : n, plain_b ? n : k, comm);
    detail::check_operand("C", c, m, n, comm);
    auto wanted = options;
    wanted.mapping = comm.mapping();
    wanted.given = GemmGiven{a.distribution(), b.distribution(), c.distribution(), beta != T(0)};
    plan = plan_gemm({m, n, k, scalar_of<T>, trans_a, trans_b}, comm.machine(), wanted);
  });
  return gemm(*plan, alpha, a, b, beta, c);
}

template <class T>
LuReport lu(Matrix<T> const& a, std::vector<Index>& pivots, Pivoting pivoting, LuOptions const& options) {
  auto const& comm = a.comm();
  std::optional<LuPlan> plan;
  detail::on_all(comm, [&] {
    detail::check_operand("A", a, a.rows(), a.cols(), comm);
    auto wanted = options;
    wanted.mapping = comm.mapping();
    wanted.given = a.distribution();
    plan = plan_lu({a.rows(), a.cols(), scalar_of<T>, pivoting}, comm.machine(), wanted);
  });
  return lu(*plan, a, pivots);
}

template <class T>
LuReport solve(Matrix<std::type_identity_t<T>> const& a, Matrix<T> const& b, Pivoting pivoting,
               LuOptions const& options) {
  auto const n = a.rows();
  detail::on_all(b.comm(), [&] {
    detail::check_operand("A", a, n, n, b.comm());
    detail::check_operand("B", b, n, b.cols(), b.comm());
  });
  std::vector<Index> pivots;
  auto report = lu(a, pivots, pivoting, options);
  if (report.info == 0) lu_solve<T>(Trans::none, a, pivots, b);
  return report;
}

#define ALLPORT_UNPLANNED(T)                                                                                        \
  template GemmReport gemm<T>(T, Matrix<T const> const&, Matrix<T const> const&, T, Matrix<T> const&, Trans, Trans, \
                              GemmOptions const&);                                                                  \
  template LuReport lu<T>(Matrix<T> const&, std::vector<Index>&, Pivoting, LuOptions const&);                       \
  template LuReport solve<T>(Matrix<T> const&, Matrix<T> const&, Pivoting, LuOptions const&);
ALLPORT_FOR_SCALARS(ALLPORT_UNPLANNED)

}  // namespace allport
