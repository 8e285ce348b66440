// Communicators' making and end, under their C names: what is made gets its record, where MPI allows us to wait.
#include <mpi.h>

#include <optional>

#include "allport/base/function_ref.h"
#include "collectives.h"
#include "dist_graph.h"
#include "exported.h"
#include "progress.h"
#include "reorder.h"
#include "state.h"

using allport::FunctionRef;
using namespace allport::dropin;

namespace {

/// `code`, after the communicator that a constructor made has got its record.
int made(int code, MPI_Comm const* comm) {
  if (code == MPI_SUCCESS && comm != nullptr && *comm != MPI_COMM_NULL && at_work()) {
    Inside const inside;
    adopt(*comm);
  }
  return code;
}

/// Whether the order of ranks is ours to choose.
bool asked_to_order(int reorder, MPI_Comm const* made_comm) {
  return reorder != 0 && made_comm != nullptr && at_work();
}

/// The library's constructor of a topology on `comm`, or on its ranks in the order that suits it.
/// @param order      asked where the order of ranks is ours to choose
/// @param construct  gets the communicator to make it of, and whether the library may reorder
int made_in_order(MPI_Comm comm, int reorder, MPI_Comm* made_comm, FunctionRef<Ordered()> order,
                  FunctionRef<int(MPI_Comm, int)> construct) {
  Ordered ordered;
  if (asked_to_order(reorder, made_comm)) {
    Inside const inside;
    ordered = order();
  }
  if (!ordered.comm) return made(construct(comm, ordered.decided ? 0 : reorder), made_comm);
  if (*ordered.comm == MPI_COMM_NULL) {  // no node of the topology
    *made_comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  auto const code = construct(*ordered.comm, 0);
  PMPI_Comm_free(&*ordered.comm);
  return made(code, made_comm);
}

}  // namespace

// X(Name, (parameters), (arguments)); the last parameter is `made_comm`.
#define ALLPORT_CONSTRUCTORS(X)                                                                                       \
  X(Comm_dup, (MPI_Comm comm, MPI_Comm * made_comm), (comm, made_comm))                                               \
  X(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm * made_comm), (comm, info, made_comm))                \
  X(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm * made_comm), (comm, group, made_comm))                    \
  X(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made_comm), (comm, group, tag, made_comm)) \
  X(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made_comm), (comm, color, key, made_comm))              \
  X(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made_comm),                          \
    (comm, type, key, info, made_comm))                                                                               \
  X(Cart_sub, (MPI_Comm comm, int const remain[], MPI_Comm* made_comm), (comm, remain, made_comm))                    \
  X(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* made_comm),   \
    (comm, leader, peers, remote_leader, tag, made_comm))                                                             \
  X(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made_comm), (comm, high, made_comm))

#define ALLPORT_EXPORT_CONSTRUCTOR(Name, PARAMETERS, ARGUMENTS) \
  ALLPORT_EXPORTED int MPI_##Name PARAMETERS { return made(PMPI_##Name ARGUMENTS, made_comm); }

extern "C" {

ALLPORT_CONSTRUCTORS(ALLPORT_EXPORT_CONSTRUCTOR)

ALLPORT_EXPORTED int MPI_Cart_create(MPI_Comm comm, int axes, int const lengths[], int const periods[], int reorder,
                                     MPI_Comm* made_comm) {
  return made_in_order(
      comm, reorder, made_comm, [&] { return ordered_for_grid(comm, axes, lengths, periods); },
      [&](MPI_Comm of, int may) { return PMPI_Cart_create(of, axes, lengths, periods, may, made_comm); });
}

ALLPORT_EXPORTED int MPI_Graph_create(MPI_Comm comm, int nodes, int const index[], int const edges[], int reorder,
                                      MPI_Comm* made_comm) {
  return made_in_order(
      comm, reorder, made_comm, [&] { return ordered_for_graph(comm, nodes, index, edges); },
      [&](MPI_Comm of, int may) { return PMPI_Graph_create(of, nodes, index, edges, may, made_comm); });
}

ALLPORT_EXPORTED int MPI_Dist_graph_create(MPI_Comm comm, int n, int const sources[], int const degrees[],
                                           int const destinations[], int const weights[], MPI_Info info, int reorder,
                                           MPI_Comm* made_comm) {
  return made_in_order(
      comm, reorder, made_comm,
      [&] { return ordered_for_dist_graph(comm, n, sources, degrees, destinations, weights); },
      [&](MPI_Comm of, int may) {
#ifdef OPEN_MPI
        if (at_work()) {
          Inside const inside;
          auto const code = made_of_edges(of, n, sources, degrees, destinations, weights, info, may, made_comm);
          if (code) return *code;
        }
#endif
        return PMPI_Dist_graph_create(of, n, sources, degrees, destinations, weights, info, may, made_comm);
      });
}

ALLPORT_EXPORTED int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, int const sources[],
                                                    int const source_weights[], int out, int const destinations[],
                                                    int const destination_weights[], MPI_Info info, int reorder,
                                                    MPI_Comm* made_comm) {
  std::optional<int> code;
  if (asked_to_order(reorder, made_comm)) {
    Inside const inside;
    code = made_of_adjacent(comm, in, sources, source_weights, out, destinations, destination_weights, info, made_comm);
  }
  if (!code) {
    code = PMPI_Dist_graph_create_adjacent(comm, in, sources, source_weights, out, destinations, destination_weights,
                                           info, reorder, made_comm);
  }
  return made(*code, made_comm);
}

ALLPORT_EXPORTED int MPI_Comm_free(MPI_Comm* comm) {
  auto const code = PMPI_Comm_free(comm);
  release_retired();
  return code;
}

ALLPORT_EXPORTED int MPI_Comm_disconnect(MPI_Comm* comm) {
  auto const code = PMPI_Comm_disconnect(comm);
  release_retired();
  return code;
}

}  // extern "C"
