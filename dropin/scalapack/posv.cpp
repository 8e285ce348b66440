// p?posv_: sub(A) X = sub(B), leaving the factors in A; B stays as it is where A is not positive definite.
#include "positive_definite.h"

namespace allport::scalapack {
namespace {

/// Solves with the factors in place, by ScaLAPACK's potrs if that is faster.
template <class T>
std::string solve_with(PosvCall const& x, Uplo uplo, Grid const& grid, Record& record, CholeskyFactored const& a,
                       Operand const& b) {
  auto const& potrs = original_of<T, PotrsCall>();
  if (b.cols == 0) return "";
  if (potrs.there() && !why_not_solve_cholesky(grid, record, scalar_of<T>, uplo, a.view, b).empty()) {
    x.pass_to(potrs);
    return ", solved by ScaLAPACK";
  }
  solve_cholesky<T>(grid, record, uplo, a.view, x.a.data, b, x.b.data);
  return ", cholesky_solve";
}

template <class T>
Outcome factor_and_solve(PosvCall const& x, Uplo uplo, Grid const& grid, Record& record, Operand const& a,
                         Operand const& b) {
  if (a.rows == 0) return taken("nothing to do");
  auto const done = factor_cholesky<T>(grid, record, uplo, a, x.a.data, x.info);
  if (!done.why_not.empty()) return fall_back(done.why_not);
  auto const solved = done.report.info == 0 ? solve_with<T>(x, uplo, grid, record, done, b) : ", not positive definite";
  return taken(in_words(done.report, grid) + solved, done.bound);
}

}  // namespace

template <class T>
Outcome take(PosvCall const& x, Grid const& grid) {
  return take_system(x, grid, [&](Record& record, Uplo uplo, Operand const& a, Operand const& b) {
    return factor_and_solve<T>(x, uplo, grid, record, a, b);
  });
}

ALLPORT_SCALAPACK_TAKES(PosvCall)

}  // namespace allport::scalapack
