// p?potrs_: sub(A) X = sub(B) from the factors of p?potrf_, ours or ScaLAPACK's.
#include "positive_definite.h"

namespace allport::scalapack {
namespace {

template <class T>
Outcome solve_with(PotrsCall const& x, Uplo uplo, Grid const& grid, Record& record, Operand const& a,
                   Operand const& b) {
  if (a.rows == 0 || b.cols == 0) return taken("nothing to do");
  auto const view = view_of(a, grid, record.ranks(), record.rank());
  auto why = why_not_solve_cholesky(grid, record, scalar_of<T>, uplo, view, b);
  if (!why.empty()) return fall_back(why);
  solve_cholesky<T>(grid, record, uplo, view, x.a.data, b, x.b.data);
  return taken("cholesky_solve");
}

}  // namespace

template <class T>
Outcome take(PotrsCall const& x, Grid const& grid) {
  return take_system(x, grid, [&](Record& record, Uplo uplo, Operand const& a, Operand const& b) {
    return solve_with<T>(x, uplo, grid, record, a, b);
  });
}

ALLPORT_SCALAPACK_TAKES(PotrsCall)

}  // namespace allport::scalapack
