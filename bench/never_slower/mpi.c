/* never_slower_mpi start | COMMUNICATORS CALLS [COLLECTIVE BYTES]: times each collective as the preloaded library
   answers it (MPI_) beside the MPI library's own (PMPI_), in blocks of calls that alternate, so that whatever else the
   machine does meets both alike. Before that, COMMUNICATORS are made and freed. Prints JSON, a row per collective and
   length: seconds a call, medians over the blocks, of ours, the library's and the library's once more. CALLS of each at
   most, fewer of long ones. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_bytes = 4 << 20, most_blocks = 400 };

static int ranks, rank;
static char *in, *out, *expected;
static int counts[1024], displs[1024];

#define COLLECTIVES(X)                                                                                       \
  X(barrier, Barrier(MPI_COMM_WORLD))                                                                        \
  X(bcast, Bcast(out, n, MPI_CHAR, 0, MPI_COMM_WORLD))                                                       \
  X(reduce, Reduce(in, out, n / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD))                                  \
  X(allreduce, Allreduce(in, out, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))                               \
  X(scan, Scan(in, out, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))                                         \
  X(exscan, Exscan(in, out, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))                                     \
  X(reduce_scatter_block, Reduce_scatter_block(in, out, n / 8 / ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)) \
  X(reduce_scatter, Reduce_scatter(in, out, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))                   \
  X(gather, Gather(in, n / ranks, MPI_CHAR, out, n / ranks, MPI_CHAR, 0, MPI_COMM_WORLD))                    \
  X(scatter, Scatter(in, n / ranks, MPI_CHAR, out, n / ranks, MPI_CHAR, 0, MPI_COMM_WORLD))                  \
  X(allgather, Allgather(in, n / ranks, MPI_CHAR, out, n / ranks, MPI_CHAR, MPI_COMM_WORLD))                 \
  X(alltoall, Alltoall(in, n / ranks, MPI_CHAR, out, n / ranks, MPI_CHAR, MPI_COMM_WORLD))                   \
  X(gatherv, Gatherv(in, n / ranks, MPI_CHAR, out, counts, displs, MPI_CHAR, 0, MPI_COMM_WORLD))             \
  X(scatterv, Scatterv(in, counts, displs, MPI_CHAR, out, n / ranks, MPI_CHAR, 0, MPI_COMM_WORLD))           \
  X(allgatherv, Allgatherv(in, n / ranks, MPI_CHAR, out, counts, displs, MPI_CHAR, MPI_COMM_WORLD))          \
  X(alltoallv, Alltoallv(in, counts, displs, MPI_CHAR, out, counts, displs, MPI_CHAR, MPI_COMM_WORLD))

static int doubles[1024];

#define DEFINE(name, call)           \
  static void ours_##name(int n) {   \
    (void)n;                         \
    MPI_##call;                      \
  }                                  \
  static void theirs_##name(int n) { \
    (void)n;                         \
    PMPI_##call;                     \
  }
COLLECTIVES(DEFINE)

struct Collective {
  char const* name;
  void (*ours)(int);
  void (*theirs)(int);
};
#define ROW(name, call) {#name, ours_##name, theirs_##name},
static struct Collective const collectives[] = {COLLECTIVES(ROW)};

static double block(void (*call)(int), int n, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  double taken = -PMPI_Wtime();
  for (int c = 0; c < calls; ++c) call(n);
  taken += PMPI_Wtime();
  PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken / calls;
}

static int by_size(void const* a, void const* b) {
  double const x = *(double const*)a, y = *(double const*)b;
  return (x > y) - (x < y);
}

static double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof(double), by_size);
  return times[count / 2];
}

/* Ours gives what the library does. */
static void check(struct Collective const* one, int n) {
  memset(out, 0, most_bytes);
  if (rank == 0) memcpy(out, in, most_bytes);
  one->theirs(n);
  memcpy(expected, out, most_bytes);
  memset(out, 0, most_bytes);
  if (rank == 0) memcpy(out, in, most_bytes);
  one->ours(n);
  if (memcmp(expected, out, most_bytes) != 0) {
    fprintf(stderr, "never_slower_mpi: %s of %d bytes: another result on rank %d\n", one->name, n, rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "start") == 0) return MPI_Finalize();
  int const communicators = argc > 1 ? atoi(argv[1]) : 0;
  int const most_calls = argc > 2 ? atoi(argv[2]) : 10000;
  for (int c = 0; c < communicators; ++c) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
  }
  in = malloc(most_bytes);
  out = malloc(most_bytes);
  expected = malloc(most_bytes);
  for (int x = 0; x < most_bytes / 8; ++x) ((double*)in)[x] = x % 1000 + rank;
  int const lengths[] = {0, 8, 64, 1024, 8192, 65536, 524288, most_bytes};
  int rows = 0;
  if (rank == 0) printf("[");
  for (size_t c = 0; c < sizeof collectives / sizeof *collectives; ++c) {
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
      struct Collective const* const one = collectives + c;
      int const n = lengths[l] / (8 * ranks) * 8 * ranks == 0 ? lengths[l] : lengths[l] / (8 * ranks) * 8 * ranks;
      if (c == 0 && l > 0) break;
      if (argc > 4 && (strcmp(argv[3], one->name) != 0 || atoi(argv[4]) != n)) continue;
      for (int r = 0; r < ranks; ++r) {
        counts[r] = n / ranks;
        displs[r] = r * (n / ranks);
        doubles[r] = n / 8 / ranks;
      }
      check(one, n);
      block(one->ours, n, 3);
      double const once = block(one->theirs, n, 3);
      int calls = (int)(3e-3 / once); /* of a block */
      calls = calls < 1 ? 1 : calls > 200 ? 200 : calls;
      int blocks = most_calls / calls;
      int const affordable = (int)(1.0 / 3 / (calls * once));
      if (blocks > affordable) blocks = affordable;
      blocks = blocks < 9 ? 9 : blocks > most_blocks ? most_blocks : blocks;
      PMPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
      PMPI_Bcast(&blocks, 1, MPI_INT, 0, MPI_COMM_WORLD);
      static double ours[most_blocks], theirs[most_blocks], again[most_blocks];
      for (int b = 0; b < blocks; ++b) {
        theirs[b] = block(one->theirs, n, calls);
        ours[b] = block(one->ours, n, calls);
        again[b] = block(one->theirs, n, calls);
      }
      if (rank == 0) {
        printf(
            "%s\n{\"collective\": \"%s\", \"bytes\": %d, \"calls\": %d, \"ours\": %.4g, \"plain\": %.4g, \"again\": "
            "%.4g}",
            rows++ == 0 ? "" : ",", one->name, n, calls * blocks, median(ours, blocks), median(theirs, blocks),
            median(again, blocks));
      }
    }
  }
  if (rank == 0) printf("]\n");
  MPI_Finalize();
}
