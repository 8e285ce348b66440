/* Cartesian and graph topologies with reorder: whatever rank a process gets, its coordinates, its neighbours and their
 * data are those that MPI promises. With "moved" the last grid must have got another order, with "kept" none. A program
 * that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Rank r of comm is told by its neighbours along an axis who they are. */
static void use_grid(MPI_Comm cart, int axes, int const* lengths, int const* periods) {
  int const me = rank_of(cart);
  int coords[8], want = 0;
  MPI_Cart_coords(cart, me, axes, coords);
  for (int a = 0; a < axes; ++a) {
    EXPECT("coordinate in its length", a, coords[a] >= 0 && coords[a] < lengths[a], 1);
    want = want * lengths[a] + coords[a];
  }
  EXPECT("row-major rank of the coordinates", me, me, want);
  for (int a = 0; a < axes; ++a) {
    int down, up, from = -5, there[8];
    MPI_Cart_shift(cart, a, 1, &down, &up);
    MPI_Sendrecv(&me, 1, MPI_INT, up, a, &from, 1, MPI_INT, down, a, cart, MPI_STATUS_IGNORE);
    int const inside = periods[a] || coords[a] > 0;
    EXPECT("who is below", a, from, inside ? down : -5);
    if (!inside) continue;
    MPI_Cart_coords(cart, from, axes, there);
    EXPECT("its coordinate", a, there[a], (coords[a] + lengths[a] - 1) % lengths[a]);
  }
  /* Each neighbour's rank by a collective of the topology: down and up along every axis. */
  int got[16];
  for (int i = 0; i < 16; ++i) got[i] = -5;
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, cart);
  for (int a = 0; a < axes; ++a) {
    int down, up;
    MPI_Cart_shift(cart, a, 1, &down, &up);
    EXPECT("neighbourhood below", a, got[2 * a], down == MPI_PROC_NULL ? -5 : down);
    EXPECT("neighbourhood above", a, got[2 * a + 1], up == MPI_PROC_NULL ? -5 : up);
  }
}

static int grid(MPI_Comm comm, int axes, int const* lengths, int const* periods) {
  MPI_Comm cart = MPI_COMM_NULL;
  int nodes = 1, mine = 0, all = 0;
  for (int a = 0; a < axes; ++a) nodes *= lengths[a];
  MPI_Cart_create(comm, axes, lengths, periods, 1, &cart);
  if (rank_of(comm) >= nodes) {
    EXPECT("no node of the grid", nodes, cart == MPI_COMM_NULL, 1);
  } else {
    EXPECT("ranks of the grid", nodes, size_of(cart), nodes);
    mine = rank_of(cart) != rank_of(comm);
    use_grid(cart, axes, lengths, periods);
    int sum = -1, me = rank_of(cart);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, cart);
    EXPECT("every rank once", nodes, sum, nodes * (nodes - 1) / 2);
    int remain[8] = {0};
    remain[axes - 1] = 1;
    MPI_Comm row;
    MPI_Cart_sub(cart, remain, &row);
    EXPECT("ranks of a row", axes, size_of(row), lengths[axes - 1]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
  }
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm);
  return all;
}

/* A ring that skips: node i beside i + step and i - step. */
static void graph(MPI_Comm comm, int nodes, int step) {
  int* const index = malloc(sizeof(int) * (size_t)nodes);
  int* const edges = malloc(sizeof(int) * 2 * (size_t)nodes);
  for (int i = 0; i < nodes; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + step) % nodes;
    edges[2 * i + 1] = (i + nodes - step) % nodes;
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(comm, nodes, index, edges, 1, &made);
  if (rank_of(comm) >= nodes) {
    EXPECT("no node of the graph", nodes, made == MPI_COMM_NULL, 1);
  } else {
    int const me = rank_of(made);
    int near[2] = {-1, -1}, got[2] = {-1, -1};
    MPI_Graph_neighbors(made, me, 2, near);
    for (int i = 0; i < 2; ++i) EXPECT("neighbour", i, near[i], edges[2 * me + i]);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, made);
    for (int i = 0; i < 2; ++i) EXPECT("neighbour's rank", i, got[i], near[i]);
    MPI_Comm_free(&made);
  }
  free(index);
  free(edges);
}

/* Node i sends to i + step and to i + 1, with weights 1 and 5; both ways to say it. */
static void dist_graph(MPI_Comm comm, int step, int weighted) {
  int const p = size_of(comm), old = rank_of(comm);
  int const next[2] = {(old + step) % p, (old + 1) % p}, last[2] = {(old + p - step) % p, (old + p - 1) % p};
  int const weights[2] = {1, 5}, degree = 2;
  for (int adjacent = 0; adjacent < 2; ++adjacent) {
    MPI_Comm made = MPI_COMM_NULL;
    int const* const w = weighted ? weights : MPI_UNWEIGHTED;
    if (adjacent) {
      MPI_Dist_graph_create_adjacent(comm, 2, last, w, 2, next, w, MPI_INFO_NULL, 1, &made);
    } else {
      MPI_Dist_graph_create(comm, 1, &old, &degree, next, w, MPI_INFO_NULL, 1, &made);
    }
    int const me = rank_of(made);
    int in = -1, out = -1, has = -1, from[2] = {-1, -1}, to[2] = {-1, -1}, wi[2] = {-1, -1}, wo[2] = {-1, -1}, got[2];
    MPI_Dist_graph_neighbors_count(made, &in, &out, &has);
    EXPECT("senders", me, in, 2);
    EXPECT("receivers", me, out, 2);
    EXPECT("weights are kept", me, has != 0, weighted);
    MPI_Dist_graph_neighbors(made, 2, from, weighted ? wi : MPI_UNWEIGHTED, 2, to, weighted ? wo : MPI_UNWEIGHTED);
    int const swapped = !adjacent && from[0] != (me + p - step) % p; /* their order is the library's */
    EXPECT("sender by step", me, from[swapped], (me + p - step) % p);
    EXPECT("sender by one", me, from[!swapped], (me + p - 1) % p);
    int const turned = !adjacent && to[0] != (me + step) % p;
    EXPECT("receiver by step", me, to[turned], (me + step) % p);
    EXPECT("receiver by one", me, to[!turned], (me + 1) % p);
    if (weighted && step % p != 1) {
      EXPECT("weight of a sender", me, wi[swapped], 1);
      EXPECT("weight of a receiver", me, wo[!turned], 5);
    }
    MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, made);
    for (int i = 0; i < 2; ++i) EXPECT("sender's rank", i, got[i], from[i]);
    MPI_Comm_free(&made);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const p = size_of(MPI_COMM_WORLD);
  int const periods[] = {1, 0, 1};
  int lengths[3] = {p, 1, 1};
  MPI_Comm reversed, one;
  MPI_Comm_split(MPI_COMM_WORLD, 0, p - rank_of(MPI_COMM_WORLD), &reversed);
  grid(MPI_COMM_WORLD, 1, lengths, periods);
  grid(reversed, 3, lengths, periods);
  for (int first = 2; first <= p; ++first) { /* not all ranks, where it does not divide */
    lengths[0] = first;
    lengths[1] = p / first;
    grid(MPI_COMM_WORLD, 2, lengths, periods);
    grid(reversed, 2, lengths, periods + 1);
  }
  for (int step = 1; step < p - p / 4; ++step) graph(reversed, p - p / 4, step);
  for (int step = 1; step < p; ++step) {
    dist_graph(reversed, step, step % 2);
    dist_graph(MPI_COMM_WORLD, step, 1 - step % 2);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD), 0, &one);
  lengths[0] = lengths[1] = 1;
  grid(one, 2, lengths, periods);
  /* What is no topology is the library's to refuse. */
  MPI_Comm none = MPI_COMM_NULL;
  lengths[0] = p + 1;
  MPI_Comm_set_errhandler(reversed, MPI_ERRORS_RETURN);
  EXPECT("more nodes than ranks", p, MPI_Cart_create(reversed, 1, lengths, periods, 1, &none) != MPI_SUCCESS, 1);
  lengths[0] = p;
  EXPECT("its errors are the communicator's, then, too", p, MPI_Cart_create(reversed, 1, lengths, periods, 1, &none),
         MPI_SUCCESS);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(none, &handler);
  EXPECT("error handler", 0, handler == MPI_ERRORS_RETURN, 1);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&none);
  if (argc > 1) {
    lengths[0] = 3;
    lengths[1] = p / 3;
    EXPECT(argv[1], p, grid(MPI_COMM_WORLD, 2, lengths, periods), strcmp(argv[1], "moved") == 0);
  }
  MPI_Comm_free(&one);
  MPI_Comm_free(&reversed);
  return finish("topologies");
}
