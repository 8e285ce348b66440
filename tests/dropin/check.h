/* Shared by the programs that run under the drop-in: counts differences. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Persistent collectives by the name of each library: Open MPI 4 has them as an extension, as they were before MPI 4.
 */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
#define Bcast_init INIT(Bcast)
#define Allreduce_init INIT(Allreduce)
#define Barrier_init INIT(Barrier)
#define Gatherv_init INIT(Gatherv)

static int differences;

#define EXPECT(what, i, got, want)                                                                             \
  do {                                                                                                         \
    double const got_ = (double)(got), want_ = (double)(want);                                                 \
    if (got_ != want_ && ++differences <= 10) {                                                                \
      int rank_;                                                                                               \
      MPI_Comm_rank(MPI_COMM_WORLD, &rank_);                                                                   \
      printf("rank %d, line %d: %s [%ld]: %g instead of %g\n", rank_, __LINE__, what, (long)(i), got_, want_); \
      fflush(stdout);                                                                                          \
    }                                                                                                          \
  } while (0)

static inline int rank_of(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static inline int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

/* n numbers and one beyond, all -1. */
static inline int* numbers(size_t n) {
  int* a = malloc((n + 1) * sizeof *a);
  for (size_t i = 0; i <= n; ++i) a[i] = -1;
  return a;
}

/* Sums the differences by messages, not by a collective that might be under test, and ends MPI. */
static inline int finish(const char* name) {
  int const me = rank_of(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  int all = differences;
  if (me != 0) {
    MPI_Send(&differences, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
    MPI_Recv(&all, 1, MPI_INT, 0, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (int r = 1; r < p; ++r) {
      int some;
      MPI_Recv(&some, 1, MPI_INT, r, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      all += some;
    }
    for (int r = 1; r < p; ++r) MPI_Send(&all, 1, MPI_INT, r, 78, MPI_COMM_WORLD);
    printf("%s: %s on %d ranks\n", name, all == 0 ? "well" : "WRONG", p);
  }
  MPI_Finalize();
  return all != 0;
}

#endif
