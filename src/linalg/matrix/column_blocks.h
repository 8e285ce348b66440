// A kernel on one tile in blocks of columns, or of a fixed length, shared with idle workers (Robson18).
#pragma once

#include <algorithm>
#include <cstdint>

#include "allport/graph/task_graph.h"
#include "allport/linalg/distribution.h"

namespace allport::detail {

/// Column blocks end at multiples of this, a multiple of the widths of BLAS libraries' inner kernels: the ends do not
/// change how an element is computed.
inline constexpr Index column_block = 96;
/// Row blocks do change it (OpenBLAS's sgemm), and so do blocks of LAPACK's products with reflectors; these have a
/// fixed length, independent of the number of idle workers.
inline constexpr Index fixed_block = 192;
/// Minimum flops per column block.
inline constexpr double least_flops_of_block = 4e6;

/// body(first, last) for column blocks that cover 0 ... extent - 1: one per idle worker and one more, or a single one
/// if the work is too little.
template <class Body>
void in_column_blocks(TaskContext& context, Index extent, double flops, Body const& body) {
  auto const units = (extent + column_block - 1) / column_block;
  auto const parts =
      std::min({static_cast<Index>(context.idle()) + 1, units, static_cast<Index>(flops / least_flops_of_block)});
  if (parts <= 1) return body(Index(0), extent);
  auto const end = [&](Index part) { return std::min(units * part / parts * column_block, extent); };
  context.parallel_for(parts, [&](std::int64_t part) { body(end(part), end(part + 1)); });
}

/// As above in blocks that depend on the extent only.
template <class Body>
void in_fixed_blocks(TaskContext& context, Index extent, Body const& body) {
  constexpr auto length = fixed_block;
  auto const blocks = std::max<Index>((extent + length / 2) / length, 1);
  auto const end = [&](Index block) { return block == blocks ? extent : block * length; };
  context.parallel_for(blocks, [&](std::int64_t block) { body(end(block), end(block + 1)); });
}

}  // namespace allport::detail
