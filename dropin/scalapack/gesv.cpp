// p?gesv_: sub(A) X = sub(B), leaving the factors in A; B stays as it is where U is exactly singular.
#include "agree.h"
#include "allport/linalg/solve.h"
#include "enter.h"
#include "factor.h"

namespace allport::scalapack {
namespace {

enum Position { n_at = 1, nrhs_at, a_desc_at = 6, b_desc_at = 11 };
enum Entry { ctxt_entry = 2, nb_entry = 6 };

void check_blocks(Operand const& a, Operand const& b, Grid const& grid, Wrong& wrong) {
  if (wrong.any()) return;
  auto const row_of = [&](Operand const& x) { return (x.desc.rsrc + x.i / x.desc.mb) % grid.rows; };
  if (a.i % a.desc.mb != 0) {
    wrong.argument(a_desc_at - 2);
  } else if (a.j % a.desc.nb != 0) {
    wrong.argument(a_desc_at - 1);
  } else if (a.desc.mb != a.desc.nb) {
    wrong.entry(a_desc_at, nb_entry);
  } else if (row_of(a) != row_of(b) || a.j % a.desc.nb != b.i % b.desc.mb) {
    wrong.argument(b_desc_at - 2);
  } else if (b.desc.mb != a.desc.nb) {
    wrong.entry(b_desc_at, nb_entry);
  } else if (a.desc.context != b.desc.context) {
    wrong.entry(b_desc_at, ctxt_entry);
  }
}

/// With the factors in place: ours, or the original's getrs where that is faster.
template <class T>
std::string solve(GesvCall const& x, Grid const& grid, Record& record, Operand const& a, Operand const& b,
                  View const& a_view, std::vector<Index> const& pivots) {
  static Original const original_getrs(symbol<T>("getrs"));
  if (b.cols == 0) return "";
  auto const why_not = why_not_solve(record);
  if (!why_not.empty() && original_getrs.there()) {
    original_getrs.call("N", x.n, x.nrhs, x.a.data, x.a.i, x.a.j, x.a.desc, x.pivots, x.b.data, x.b.i, x.b.j, x.b.desc,
                        x.info, std::size_t{1});
    return ", solved by ScaLAPACK";
  }
  auto const b_view = view_of(b, grid, record.ranks(), record.comm().rank());
  auto const factors = a_view.part<T>(x.a.data);
  lu_solve<T>(record.comm(), Trans::none, a_view.layout, {factors.data, factors.ld}, pivots, b_view.layout,
              b_view.part<T>(x.b.data));
  return ", lu_solve";
}

template <class T>
Outcome factor_and_solve(GesvCall const& x, std::string const& name, Grid const& grid, Record& record, Operand const& a,
                         Operand const& b) {
  auto const view = view_of(a, grid, record.ranks(), record.comm().rank());
  LuProblem const problem{a.rows, a.cols, scalar_of<T>, record.settings().pivoting};
  auto const& choice = choose_lu(record, problem, view, shape_of(grid, a.desc));
  if (!choice.plan) return handed_back(choice.why_not);
  std::vector<Index> pivots;
  LuReport report;
  try {
    report = lu<T>(record.comm(), *choice.plan, view.layout, view.part<T>(x.a.data), pivots);
  } catch (Error const& e) {
    if (e.kind() == ErrorKind::memory) return handed_back(e.what());
    throw;
  }
  write_pivots(pivots, a, view, grid, x.pivots);
  *x.info = static_cast<Int>(report.info);
  count_growth(name, grid, report.growth);
  auto how = in_words(report);
  how += report.info == 0 ? solve<T>(x, grid, record, a, b, view, pivots) : ", singular";
  return taken(how);
}

template <class T>
Outcome take(GesvCall const& x, std::string const& name, Grid const& grid) {
  Outcome outcome;
  if (why_no_grid(grid, outcome, -(100 * a_desc_at + 2)) != nullptr) return outcome;
  Operand const a(x.a, *x.n, *x.n);
  Operand const b(x.b, *x.n, *x.nrhs);
  Wrong wrong;
  check_scalapack(a, n_at, n_at, a_desc_at, grid, wrong);
  check_scalapack(b, n_at, nrhs_at, b_desc_at, grid, wrong);
  check_blocks(a, b, grid, wrong);
  auto& record = record_of(grid);
  if (record.settings().policy == Policy::never) return handed_back("ALLPORT_SCALAPACK is 'never'");
  std::vector<Shared> values;
  share(values, a, n_at, n_at, a_desc_at);
  share(values, b, n_at, nrhs_at, b_desc_at);
  if (!all_well(record, values, wrong)) return handed_back("a wrong argument", common_info(record, values, wrong));
  // What is left to ScaLAPACK's rule for a matrix of one row, whose element is not looked at, is left to ScaLAPACK.
  if (a.desc.m == 1) return handed_back("a matrix of one row");
  *x.info = 0;
  if (a.rows == 0) return taken("nothing to do");
  return factor_and_solve<T>(x, name, grid, record, a, b);
}

}  // namespace

template <class T>
void gesv(GesvCall const& x, void const* caller) {
  static Original const original(symbol<T>("gesv"));
  enter(
      original, x.a.desc, caller, [&](Grid const& grid) { return take<T>(x, original.name(), grid); },
      [&] {
        original.call(x.n, x.nrhs, x.a.data, x.a.i, x.a.j, x.a.desc, x.pivots, x.b.data, x.b.i, x.b.j, x.b.desc,
                      x.info);
      },
      [&](Grid const& grid, Int info) {
        *x.info = info;
        tell_wrong_argument(grid.context, original.name(), info);
      });
}

template void gesv<float>(GesvCall const&, void const*);
template void gesv<double>(GesvCall const&, void const*);
template void gesv<std::complex<float>>(GesvCall const&, void const*);
template void gesv<std::complex<double>>(GesvCall const&, void const*);

}  // namespace allport::scalapack
