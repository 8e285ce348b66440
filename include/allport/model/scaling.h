// How many copies of the matrices pay: the grids that a number of ranks can form, and the fastest that memory allows.
#pragma once

#include <vector>

#include "allport/model/gemm_cost.h"
#include "allport/model/lu_cost.h"

namespace allport::model {

/// rows x columns = ranks with sides as equal as can be, columns >= rows, one layer: the grid of a 2D algorithm.
/// @pre ranks >= 1 (here and below)
[[nodiscard]] GemmGrid flat_grid(std::int64_t ranks);

/// flat_grid(ranks), then every q x q x c = ranks with 1 < c <= q and c dividing q (Solomonik11, slides 9 and 10; p/c
/// square, c <= cbrt(p)), fewest layers first. Two layers up to a cube.
[[nodiscard]] std::vector<GemmGrid> layered_grids(std::int64_t ranks);

/// Words of memory of a rank: the machine file's `memory` over 8 bytes and the node's ranks; infinite where it is 0.
[[nodiscard]] double memory_words(Machine const& machine);

/// The grid of layered_grids with the least gemm_time whose gemm_cost().memory fits (2.5D: Solomonik11, slides 11, 12).
/// @throws Error(memory) where not even one copy fits
[[nodiscard]] GemmGrid gemm_grid(Machine const& machine, GemmShape shape, std::int64_t ranks, LineMulticast how,
                                 BytesPerSecond bn_binomial = {});

/// The same for LU, each grid with its lu_blocks (Solomonik11, slides 18, 35 and 36).
[[nodiscard]] GemmGrid lu_grid(Machine const& machine, std::int64_t n, std::int64_t ranks, LuPivoting pivoting,
                               LineMulticast how, BytesPerSecond bn_binomial = {});

}  // namespace allport::model
