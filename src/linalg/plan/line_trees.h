// How many trees without a common link a line of a process grid has, and how what goes along it is cut for them.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "allport/mapping/mapping.h"
#include "linalg/gemm/gemm_frame.h"

namespace allport::gemm_detail {

/// Of any line.
inline constexpr int most_line_trees = 2 * max_axes;
/// BLAS multiplies slowly by fewer columns; only halves are narrower.
inline constexpr Index narrowest_piece = 16;

/// Two for each ring that all lines of this kind have, else one for each axis along which all their nodes have a
/// neighbour of the line. 1 where data do not go along a machine's axes (tasks::default_tree).
[[nodiscard]] int line_trees(Frame const& frame, GridAxis line, Machine const& machine,
                             std::optional<Mapping> const& mapping);

/// The same of one line's places.
[[nodiscard]] int line_trees(std::span<Rank const> places, Machine const& machine);

/// Outputs for a panel of so many columns.
[[nodiscard]] inline int line_pieces(int trees, Index width) {
  auto const most = std::max(std::min<Index>(2, width), width / narrowest_piece);
  return static_cast<int>(std::min<Index>(trees, most));
}

}  // namespace allport::gemm_detail
