/* Shared by the tests' C programs: a small random number generator, and a count of failures. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int world_rank, world_size, failures, comparisons;

/* The same numbers on all ranks. */
static unsigned long long seed = 88172645463325252ull;
static inline unsigned draw(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 33);
}
static inline int between(int lo, int hi) { return lo + (int)(draw() % (unsigned)(hi - lo + 1)); }
/* A number that belongs to (i, j), whoever asks: in -1..1. */
static inline double at(unsigned salt, int i, int j) {
  unsigned long long x =
      salt * 0x9E3779B97F4A7C15ull + (unsigned)i * 0xBF58476D1CE4E5B9ull + (unsigned)j * 0x94D049BB133111EBull;
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  x ^= x >> 31;
  return (double)(x >> 11) / (double)(1ull << 52) - 1.0;
}

#define CHECK(condition, ...)                                      \
  do {                                                             \
    ++comparisons;                                                 \
    if (!(condition) && ++failures <= 20) {                        \
      fprintf(stderr, "rank %d, line %d: ", world_rank, __LINE__); \
      fprintf(stderr, __VA_ARGS__);                                \
      fprintf(stderr, "\n");                                       \
    }                                                              \
  } while (0)

static void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}
static int finish(void) {
  int mine[2] = {failures, comparisons}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) printf("%d comparisons, %d failures\n", all[1], all[0]);
  MPI_Finalize();
  return all[0] != 0 || all[1] == 0;
}

#endif
