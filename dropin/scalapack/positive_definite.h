// Cholesky factors of sub-matrices, and solves with them: shared by potrf, potrs and posv.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "agree.h"
#include "allport/linalg/cholesky_plan.h"
#include "descriptor.h"
#include "record.h"

namespace allport::scalapack {

/// The triangle of ScaLAPACK's character in either case; false for any other.
[[nodiscard]] inline bool read_uplo(char const* character, Uplo& uplo) {
  auto const upper = static_cast<char>(std::toupper(static_cast<unsigned char>(*character)));
  uplo = upper == 'U' ? Uplo::upper : Uplo::lower;
  return upper == 'U' || upper == 'L';
}

/// agree() for potrs and posv, whose arguments have the same positions.
/// @param act  (Record&, Uplo, A, B) -> Outcome
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

/// A sub-matrix factored in place; INFO and the report are set.
struct CholeskyFactored {
  std::string why_not;  ///< not empty: falls back to ScaLAPACK, and nothing was changed
  View view;
  CholeskyReport report;
  Seconds bound{};  ///< lower bound on the time; 0: unknown
};
template <class T>
[[nodiscard]] CholeskyFactored factor_cholesky(Grid const& grid, Record& record, Uplo uplo, Operand const& a,
                                               void* data, Int* info);

/// Why a solve with given factors falls back to ScaLAPACK; empty if it does not.
[[nodiscard]] std::string why_not_solve_cholesky(Grid const& grid, Record& record, Scalar type, Uplo uplo,
                                                 View const& a, Operand const& b);
/// A X = B with the factors in place.
template <class T>
void solve_cholesky(Grid const& grid, Record const& record, Uplo uplo, View const& a, void* factors, Operand const& b,
                    void* right);

/// "cholesky, tiles of 64 on 2x2"
[[nodiscard]] std::string in_words(CholeskyReport const& report, Grid const& grid);

}  // namespace allport::scalapack
