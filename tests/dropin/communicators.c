/* As many communicators as a program may want, nearly all of those that MPICH has (2048): all kept at first, then made
 * and freed by turns. A program that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>

#include "check.h"

enum { kept = 2000, turns = 1000 };
static MPI_Comm comms[kept];

static void use(MPI_Comm comm, int i) {
  int const me = rank_of(comm), p = size_of(comm);
  int mine = me + i, sum = -1, told = me == i % p ? i : -1;
  MPI_Request request;
  MPI_Ibcast(&told, 1, MPI_INT, i % p, comm, &request);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT("sum on a communicator", i, sum, p * (p - 1) / 2 + p * i);
  EXPECT("told on a communicator", i, told, i);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < kept; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kept; i += 13) use(comms[i], i);
  for (int i = 0; i < kept; ++i) MPI_Comm_free(&comms[i]);
  for (int i = 0; i < turns; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank_of(MPI_COMM_WORLD), &comm);
    if (i % 50 == 0) use(comm, i);
    MPI_Comm_free(&comm);
  }
  return finish("communicators");
}
