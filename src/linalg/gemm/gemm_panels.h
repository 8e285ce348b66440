// The panels of SUMMA.
#pragma once

#include <vector>

#include "gemm_frame.h"

namespace allport::gemm_detail {

/// Indices of k that one column of ranks owns in A and one row in B, cut into panels of at most a width.
struct Slab {
  Index begin = 0;
  Index length = 0;
  int a_owner = 0;  // j
  int b_owner = 0;  // i
  Index panels = 1;
};
/// Of a layer's share of k, from its first index on.
[[nodiscard]] std::vector<Slab> slabs_of(PartsOfGrid const& parts, int layer, Index width);

/// What travels at once.
struct Panel {
  Index begin = 0;
  Index end = 0;
  int a_owner = 0;
  int b_owner = 0;

  [[nodiscard]] Index width() const { return end - begin; }
};

}  // namespace allport::gemm_detail
