// The panels of SUMMA, for the plan, the run and the graph alike.
#pragma once

#include <vector>

#include "gemm_frame.h"

namespace allport::gemm_detail {

/// Indices of k that one column of ranks owns in A and one row in B, cut into panels.
struct Slab {
  Index begin = 0;
  Index length = 0;
  int a_owner = 0;  // j
  int b_owner = 0;  // i
  Index panels = 1;
};
[[nodiscard]] std::vector<Slab> slabs_of(GemmProblem const& problem, GemmGrid const& grid, int layer, Index width);

/// What travels at once.
struct Panel {
  Index begin = 0;
  Index end = 0;
  int a_owner = 0;
  int b_owner = 0;

  [[nodiscard]] Index width() const { return end - begin; }
};
[[nodiscard]] std::vector<Panel> panels_of(GemmProblem const& problem, GemmGrid const& grid, int layer, Index width);

/// Panels in flight at once: one under the multiplication and one on its way; 3D has all of them.
[[nodiscard]] std::size_t panels_in_flight(std::size_t panels, bool all_at_once);

}  // namespace allport::gemm_detail
