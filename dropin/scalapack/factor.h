// What getrf, getrs and gesv share: LU factors of sub-matrices, their pivots as ScaLAPACK keeps them, and solves.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "descriptor.h"
#include "price.h"
#include "record.h"

namespace allport::scalapack {

/// The plan for factoring a sub-matrix where it lies, or why it is handed back.
[[nodiscard]] Choice<LuPlan> const& choose_lu(Record& record, LuProblem const& problem, View const& a,
                                              Shape const& shape);
/// Why a solve with given factors is handed back; empty: it is ours.
[[nodiscard]] std::string why_not_solve(Record const& record);

/// ScaLAPACK's shape of the process grid for a matrix.
[[nodiscard]] inline Shape shape_of(Grid const& grid, Descriptor const& desc) {
  return {grid.rows, grid.cols, std::min<Index>(desc.mb, desc.nb)};
}

/// Rows from 1 in the whole matrix, at the local rows of this process: ScaLAPACK's IPIV.
void write_pivots(std::vector<Index> const& pivots, Operand const& a, View const& view, Grid const& grid, Int* ipiv);
/// All pivots of n rows, counted from 0 in the sub-matrix, from the parts of the process rows. Collective.
[[nodiscard]] std::vector<Index> read_pivots(Record const& record, Operand const& a, View const& view, Grid const& grid,
                                             Int const* ipiv);
/// Row i is exchanged with itself or a later one, as getrf leaves it.
[[nodiscard]] bool are_exchanges(std::vector<Index> const& pivots);

/// "partial by 2d on 2x2x1"
[[nodiscard]] std::string in_words(LuReport const& report);

}  // namespace allport::scalapack
