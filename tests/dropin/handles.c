/* What MPI lets a program free while a collective is on its way: datatypes, operators, communicators. A program that
 * never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { n = 2000, stride = 3 };

/* Every third int, and a type made after the first is gone, so that its handle may be the same. */
static MPI_Datatype strided(void) {
  MPI_Datatype type;
  MPI_Type_vector(n, 1, stride, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static MPI_Datatype another(void) {
  MPI_Datatype type;
  MPI_Type_vector(n / 2, 2, stride + 1, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void expect_strided(const char* what, const int* got, int first) {
  for (int i = 0; i < n * stride; ++i) {
    EXPECT(what, i, got[i], i % stride == 0 ? first + i : -1);
  }
}

static void fill_strided(int* a, int first) {
  for (int i = 0; i < n * stride; ++i) a[i] = i % stride == 0 ? first + i : -1;
}

static void freed_type(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  for (int root = 0; root < p; ++root) {
    int* a = numbers(n * stride);
    if (me == root) fill_strided(a, 10 * root);
    MPI_Datatype type = strided();
    MPI_Request request;
    MPI_Ibcast(a, 1, type, root, comm, &request);
    MPI_Type_free(&type);
    EXPECT("freed type", 0, type == MPI_DATATYPE_NULL, 1);
    MPI_Datatype other = another();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_strided("ibcast of a freed type", a, 10 * root);
    MPI_Type_free(&other);
    free(a);
  }
}

static void freed_type_persistent(MPI_Comm comm) {
  int const me = rank_of(comm);
  int* a = numbers(n * stride);
  MPI_Datatype type = strided();
  MPI_Request request;
  Bcast_init(a, 1, type, 0, comm, MPI_INFO_NULL, &request);
  MPI_Type_free(&type);
  MPI_Datatype other = another();
  for (int round = 0; round < 3; ++round) {
    if (me == 0) fill_strided(a, 7 * round);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_strided("persistent bcast of a freed type", a, 7 * round);
  }
  MPI_Request_free(&request);
  MPI_Type_free(&other);
  free(a);
}

/* Attributes of a type are neither copied nor lost, and go once. */
static int copies, deletions;
static int on_copy(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra;
  *(void**)out = in;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}
static int on_delete(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static void attributes(MPI_Comm comm) {
  int key;
  int* a = numbers(n * stride);
  MPI_Datatype type = strided();
  MPI_Request request;
  copies = deletions = 0;
  MPI_Type_create_keyval(on_copy, on_delete, &key, NULL);
  MPI_Type_set_attr(type, key, NULL);
  MPI_Ibcast(a, 1, type, 0, comm, &request);
  MPI_Type_free(&type);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT("copies of an attribute", 0, copies, 0);
  EXPECT("deletions of an attribute", 0, deletions, 1);
  MPI_Type_free_keyval(&key);
  free(a);
}

/* Pairs of ints, added; the operator is shown the very handle that the call was given. */
static MPI_Datatype pair;
static int strangers;
static void add_pairs(void* in, void* inout, int* count, MPI_Datatype* type) {
  int *a = in, *b = inout;
  strangers += *type != pair;
  for (int i = 0; i < 2 * *count; ++i) b[i] += a[i];
}

/* What an operator that comes after the freed one does, whose handle may be the same. */
static void add_nothing(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}

static void expect_pairs(const char* what, const int* out, int p) {
  for (int i = 0; i < 2 * n; ++i) EXPECT(what, i, out[i], p * (p - 1) / 2 + p * i);
}

static void freed_operator(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  int *in = numbers(2 * n), *out = numbers(2 * n);
  for (int i = 0; i < 2 * n; ++i) in[i] = me + i;
  for (int commutes = 0; commutes < 2; ++commutes) {
    MPI_Op op, other;
    MPI_Request request;
    MPI_Datatype mine;
    MPI_Type_contiguous(2, MPI_INT, &mine);
    MPI_Type_commit(&mine);
    pair = mine;
    MPI_Op_create(add_pairs, commutes, &op);
    MPI_Iallreduce(in, out, n, mine, op, comm, &request);
    MPI_Op_free(&op);
    MPI_Type_free(&mine);
    EXPECT("freed operator", commutes, op == MPI_OP_NULL, 1);
    MPI_Op_create(add_nothing, commutes, &other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_pairs("iallreduce by a freed operator", out, p);
    MPI_Op_free(&other);
    memset(out, 0, 2 * n * sizeof *out);

    MPI_Type_contiguous(2, MPI_INT, &mine);
    MPI_Type_commit(&mine);
    pair = mine;
    MPI_Op_create(add_pairs, commutes, &op);
    Allreduce_init(in, out, n, mine, op, comm, MPI_INFO_NULL, &request);
    MPI_Op_free(&op);
    MPI_Op_create(add_nothing, commutes, &other);
    MPI_Type_free(&mine);
    for (int round = 0; round < 2; ++round) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect_pairs("persistent allreduce by a freed operator", out, p);
    }
    MPI_Request_free(&request);
    MPI_Op_free(&other);
  }
  EXPECT("other handles than the caller's", 0, strangers, 0);
  free(in);
  free(out);
}

/* The handle that MPI_Type_get_contents gives is one to free, though it may be the same as the caller's. */
static void freed_twice(MPI_Comm comm) {
  int integers, addresses, types, combiner, one_integer[1];
  int* a = numbers(n * stride);
  MPI_Aint no_address[1];
  MPI_Datatype type = strided(), outer, again;
  MPI_Request request;
  MPI_Type_contiguous(1, type, &outer);
  if (rank_of(comm) == 0) fill_strided(a, 3);
  MPI_Ibcast(a, 1, type, 0, comm, &request);
  MPI_Type_free(&type);
  MPI_Type_get_envelope(outer, &integers, &addresses, &types, &combiner);
  MPI_Type_get_contents(outer, integers, addresses, types, one_integer, no_address, &again);
  MPI_Type_free(&again);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_strided("ibcast of a type freed twice", a, 3);
  MPI_Type_free(&outer);
  free(a);
}

static void freed_communicator(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  int *in = numbers(n), *out = numbers(n), *all = numbers((size_t)n * p);
  MPI_Comm mine;
  MPI_Request requests[3];
  MPI_Comm_dup(comm, &mine);
  for (int i = 0; i < n; ++i) in[i] = me + i;
  MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, mine, &requests[0]);
  MPI_Iallgather(in, n, MPI_INT, all, n, MPI_INT, mine, &requests[1]);
  Barrier_init(mine, MPI_INFO_NULL, &requests[2]);
  MPI_Start(&requests[2]);
  MPI_Comm_free(&mine);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[2]);
  for (int i = 0; i < n; ++i) EXPECT("sum on a freed communicator", i, out[i], p * (p - 1) / 2 + p * i);
  for (int i = 0; i < n * p; ++i) EXPECT("gathered on a freed communicator", i, all[i], i / n + i % n);
  free(in);
  free(out);
  free(all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  freed_type(MPI_COMM_WORLD);
  freed_type_persistent(MPI_COMM_WORLD);
  attributes(MPI_COMM_WORLD);
  freed_operator(MPI_COMM_WORLD);
  freed_twice(MPI_COMM_WORLD);
  freed_communicator(MPI_COMM_WORLD);
  return finish("handles");
}
