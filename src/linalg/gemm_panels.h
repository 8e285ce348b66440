// The panels of SUMMA.
#pragma once

#include <vector>

#include "gemm_frame.h"

namespace allport::gemm_detail {

/// Indices of k that one grid column owns in A and one grid row in B, cut into panels.
struct Slab {
  Index begin = 0;
  Index length = 0;
  int a_owner = 0;  // j
  int b_owner = 0;  // i
  Index panels = 1;
};
/// The slabs of a layer's share of k, relative to its first index. @param width  the widest panel
[[nodiscard]] std::vector<Slab> slabs_of(PartsOfGrid const& parts, int layer, Index width);

/// Columns of A and rows of B that are sent at once.
struct Panel {
  Index begin = 0;
  Index end = 0;
  int a_owner = 0;
  int b_owner = 0;

  [[nodiscard]] Index width() const { return end - begin; }
};

}  // namespace allport::gemm_detail
