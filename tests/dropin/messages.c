/* Messages in all their forms, each counted by hand beside what ALLPORT_CAPTURE counts. A program that never heard of
 * Allport; where the variable names a file, that is compared in the end. */
#include <string.h>

#include "check.h"

static int me, p;
static long long* sent;   /* bytes, by rank of MPI_COMM_WORLD */
static long long* wanted; /* on rank 0: of all ranks */

static void count(int to, long long bytes) {
  if (to != MPI_PROC_NULL) sent[to] += bytes;
}

/* Every rank to the next of `comm`, whose ranks are `world[i]` in MPI_COMM_WORLD, in each form. */
static void in_every_form(MPI_Comm comm, int const* world) {
  int const rank = rank_of(comm), size = size_of(comm), to = (rank + 1) % size, from = (rank + size - 1) % size;
  double out[64] = {0}, in[64];
  MPI_Request requests[2];
  static char buffer[4096];
  MPI_Buffer_attach(buffer, sizeof buffer);
  for (int form = 0; form < 8; ++form) {
    int const n = 1 + form + rank;
    MPI_Irecv(in, 64, MPI_DOUBLE, from, form, comm, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    MPI_Barrier(comm); /* the receive is there: messages may be sent ready */
    if (form == 0) MPI_Send(out, n, MPI_DOUBLE, to, form, comm);
    if (form == 1) MPI_Bsend(out, n, MPI_DOUBLE, to, form, comm);
    if (form == 2) MPI_Ssend(out, n, MPI_DOUBLE, to, form, comm);
    if (form == 3) MPI_Rsend(out, n, MPI_DOUBLE, to, form, comm);
    if (form == 4) MPI_Isend(out, n, MPI_DOUBLE, to, form, comm, &requests[1]);
    if (form == 5) MPI_Ibsend(out, n, MPI_DOUBLE, to, form, comm, &requests[1]);
    if (form == 6) MPI_Issend(out, n, MPI_DOUBLE, to, form, comm, &requests[1]);
    if (form == 7) MPI_Irsend(out, n, MPI_DOUBLE, to, form, comm, &requests[1]);
    count(world[to], 8 * n);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Sendrecv(out, 5, MPI_DOUBLE, to, 8, in, 64, MPI_DOUBLE, from, 8, comm, MPI_STATUS_IGNORE);
  count(world[to], 40);
  MPI_Sendrecv_replace(out, 6, MPI_DOUBLE, to, 9, from, 9, comm, MPI_STATUS_IGNORE);
  count(world[to], 48);
  MPI_Sendrecv(out, 5, MPI_DOUBLE, MPI_PROC_NULL, 8, in, 64, MPI_DOUBLE, MPI_PROC_NULL, 8, comm, MPI_STATUS_IGNORE);

  /* Persistent ones count at each start: three times, twice, once. */
  int (*const forms[])(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
      MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
  for (int form = 0; form < 4; ++form) {
    int const n = 2 + form;
    MPI_Recv_init(in, 64, MPI_DOUBLE, from, 20 + form, comm, &requests[0]);
    forms[form](out, n, MPI_DOUBLE, to, 20 + form, comm, &requests[1]);
    for (int turn = 0; turn < 3; ++turn) {
      if (turn == 1 && form != 3) {
        MPI_Startall(2, requests);
      } else {
        MPI_Start(&requests[0]);
        MPI_Barrier(comm);
        MPI_Start(&requests[1]);
      }
      count(world[to], 8 * n);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  int left;
  void* detached;
  MPI_Buffer_detach(&detached, &left);

  /* A type of its own: three of every five. */
  MPI_Datatype some;
  MPI_Type_vector(2, 3, 5, MPI_INT, &some);
  MPI_Type_commit(&some);
  MPI_Sendrecv(out, 4, some, to, 10, in, 24, MPI_INT, from, 10, comm, MPI_STATUS_IGNORE);
  count(world[to], 4 * 6 * 4);
  MPI_Type_free(&some);
}

static void to_the_other_half(void) {
  if (p < 2) return;
  MPI_Comm half, between;
  int const low = p / 2, mine = me < low;
  MPI_Comm_split(MPI_COMM_WORLD, mine, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, mine ? low : 0, 30, &between);
  int const others = mine ? p - low : low;
  int data = me;
  for (int i = 0; i < others; ++i) {
    MPI_Request request;
    MPI_Isend(&data, 1, MPI_INT, i, 31, between, &request);
    count(mine ? low + i : i, 4);
    MPI_Request_free(&request);
  }
  int got[64];
  for (int i = 0; i < others; ++i) MPI_Recv(&got[i], 1, MPI_INT, i, 31, between, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

/* Blocks of n doubles to each neighbour, or of n, n + 1, ... */
static void exchange(MPI_Comm comm, int in, int out, int const* to) {
  double data[64] = {0}, into[256];
  int counts[8], begins[8], into_counts[8], into_begins[8];
  MPI_Aint at[8], into_at[8];
  MPI_Datatype types[8];
  MPI_Request request;
  for (int i = 0; i < 8; ++i) {
    counts[i] = into_counts[i] = 3;
    begins[i] = into_begins[i] = 3 * i;
    at[i] = into_at[i] = 24 * i;
    types[i] = MPI_DOUBLE;
  }
  for (int waits = 0; waits < 2; ++waits) {
    MPI_Request* const r = &request;
    if (waits) {
      MPI_Ineighbor_allgather(data, 2, MPI_DOUBLE, into, 2, MPI_DOUBLE, comm, r), MPI_Wait(r, MPI_STATUS_IGNORE);
      MPI_Ineighbor_allgatherv(data, 3, MPI_DOUBLE, into, into_counts, into_begins, MPI_DOUBLE, comm, r);
      MPI_Wait(r, MPI_STATUS_IGNORE);
      MPI_Ineighbor_alltoall(data, 4, MPI_DOUBLE, into, 4, MPI_DOUBLE, comm, r), MPI_Wait(r, MPI_STATUS_IGNORE);
      MPI_Ineighbor_alltoallv(data, counts, begins, MPI_DOUBLE, into, into_counts, into_begins, MPI_DOUBLE, comm, r);
      MPI_Wait(r, MPI_STATUS_IGNORE);
      MPI_Ineighbor_alltoallw(data, counts, at, types, into, into_counts, into_at, types, comm, r);
      MPI_Wait(r, MPI_STATUS_IGNORE);
    } else {
      MPI_Neighbor_allgather(data, 2, MPI_DOUBLE, into, 2, MPI_DOUBLE, comm);
      MPI_Neighbor_allgatherv(data, 3, MPI_DOUBLE, into, into_counts, into_begins, MPI_DOUBLE, comm);
      MPI_Neighbor_alltoall(data, 4, MPI_DOUBLE, into, 4, MPI_DOUBLE, comm);
      MPI_Neighbor_alltoallv(data, counts, begins, MPI_DOUBLE, into, into_counts, into_begins, MPI_DOUBLE, comm);
      MPI_Neighbor_alltoallw(data, counts, at, types, into, into_counts, into_at, types, comm);
    }
    for (int i = 0; i < out; ++i) count(to[i], 8 * (2 + 3 + 4 + 3 + 3));
  }
  (void)in;
}

static void among_neighbours(void) {
  /* Ranks are told not to move, so that theirs are those of MPI_COMM_WORLD. */
  MPI_Comm comm;
  int const lengths[1] = {p}, open[1] = {0};
  MPI_Cart_create(MPI_COMM_WORLD, 1, lengths, open, 0, &comm);
  int const line[2] = {me > 0 ? me - 1 : MPI_PROC_NULL, me < p - 1 ? me + 1 : MPI_PROC_NULL};
  exchange(comm, 2, 2, line);
  MPI_Comm_free(&comm);

  int const next = (me + 1) % p, last = (me + p - 1) % p;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  exchange(comm, 1, 1, &next);
  MPI_Comm_free(&comm);

  /* Rank 0 and all others. */
  int* const index = malloc(p * sizeof *index);
  int* const edges = malloc(2 * p * sizeof *edges);
  for (int r = 0; r < p; ++r) {
    index[r] = p - 1 + r;
    edges[r < p - 1 ? r : r] = r < p - 1 ? r + 1 : 0;
  }
  for (int r = 1; r < p; ++r) edges[p - 2 + r] = 0;
  MPI_Graph_create(MPI_COMM_WORLD, p, index, edges, 0, &comm);
  if (p <= 8) {
    int const zero = 0;
    exchange(comm, me == 0 ? p - 1 : 1, p == 1 ? 0 : me == 0 ? p - 1 : 1, me == 0 ? edges : &zero);
  }
  MPI_Comm_free(&comm);
  free(edges);
  free(index);
}

/* What the file says beside what was counted by hand. */
static int compare(char const* path) {
  FILE* const file = fopen(path, "r");
  if (!file) return printf("%s: is not there\n", path), 1;
  int wrong = 0, from, to, c;
  long long bytes;
  while ((c = fgetc(file)) != EOF) {
    if (c != '[' || fscanf(file, "%d,%d,%lld", &from, &to, &bytes) != 3) continue;
    if (from < 0 || from >= p || to < 0 || to >= p) return printf("no ranks: %d, %d\n", from, to), 1;
    wanted[from * p + to] -= bytes;
  }
  fclose(file);
  for (int i = 0; i < p * p; ++i) {
    if (wanted[i] != 0 && ++wrong < 10) printf("%d to %d: %lld bytes were missed\n", i / p, i % p, wanted[i]);
  }
  return wrong;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  me = rank_of(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  sent = calloc(p, sizeof *sent);
  wanted = calloc((size_t)p * p, sizeof *wanted);
  int* const world = malloc(p * sizeof *world);
  int data = me;
  MPI_Bcast(&data, 1, MPI_INT, p - 1, MPI_COMM_WORLD);

  for (int r = 0; r < p; ++r) world[r] = r;
  in_every_form(MPI_COMM_WORLD, world);
  MPI_Comm back;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &back);
  for (int r = 0; r < p; ++r) world[r] = p - 1 - r;
  in_every_form(back, world);
  MPI_Comm_free(&back);
  to_the_other_half();
  among_neighbours();

  MPI_Gather(sent, p, MPI_LONG_LONG, wanted, p, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  char const* const path = getenv("ALLPORT_CAPTURE");
  int const wrong = me == 0 && path && *path ? compare(path) : 0;
  if (me == 0) printf("messages: %s on %d ranks\n", wrong == 0 ? "well" : "WRONG", p);
  free(world), free(wanted), free(sent);
  return wrong != 0;
}
