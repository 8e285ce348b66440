// p?gels_: least squares with sub(A) of full rank and at least as many rows as columns.
#include <cctype>

#include "agree.h"
#include "allport/linalg/least_squares.h"
#include "allport/linalg/solve.h"
#include "reflectors.h"

namespace allport::scalapack {
namespace {

/// Price of a factorization and a product with its Q, over that of the factorization.
constexpr double tiles_and_product = 1.5;

void check_alignment(Operand const& a, Operand const& b, int b_desc_at, Grid const& grid, Wrong& wrong) {
  bool const tall = a.rows >= a.cols;
  auto const first_row = [&](Operand const& x) { return (x.desc.rsrc + x.i / x.desc.mb) % grid.rows; };
  auto const offset = tall ? a.i % a.desc.mb : a.j % a.desc.nb;
  auto const block = tall ? a.desc.mb : a.desc.nb;
  if (offset != b.i % b.desc.mb || (tall && first_row(a) != first_row(b))) {
    wrong.argument(b_desc_at - 2);
  } else if (block != b.desc.mb) {
    wrong.entry(b_desc_at, mb_entry);
  } else if (a.desc.context != b.desc.context) {
    wrong.entry(b_desc_at, ctxt_entry);
  }
}

/// NQ0 as p?gels computes it: from the process column in which a matrix would begin if its columns began at IA instead
/// of JA.
Index columns_of(Operand const& x, Grid const& grid) {
  auto const nb = Index{x.desc.nb};
  auto const first = static_cast<int>((x.desc.csrc + x.i / nb) % grid.cols);
  return AxisDistribution::cyclic(x.cols + x.j % nb, grid.cols, nb, first).count(grid.col);
}

/// ScaLAPACK's LWMIN for m >= n.
Index least_length(Operand const& a, Operand const& b, Grid const& grid) {
  auto const nb = Index{a.desc.nb};
  auto const mpa = extents_of(a, grid).rows, mpb = extents_of(b, grid).rows;
  auto const nqa = columns_of(a, grid), nqb = columns_of(b, grid);
  auto const tau = AxisDistribution::cyclic(a.j + a.cols, grid.cols, nb, static_cast<int>(a.desc.csrc)).count(grid.col);
  return tau + std::max(nb * (mpa + nqa + nb), std::max(nb * (nb - 1) / 2, (mpb + nqb) * nb) + nb * nb);
}

template <class T>
Outcome solve_tall(GelsCall const& x, Grid const& grid, Record& record, Operand const& a, Operand const& b) {
  if (a.cols == 0 || b.cols == 0) return fall_back("nothing to solve for");
  auto const view = view_of(a, grid, record.ranks(), record.rank());
  auto const decision = decide_qr(grid, record, a, view, scalar_of<T>, tiles_and_product);
  if (!decision.plan) return fall_back(decision.why_not);
  auto const& comm = record.comm();
  auto const matrix = view.matrix<T>(comm, x.a.data);
  auto const right = view_of(b, grid, record.ranks(), record.rank()).matrix<T>(comm, x.b.data);
  if (norm(Norm::max, Matrix<T const>(matrix)) == 0) {
    right.for_each([](Index, Index, T& value) { value = T(0); });
    return taken("zeros");
  }
  QrOptions options;
  options.nb = decision.plan->chosen.nb;
  auto const factors = qr(matrix, options);
  apply_q(factors, Trans::conjugate, right);
  auto const& d = right.distribution();
  Matrix<T> const solution(comm, Distribution(d.rows().head(a.cols), d.cols(), d.grid()), right.data(), right.ld());
  solve_upper(Matrix<T const>(matrix), Trans::none, solution);
  return taken("tile QR");
}

}  // namespace

template <class T>
Outcome take(GelsCall const& x, Grid const& grid) {
  enum Position { trans_at = 1, m_at, n_at, nrhs_at, a_desc_at = 8, b_desc_at = 12, lwork_at = 14 };
  auto const op = static_cast<char>(std::toupper(static_cast<unsigned char>(*x.trans)));
  auto const transposed = is_complex<T> ? 'C' : 'T';
  bool const tall = *x.m >= *x.n;
  Index least = 0;
  return agree(
      Typical::no_calls, grid,
      {{x.a, x.m, x.n, m_at, n_at, a_desc_at}, {x.b, tall ? x.m : x.n, x.nrhs, tall ? m_at : n_at, nrhs_at, b_desc_at}},
      {{op, 100 * trans_at}, {asks_for_length(x.work) ? -1 : 1, 100 * lwork_at}}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        if (op != 'N' && op != transposed) return wrong.argument(trans_at);
        check_alignment(given[0], given[1], b_desc_at, grid, wrong);
        if (wrong.any() || !tall) return;
        least = least_length(given[0], given[1], grid);
        check_length(x.work, least, lwork_at, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) {
        if (!tall) return fall_back("fewer rows than columns");
        return answer<T>(x.work, least, [&] {
          if (op != 'N') return fall_back("a transposed system");
          return solve_tall<T>(x, grid, record, given[0], given[1]);
        });
      });
}

ALLPORT_SCALAPACK_TAKES(GelsCall)

}  // namespace allport::scalapack
