/* Persistent collectives started in an order of each rank, more operations of two steps in flight than there are turns
 * of tags, and a variable that is set on one rank only. A program that never heard of Allport, but for that variable.
 *
 * turns RANK: that rank alone has ALLPORT_CHECK. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { pairs = 3, rounds = 4, n = 500, many = 1300 };

/* Broadcasts, of one step, and gatherv's, of two, each with a length of its own. */
static void persistents(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  int *data[pairs], *all[pairs], mine[pairs];
  int *counts = numbers((size_t)p), *begins = numbers((size_t)p);
  MPI_Request requests[2 * pairs];
  for (int r = 0; r < p; ++r) counts[r] = 1, begins[r] = r;
  for (int k = 0; k < pairs; ++k) {
    data[k] = numbers(n + (size_t)k);
    all[k] = numbers((size_t)p);
    Bcast_init(data[k], n + k, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[2 * k]);
    Gatherv_init(&mine[k], 1, MPI_INT, all[k], counts, begins, MPI_INT, k % p, comm, MPI_INFO_NULL,
                 &requests[2 * k + 1]);
  }
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < pairs; ++k) {
      for (int i = 0; i < n + k; ++i) data[k][i] = me == 0 ? k * n + i + round : -1;
      mine[k] = 100 * me + 10 * k + round;
    }
    for (int i = 0; i < 2 * pairs; ++i) MPI_Start(&requests[(i * (me % 2 == 0 ? 1 : 5) + me + round) % (2 * pairs)]);
    MPI_Waitall(2 * pairs, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < pairs; ++k) {
      for (int i = 0; i < n + k; ++i) EXPECT("persistent broadcast", i, data[k][i], k * n + i + round);
      for (int r = 0; r < p && me == k % p; ++r) EXPECT("persistent gatherv", r, all[k][r], 100 * r + 10 * k + round);
    }
  }
  for (int i = 0; i < 2 * pairs; ++i) MPI_Request_free(&requests[i]);
  for (int k = 0; k < pairs; ++k) {
    free(data[k]);
    free(all[k]);
  }
  free(counts);
  free(begins);
}

/* Every rank ends them from another side, so that second steps start in different orders. */
static void two_steps(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  int *in = numbers(many), *out = numbers((size_t)many * (size_t)p);
  int *counts = numbers((size_t)p), *begins = numbers((size_t)p);
  MPI_Request* requests = malloc(many * sizeof *requests);
  for (int r = 0; r < p; ++r) counts[r] = 1, begins[r] = r;
  for (int k = 0; k < many; ++k) {
    in[k] = 10000 * me + k;
    MPI_Igatherv(&in[k], 1, MPI_INT, out + (size_t)k * (size_t)p, counts, begins, MPI_INT, k % p, comm, &requests[k]);
  }
  for (int i = 0; i < many; ++i) MPI_Wait(&requests[me % 2 == 0 ? i : many - 1 - i], MPI_STATUS_IGNORE);
  for (int k = 0; k < many; ++k) {
    for (int r = 0; r < p && me == k % p; ++r) EXPECT("gatherv", k, out[k * p + r], 10000 * r + k);
  }
  free(in);
  free(out);
  free(counts);
  free(begins);
  free(requests);
}

/* A start never waits for another rank's start. */
static void start_then_send(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  int value = me == 0 ? 42 : -1, word = 0;
  MPI_Request request;
  if (me == 0) MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
  for (int r = 1; r < p && me == 0; ++r) MPI_Ssend(&word, 1, MPI_INT, r, 5, comm);
  if (me != 0) {
    MPI_Recv(&word, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
    MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT("broadcast", 0, value, 42);
}

int main(int argc, char** argv) {
  /* Before MPI_Init only the launcher knows the rank. */
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (argc > 1 && rank != NULL && strcmp(rank, argv[1]) == 0) setenv("ALLPORT_CHECK", "1", 1);
  MPI_Init(&argc, &argv);
  persistents(MPI_COMM_WORLD);
  start_then_send(MPI_COMM_WORLD);
  two_steps(MPI_COMM_WORLD);
  return finish("turns");
}
