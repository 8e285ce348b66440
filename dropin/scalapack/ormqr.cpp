// p?ormqr_, p?unmqr_: sub(C) = op(Q) sub(C) or sub(C) op(Q), Q of k reflectors.
#include <cctype>
#include <numeric>

#include "agree.h"
#include "allport/linalg/householder.h"
#include "reflectors.h"

namespace allport::scalapack {
namespace {

char upper(char const* letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(*letter))); }

/// Checks that sub(A)'s rows are aligned with the side of sub(C) that Q multiplies.
void check_alignment(bool left, Operand const& a, Operand const& c, int c_desc_at, Grid const& grid, Wrong& wrong) {
  auto const a_row = (a.desc.rsrc + a.i / a.desc.mb) % grid.rows;
  auto const c_row = (c.desc.rsrc + c.i / c.desc.mb) % grid.rows;
  if (left && (a.i % a.desc.mb != c.i % c.desc.mb || a_row != c_row)) {
    wrong.argument(c_desc_at - 2);
  } else if (left && a.desc.mb != c.desc.mb) {
    wrong.entry(c_desc_at, mb_entry);
  } else if (!left && a.i % a.desc.mb != c.j % c.desc.nb) {
    wrong.argument(c_desc_at - 1);
  } else if (!left && a.desc.mb != c.desc.nb) {
    wrong.entry(c_desc_at, nb_entry);
  } else if (a.desc.context != c.desc.context) {
    wrong.entry(c_desc_at, ctxt_entry);
  }
}

Index numroc(Index n, Index nb, int me, int source, int parts) {
  return AxisDistribution::cyclic(n, parts, nb, source).count(me);
}

/// ScaLAPACK's LWMIN.
Index least_length(bool left, Operand const& a, Operand const& c, Grid const& grid) {
  auto const nb = Index{a.desc.nb};
  auto const [mpc, nqc] = extents_of(c, grid);
  auto most = nqc + mpc;
  if (!left) {
    auto const npa = extents_of(a, grid).rows;
    auto const lcm = std::lcm(grid.rows, grid.cols) / grid.cols;
    auto const part = numroc(c.cols + c.j % c.desc.nb, nb, 0, 0, grid.cols);
    most = nqc + std::max(npa + numroc(part, nb, 0, 0, lcm), mpc);
  }
  return std::max(nb * (nb - 1) / 2, most * nb) + nb * nb;
}

template <class T>
Outcome multiply(OrmqrCall const& x, bool left, Trans trans, Grid const& grid, Record& record, Operand const& a,
                 Operand const& c) {
  if (a.cols == 0 || c.rows == 0 || c.cols == 0) return taken("nothing to do");
  if (auto why = why_not_product(record); !why.empty()) return fall_back(std::move(why));
  auto const& comm = record.comm();
  auto const view = view_of(a, grid, record.ranks(), record.rank());
  auto const tau = read_tau<T>(a.cols, record, view, grid, x.tau);
  auto const other = view_of(c, grid, record.ranks(), record.rank()).matrix<T>(comm, x.c.data);
  apply_householder(left, trans, Matrix<T const>(view.matrix<T>(comm, x.a.data)), tau, other);
  return taken("products of matrices");
}

}  // namespace

template <class T>
Outcome take(OrmqrCall const& x, Grid const& grid) {
  enum Position { side_at = 1, trans_at, m_at, n_at, k_at, a_desc_at = 9, c_desc_at = 14, lwork_at = 16 };
  auto const side = upper(x.side);
  auto const transposed = is_complex<T> ? 'C' : 'T';
  auto const op = upper(x.trans);
  bool const left = side == 'L';
  Index least = 0;
  return agree(
      Typical::no_calls, grid,
      {{x.a, left ? x.m : x.n, x.k, left ? m_at : n_at, k_at, a_desc_at}, {x.c, x.m, x.n, m_at, n_at, c_desc_at}},
      {{side, 100 * side_at}, {op, 100 * trans_at}, {asks_for_length(x.work) ? -1 : 1, 100 * lwork_at}}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        if (side != 'L' && side != 'R') return wrong.argument(side_at);
        if (op != 'N' && op != transposed) return wrong.argument(trans_at);
        if (*x.k < 0 || *x.k > (left ? *x.m : *x.n)) return wrong.argument(k_at);
        check_alignment(left, given[0], given[1], c_desc_at, grid, wrong);
        if (wrong.any()) return;
        least = least_length(left, given[0], given[1], grid);
        check_length(x.work, least, lwork_at, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) {
        return answer<T>(x.work, least, [&] {
          auto const trans = op == 'N' ? Trans::none : op == 'T' ? Trans::transpose : Trans::conjugate;
          return multiply<T>(x, left, trans, grid, record, given[0], given[1]);
        });
      });
}

ALLPORT_SCALAPACK_TAKES(OrmqrCall)

}  // namespace allport::scalapack
