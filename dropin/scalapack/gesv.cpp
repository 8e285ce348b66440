// p?gesv_: sub(A) X = sub(B), leaving the factors in A; B stays as it is where U is exactly singular.
#include "agree.h"
#include "factor.h"

namespace allport::scalapack {
namespace {

/// Solves with the factors in place, by ScaLAPACK's getrs if that is faster.
template <class T>
std::string solve_with(GesvCall const& x, Grid const& grid, Record& record, Factored const& a, Operand const& b) {
  auto const& getrs = original_of<T, GetrsCall>();
  if (b.cols == 0) return "";
  if (getrs.there() && !why_not_solve(grid, record, {Trans::none, scalar_of<T>}, a.view, b).empty()) {
    GetrsCall{"N", x.n, x.nrhs, x.a, x.pivots, x.b, x.info}.pass_to(getrs);
    return ", solved by ScaLAPACK";
  }
  solve<T>(grid, record, Trans::none, a.view, x.a.data, a.pivots, b, x.b.data);
  return ", lu_solve";
}

template <class T>
Outcome factor_and_solve(GesvCall const& x, Grid const& grid, Record& record, Operand const& a, Operand const& b) {
  // ScaLAPACK does not reference the element of a matrix of one row, so its result is ScaLAPACK's.
  if (a.desc.m == 1) return fall_back("a matrix of one row");
  if (a.rows == 0) return taken("nothing to do");
  auto const done = factor<T>(original_of<T, GesvCall>().name(), grid, record, a, x.a.data, x.pivots, x.info);
  if (!done.why_not.empty()) return fall_back(done.why_not);
  auto const solved = done.report.info == 0 ? solve_with<T>(x, grid, record, done, b) : ", singular";
  return taken(in_words(done.report) + solved, done.bound);
}

}  // namespace

template <class T>
Outcome take(GesvCall const& x, Grid const& grid) {
  enum Position { n_at = 1, nrhs_at, a_desc_at = 6, b_desc_at = 11 };
  return agree(
      Typical::some_calls, grid, {{x.a, x.n, x.n, n_at, n_at, a_desc_at}, {x.b, x.n, x.nrhs, n_at, nrhs_at, b_desc_at}},
      {}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        check_blocks(given[0], a_desc_at, given[1], b_desc_at, grid, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) {
        return factor_and_solve<T>(x, grid, record, given[0], given[1]);
      });
}

ALLPORT_SCALAPACK_TAKES(GesvCall)

}  // namespace allport::scalapack
