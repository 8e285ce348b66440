/* Distributed graphs whose edges are given by any ranks: each has the edges and weights that were given, in every
 * rank's lists. They are made after so and so many non-blocking collectives of a communicator: Open MPI's own
 * constructor (4.1.4) passes edges by tags to which these come, and may wait for ever then. A program that never heard
 * of Allport.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#ifdef OPEN_MPI
enum { rounds = 4, first = 10, last_before = 24 };
#else
enum { rounds = 20, first = 0, last_before = 0 };
#endif
enum { most = 128 };

static unsigned state = 7;
static int shared(int n) {
  state = state * 1103515245u + 12345u;
  return (int)(state >> 16) % n;
}

/* The edges of all ranks; the last rank may have none. */
static int edges, from[most], to[most], weight[most], giver[most];

static void draw_edges(int p) {
  int const last = p > 1 ? p - shared(2) : p;
  edges = shared(3 * p + 1);
  for (int e = 0; e < edges; ++e) {
    from[e] = shared(last);
    to[e] = shared(last);
    weight[e] = shared(5);
    giver[e] = shared(p);
  }
}

/* Edges one by one, or those of a rank in a row together, and ranks without any. */
static MPI_Comm create(MPI_Comm comm, int weighted, int together, int reorder) {
  int sources[most], degrees[most], destinations[most], weights[most], n = 0, k = 0;
  for (int e = 0; e < edges; ++e) {
    if (giver[e] != rank_of(comm)) continue;
    if (together && n > 0 && sources[n - 1] == from[e]) {
      ++degrees[n - 1];
    } else {
      if (together) { /* a rank of whom this one says nothing */
        sources[n] = to[e];
        degrees[n++] = 0;
      }
      sources[n] = from[e];
      degrees[n++] = 1;
    }
    destinations[k] = to[e];
    weights[k++] = weight[e];
  }
  MPI_Comm made = MPI_COMM_NULL;
  if (n == 0) { /* what is not looked at */
    MPI_Dist_graph_create(comm, 0, NULL, NULL, NULL, weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED, MPI_INFO_NULL,
                          reorder, &made);
  } else {
    MPI_Dist_graph_create(comm, n, sources, degrees, destinations, weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL,
                          reorder, &made);
  }
  return made;
}

/* The list of this rank has each edge as often as it was given with that weight, and no other. */
static void check_list(char const* what, int n, int const* ranks, int const* weights, int weighted, int const* mine,
                       int const* others) {
  int const me = rank_of(MPI_COMM_WORLD);
  char used[most] = {0};
  int expected = 0;
  for (int e = 0; e < edges; ++e) expected += mine[e] == me;
  EXPECT(what, me, n, expected);
  for (int i = 0; i < n; ++i) {
    int found = 0;
    for (int e = 0; e < edges && !found; ++e) {
      if (used[e] || mine[e] != me || others[e] != ranks[i] || (weighted && weight[e] != weights[i])) continue;
      found = used[e] = 1;
    }
    EXPECT(what, i, found, 1);
  }
}

static void check_graph(MPI_Comm comm, int g) {
  draw_edges(size_of(comm));
  int const weighted = edges > 0 && g % 3 == 0;
  MPI_Comm made = create(comm, weighted, g % 2, 0);
  int in = -1, out = -1, has = -1;
  int sources[most], in_weights[most], destinations[most], out_weights[most];
  MPI_Dist_graph_neighbors_count(made, &in, &out, &has);
  EXPECT("weighted", g, has != 0, weighted);
  EXPECT("room for lists", g, in <= most && out <= most, 1);
  MPI_Dist_graph_neighbors(made, in, sources, weighted ? in_weights : MPI_UNWEIGHTED, out, destinations,
                           weighted ? out_weights : MPI_UNWEIGHTED);
  check_list("in", in, sources, in_weights, weighted, to, from);
  check_list("out", out, destinations, out_weights, weighted, from, to);
  int const me = rank_of(made);
  int got[most];
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, made);
  for (int i = 0; i < in; ++i) EXPECT("sender's rank", i, got[i], sources[i]);
  MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const p = size_of(MPI_COMM_WORLD);
  for (int g = 0; g < rounds * (last_before - first + 1); ++g) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int before = first + g % (last_before - first + 1); before > 0; --before) {
      int one = 1, sum = 0;
      MPI_Request request;
      PMPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT("sum before", g, sum, p);
    }
    check_graph(comm, g);
    MPI_Comm_free(&comm);
  }
  return finish("dist_graphs");
}
