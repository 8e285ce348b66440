// p?geqrf_: sub(A) = Q R, leaving R, V and tau as ScaLAPACK does.
#include "agree.h"
#include "allport/linalg/householder.h"
#include "reflectors.h"

namespace allport::scalapack {
namespace {

/// Price over that of the factorization: Q's columns cost as much, V and tau half as much.
constexpr double tiles_and_reflectors = 2.5;

template <class T>
Outcome factor_in_place(GeqrfCall const& x, Grid const& grid, Record& record, Operand const& a) {
  if (a.rows == 0 || a.cols == 0) return taken("nothing to do");
  auto const view = view_of(a, grid, record.ranks(), record.rank());
  auto const decision = decide_qr(grid, record, a, view, scalar_of<T>, tiles_and_reflectors);
  if (!decision.plan) return fall_back(decision.why_not);
  QrOptions options;
  options.nb = decision.plan->chosen.nb;
  std::vector<T> tau;
  auto const report = allport::geqrf(view.matrix<T>(record.comm(), x.a.data), tau, options);
  write_tau(tau, view, grid, x.tau);
  return taken(report.moved ? "tile QR, redistributed" : "tile QR in place");
}

}  // namespace

template <class T>
Outcome take(GeqrfCall const& x, Grid const& grid) {
  enum Position { m_at = 1, n_at, a_desc_at = 6, lwork_at = 9 };
  Index least = 0;
  return agree(
      Typical::no_calls, grid, {{x.a, x.m, x.n, m_at, n_at, a_desc_at}},
      {{asks_for_length(x.work) ? -1 : 1, 100 * lwork_at}}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        auto const [mp, nq] = extents_of(given[0], grid);
        least = given[0].desc.nb * (mp + nq + given[0].desc.nb);
        check_length(x.work, least, lwork_at, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) {
        return answer<T>(x.work, least, [&] { return factor_in_place<T>(x, grid, record, given[0]); });
      });
}

ALLPORT_SCALAPACK_TAKES(GeqrfCall)

}  // namespace allport::scalapack
