/* Messages of more than 2 GiB, and reductions of elements of 2 GiB and more, which all ranks pass on.
 * What is sent is zeros that were never written, but for a number here and there, so that only what is received takes
 * memory: at most 5 GiB on two ranks. A program that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { step = 1 << 18 }; /* ints between two numbers: 1 MiB */

static MPI_Comm comm;
static int me, p;

static int number(int who, size_t i) { return (int)(i / step % 10007) + 3 * who + 1; }

static int* sparse(int who, size_t length) {
  int* a = calloc(length, sizeof *a);
  if (a == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (size_t i = 0; i < length; i += step) a[i] = number(who, i);
  return a;
}

/* Reading spares the copy of zeros that writing would make. */
static void expect(const char* what, int const* a, size_t length, int sum_of_all, int who) {
  for (size_t i = 0; i < length; i += step) {
    int const want = sum_of_all ? p * (int)(i / step % 10007) + 3 * p * (p - 1) / 2 + p : number(who, i);
    EXPECT(what, i, a[i], want);
    if (i + step <= length) EXPECT(what, i + step - 1, a[i + step - 1], 0);
  }
}

static MPI_Datatype ints(int length) {
  MPI_Datatype type;
  MPI_Type_contiguous(length, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void begin(const char* what) {
  MPI_Barrier(comm);
  if (me == 0) printf("%s\n", what), fflush(stdout);
}

/* 2.25 GiB by a type of 1 MiB. */
static void broadcast(void) {
  size_t const blocks = 2304, length = blocks * step;
  MPI_Datatype type = ints(step);
  int* a = me == 0 ? sparse(0, length) : calloc(length, sizeof *a);
  begin("a broadcast of 2.25 GiB");
  EXPECT("broadcast", 0, MPI_Bcast(a, (int)blocks, type, 0, comm), MPI_SUCCESS);
  expect("broadcast", a, length, 0, 0);
  free(a);
  MPI_Type_free(&type);
}

/* 2.25 GiB of ints, which is no more than a count can say. */
static void reduction(void) {
  size_t const length = (size_t)2304 * step;
  int* a = sparse(me, length);
  begin("a reduction of 2.25 GiB");
  EXPECT("reduce", 0, MPI_Reduce(me == 0 ? MPI_IN_PLACE : a, a, (int)length, MPI_INT, MPI_SUM, 0, comm), MPI_SUCCESS);
  if (me == 0) expect("reduce", a, length, 1, 0);
  free(a);
}

/* Blocks of 1.125 GiB, so that the second begins beyond 1 GiB, and all together are beyond 2. */
static void gathered(void) {
  size_t const length = (size_t)1152 * step;
  int *all = calloc(length * p, sizeof *all), *mine = sparse(me, length);
  begin("an allgather of blocks of 1.125 GiB");
  EXPECT("allgather", 0, MPI_Allgather(mine, (int)length, MPI_INT, all, (int)length, MPI_INT, comm), MPI_SUCCESS);
  for (int r = 0; r < p; ++r) expect("allgather", all + r * length, length, 0, r);
  free(all), free(mine);
}

/* Blocks of 2.25 GiB after short ones, whose lengths only their two ranks know: those that went straight then. */
static void straight(void) {
  size_t const long_block = (size_t)2304 * step;
  begin("scatterv, gatherv and alltoallv of blocks of 2.25 GiB after short ones");
  for (int what = 0; what < 3; ++what) {
    for (int turn = 0; turn < 3; ++turn) {
      size_t const length = turn < 2 ? 8 : long_block; /* from rank 0 to rank 1, or the other way */
      int const from = what == 1, to = 1 - from;
      int *sent = NULL, *taken = NULL, out[2] = {0, 0}, in[2] = {0, 0}, begins[2] = {0, 0};
      if (me == from) out[to] = (int)length, sent = sparse(from, length);
      if (me == to) in[from] = (int)length, taken = calloc(length, sizeof *taken);
      int code = MPI_SUCCESS;
      if (what == 0) code = MPI_Scatterv(sent, out, begins, MPI_INT, taken, in[0], MPI_INT, 0, comm);
      if (what == 1) code = MPI_Gatherv(sent, out[0], MPI_INT, taken, in, begins, MPI_INT, 0, comm);
      if (what == 2) code = MPI_Alltoallv(sent, out, begins, MPI_INT, taken, in, begins, MPI_INT, comm);
      EXPECT("straight", what, code, MPI_SUCCESS);
      if (me == to) expect("straight", taken, length, 0, from);
      free(sent), free(taken);
    }
  }
}

/* Elements of as many ints as their type says. */
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Count size;
  MPI_Type_size_x(*type, &size);
  size_t const length = (size_t)size / sizeof(int) * *count;
  int *a = in, *b = inout;
  for (size_t i = 0; i < length; ++i) {
    if (a[i] != 0) b[i] += a[i];
  }
}

/* One element of 2 GiB and 1 MiB. The library may refuse it, on every rank, or do it. */
static void long_element(void) {
  size_t const length = (size_t)2049 * step;
  MPI_Datatype type = ints((int)length);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  int* a = sparse(me, length);
  begin("a reduction of one element of 2 GiB and 1 MiB");
  int const code = MPI_Reduce(me == 0 ? MPI_IN_PLACE : a, a, 1, type, op, 0, comm);
  if (code == MPI_SUCCESS && me == 0) expect("long element", a, length, 1, 0);
  if (code != MPI_SUCCESS && me == 0) printf("this library refuses a reduction of an element of 2 GiB\n");
  free(a);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

#ifndef OPEN_MPI
static void by_large_count(void) {
  MPI_Count const bytes = ((MPI_Count)2304) * step * sizeof(int);
  int* a = me == 0 ? sparse(0, bytes / sizeof *a) : calloc(bytes, 1);
  begin("a broadcast of 2.25 GiB by MPI_Bcast_c");
  EXPECT("MPI_Bcast_c", 0, MPI_Bcast_c(a, bytes, MPI_BYTE, 0, comm), MPI_SUCCESS);
  expect("MPI_Bcast_c", a, bytes / sizeof *a, 0, 0);
  free(a);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  me = rank_of(comm), p = size_of(comm);
  char const* const only = argc > 1 ? argv[1] : "";
  if (*only == 0 || strcmp(only, "broadcast") == 0) broadcast();
  if (*only == 0 || strcmp(only, "reduction") == 0) reduction();
  if (*only == 0 || strcmp(only, "gathered") == 0) gathered();
#ifndef OPEN_MPI
  if (*only == 0 || strcmp(only, "count") == 0) by_large_count();
#endif
  if (*only == 0 || strcmp(only, "straight") == 0) straight();
  if (*only == 0 || strcmp(only, "element") == 0) long_element();
  return finish("large");
}
