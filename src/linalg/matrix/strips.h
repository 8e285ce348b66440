// A kernel on one tile, spread over workers that have nothing else to do (Robson18).
#pragma once

#include <algorithm>
#include <cstdint>

#include "allport/graph/task_graph.h"
#include "allport/linalg/distribution.h"

namespace allport::detail {

/// Strips of columns end at multiples of this, which is one of the widths of BLAS libraries' inner kernels: where they
/// end does not change how an element is computed.
inline constexpr Index columns_of_a_strip = 96;
/// Strips of rows do change it (OpenBLAS's sgemm), and so do those of LAPACK's products with reflectors; these are the
/// same whoever is idle.
inline constexpr Index length_of_a_fixed_strip = 192;
/// Less is not worth waking anybody for.
inline constexpr double least_flops_of_a_strip = 4e6;

/// body(first, last) for strips of columns that cover 0 ... extent - 1, as many as there are idle workers, and one; one
/// alone where the work is too little to share.
template <class Body>
void in_column_strips(TaskContext& context, Index extent, double flops, Body const& body) {
  auto const units = (extent + columns_of_a_strip - 1) / columns_of_a_strip;
  auto const parts =
      std::min({static_cast<Index>(context.idle()) + 1, units, static_cast<Index>(flops / least_flops_of_a_strip)});
  if (parts <= 1) return body(Index(0), extent);
  auto const end = [&](Index part) { return std::min(units * part / parts * columns_of_a_strip, extent); };
  context.parallel_for(parts, [&](std::int64_t part) { body(end(part), end(part + 1)); });
}

/// As above in strips that hang on the extent alone.
template <class Body>
void in_fixed_strips(TaskContext& context, Index extent, Body const& body) {
  constexpr auto length = length_of_a_fixed_strip;
  auto const strips = std::max<Index>((extent + length / 2) / length, 1);
  auto const end = [&](Index strip) { return strip == strips ? extent : strip * length; };
  context.parallel_for(strips, [&](std::int64_t strip) { body(end(strip), end(strip + 1)); });
}

}  // namespace allport::detail
