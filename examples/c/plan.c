/* Plans from C: which broadcast a machine should use and why, on which grid a matrix should be factored, and then the
 * factorization as planned. Run: mpirun -n 4 ./plan_c [MACHINE], with a machine of as many ranks.
 * A = 2 I + ones, whose Cholesky factor is known: L(j,j)^2 = 2 (j + 3) / (j + 2), L(i,j) L(j,j) = 2 / (j + 2). */
#include <allport/allport.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code, const char* what) {
  if (code != ALLPORT_SUCCESS) {
    fprintf(stderr, "%s: %s\n", what, allport_error());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

/* What a broadcast of 1 MiB takes, and why so; proven first. Plans call no MPI. */
static void broadcast(allport_machine machine) {
  allport_schedule schedule;
  allport_schedule_info info;
  double simulated;
  check(allport_schedule_create(machine, "bcast", 1 << 20, NULL, 0, NULL, &schedule), "allport_schedule_create");
  check(allport_schedule_verify(schedule, NULL), "allport_schedule_verify");
  check(allport_schedule_query(schedule, -1, &info), "allport_schedule_query");
  check(allport_schedule_simulate(schedule, NULL, NULL, &simulated), "allport_schedule_simulate");
  printf("bcast of 1 MiB by %s: predicted %.3g s, simulated %.3g s\n", allport_schedule_text(schedule, "algorithm"),
         info.seconds, simulated);
  printf("%s\n", allport_schedule_text(schedule, "reason"));
  check(allport_schedule_free(&schedule), "allport_schedule_free");
}

/* Global index of local index i: blocks of `block`, distributed to `parts` processes. */
static int64_t global_of(int64_t i, int64_t block, int part, int parts) {
  return (i / block * parts + part) * block + i % block;
}

int main(int argc, char** argv) {
  const int64_t n = 300, block = 25;
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char line[32];
  snprintf(line, sizeof line, "torus:%d", size);

  allport_comm comm;
  allport_machine machine;
  allport_plan plan;
  allport_distribution rows_of_blocks;
  check(allport_comm_create(MPI_COMM_WORLD, argc > 1 ? argv[1] : line, &comm), "allport_comm_create");
  check(allport_comm_machine(comm, &machine), "allport_comm_machine");
  if (rank == 0) broadcast(machine);

  /* Every rank plans the same. The matrix lies in blocks of rows; where the plan wants it elsewhere it is moved. */
  allport_plan_info said;
  int64_t local_rows, local_cols, info;
  check(allport_plan_create(machine, "potrf", ALLPORT_DOUBLE, "L", n, n, 0, NULL, NULL, &plan), "allport_plan_create");
  check(allport_plan_query(plan, &said), "allport_plan_query");
  if (rank == 0) {
    printf("Cholesky of order %d: %d x %d ranks, tiles of %d, %.3g s, %d bytes a rank\n", (int)n, said.rows, said.cols,
           (int)said.panel, said.seconds, (int)said.memory);
  }
  check(allport_distribution_cyclic(n, n, block, n, size, 1, 0, 0, 'C', &rows_of_blocks),
        "allport_distribution_cyclic");
  check(allport_distribution_local(rows_of_blocks, rank, &local_rows, &local_cols), "allport_distribution_local");
  const int64_t ld = local_rows > 0 ? local_rows : 1;
  double* a = malloc(sizeof(double) * (size_t)(ld * n));
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < local_rows; ++i) a[i + j * ld] = global_of(i, block, rank, size) == j ? 3.0 : 1.0;
  }
  check(allport_potrf(comm, ALLPORT_DOUBLE, 'L', a, ld, rows_of_blocks, &info, plan, NULL), "allport_potrf");

  int wrong = info != 0, wrong_anywhere = 0;
  for (int64_t i = 0; i < local_rows; ++i) {
    const int64_t row = global_of(i, block, rank, size);
    for (int64_t j = 0; j <= row; ++j) {
      const double diagonal = sqrt(2.0 * (double)(j + 3) / (double)(j + 2));
      const double wanted = j == row ? diagonal : 2.0 / (double)(j + 2) / diagonal;
      wrong += !(fabs(a[i + j * ld] - wanted) < 1e-12);
    }
  }
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong elements: %d\n", wrong_anywhere);

  free(a);
  check(allport_distribution_free(&rows_of_blocks), "allport_distribution_free");
  check(allport_plan_free(&plan), "allport_plan_free");
  check(allport_machine_free(&machine), "allport_machine_free");
  check(allport_comm_free(&comm), "allport_comm_free");
  MPI_Finalize();
  return wrong_anywhere != 0;
}
