// p?getrs_: op(sub(A)) X = sub(B) from the factors of p?getrf_, ours or ScaLAPACK's.
#include "agree.h"
#include "allport/linalg/solve.h"
#include "enter.h"
#include "factor.h"

namespace allport::scalapack {
namespace {

enum Position { trans_at = 1, n_at, nrhs_at, a_desc_at = 7, b_desc_at = 12 };
enum Entry { ctxt_entry = 2, nb_entry = 6 };

/// ScaLAPACK's further conditions, in its order; sub(A) and sub(B) begin in the same process row.
void check_blocks(Operand const& a, Operand const& b, bool trans_known, Grid const& grid, Wrong& wrong) {
  if (wrong.any()) return;
  auto const row_of = [&](Operand const& x) { return (x.desc.rsrc + x.i / x.desc.mb) % grid.rows; };
  if (!trans_known) {
    wrong.argument(trans_at);
  } else if (a.i % a.desc.mb != 0) {
    wrong.argument(a_desc_at - 2);
  } else if (a.j % a.desc.nb != 0) {
    wrong.argument(a_desc_at - 1);
  } else if (a.desc.mb != a.desc.nb) {
    wrong.entry(a_desc_at, nb_entry);
  } else if (b.i % b.desc.mb != 0 || row_of(a) != row_of(b)) {
    wrong.argument(b_desc_at - 2);
  } else if (b.desc.mb != a.desc.nb) {
    wrong.entry(b_desc_at, nb_entry);
  } else if (a.desc.context != b.desc.context) {
    wrong.entry(b_desc_at, ctxt_entry);
  }
}

template <class T>
Outcome solve(GetrsCall const& x, Trans trans, Grid const& grid, Record& record, Operand const& a, Operand const& b) {
  if (auto why = why_not_solve(record); !why.empty()) {
    return handed_back(why);
  }
  auto const me = record.comm().rank();
  auto const a_view = view_of(a, grid, record.ranks(), me);
  auto const b_view = view_of(b, grid, record.ranks(), me);
  auto const pivots = read_pivots(record, a, a_view, grid, x.pivots);
  if (!are_exchanges(pivots)) return handed_back("pivots that are not getrf's");
  auto const factors = a_view.part<T>(x.a.data);
  lu_solve<T>(record.comm(), trans, a_view.layout, {factors.data, factors.ld}, pivots, b_view.layout,
              b_view.part<T>(x.b.data));
  return taken("lu_solve");
}

template <class T>
Outcome take(GetrsCall const& x, Grid const& grid) {
  Outcome outcome;
  if (why_no_grid(grid, outcome, -(100 * a_desc_at + 2)) != nullptr) return outcome;
  Operand const a(x.a, *x.n, *x.n);
  Operand const b(x.b, *x.n, *x.nrhs);
  auto trans = Trans::conjugate;
  bool const trans_known = read_trans<T>(x.trans, trans);
  Wrong wrong;
  check_scalapack(a, n_at, n_at, a_desc_at, grid, wrong);
  check_scalapack(b, n_at, nrhs_at, b_desc_at, grid, wrong);
  check_blocks(a, b, trans_known, grid, wrong);
  auto& record = record_of(grid);
  if (record.settings().policy == Policy::never) return handed_back("ALLPORT_SCALAPACK is 'never'");
  std::vector<Shared> values{{static_cast<int>(trans), 100 * trans_at}};
  share(values, a, n_at, n_at, a_desc_at);
  share(values, b, n_at, nrhs_at, b_desc_at);
  if (!all_well(record, values, wrong)) return handed_back("a wrong argument", common_info(record, values, wrong));
  *x.info = 0;
  if (a.rows == 0 || b.cols == 0) return taken("nothing to do");
  return solve<T>(x, trans, grid, record, a, b);
}

}  // namespace

template <class T>
void getrs(GetrsCall const& x, void const* caller) {
  static Original const original(symbol<T>("getrs"));
  enter(
      original, x.a.desc, caller, [&](Grid const& grid) { return take<T>(x, grid); },
      [&] {
        original.call(x.trans, x.n, x.nrhs, x.a.data, x.a.i, x.a.j, x.a.desc, x.pivots, x.b.data, x.b.i, x.b.j,
                      x.b.desc, x.info, std::size_t{1});
      },
      [&](Grid const& grid, Int info) {
        *x.info = info;
        tell_wrong_argument(grid.context, original.name(), info);
      });
}

template void getrs<float>(GetrsCall const&, void const*);
template void getrs<double>(GetrsCall const&, void const*);
template void getrs<std::complex<float>>(GetrsCall const&, void const*);
template void getrs<std::complex<double>>(GetrsCall const&, void const*);

}  // namespace allport::scalapack
