// LU factors of sub-matrices, their pivots as ScaLAPACK stores them, and solves: shared by getrf, getrs and gesv.
#pragma once

#include <string>
#include <vector>

#include "descriptor.h"
#include "record.h"

namespace allport::scalapack {

/// A sub-matrix factored in place; the caller's pivots, INFO and the report are set.
struct Factored {
  std::string why_not;  ///< not empty: falls back to ScaLAPACK, and nothing was changed
  View view;
  std::vector<Index> pivots;
  LuReport report;
  Seconds bound{};  ///< lower bound on the time; 0: unknown
};
/// @param name  of the routine, for the report
template <class T>
[[nodiscard]] Factored factor(std::string const& name, Grid const& grid, Record& record, Operand const& a, void* data,
                              Int* ipiv, Int* info);

/// Why a solve with given factors falls back to ScaLAPACK; empty if it does not.
[[nodiscard]] std::string why_not_solve(Grid const& grid, Record& record, SolveProblem const& problem, View const& a,
                                        Operand const& b);
/// op(A) X = B with the factors in place.
template <class T>
void solve(Grid const& grid, Record const& record, Trans trans, View const& a, void* factors,
           std::vector<Index> const& pivots, Operand const& b, void* right);

/// All pivots, counted from 0 in the sub-matrix, gathered from the process rows. Collective.
[[nodiscard]] std::vector<Index> read_pivots(Record const& record, Operand const& a, View const& view, Grid const& grid,
                                             Int const* ipiv);
/// Whether each row is exchanged with itself or a later one, as getrf returns them.
[[nodiscard]] bool are_exchanges(std::vector<Index> const& pivots);

/// "partial pivoting, 2d on 2x2x1"
[[nodiscard]] std::string in_words(LuReport const& report);

}  // namespace allport::scalapack
