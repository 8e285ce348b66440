// The patterns that programs on process grids send: halos, exchanges in lines and planes, transpositions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allport/pattern/pattern.h"

namespace allport {

/// Halo exchange: every rank sends its boundary to its neighbours on the grid.
/// @param points of the stencil: 2d + 1 (3, 5, 7: faces alone) or 3^d (9, 27: also edges and corners), d being the
///        grid's axes
/// @param local cells of a rank along each axis; a message to a neighbour that differs along some axes is one cell
///        deep along these and has all cells along the others
/// @param element bytes of a cell. All local lengths 1: every message has `element` bytes
/// @throws Error naming the argument
[[nodiscard]] Pattern halo(CartGrid const& grid, int points, std::span<std::int64_t const> local, std::int64_t element);

/// All-to-all in every line of the grid along one axis, or in every plane of two, and so on, all at once: each rank
/// sends `bytes` to every other rank that differs from it along `axes` only, the next one first.
/// @throws Error naming the axis: in 0..grid.axes()-1, each once, at least one
[[nodiscard]] Pattern alltoall_along(CartGrid const& grid, std::span<int const> axes, std::int64_t bytes);

/// The same of allgather, by the ring that MPI libraries use for long blocks: what came from the one before is passed
/// on to the next one, in the order of ranks within the group.
[[nodiscard]] Pattern allgather_along(CartGrid const& grid, std::span<int const> axes, std::int64_t bytes);

/// Transposition of a matrix that lies in blocks on a grid of two axes p x q (others of length 1): the new block (i, j)
/// comes from whoever has parts of it. `bytes`: of a rank's block.
[[nodiscard]] Pattern transpose(CartGrid const& grid, std::int64_t bytes);

/// The groups of `alltoall_along`: the ranks that differ along `axes` only, in order of rank.
[[nodiscard]] std::vector<std::vector<Rank>> groups_along(CartGrid const& grid, std::span<int const> axes);

}  // namespace allport
