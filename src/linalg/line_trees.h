// The number of link-disjoint trees in a line of a process grid, and the pieces of data sent along them.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "allport/mapping/mapping.h"
#include "gemm_frame.h"

namespace allport::detail {

/// Maximum over all lines.
inline constexpr int most_line_trees = 2 * max_axes;
/// BLAS multiplies slowly by fewer columns; only one of two halves may be narrower.
inline constexpr Index narrowest_piece = 16;

/// Two for each ring that all lines of this kind contain, else one for each axis along which all their nodes have a
/// neighbour in the line. 1 if data are not sent along the axes of the machine (tasks::default_tree).
[[nodiscard]] int line_trees(GridLayout const& layout, GridAxis line, Machine const& machine,
                             std::optional<Mapping> const& mapping);

/// As above for one line, given by its places.
[[nodiscard]] int line_trees(std::span<Rank const> places, Machine const& machine);

/// Outputs for a panel of so many columns.
[[nodiscard]] inline int line_pieces(int trees, Index width) {
  auto const most = std::max(std::min<Index>(2, width), width / narrowest_piece);
  return static_cast<int>(std::min<Index>(trees, most));
}

}  // namespace allport::detail
