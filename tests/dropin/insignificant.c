/* Arguments of neighbourhood collectives and topologies that belong to no neighbour, or to an empty block, may be
 * anything: they are ignored. A program that never heard of Allport. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { n = 5, most = 64, forms = 3 };

/* What nobody may follow or count by. */
#define NOWHERE ((void*)(intptr_t)24)
static struct {
  void* buffer;
  int count;
  MPI_Datatype type;
  void* array;
} any; /* of one kind at a time */

static void draw_any(int kind) {
  static void* const buffers[] = {NULL, NOWHERE, MPI_IN_PLACE};
  any.buffer = buffers[kind];
  any.count = kind - 1;
  any.array = kind == 0 ? NULL : NOWHERE;
#ifdef OPEN_MPI
  any.type = kind == 0 ? MPI_DATATYPE_NULL : NOWHERE;
#else
  any.type = kind == 0 ? MPI_DATATYPE_NULL : (MPI_Datatype)0x4c7ffff1;
#endif
}

#define UNPACK(...) __VA_ARGS__
#define CALL(Name, name, ARGUMENTS)                                                            \
  do {                                                                                         \
    MPI_Request request = MPI_REQUEST_NULL;                                                    \
    for (int i = 0; i < most * n; ++i) into[i] = -1;                                           \
    if (form == 0) MPI_##Name(UNPACK ARGUMENTS);                                               \
    if (form == 1) MPI_I##name(UNPACK ARGUMENTS, &request);                                    \
    if (form == 2) INIT(Name)(UNPACK ARGUMENTS, MPI_INFO_NULL, &request), MPI_Start(&request); \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
    if (form == 2) MPI_Request_free(&request);                                                 \
  } while (0)

static int data[most * n], into[most * n];

static void expect_blocks(char const* what, int taken, int first) {
  for (int i = 0; i < n; ++i) EXPECT(what, i, into[i], taken ? first + i : -1);
}

/* From rank 0 to all others, who send nothing; it takes nothing. */
static void star(MPI_Comm comm, int form, int weighted) {
  int const p = size_of(comm), me = rank_of(comm), root = me == 0;
  int others[most], weights[most], zero = 0;
  for (int r = 1; r < p; ++r) others[r - 1] = r, weights[r - 1] = 2;
  int* const none = any.array;
  MPI_Comm made;
  if (root) {
    MPI_Dist_graph_create_adjacent(comm, 0, none, weighted ? none : MPI_UNWEIGHTED, p - 1, others,
                                   weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  } else {
    MPI_Dist_graph_create_adjacent(comm, 1, &zero, weighted ? weights : MPI_UNWEIGHTED, 0, none,
                                   weighted ? none : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  }
  int counts[most], begins[most];
  MPI_Aint at[most];
  MPI_Datatype types[most];
  for (int k = 0; k < most; ++k) {
    counts[k] = n;
    begins[k] = k * n;
    at[k] = (MPI_Aint)sizeof(int) * begins[k];
    types[k] = MPI_INT;
  }
  void *s = root ? data : any.buffer, *r = root ? any.buffer : into;
  int const sn = root ? n : any.count, rn = root ? any.count : n;
  MPI_Datatype const st = root ? MPI_INT : any.type, rt = root ? any.type : MPI_INT;
  int *sc = root ? counts : none, *rc = root ? none : counts, *sb = root ? begins : none, *rb = root ? none : begins;
  MPI_Aint *sa = root ? at : any.array, *ra = root ? any.array : at;
  MPI_Datatype *sts = root ? types : any.array, *rts = root ? any.array : types;
  CALL(Neighbor_allgather, neighbor_allgather, (s, sn, st, r, rn, rt, made));
  expect_blocks("allgather", !root, 0);
  CALL(Neighbor_allgatherv, neighbor_allgatherv, (s, sn, st, r, rc, rb, rt, made));
  expect_blocks("allgatherv", !root, 0);
  CALL(Neighbor_alltoall, neighbor_alltoall, (s, sn, st, r, rn, rt, made));
  expect_blocks("alltoall", !root, (me - 1) * n);
  CALL(Neighbor_alltoallv, neighbor_alltoallv, (s, sc, sb, st, r, rc, rb, rt, made));
  expect_blocks("alltoallv", !root, (me - 1) * n);
  CALL(Neighbor_alltoallw, neighbor_alltoallw, (s, sc, sa, sts, r, rc, ra, rts, made));
  expect_blocks("alltoallw", !root, (me - 1) * n);
  MPI_Comm_free(&made);
}

/* On a line whose ends are open. Where `empty`, the blocks up the line are, and have no type and no place. */
static void line(MPI_Comm comm, int form, int empty) {
  int const p = size_of(comm), zero = 0;
  MPI_Comm made;
  MPI_Cart_create(comm, 1, &p, &zero, 0, &made);
  int const me = rank_of(made);
  int out_counts[2], in_counts[2], begins[2], in_begins[2];
  MPI_Aint at[2], in_at[2];
  MPI_Datatype types[2], in_types[2];
  for (int k = 0; k < 2; ++k) {
    int const open = k == 0 ? me == 0 : me == p - 1, up = k == 1;
    out_counts[k] = open ? any.count : empty && up ? 0 : n;
    in_counts[k] = open ? any.count : empty && !up ? 0 : n;
    int const no_out = open || out_counts[k] == 0, no_in = open || in_counts[k] == 0;
    begins[k] = no_out ? 1 << 30 : k * n;
    in_begins[k] = no_in ? 1 << 30 : k * n;
    at[k] = no_out ? (MPI_Aint)1 << 60 : (MPI_Aint)sizeof(int) * k * n;
    in_at[k] = no_in ? (MPI_Aint)1 << 60 : (MPI_Aint)sizeof(int) * k * n;
    types[k] = no_out ? any.type : MPI_INT;
    in_types[k] = no_in ? any.type : MPI_INT;
  }
  CALL(Neighbor_alltoallw, neighbor_alltoallw, (data, out_counts, at, types, into, in_counts, in_at, in_types, made));
  expect_blocks("w from below", me > 0 && !empty, n);
  for (int i = 0; i < n; ++i) EXPECT("w from above", i, into[n + i], me < p - 1 ? i : -1);
  CALL(Neighbor_alltoallv, neighbor_alltoallv,
       (data, out_counts, begins, MPI_INT, into, in_counts, in_begins, MPI_INT, made));
  expect_blocks("v from below", me > 0 && !empty, n);
  for (int i = 0; i < n; ++i) EXPECT("v from above", i, into[n + i], me < p - 1 ? i : -1);
  MPI_Comm_free(&made);
}

/* Edges from 0 to all others, given by rank 0 alone; a graph of no nodes, and a grid of no axes. */
static void topologies(MPI_Comm comm, int weighted, int reorder) {
  int const p = size_of(comm);
  int others[most], weights[most], zero = 0, degree = p - 1;
  for (int r = 1; r < p; ++r) others[r - 1] = r, weights[r - 1] = r;
  int* const none = any.array;
  MPI_Comm made;
  if (rank_of(comm) == 0) {
    MPI_Dist_graph_create(comm, 1, &zero, &degree, others, weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder,
                          &made);
  } else {
    MPI_Dist_graph_create(comm, 0, none, none, none, weighted ? none : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &made);
  }
  int in = -1, out = -1, has = -1, from[most], to[most], in_weights[most], out_weights[most];
  MPI_Dist_graph_neighbors_count(made, &in, &out, &has);
  EXPECT("weighted", reorder, has != 0, weighted);
  EXPECT("senders", reorder, in, rank_of(made) > 0);
  EXPECT("receivers", reorder, out, rank_of(made) > 0 ? 0 : p - 1);
  MPI_Dist_graph_neighbors(made, in, from, weighted ? in_weights : MPI_UNWEIGHTED, out, to,
                           weighted ? out_weights : MPI_UNWEIGHTED);
  if (in == 1 && weighted) EXPECT("weight", reorder, in_weights[0], rank_of(made));
  MPI_Comm_free(&made);
  made = comm;
  MPI_Graph_create(comm, 0, none, none, reorder, &made);
  EXPECT("graph of no nodes", reorder, made == MPI_COMM_NULL, 1);
  MPI_Cart_create(comm, 0, none, none, reorder, &made);
  EXPECT("grid of no axes", reorder, made == MPI_COMM_NULL, rank_of(comm) > 0);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < most * n; ++i) data[i] = i;
  for (int kind = 0; kind < 3; ++kind) {
    draw_any(kind);
    for (int form = 0; form < forms && size_of(MPI_COMM_WORLD) > 1; ++form) {
      star(MPI_COMM_WORLD, form, form == 1);
      line(MPI_COMM_WORLD, form, 0);
      line(MPI_COMM_WORLD, form, 1);
    }
    for (int reorder = 0; reorder < 2; ++reorder) {
      topologies(MPI_COMM_WORLD, 0, reorder);
      topologies(MPI_COMM_WORLD, 1, reorder);
    }
  }
  return finish("insignificant");
}
