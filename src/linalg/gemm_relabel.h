// Products do not depend on the numbering of their indices: m, n and k may be renumbered, equally in all matrices that
// have them.
//
// On a grid whose rows and columns own the same indices of m in A and C, of n in B and C, and of k in A and B,
// block-cyclic parts become contiguous blocks by renumbering: an algorithm for blocks multiplies them in place.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "gemm_frame.h"

namespace allport::gemm_detail {

/// The same local parts with the indices renumbered by the product's grid: part by part, and within a part in storage
/// order.
struct Relabelled {
  Distribution a, b, c;
  /// If k is distributed in only one of A and B, the other matrix takes its numbering: the other one's local indices of
  /// k in the order of their new numbers. Empty: already in that order.
  std::vector<Run> k_of_a, k_of_b;
};

/// The renumbered distributions of a product on this grid; nothing if the matrices cannot be renumbered equally: on
/// other ranks, with several layers, or transposed.
/// @param given  of A, B and C as the caller has them
[[nodiscard]] std::optional<Relabelled> relabelled(GemmProblem const& problem, GridLayout const& layout,
                                                   GemmGiven const& given);

/// Seconds to redistribute A and B to the plan's distributions, C to its own (if it is read) and back.
[[nodiscard]] Seconds moving(GemmPlan const& plan, GridLayout const& layout);

}  // namespace allport::gemm_detail
