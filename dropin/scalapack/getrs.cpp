// p?getrs_: op(sub(A)) X = sub(B) from the factors of p?getrf_, ours or ScaLAPACK's.
#include "agree.h"
#include "factor.h"

namespace allport::scalapack {
namespace {

template <class T>
Outcome solve_with(GetrsCall const& x, Trans trans, Grid const& grid, Record& record, Operand const& a,
                   Operand const& b) {
  if (a.rows == 0 || b.cols == 0) return taken("nothing to do");
  auto const view = view_of(a, grid, record.ranks(), record.rank());
  if (auto why = why_not_solve(grid, record, {trans, scalar_of<T>}, view, b); !why.empty()) return fall_back(why);
  auto const pivots = read_pivots(record, a, view, grid, x.pivots);
  if (!are_exchanges(pivots)) return fall_back("pivots that are not getrf's");
  solve<T>(grid, record, trans, view, x.a.data, pivots, b, x.b.data);
  return taken("lu_solve");
}

}  // namespace

template <class T>
Outcome take(GetrsCall const& x, Grid const& grid) {
  enum Position { trans_at = 1, n_at, nrhs_at, a_desc_at = 7, b_desc_at = 12 };
  auto trans = Trans::conjugate;
  bool const trans_known = read_trans<T>(x.trans, trans);
  return agree(
      Typical::some_calls, grid, {{x.a, x.n, x.n, n_at, n_at, a_desc_at}, {x.b, x.n, x.nrhs, n_at, nrhs_at, b_desc_at}},
      {{static_cast<int>(trans), 100 * trans_at}}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        if (!trans_known) wrong.argument(trans_at);
        check_blocks(given[0], a_desc_at, given[1], b_desc_at, grid, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) {
        return solve_with<T>(x, trans, grid, record, given[0], given[1]);
      });
}

ALLPORT_SCALAPACK_TAKES(GetrsCall)

}  // namespace allport::scalapack
