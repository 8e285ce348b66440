// MPI_Dist_graph_create by MPI_Dist_graph_create_adjacent.
#pragma once

#include <mpi.h>

#include <optional>

namespace allport::dropin {

/// MPI_Dist_graph_create's code, after every rank's lists of neighbours have been made of all ranks' edges and the
/// library was asked for these. Edges are in the order of the ranks that gave them, in each of the lists. Nothing where
/// some rank's arguments are wrong, on all ranks: the library has its say. Collective.
///
/// Open MPI up to 5.0.9 receives these lists from any rank, by tags (-50, -51) to which the communicator's
/// non-blocking collectives come in their turn; with them it agrees on new communicators. From the twelfth or so that
/// is made of one communicator ranks may take a message of the one for one of the other and wait for ever
/// (open-mpi/ompi#13918). Adjacent lists need no messages.
[[nodiscard]] std::optional<int> made_of_edges(MPI_Comm comm, int n, int const sources[], int const degrees[],
                                               int const destinations[], int const weights[], MPI_Info info,
                                               int reorder, MPI_Comm* made);

}  // namespace allport::dropin
