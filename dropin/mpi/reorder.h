// MPI_Cart_create and MPI_Graph_create with reorder: who gets which rank of the new communicator.
#pragma once

#include <mpi.h>

#include <optional>

namespace allport::dropin {

/// The first ranks of `comm`, one for each node of the grid, in the order in which messages between neighbours are
/// expected to take the least time; MPI_COMM_NULL on the others. Nothing where ranks stay as they are: on all ranks
/// alike. The caller frees it. Collective.
[[nodiscard]] std::optional<MPI_Comm> ordered_for_grid(MPI_Comm comm, int axes, int const lengths[],
                                                       int const periods[]);
/// The same for MPI_Graph_create's lists of neighbours.
[[nodiscard]] std::optional<MPI_Comm> ordered_for_graph(MPI_Comm comm, int nodes, int const index[], int const edges[]);

}  // namespace allport::dropin
