// p?potrf_: sub(A) = L L^H or U^H U in place, from and in one triangle.
#include "agree.h"
#include "positive_definite.h"

namespace allport::scalapack {
template <class T>
Outcome take(PotrfCall const& x, Grid const& grid) {
  enum Position { uplo_at = 1, n_at, a_desc_at = 6 };
  auto uplo = Uplo::lower;
  bool const uplo_known = read_uplo(x.uplo, uplo);
  return agree(
      Typical::no_calls, grid, {{x.a, x.n, x.n, n_at, n_at, a_desc_at}}, {{static_cast<int>(uplo), 100 * uplo_at}},
      x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        if (!uplo_known) wrong.argument(uplo_at);
        check_blocks(given[0], a_desc_at, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) {
        if (given[0].rows == 0) return taken("nothing to do");
        auto const done = factor_cholesky<T>(grid, record, uplo, given[0], x.a.data, x.info);
        return done.why_not.empty() ? taken(in_words(done.report, grid), done.bound) : fall_back(done.why_not);
      });
}

ALLPORT_SCALAPACK_TAKES(PotrfCall)

}  // namespace allport::scalapack
