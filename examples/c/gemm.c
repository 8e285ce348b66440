/* Multiplies two block-cyclic matrices from C. Run: mpirun -n 4 ./gemm_c [MACHINE]
 * A(i,j) = i + j and B = identity, so that C must come out as A. */
#include <allport/allport.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code, const char* what) {
  if (code != ALLPORT_SUCCESS) {
    fprintf(stderr, "%s: %s\n", what, allport_error());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

/* Global index of local index i: blocks of `block`, distributed to `parts` processes. */
static int64_t global_of(int64_t i, int64_t block, int part, int parts) {
  return (i / block * parts + part) * block + i % block;
}

int main(int argc, char** argv) {
  const int64_t n = 300, block = 32;
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int grid_rows = 1;
  for (int r = 1; r * r <= size; ++r) {
    if (size % r == 0) grid_rows = r;
  }
  const int grid_cols = size / grid_rows, my_row = rank % grid_rows, my_col = rank / grid_rows;

  allport_comm comm;
  allport_distribution distribution;
  int64_t rows, cols;
  check(allport_comm_create(MPI_COMM_WORLD, argc > 1 ? argv[1] : NULL, &comm), "allport_comm_create");
  check(allport_distribution_cyclic(n, n, block, block, grid_rows, grid_cols, 0, 0, 'C', &distribution),
        "allport_distribution_cyclic");
  check(allport_distribution_local(distribution, rank, &rows, &cols), "allport_distribution_local");

  const int64_t ld = rows > 0 ? rows : 1;
  const size_t bytes = sizeof(double) * (size_t)(ld * (cols > 0 ? cols : 1));
  double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  for (int64_t j = 0; j < cols; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t row = global_of(i, block, my_row, grid_rows), col = global_of(j, block, my_col, grid_cols);
      a[i + j * ld] = (double)(row + col);
      b[i + j * ld] = row == col ? 1.0 : 0.0;
    }
  }

  const double one = 1.0, zero = 0.0;
  check(allport_gemm(comm, ALLPORT_DOUBLE, 'N', 'N', n, n, n, &one, a, ld, distribution, b, ld, distribution, &zero, c,
                     ld, distribution, NULL, NULL),
        "allport_gemm");
  int wrong = 0, wrong_anywhere = 0;
  for (int64_t x = 0; x < rows * cols; ++x) wrong += c[x] != a[x];
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\nwrong elements: %d\n", allport_gemm_report(comm), wrong_anywhere);

  free(a);
  free(b);
  free(c);
  check(allport_distribution_free(&distribution), "allport_distribution_free");
  check(allport_comm_free(&comm), "allport_comm_free");
  MPI_Finalize();
  return wrong_anywhere != 0;
}
