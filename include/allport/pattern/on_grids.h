// Patterns of programs on process grids: halos, exchanges in lines and planes, transpositions.
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
/// @param local cells of a rank along each axis; a message to a neighbour that differs along some axes is one cell deep
/// along these and has all local cells along the others
/// @param element bytes of a cell; if all local lengths are 1, the bytes of each message
/// @throws Error naming the argument
[[nodiscard]] Pattern halo(CartGrid const& grid, int points, std::span<std::int64_t const> local, std::int64_t element);

/// All-to-all in every line of the grid along one axis, in every plane of two axes, and so on, all at the same time:
/// each rank sends `bytes` to every other rank that differs from it along `axes` only, first to the next one.
/// @throws Error naming the axis: in 0..grid.axes()-1, each once, at least one
[[nodiscard]] Pattern alltoall_along(CartGrid const& grid, std::span<int const> axes, std::int64_t bytes);

/// The same for allgather, by the ring algorithm that MPI libraries use for long blocks: each rank forwards to the next
/// rank of the group what it received from the previous one.
[[nodiscard]] Pattern allgather_along(CartGrid const& grid, std::span<int const> axes, std::int64_t bytes);

/// Transposition of a matrix in blocks on a p x q grid (other axes of length 1): the new block (i, j) comes from the
/// ranks that have parts of it. `bytes`: of a rank's block.
[[nodiscard]] Pattern transpose(CartGrid const& grid, std::int64_t bytes);

/// The groups of alltoall_along(): ranks that differ along `axes` only, in order of rank.
[[nodiscard]] std::vector<std::vector<Rank>> groups_along(CartGrid const& grid, std::span<int const> axes);

}  // namespace allport
