// p?getrf_: P sub(A) = L U in place.
#include "agree.h"
#include "factor.h"

namespace allport::scalapack {
template <class T>
Outcome take(GetrfCall const& x, Grid const& grid) {
  enum Position { m_at = 1, n_at, a_desc_at = 6 };
  return agree(
      Typical::some_calls, grid, {{x.a, x.m, x.n, m_at, n_at, a_desc_at}}, {}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) { check_blocks(given[0], a_desc_at, wrong); },
      [&](Record& record, std::vector<Operand> const& given) {
        auto const& a = given[0];
        if (a.desc.m == 1) *x.pivots = 1;  // whatever its element is
        if (a.desc.m == 1 || a.rows == 0 || a.cols == 0) return taken("nothing to do");
        auto const done = factor<T>(original_of<T, GetrfCall>().name(), grid, record, a, x.a.data, x.pivots, x.info);
        return done.why_not.empty() ? taken(in_words(done.report), done.bound) : fall_back(done.why_not);
      });
}

ALLPORT_SCALAPACK_TAKES(GetrfCall)

}  // namespace allport::scalapack
