/* What MPI ignores of a call's arguments, by the standard's words ("significant only at root", and what stands beside
 * MPI_IN_PLACE): each such argument is passed as a null and as garbage, one by one and all together, in every form of
 * every collective, and the results are what they are without. By a program that never heard of Allport. */
#include <mpi.h>
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

#define NOWHERE ((void*)16)
#ifdef OPEN_MPI
#define NO_TYPE ((MPI_Datatype)NOWHERE)
#else
#define NO_TYPE ((MPI_Datatype)0x7777)
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

/* With an argument: what libraries get wrong, too. */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const everything = argc > 1;
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
  return finish("significant");
}
