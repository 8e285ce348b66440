// What getrf, getrs and gesv share: LU factors of sub-matrices, their pivots as ScaLAPACK keeps them, and solves.
#pragma once

#include <string>
#include <vector>

#include "descriptor.h"
#include "record.h"

namespace allport::scalapack {

/// A sub-matrix factored where it lies; the caller's pivots, INFO and the report know it already.
struct Factored {
  std::string why_not;  ///< not empty: handed back, and nothing was touched
  View view;
  std::vector<Index> pivots;
  LuReport report;
  Seconds bound{};  ///< no factorization takes less; 0: none is known
};
/// @param name  of the routine, for the report
template <class T>
[[nodiscard]] Factored factor(std::string const& name, Grid const& grid, Record& record, Operand const& a, void* data,
                              Int* ipiv, Int* info);

/// Why a solve with given factors, of that type, is handed back; empty: it is ours.
[[nodiscard]] std::string why_not_solve(Grid const& grid, Record& record, SolveProblem const& problem, View const& a,
                                        Operand const& b);
/// op(A) X = B with the factors where they lie.
template <class T>
void solve(Grid const& grid, Record const& record, Trans trans, View const& a, void* factors,
           std::vector<Index> const& pivots, Operand const& b, void* right);

/// All pivots of n rows, counted from 0 in the sub-matrix, from the parts of the process rows. Collective.
[[nodiscard]] std::vector<Index> read_pivots(Record const& record, Operand const& a, View const& view, Grid const& grid,
                                             Int const* ipiv);
/// Row i is exchanged with itself or a later one, as getrf leaves it.
[[nodiscard]] bool are_exchanges(std::vector<Index> const& pivots);

/// "partial pivoting, 2d on 2x2x1"
[[nodiscard]] std::string in_words(LuReport const& report);

}  // namespace allport::scalapack
