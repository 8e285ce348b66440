/* lines LENGTH LENGTH REORDER: rows and columns of a grid, planes of two rows, and communicators that are no lines,
 * each with collectives of its own, all at the same time. What they are on the machine stands in the report. A program
 * that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>

#include "check.h"

static void use(MPI_Comm comm) {
  enum { n = 5000 };
  int const p = size_of(comm), me = rank_of(comm);
  int *mine = numbers(n), *all = numbers((size_t)n * (size_t)p), told[2] = {-1, -1};
  for (int i = 0; i < n; ++i) mine[i] = me * 1000 + i % 997;
  MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, comm);
  for (int r = 0; r < p; ++r) {
    for (int i = 0; i < n; ++i) EXPECT("gathered", r * n + i, all[r * n + i], r * 1000 + i % 997);
  }
  MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) EXPECT("sum", i, all[i], p * (p - 1) / 2 * 1000 + p * (i % 997));
  for (int root = 0; root < p; ++root) {
    if (me == root) told[0] = told[1] = root + 7;
    MPI_Bcast(told, 2, MPI_INT, root, comm);
    EXPECT("told", root, told[1], root + 7);
  }
  free(mine);
  free(all);
}

static void use_and_free(MPI_Comm comm) {
  use(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 1);
  int const lengths[2] = {atoi(argv[1]), atoi(argv[2])}, periods[2] = {1, 1};
  int const rows[2] = {0, 1}, columns[2] = {1, 0};
  MPI_Comm grid, some;
  MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, atoi(argv[3]), &grid);
  int const me = rank_of(grid);
  int coords[2];
  MPI_Cart_coords(grid, me, 2, coords);
  MPI_Cart_sub(grid, rows, &some);
  use_and_free(some);
  MPI_Cart_sub(grid, columns, &some);
  use_and_free(some);
  MPI_Comm_split(grid, coords[0], -coords[1], &some); /* rows from their end */
  use_and_free(some);
  MPI_Comm_split(grid, coords[0] / 2, me, &some); /* planes of two rows */
  use_and_free(some);
  MPI_Comm_split(grid, (coords[0] + coords[1]) % 2, me, &some); /* black and white fields, no box of the machine */
  use_and_free(some);
  MPI_Comm_free(&grid);
  return finish("lines");
}
