/* What MPI ignores of a call's arguments, by the standard's words ("significant only at root", and what stands beside
 * MPI_IN_PLACE): each such argument is passed as a null and as garbage, one by one and all together, in every form of
 * every collective, and the results are what they are without. So are arguments of neighbourhood collectives and
 * topologies that belong to no neighbour, or to an empty block. By a program that never heard of Allport. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, REDUCE, n_functions };
enum { SEND, SEND_COUNT, SEND_BEGINS, SEND_TYPE, RECEIVE, RECEIVE_COUNT, RECEIVE_BEGINS, RECEIVE_TYPE, n_arguments };

/* Where MPI reads an argument: everywhere (also where the function has none of the kind), at the root, at ranks that
 * are not the root, or where its side is not MPI_IN_PLACE, which for rooted functions the root alone may pass. */
enum { A, ROOT, APART };
static struct {
  const char* name;
  int where[n_arguments]; /* with both buffers given */
  int place[n_arguments]; /* with MPI_IN_PLACE, where APART: at all ranks that do not pass it */
} const table[n_functions] = {
    /*                 send  count begins type   receive count begins type */
    [GATHER] = {"Gather", {A, A, A, A, ROOT, ROOT, A, ROOT}, {A, APART, A, APART, ROOT, ROOT, A, ROOT}},
    [GATHERV] = {"Gatherv", {A, A, A, A, ROOT, ROOT, ROOT, ROOT}, {A, APART, A, APART, ROOT, ROOT, ROOT, ROOT}},
    [SCATTER] = {"Scatter", {ROOT, ROOT, A, ROOT, A, A, A, A}, {ROOT, ROOT, A, ROOT, A, APART, A, APART}},
    [SCATTERV] = {"Scatterv", {ROOT, ROOT, ROOT, ROOT, A, A, A, A}, {ROOT, ROOT, ROOT, ROOT, A, APART, A, APART}},
    [ALLGATHER] = {"Allgather", {A, A, A, A, A, A, A, A}, {A, APART, A, APART, A, A, A, A}},
    [ALLGATHERV] = {"Allgatherv", {A, A, A, A, A, A, A, A}, {A, APART, A, APART, A, A, A, A}},
    [ALLTOALL] = {"Alltoall", {A, A, A, A, A, A, A, A}, {A, APART, A, APART, A, A, A, A}},
    [ALLTOALLV] = {"Alltoallv", {A, A, A, A, A, A, A, A}, {A, APART, APART, APART, A, A, A, A}},
    [REDUCE] = {"Reduce", {A, A, A, A, ROOT, A, A, A}, {A, A, A, A, ROOT, A, A, A}},
};
static long exercised[n_functions][2][n_arguments];

static int has_root(int f) { return f <= SCATTERV || f == REDUCE; }

struct arguments {
  const void* send;
  int send_count;
  const int *send_counts, *send_begins;
  MPI_Datatype send_type;
  void* receive;
  int receive_count;
  const int *receive_counts, *receive_begins;
  MPI_Datatype receive_type;
};

#define NOWHERE ((void*)(intptr_t)24)
#ifdef OPEN_MPI
#define NO_TYPE ((MPI_Datatype)NOWHERE)
#else
#define NO_TYPE ((MPI_Datatype)0x4c7ffff1)
#endif

/* Argument `which` as a null, or as garbage. */
static void spoil(struct arguments* a, int which, int garbage) {
  void* const nowhere = garbage ? NOWHERE : NULL;
  int const count = garbage ? -7 : 0;
  MPI_Datatype const type = garbage ? NO_TYPE : MPI_DATATYPE_NULL;
  switch (which) {
    case SEND:
      a->send = nowhere;
      break;
    case SEND_COUNT:
      a->send_count = count, a->send_counts = nowhere;
      break;
    case SEND_BEGINS:
      a->send_begins = nowhere;
      break;
    case SEND_TYPE:
      a->send_type = type;
      break;
    case RECEIVE:
      a->receive = nowhere;
      break;
    case RECEIVE_COUNT:
      a->receive_count = count, a->receive_counts = nowhere;
      break;
    case RECEIVE_BEGINS:
      a->receive_begins = nowhere;
      break;
    default:
      a->receive_type = type;
  }
}

static int is_read(int f, int in_place, int which, int root) {
  int const where = in_place ? table[f].place[which] : table[f].where[which];
  if (where == ROOT) return root;
  return where == A || (has_root(f) && !root);
}

enum { BLOCKING, STARTED, PREPARED, n_forms };

#define CALL(Name, Iname, ...)                        \
  if (form == BLOCKING) {                             \
    MPI_##Name(__VA_ARGS__);                          \
  } else if (form == STARTED) {                       \
    MPI_##Iname(__VA_ARGS__, &request);               \
    MPI_Wait(&request, MPI_STATUS_IGNORE);            \
  } else {                                            \
    INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request); \
    MPI_Start(&request);                              \
    MPI_Wait(&request, MPI_STATUS_IGNORE);            \
    MPI_Request_free(&request);                       \
  }                                                   \
  break

static void call(int f, int form, const struct arguments* a, int root, MPI_Comm comm) {
  MPI_Request request;
  switch (f) {
    case GATHER:
      CALL(Gather, Igather, a->send, a->send_count, a->send_type, a->receive, a->receive_count, a->receive_type, root,
           comm);
    case GATHERV:
      CALL(Gatherv, Igatherv, a->send, a->send_count, a->send_type, a->receive, a->receive_counts, a->receive_begins,
           a->receive_type, root, comm);
    case SCATTER:
      CALL(Scatter, Iscatter, a->send, a->send_count, a->send_type, a->receive, a->receive_count, a->receive_type, root,
           comm);
    case SCATTERV:
      CALL(Scatterv, Iscatterv, a->send, a->send_counts, a->send_begins, a->send_type, a->receive, a->receive_count,
           a->receive_type, root, comm);
    case ALLGATHER:
      CALL(Allgather, Iallgather, a->send, a->send_count, a->send_type, a->receive, a->receive_count, a->receive_type,
           comm);
    case ALLGATHERV:
      CALL(Allgatherv, Iallgatherv, a->send, a->send_count, a->send_type, a->receive, a->receive_counts,
           a->receive_begins, a->receive_type, comm);
    case ALLTOALL:
      CALL(Alltoall, Ialltoall, a->send, a->send_count, a->send_type, a->receive, a->receive_count, a->receive_type,
           comm);
    case ALLTOALLV:
      CALL(Alltoallv, Ialltoallv, a->send, a->send_counts, a->send_begins, a->send_type, a->receive, a->receive_counts,
           a->receive_begins, a->receive_type, comm);
    default:
      CALL(Reduce, Ireduce, a->send, a->receive, a->receive_count, a->receive_type, MPI_SUM, root, comm);
  }
}

/* Of the block that rank `from` has for rank `to`. */
static int value(int from, int to, int i) { return 1000003 * (from + 1) + 10007 * to + i; }

/* One call with all arguments but those named by `spoilt` as they should be: -1 none, n_arguments all that may be. */
static void one(MPI_Comm comm, int f, int form, int in_place, int n, int root, int spoilt, int garbage) {
  int const me = rank_of(comm), p = size_of(comm);
  int const at_root = !has_root(f) || me == root;
  int *counts = numbers(p), *begins = numbers(p);
  int *in = numbers((size_t)n * p), *out = numbers((size_t)n * p);
  for (int r = 0; r < p; ++r) counts[r] = n, begins[r] = n * r;
  int const gathers = f <= GATHERV || f == ALLGATHER || f == ALLGATHERV;
  int const scatters = f == SCATTER || f == SCATTERV, everyone = f == ALLTOALL || f == ALLTOALLV;
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < n; ++i) in[n * r + i] = f == REDUCE ? me + i : value(me, gathers ? 0 : r, i);
  struct arguments a = {in, n, counts, begins, MPI_INT, out, n, counts, begins, MPI_INT};
  if (in_place && at_root) {
    if (scatters) {
      a.receive = MPI_IN_PLACE;
    } else {
      a.send = MPI_IN_PLACE;
      if (gathers) memcpy(out + n * me, in, n * sizeof *in);
      if (everyone) memcpy(out, in, (size_t)n * p * sizeof *in);
      if (f == REDUCE) memcpy(out, in, n * sizeof *in);
    }
  }
  for (int which = 0; which < n_arguments; ++which) {
    if (is_read(f, in_place, which, me == root) || (spoilt != which && spoilt != n_arguments)) continue;
    spoil(&a, which, garbage);
    ++exercised[f][in_place][which];
  }
  call(f, form, &a, root, comm);
  if (gathers && at_root)
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < n; ++i) EXPECT(table[f].name, n * r + i, out[n * r + i], value(r, 0, i));
  if (scatters && !(in_place && at_root))
    for (int i = 0; i < n; ++i) EXPECT(table[f].name, i, out[i], value(root, me, i));
  if (everyone)
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < n; ++i) EXPECT(table[f].name, n * r + i, out[n * r + i], value(r, me, i));
  if (f == REDUCE && at_root)
    for (int i = 0; i < n; ++i) EXPECT(table[f].name, i, out[i], p * (p - 1) / 2 + p * i);
  EXPECT(table[f].name, n * p, out[n * p], -1);
  free(counts);
  free(begins);
  free(in);
  free(out);
}

/* Every argument that somebody ignores has been passed as a null and as garbage by somebody. */
static void expect_all_exercised(void) {
  long all[n_functions][2][n_arguments];
  MPI_Allreduce(exercised, all, sizeof all / sizeof(long), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  int const several = size_of(MPI_COMM_WORLD) > 1;
  for (int f = 0; f < n_functions; ++f)
    for (int in_place = 0; in_place < 2; ++in_place)
      for (int which = 0; which < n_arguments; ++which) {
        int const where = in_place ? table[f].place[which] : table[f].where[which];
        if (where == APART || (where == ROOT && several)) EXPECT(table[f].name, which, all[f][in_place][which] > 0, 1);
      }
}

/* What a library gets wrong by itself, with nothing of ours loaded. */
static int library_fails(int f, int form, int in_place, int root) {
#ifdef OPEN_MPI /* 4.1: reads the send type of the non-blocking all-to-alls in place */
  (void)root;
  return in_place && form != BLOCKING && (f == ALLTOALL || f == ALLTOALLV);
#else /* MPICH 4.0: crashes in place at other roots than 0 */
  (void)form;
  return in_place && f == REDUCE && root > 0;
#endif
}

enum { block = 5, most = 64 };

/* What nobody may follow or count by. */
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
  any.type = kind == 0 ? MPI_DATATYPE_NULL : NO_TYPE;
}

#define UNPACK(...) __VA_ARGS__
#define EXCHANGE(Name, name, ARGUMENTS)                                                               \
  do {                                                                                                \
    MPI_Request request = MPI_REQUEST_NULL;                                                           \
    for (int i = 0; i < most * block; ++i) into[i] = -1;                                              \
    if (form == BLOCKING) MPI_##Name(UNPACK ARGUMENTS);                                               \
    if (form == STARTED) MPI_I##name(UNPACK ARGUMENTS, &request);                                     \
    if (form == PREPARED) INIT(Name)(UNPACK ARGUMENTS, MPI_INFO_NULL, &request), MPI_Start(&request); \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                            \
    if (form == PREPARED) MPI_Request_free(&request);                                                 \
  } while (0)

static int data[most * block], into[most * block];

static void expect_blocks(char const* what, int taken, int first) {
  for (int i = 0; i < block; ++i) EXPECT(what, i, into[i], taken ? first + i : -1);
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
    counts[k] = block;
    begins[k] = k * block;
    at[k] = (MPI_Aint)sizeof(int) * begins[k];
    types[k] = MPI_INT;
  }
  void *s = root ? data : any.buffer, *r = root ? any.buffer : into;
  int const sn = root ? block : any.count, rn = root ? any.count : block;
  MPI_Datatype const st = root ? MPI_INT : any.type, rt = root ? any.type : MPI_INT;
  int *sc = root ? counts : none, *rc = root ? none : counts, *sb = root ? begins : none, *rb = root ? none : begins;
  MPI_Aint *sa = root ? at : any.array, *ra = root ? any.array : at;
  MPI_Datatype *sts = root ? types : any.array, *rts = root ? any.array : types;
  EXCHANGE(Neighbor_allgather, neighbor_allgather, (s, sn, st, r, rn, rt, made));
  expect_blocks("allgather", !root, 0);
  EXCHANGE(Neighbor_allgatherv, neighbor_allgatherv, (s, sn, st, r, rc, rb, rt, made));
  expect_blocks("allgatherv", !root, 0);
  EXCHANGE(Neighbor_alltoall, neighbor_alltoall, (s, sn, st, r, rn, rt, made));
  expect_blocks("alltoall", !root, (me - 1) * block);
  EXCHANGE(Neighbor_alltoallv, neighbor_alltoallv, (s, sc, sb, st, r, rc, rb, rt, made));
  expect_blocks("alltoallv", !root, (me - 1) * block);
  EXCHANGE(Neighbor_alltoallw, neighbor_alltoallw, (s, sc, sa, sts, r, rc, ra, rts, made));
  expect_blocks("alltoallw", !root, (me - 1) * block);
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
    out_counts[k] = open ? any.count : empty && up ? 0 : block;
    in_counts[k] = open ? any.count : empty && !up ? 0 : block;
    int const no_out = open || out_counts[k] == 0, no_in = open || in_counts[k] == 0;
    begins[k] = no_out ? 1 << 30 : k * block;
    in_begins[k] = no_in ? 1 << 30 : k * block;
    at[k] = no_out ? (MPI_Aint)1 << 60 : (MPI_Aint)sizeof(int) * k * block;
    in_at[k] = no_in ? (MPI_Aint)1 << 60 : (MPI_Aint)sizeof(int) * k * block;
    types[k] = no_out ? any.type : MPI_INT;
    in_types[k] = no_in ? any.type : MPI_INT;
  }
  EXCHANGE(Neighbor_alltoallw, neighbor_alltoallw,
           (data, out_counts, at, types, into, in_counts, in_at, in_types, made));
  expect_blocks("w from below", me > 0 && !empty, block);
  for (int i = 0; i < block; ++i) EXPECT("w from above", i, into[block + i], me < p - 1 ? i : -1);
  EXCHANGE(Neighbor_alltoallv, neighbor_alltoallv,
           (data, out_counts, begins, MPI_INT, into, in_counts, in_begins, MPI_INT, made));
  expect_blocks("v from below", me > 0 && !empty, block);
  for (int i = 0; i < block; ++i) EXPECT("v from above", i, into[block + i], me < p - 1 ? i : -1);
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

static void neighbours(void) {
  for (int i = 0; i < most * block; ++i) data[i] = i;
  for (int kind = 0; kind < 3; ++kind) {
    draw_any(kind);
    for (int form = 0; form < n_forms && size_of(MPI_COMM_WORLD) > 1; ++form) {
      star(MPI_COMM_WORLD, form, form == STARTED);
      line(MPI_COMM_WORLD, form, 0);
      line(MPI_COMM_WORLD, form, 1);
    }
    for (int reorder = 0; reorder < 2; ++reorder) {
      topologies(MPI_COMM_WORLD, 0, reorder);
      topologies(MPI_COMM_WORLD, 1, reorder);
    }
  }
}

/* everything: what libraries get wrong, too. */
static void collectives(int everything) {
  static const int sizes[] = {1, 1000, 20011};
  int const p = size_of(MPI_COMM_WORLD);
  for (int f = 0; f < n_functions; ++f)
    for (int in_place = 0; in_place < 2; ++in_place)
      for (int form = 0; form < n_forms; ++form)
        for (int s = 0; s < 3; ++s)
          for (int root = 0; root<p; root += p> 1 ? p - 1 : 1) {
            if (root > 0 && !has_root(f)) continue;
            if (!everything && library_fails(f, form, in_place, root)) continue;
            int const one_by_one = s == 1 && p < 7;
            /* The first calls of a kind, and those that come when their arguments are known. */
            for (int garbage = 0; garbage < 2; ++garbage)
              for (int spoilt = n_arguments; spoilt >= -1; spoilt -= one_by_one ? 1 : n_arguments + 1)
                one(MPI_COMM_WORLD, f, form, in_place, sizes[s], root, spoilt, garbage);
          }
  expect_all_exercised();
}

/* Without arguments: what libraries do right by themselves. `all`: the rest, too; `neighbours`: those alone. */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (argc == 1 || all) collectives(all);
  if (argc > 1) neighbours();
  return finish("significant");
}
