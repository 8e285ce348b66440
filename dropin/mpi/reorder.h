// MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create(_adjacent) with reorder: who gets which rank of the new
// communicator.
#pragma once

#include <mpi.h>

#include <optional>

namespace allport::dropin {

/// What came of a topology's wish for another order; the same on all ranks.
struct Ordered {
  bool decided = false;  ///< here, so that the library has nothing left to order
  /// The topology's nodes in another order, to be freed by the caller; MPI_COMM_NULL on other ranks. Nothing: all stay.
  std::optional<MPI_Comm> comm;
};

/// The first ranks of `comm`, one for each node of the grid, in the order in which messages between neighbours are
/// expected to take the least time. Collective.
[[nodiscard]] Ordered ordered_for_grid(MPI_Comm comm, int axes, int const lengths[], int const periods[]);
/// The same for MPI_Graph_create's lists of neighbours.
[[nodiscard]] Ordered ordered_for_graph(MPI_Comm comm, int nodes, int const index[], int const edges[]);
/// The same for MPI_Dist_graph_create's edges: node i of the graph is who has rank i in the new order.
[[nodiscard]] Ordered ordered_for_dist_graph(MPI_Comm comm, int n, int const sources[], int const degrees[],
                                             int const destinations[], int const weights[]);
/// MPI_Dist_graph_create_adjacent in the order that suits it, whose lists go to who is their node then: its code.
/// Nothing where the order is not ours to choose.
[[nodiscard]] std::optional<int> made_of_adjacent(MPI_Comm comm, int in, int const sources[],
                                                  int const source_weights[], int out, int const destinations[],
                                                  int const destination_weights[], MPI_Info info, MPI_Comm* made);

}  // namespace allport::dropin
