// p?orgqr_, p?ungqr_: the first n columns of Q from k reflectors, in place.
#include "agree.h"
#include "allport/linalg/householder.h"
#include "reflectors.h"

namespace allport::scalapack {
namespace {

template <class T>
Outcome form(OrgqrCall const& x, Grid const& grid, Record& record, Operand const& a) {
  if (a.cols == 0) return taken("nothing to do");
  if (auto why = why_not_product(record); !why.empty()) return fall_back(std::move(why));
  auto const& comm = record.comm();
  auto const view = view_of(a, grid, record.ranks(), record.rank());
  auto const k = Index{*x.k};
  auto const tau = read_tau<T>(k, record, view, grid, x.tau);
  auto const q = view.matrix<T>(comm, x.a.data);
  auto const& d = view.distribution;
  Matrix<T> const v(comm, Distribution(d.rows(), d.cols().head(k), d.grid()), q.data(), q.ld());
  form_householder_q(Matrix<T const>(v), tau, q);
  return taken("products of matrices");
}

}  // namespace

template <class T>
Outcome take(OrgqrCall const& x, Grid const& grid) {
  enum Position { m_at = 1, n_at, k_at, a_desc_at = 7, lwork_at = 10 };
  Index least = 0;
  return agree(
      Typical::no_calls, grid, {{x.a, x.m, x.n, m_at, n_at, a_desc_at}},
      {{*x.k, 100 * k_at}, {asks_for_length(x.work) ? -1 : 1, 100 * lwork_at}}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        auto const [mp, nq] = extents_of(given[0], grid);
        least = given[0].desc.nb * (mp + nq + given[0].desc.nb);
        if (*x.n > *x.m) {
          wrong.argument(n_at);
        } else if (*x.k < 0 || *x.k > *x.n) {
          wrong.argument(k_at);
        } else {
          check_length(x.work, least, lwork_at, wrong);
        }
      },
      [&](Record& record, std::vector<Operand> const& given) {
        return answer<T>(x.work, least, [&] { return form<T>(x, grid, record, given[0]); });
      });
}

ALLPORT_SCALAPACK_TAKES(OrgqrCall)

}  // namespace allport::scalapack
