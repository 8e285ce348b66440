/* The program's error handlers beside its collectives: every error of another thread reaches its own handler of
   MPI_COMM_WORLD, and the default is seen as it was set. With an argument: one error under the default, at that level.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

static atomic_int heard, over;
static int made, others;
static MPI_Errhandler own;

static void hear(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++heard;
}

static int is_handler(MPI_Comm comm, MPI_Errhandler wanted) {
  MPI_Errhandler now;
  MPI_Comm_get_errhandler(comm, &now);
  int const same = now == wanted;
  MPI_Errhandler_free(&now);
  return same;
}

static void send_to_nobody(void) {
  int word = 0;
  MPI_Send(&word, 1, MPI_INT, size_of(MPI_COMM_WORLD), 0, MPI_COMM_WORLD);
}

static void* make_errors(void* argument) {
  do {
    send_to_nobody();
    ++made;
    others += !is_handler(MPI_COMM_WORLD, own);
    sched_yield();
  } while (!over);
  return argument;
}

static void collectives(MPI_Comm comm) {
  static int many[30000];
  for (int i = 0; i < 300; ++i) {
    int a = i, sum = 0;
    MPI_Allreduce(&a, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT("sum", i, sum, i * size_of(comm));
    if (i % 10 == 0) MPI_Bcast(many, 30000, MPI_INT, 0, comm);
  }
}

static void defaults(void) {
  MPI_Comm copy;
  EXPECT("fatal at first", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  EXPECT("fatal on a copy", 0, is_handler(copy, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Comm_free(&copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT("returning", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  EXPECT("fatal again", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
}

int main(int argc, char** argv) {
  int provided;
  pthread_t thread;
  MPI_Comm comm;
  MPI_Init_thread(&argc, &argv, argc > 1 && !strcmp(argv[1], "single") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                  &provided);
  if (argc > 1) {
    send_to_nobody();
    return 0;
  }
  defaults();
  MPI_Comm_create_errhandler(hear, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (provided == MPI_THREAD_MULTIPLE) pthread_create(&thread, NULL, make_errors, NULL);
  collectives(comm);
  over = 1;
  if (provided == MPI_THREAD_MULTIPLE) pthread_join(thread, NULL);
  EXPECT("errors heard", 0, heard, made);
  EXPECT("other handlers seen", 0, others, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
  return finish("handlers");
}
