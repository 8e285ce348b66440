/* The standard's way for libraries to clean up: a callback on MPI_COMM_SELF, which MPI_Finalize calls first, frees the
 * library's communicators and uses one of them before. A program that never heard of Allport. */
#include <mpi.h>

#include "check.h"

enum { most = 3 };
static MPI_Comm library[most];

static int clean_up(MPI_Comm self, int keyval, void* value, void* extra) {
  (void)self, (void)keyval, (void)value, (void)extra;
  int const p = size_of(library[0]);
  int mine = 1, sum = -1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, library[0]);
  if (sum != p) {
    printf("rank %d: sum %d instead of %d\n", rank_of(MPI_COMM_WORLD), sum, p);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < most; ++i) MPI_Comm_free(&library[i]);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &clean_up, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &keyval);
  int const me = rank_of(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &library[0]);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &library[1]);
  MPI_Comm_dup(library[1], &library[2]);
  for (int i = 0; i < most; ++i) {
    int sum = -1, wanted = size_of(library[i]), mine = 1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, library[i]);
    EXPECT("sum", i, sum, wanted);
  }
  return finish("finalize");
}
