/* Each thread with its own communicator: blocking and non-blocking collectives at the same time. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

enum { threads = 4, rounds = 60, n = 2000 };
static MPI_Comm comms[threads];
static int wrong[threads];

static void* work(void* argument) {
  int const t = (int)(long)argument, p = size_of(comms[t]), me = rank_of(comms[t]);
  int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out), *all = malloc((size_t)n * p * sizeof *all);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i) in[i] = me + t * i + round;
    MPI_Request request;
    MPI_Iallgather(in, n, MPI_INT, all, n, MPI_INT, comms[t], &request);
    if (round % 2 == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comms[t]);
    if (round % 2 == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) wrong[t] += out[i] != p * (p - 1) / 2 + p * (t * i + round);
    for (int i = 0; i < n * p; ++i) wrong[t] += all[i] != i / n + t * (i % n) + round;
    MPI_Barrier(comms[t]);
  }
  free(in);
  free(out);
  free(all);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t ids[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (int t = 0; t < threads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  for (int t = 0; t < threads && provided == MPI_THREAD_MULTIPLE; ++t) {
    pthread_create(&ids[t], NULL, work, (void*)(long)t);
  }
  for (int t = 0; t < threads && provided == MPI_THREAD_MULTIPLE; ++t) pthread_join(ids[t], NULL);
  for (int t = 0; t < threads; ++t) {
    EXPECT("differences of a thread", t, wrong[t], 0);
    MPI_Comm_free(&comms[t]);
  }
  return finish("threads");
}
