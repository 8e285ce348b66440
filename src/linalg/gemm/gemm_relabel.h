// Products give their indices no names: m, n and k may be numbered anew, alike in all matrices that have them.
//
// On a grid whose rows and columns own the same indices of m in A and C, of n in B and C, and of k in A and B, parts
// that are block-cyclic are blocks by other numbers: a product by blocks takes them where they lie.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "gemm_frame.h"

namespace allport::gemm_detail {

/// The same local parts by the numbers that a product's grid gives their indices: part by part, and in a part as they
/// lie there.
struct Relabelled {
  Distribution a, b, c;
  /// Where k is not divided among ranks in one of A and B but is in the other, whose numbers it takes: the undivided
  /// one's local indices of k, in the order of their new numbers. Empty: as they lie.
  std::vector<Run> k_of_a, k_of_b;

  [[nodiscard]] bool as_they_lie() const { return k_of_a.empty() && k_of_b.empty(); }
};

/// How matrices that are distributed so look to a product on this grid; nothing where they cannot be numbered alike: on
/// other ranks, over several layers, under a transposition.
/// @param given  of A, B and C as the caller has them
[[nodiscard]] std::optional<Relabelled> relabelled(GemmProblem const& problem, Frame const& frame,
                                                   GemmGiven const& given);

/// Seconds that it takes to bring A and B where the plan wants them, C there (if it is read) and back.
[[nodiscard]] Seconds moving(GemmPlan const& plan, Frame const& frame);

}  // namespace allport::gemm_detail
