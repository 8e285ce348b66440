/* MPI_Finalize with a persistent collective that was started and never completed: on all ranks (argument "all"), where
 * it ends well, or on the first alone ("one"), where it ends with a message. MPI calls both wrong. */
#include <mpi.h>
#include <string.h>

#include "check.h"

int main(int argc, char** argv) {
  static int data[1 << 18], sums[1 << 18];
  int started = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  Allreduce_init(data, sums, 1 << 18, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Allreduce(&started, sums, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  started = rank_of(MPI_COMM_WORLD) == 0 || (argc > 1 && strcmp(argv[1], "all") == 0);
  if (started) MPI_Start(&request);
  MPI_Finalize();
  return 0;
}
