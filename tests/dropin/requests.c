/* Non-blocking and persistent collectives of the drop-in: every way to wait for their requests, mixed with the
 * library's own, several in flight, other blocking calls meanwhile, error handlers, and nothing left over. A program
 * that never heard of Allport. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { n = 3000, many = 8 };
static int data[many][n], sums[many][n];

static void fill(int me) {
  for (int k = 0; k < many; ++k) {
    for (int i = 0; i < n; ++i) data[k][i] = (me + 1) * (k + 1) + i;
  }
}

static void expect_sums(const char* what, int k, int p) {
  for (int i = 0; i < n; ++i) EXPECT(what, i, sums[k][i], (k + 1) * p * (p + 1) / 2 + p * i);
}

/* Several in flight, ended out of order and by every call. */
static void in_flight(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  for (int variant = 0; variant < 8; ++variant) {
    MPI_Request requests[many + 2];
    MPI_Status statuses[many + 2];
    int from_left = -1, which, flag = 0, done, indices[many + 2];
    fill(me);
    for (int k = 0; k < many; ++k) MPI_Iallreduce(data[k], sums[k], n, MPI_INT, MPI_SUM, comm, &requests[k]);
    MPI_Irecv(&from_left, 1, MPI_INT, (me + p - 1) % p, 3, comm, &requests[many]);
    requests[many + 1] = MPI_REQUEST_NULL;
    int const mine = me;
    MPI_Send(&mine, 1, MPI_INT, (me + 1) % p, 3, comm);
    if (variant == 0) {
      for (int k = many; k >= 0; --k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    } else if (variant == 1) {
      MPI_Waitall(many + 2, requests, statuses);
    } else if (variant == 2) {
      for (int k = 0; k < many + 1; ++k) MPI_Waitany(many + 2, requests, &which, MPI_STATUS_IGNORE);
      MPI_Waitany(many + 2, requests, &which, MPI_STATUS_IGNORE);
      EXPECT("waitany's end", 0, which, MPI_UNDEFINED);
    } else if (variant == 3) {
      for (int left = many + 1; left > 0; left -= done) MPI_Waitsome(many + 2, requests, &done, indices, statuses);
    } else if (variant == 4) {
      while (!flag) MPI_Testall(many + 2, requests, &flag, MPI_STATUSES_IGNORE);
    } else if (variant == 5) {
      for (int left = many + 1; left > 0; left -= flag && which != MPI_UNDEFINED) {
        MPI_Testany(many + 2, requests, &which, &flag, MPI_STATUS_IGNORE);
      }
    } else if (variant == 6) {
      for (int left = many + 1; left > 0; left -= done) MPI_Testsome(many + 2, requests, &done, indices, statuses);
    } else {
      for (int k = 0; k <= many; ++k) {
        for (flag = 0; !flag;) MPI_Request_get_status(requests[k], &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;) MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE);
      }
    }
    for (int k = 0; k <= many; ++k) EXPECT("request is null", k, requests[k] == MPI_REQUEST_NULL, 1);
    for (int k = 0; k < many; ++k) expect_sums("iallreduce", k, p);
    EXPECT("message", variant, from_left, (me + p - 1) % p);
  }
}

/* Rank 0 starts a broadcast and blocks in a receive from the last, who sends only after the broadcast has come. */
static void blocked_elsewhere(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  if (p == 1) return;
  for (int kind = 0; kind < 4; ++kind) {
    int token = 7, got = -1;
    MPI_Request request;
    MPI_Status status;
    fill(0);
    MPI_Ibcast(data[me == 0 ? 0 : 1], n, MPI_INT, 0, comm, &request);
    if (me == p - 1) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (kind == 3) {
        MPI_Recv(&token, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(&token, 1, MPI_INT, 0, 5, comm);
      }
    } else {
      if (me == 0 && kind == 0) MPI_Recv(&got, 1, MPI_INT, p - 1, 5, comm, MPI_STATUS_IGNORE);
      if (me == 0 && kind == 1) {
        MPI_Probe(MPI_ANY_SOURCE, 5, comm, &status);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 5, comm, MPI_STATUS_IGNORE);
      }
      if (me == 0 && kind == 2) {
        MPI_Sendrecv(&token, 1, MPI_INT, 0, 6, &token, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE);
      }
      if (me == 0 && kind == 3) MPI_Ssend(&token, 1, MPI_INT, p - 1, 5, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n && me != 0; ++i) EXPECT("ibcast", i, data[1][i], 1 + i);
  }
}

/* Non-blocking forms of all, one after the other in flight together. */
static void all_forms(MPI_Comm comm) {
  enum { most = 16, b = 40 };
  int const me = rank_of(comm), p = size_of(comm);
  int one[b], *all = calloc(8 * b * most, sizeof *all), *counts = malloc(2 * p * sizeof *counts), *begins = counts + p;
  MPI_Request r[12];
  if (p > most) return;
  int *scattered = all, *gathered = all + b * most, *everyone = gathered + b * most, *crossed = everyone + b * most;
  int *source = crossed + b * most, *v = source + b * most, *vall = v + b * most, out[b], block[b], mine[b];
  for (int i = 0; i < b; ++i) one[i] = 100 * me + i, out[i] = block[i] = mine[i] = -1;
  for (int i = 0; i < b * p; ++i) source[i] = 10000 * me + i, vall[i] = -1;
  for (int q = 0; q < p; ++q) counts[q] = q % b, begins[q] = q * b;
  MPI_Ibarrier(comm, &r[0]);
  MPI_Iscatter(source, b, MPI_INT, mine, b, MPI_INT, p - 1, comm, &r[1]);
  MPI_Igather(one, b, MPI_INT, gathered, b, MPI_INT, 0, comm, &r[2]);
  MPI_Iallgather(one, b, MPI_INT, everyone, b, MPI_INT, comm, &r[3]);
  MPI_Ialltoall(source, b, MPI_INT, crossed, b, MPI_INT, comm, &r[4]);
  MPI_Ireduce(one, out, b, MPI_INT, MPI_MAX, p / 2, comm, &r[5]);
  MPI_Ireduce_scatter_block(source, block, b, MPI_INT, MPI_SUM, comm, &r[6]);
  MPI_Igatherv(one, counts[me], MPI_INT, v, counts, begins, MPI_INT, 0, comm, &r[7]);
  MPI_Iallgatherv(one, counts[me], MPI_INT, vall, counts, begins, MPI_INT, comm, &r[8]);
  /* A blocking one before those are waited for: it must move them along. */
  MPI_Barrier(comm);
  MPI_Waitall(9, r, MPI_STATUSES_IGNORE);
  (void)scattered;
  for (int i = 0; i < b; ++i) {
    EXPECT("iscatter", i, mine[i], 10000 * (p - 1) + b * me + i);
    if (me == p / 2) EXPECT("ireduce", i, out[i], 100 * (p - 1) + i);
    EXPECT("ireduce_scatter_block", i, block[i], 10000 * (p * (p - 1) / 2) + p * (b * me + i));
    for (int q = 0; q < p; ++q) {
      if (me == 0) EXPECT("igather", i, gathered[q * b + i], 100 * q + i);
      EXPECT("iallgather", i, everyone[q * b + i], 100 * q + i);
      EXPECT("ialltoall", i, crossed[q * b + i], 10000 * q + b * me + i);
      EXPECT("iallgatherv", i, vall[q * b + i], i < counts[q] ? 100 * q + i : -1);
      if (me == 0 && i < counts[q]) EXPECT("igatherv", i, v[q * b + i], 100 * q + i);
    }
  }
  free(all);
  free(counts);
}

static void persistent(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  MPI_Request r[4];
  Bcast_init(data[0], n, MPI_INT, p - 1, comm, MPI_INFO_NULL, &r[0]);
  Allreduce_init(data[1], sums[1], n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[1]);
  Barrier_init(comm, MPI_INFO_NULL, &r[2]);
  int token = me, got = -1;
  MPI_Recv_init(&got, 1, MPI_INT, (me + 1) % p, 9, comm, &r[3]);
  for (int round = 0; round < 5; ++round) {
    fill(me);
    for (int i = 0; i < n && me == p - 1; ++i) data[0][i] = 50 * round + i;
    if (round % 2 == 0) {
      MPI_Startall(4, r);
    } else {
      for (int k = 0; k < 4; ++k) MPI_Start(&r[k]);
    }
    MPI_Send(&token, 1, MPI_INT, (me + p - 1) % p, 9, comm);
    if (round < 3) {
      MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    } else {
      for (int left = 4; left > 0; --left) {
        int which;
        MPI_Waitany(4, r, &which, MPI_STATUS_IGNORE);
        EXPECT("a persistent request that is done", round, which != MPI_UNDEFINED, 1);
      }
    }
    int flag = 0;
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE); /* inactive */
    EXPECT("inactive is done", round, flag, 1);
    EXPECT("persistent handle stays", round, r[0] != MPI_REQUEST_NULL, 1);
    for (int i = 0; i < n; ++i) EXPECT("persistent bcast", i, data[0][i], 50 * round + i);
    expect_sums("persistent allreduce", 1, p);
    EXPECT("persistent message", round, got, (me + 1) % p);
  }
  for (int k = 0; k < 4; ++k) {
    MPI_Request_free(&r[k]);
    EXPECT("freed", k, r[k] == MPI_REQUEST_NULL, 1);
  }
}

static int copies, deletions;
static int on_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}
static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

/* Many communicators come and go, with the user's attributes copied just once each. */
static void communicators(void) {
  int key;
  MPI_Comm_create_keyval(on_copy, on_delete, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
  for (int i = 0; i < 40; ++i) {
    MPI_Comm comm;
    int a = i;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Ibcast(&a, 1, MPI_INT, 0, comm, &request);
    if (i % 2 == 0) MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i % 2 == 1) MPI_Comm_free(&comm);
  }
  EXPECT("copies", 0, copies, 40);
  EXPECT("deletions", 0, deletions, 40);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

static int handled;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  MPI_Error_class(*code, &handled);
}

/* The error class of a call, and that of the library's own, which it must be. */
#define EXPECT_ERROR(what, call)               \
  do {                                         \
    int class_, own_;                          \
    MPI_Error_class(MPI_##call, &class_);      \
    MPI_Error_class(PMPI_##call, &own_);       \
    EXPECT(what, 0, class_, own_);             \
    EXPECT(what, 1, class_ != MPI_SUCCESS, 1); \
  } while (0)

/* MPICH 5.0 ends by a failed assertion when a reduction is given no type, with and without the drop-in. */
static int reductions_refuse_null_types(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length, major = 0;
  MPI_Get_library_version(text, &length);
  return sscanf(text, "MPICH Version: %d", &major) != 1 || major < 5;
}

/* Intel MPI 2021.18 ends the program in spite of MPI_ERRORS_RETURN by its library of MPI's standard interface, with and
   without the drop-in. */
static int errors_return(void) {
#ifdef MPI_ABI
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(text, &length);
  return strstr(text, "Intel") == NULL;
#else
  return 1;
#endif
}

/* Wrong arguments end in the library's own error classes, by the communicator's own handler. */
static void errors(void) {
  int a = 1, b = 2, p = size_of(MPI_COMM_WORLD);
  double d = 1, e;
  MPI_Comm comm;
  MPI_Errhandler own;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT_ERROR("wrong root", Bcast(&a, 1, MPI_INT, p, comm));
  EXPECT_ERROR("negative count", Bcast(&a, -1, MPI_INT, 0, comm));
  if (reductions_refuse_null_types()) EXPECT_ERROR("null type", Allreduce(&a, &b, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
  EXPECT_ERROR("null operation", Allreduce(&a, &b, 1, MPI_INT, MPI_OP_NULL, comm));
  EXPECT_ERROR("bits of a double", Allreduce(&d, &e, 1, MPI_DOUBLE, MPI_BAND, comm));
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(comm, own);
  MPI_Bcast(&a, 1, MPI_INT, -3, comm);
  EXPECT("own handler", 0, handled, MPI_ERR_ROOT);
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
}

static void between_communicators(void) {
  int const me = rank_of(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  if (p < 2) return;
  MPI_Comm half, inter, merged;
  MPI_Comm_split(MPI_COMM_WORLD, me < p / 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me < p / 2 ? p / 2 : 0, 12, &inter);
  int a = me, sum = 0, want = 0;
  MPI_Allreduce(&a, &sum, 1, MPI_INT, MPI_SUM, inter);
  for (int r = 0; r < p; ++r) want += (r < p / 2) != (me < p / 2) ? r : 0;
  EXPECT("between", 0, sum, want);
  MPI_Intercomm_merge(inter, me >= p / 2, &merged);
  a = rank_of(merged) == 0 ? 41 : 0;
  MPI_Bcast(&a, 1, MPI_INT, 0, merged);
  EXPECT("merged", 0, a, 41);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  in_flight(MPI_COMM_WORLD);
  blocked_elsewhere(MPI_COMM_WORLD);
  all_forms(MPI_COMM_WORLD);
  persistent(MPI_COMM_WORLD);
  communicators();
  if (errors_return()) {
    errors();
  } else if (rank_of(MPI_COMM_WORLD) == 0) {
    printf("requests: wrong arguments are not tried: this library ends the program whatever the error handler\n");
  }
  between_communicators();
  return finish("requests");
}
