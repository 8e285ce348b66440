// p?getrf_: P sub(A) = L U in place.
#include "agree.h"
#include "enter.h"
#include "factor.h"

namespace allport::scalapack {
namespace {

enum Position { m_at = 1, n_at, a_desc_at = 6 };

/// ScaLAPACK's further conditions: whole blocks from the first row and column on, and square ones.
void check_blocks(Operand const& a, Wrong& wrong) {
  if (wrong.any()) return;
  if (a.i % a.desc.mb != 0) {
    wrong.argument(a_desc_at - 2);
  } else if (a.j % a.desc.nb != 0) {
    wrong.argument(a_desc_at - 1);
  } else if (a.desc.mb != a.desc.nb) {
    wrong.entry(a_desc_at, 6);
  }
}

template <class T>
Outcome factor(GetrfCall const& x, std::string const& name, Grid const& grid, Record& record, Operand const& a) {
  auto const me = record.comm().rank();
  auto const view = view_of(a, grid, record.ranks(), me);
  LuProblem const problem{a.rows, a.cols, scalar_of<T>, record.settings().pivoting};
  auto const& choice = choose_lu(record, problem, view, shape_of(grid, a.desc));
  if (!choice.plan) return handed_back(choice.why_not);
  std::vector<Index> pivots;
  LuReport report;
  try {
    report = lu<T>(record.comm(), *choice.plan, view.layout, view.part<T>(x.a.data), pivots);
  } catch (Error const& e) {
    if (e.kind() == ErrorKind::memory) return handed_back(e.what());  // said before anything is touched
    throw;
  }
  write_pivots(pivots, a, view, grid, x.pivots);
  *x.info = static_cast<Int>(report.info);
  count_growth(name, grid, report.growth);
  return taken(in_words(report));
}

template <class T>
Outcome take(GetrfCall const& x, std::string const& name, Grid const& grid) {
  Outcome outcome;
  if (why_no_grid(grid, outcome, -(100 * a_desc_at + 2)) != nullptr) return outcome;
  Operand const a(x.a, *x.m, *x.n);
  Wrong wrong;
  check_scalapack(a, m_at, n_at, a_desc_at, grid, wrong);
  check_blocks(a, wrong);
  auto& record = record_of(grid);
  if (record.settings().policy == Policy::never) return handed_back("ALLPORT_SCALAPACK is 'never'");
  std::vector<Shared> values;
  share(values, a, m_at, n_at, a_desc_at);
  if (!all_well(record, values, wrong)) return handed_back("a wrong argument", common_info(record, values, wrong));
  *x.info = 0;
  if (a.desc.m == 1) *x.pivots = 1;  // whatever its element is
  if (a.desc.m == 1 || a.rows == 0 || a.cols == 0) return taken("nothing to do");
  return factor<T>(x, name, grid, record, a);
}

}  // namespace

template <class T>
void getrf(GetrfCall const& x, void const* caller) {
  static Original const original(symbol<T>("getrf"));
  enter(
      original, x.a.desc, caller, [&](Grid const& grid) { return take<T>(x, original.name(), grid); },
      [&] { original.call(x.m, x.n, x.a.data, x.a.i, x.a.j, x.a.desc, x.pivots, x.info); },
      [&](Grid const& grid, Int info) {
        *x.info = info;
        tell_wrong_argument(grid.context, original.name(), info);
      });
}

template void getrf<float>(GetrfCall const&, void const*);
template void getrf<double>(GetrfCall const&, void const*);
template void getrf<std::complex<float>>(GetrfCall const&, void const*);
template void getrf<std::complex<double>>(GetrfCall const&, void const*);

}  // namespace allport::scalapack
