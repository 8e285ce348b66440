/* The program's error handlers beside its collectives: each of its errors reaches the handler that it has set, and the
   handler that it sees is the one that it has set. With an argument: one error under the default, made at the level
   single or multiple or by a call of the handler; or a collective of ours that fails where errors return.
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

static int class_of(int code) {
  int error_class = code;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static int send_to_nobody(MPI_Comm comm) {
  int word = 0;
  return class_of(MPI_Send(&word, 1, MPI_INT, size_of(comm), 0, comm));
}

static void* make_errors(void* argument) {
  do {
    send_to_nobody(MPI_COMM_WORLD);
    ++made;
    others += !is_handler(MPI_COMM_WORLD, own);
    sched_yield();
  } while (!over);
  return argument;
}

static void collectives(MPI_Comm comm, int times) {
  static int many[30000];
  for (int i = 0; i < times; ++i) {
    int a = i, sum = 0;
    MPI_Allreduce(&a, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT("sum", i, sum, i * size_of(comm));
    if (i % 10 == 0) MPI_Bcast(many, 30000, MPI_INT, 0, comm);
  }
}

static void defaults(void) {
  MPI_Comm copy;
  EXPECT("fatal at first", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
  EXPECT("fatal at first", 1, is_handler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  EXPECT("fatal on a copy", 0, is_handler(copy, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL);
  EXPECT("fatal on a copy", 1, is_handler(copy, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Comm_free(&copy);
}

/* Handlers of the library's, before and after collectives, and what copies have of them. */
static void predefined(void) {
  MPI_Comm copy;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  collectives(MPI_COMM_WORLD, 3);
  EXPECT("returning", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), 1);
  EXPECT("returned", 0, send_to_nobody(MPI_COMM_WORLD), MPI_ERR_RANK);
  EXPECT("returned from a call", 0, MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER), MPI_SUCCESS);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  EXPECT("fatal again", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
  EXPECT("returning on a copy", 0, is_handler(copy, MPI_ERRORS_RETURN), 1);
  EXPECT("returned on a copy", 0, send_to_nobody(copy), MPI_ERR_RANK);
  MPI_Comm_free(&copy);
}

/* One of the program's for a while, as libraries do it: the one before is kept and put back. */
static void own_for_a_while(void) {
  MPI_Comm copy;
  MPI_Errhandler before;
  heard = 0;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  collectives(MPI_COMM_WORLD, 3);
  EXPECT("own", 0, is_handler(MPI_COMM_WORLD, own), 1);
  EXPECT("own on a copy", 0, is_handler(copy, own), 1);
  send_to_nobody(copy);
  EXPECT("heard of a copy", 0, heard, 1);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
  EXPECT("heard of calls", 0, heard, 3);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  MPI_Errhandler_free(&before);
  collectives(MPI_COMM_WORLD, 3);
  EXPECT("put back", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
  EXPECT("own on a copy", 1, is_handler(copy, own), 1);
  MPI_Comm_free(&copy);
}

#ifdef MPICH_NUMVERSION
/* Names of MPI 1 that the library still has, for programs from before MPI 3 and Fortran's. */
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);

static void old_names(void) {
  MPI_Errhandler now;
  MPI_Errhandler_get(MPI_COMM_WORLD, &now);
  EXPECT("fatal by the old name", 0, now == MPI_ERRORS_ARE_FATAL, 1);
  MPI_Errhandler_set(MPI_COMM_WORLD, own);
  EXPECT("own by the old name", 0, is_handler(MPI_COMM_WORLD, own), 1);
  MPI_Errhandler_set(MPI_COMM_WORLD, now);
  MPI_Errhandler_free(&now);
  MPI_Errhandler_get(MPI_COMM_WORLD, &now);
  EXPECT("fatal by the old name", 1, now == MPI_ERRORS_ARE_FATAL, 1);
  MPI_Errhandler_free(&now);
}

/* A session beside MPI_COMM_WORLD has handlers of its own. */
static void sessions(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  heard = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "handlers", MPI_INFO_NULL, own, &comm);
  EXPECT("own in a session", 0, is_handler(comm, own), 1);
  collectives(comm, 3);
  send_to_nobody(comm);
  EXPECT("heard in a session", 0, heard, 1);
  EXPECT("fatal beside a session", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}
#else
static void old_names(void) {}
static void sessions(void) {}
#endif

/* Ranks that disagree about a broadcast's length are told so, and the job goes on: the errors of this communicator
   return, whatever those of MPI_COMM_WORLD do. */
static void lengths(void) {
  int data[64] = {0};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int const code = MPI_Bcast(data, rank_of(comm) == 0 ? 64 : 16, MPI_INT, 0, comm);
  EXPECT("told of the lengths", 0, code != MPI_SUCCESS, rank_of(comm) != 0);
  EXPECT("fatal after an error", 0, is_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), 1);
  MPI_Comm_free(&comm);
  collectives(MPI_COMM_WORLD, 3);
}

/* Every error of another thread is heard while collectives run. */
static void threads(int provided) {
  pthread_t thread;
  MPI_Comm comm;
  heard = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (provided == MPI_THREAD_MULTIPLE) pthread_create(&thread, NULL, make_errors, NULL);
  collectives(comm, 300);
  over = 1;
  if (provided == MPI_THREAD_MULTIPLE) pthread_join(thread, NULL);
  EXPECT("errors heard", 0, heard, made);
  EXPECT("other handlers seen", 0, others, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  char const* const what = argc > 1 ? argv[1] : "";
  int provided;
  MPI_Init_thread(&argc, &argv, !strcmp(what, "single") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_create_errhandler(hear, &own);
  if (!strcmp(what, "lengths")) {
    lengths();
  } else if (!strcmp(what, "called")) {
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_RANK);
  } else if (*what) {
    send_to_nobody(MPI_COMM_WORLD);
  } else {
    defaults();
    predefined();
    own_for_a_while();
    old_names();
    sessions();
    threads(provided);
  }
  MPI_Errhandler_free(&own);
  return finish("handlers");
}
