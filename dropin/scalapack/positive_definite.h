// What potrf, potrs and posv share: Cholesky factors of sub-matrices, and solves with them.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "agree.h"
#include "allport/linalg/cholesky_plan.h"
#include "descriptor.h"
#include "record.h"

namespace allport::scalapack {

/// ScaLAPACK's letter, in either case; false for any other.
[[nodiscard]] inline bool read_uplo(char const* letter, Uplo& uplo) {
  auto const upper = static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
  uplo = upper == 'U' ? Uplo::upper : Uplo::lower;
  return upper == 'U' || upper == 'L';
}

/// The way of potrs and posv, whose arguments have the same places, to sub(A) X = sub(B): agree(), then
/// act(record, uplo, A, B) -> Outcome.
template <class Call, class Act>
Outcome take_system(Call const& x, Grid const& grid, Act const& act) {
  enum Position { uplo_at = 1, n_at, nrhs_at, a_desc_at = 7, b_desc_at = 11 };
  auto uplo = Uplo::lower;
  bool const uplo_known = read_uplo(x.uplo, uplo);
  return agree(
      Typical::no_calls, grid, {{x.a, x.n, x.n, n_at, n_at, a_desc_at}, {x.b, x.n, x.nrhs, n_at, nrhs_at, b_desc_at}},
      {{static_cast<int>(uplo), 100 * uplo_at}}, x.info,
      [&](std::vector<Operand> const& given, Wrong& wrong) {
        if (!uplo_known) wrong.argument(uplo_at);
        check_blocks(given[0], a_desc_at, given[1], b_desc_at, grid, wrong);
      },
      [&](Record& record, std::vector<Operand> const& given) { return act(record, uplo, given[0], given[1]); });
}

/// A sub-matrix factored where it lies; INFO and the report know it already.
struct CholeskyFactored {
  std::string why_not;  ///< not empty: handed back, and nothing was touched
  View view;
  CholeskyReport report;
  Seconds bound{};  ///< no factorization takes less; 0: none is known
};
template <class T>
[[nodiscard]] CholeskyFactored factor_cholesky(Grid const& grid, Record& record, Uplo uplo, Operand const& a,
                                               void* data, Int* info);

/// Why a solve with given factors, of that type, is handed back; empty: it is ours.
[[nodiscard]] std::string why_not_solve_cholesky(Grid const& grid, Record& record, Scalar type, Uplo uplo,
                                                 View const& a, Operand const& b);
/// A X = B with the factors where they lie.
template <class T>
void solve_cholesky(Grid const& grid, Record const& record, Uplo uplo, View const& a, void* factors, Operand const& b,
                    void* right);

/// "cholesky, tiles of 64 on 2x2"
[[nodiscard]] std::string in_words(CholeskyReport const& report, Grid const& grid);

}  // namespace allport::scalapack
