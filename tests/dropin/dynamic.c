/* Processes that a job starts or meets while it runs: MPI_Comm_spawn, accept, connect, disconnect, each while a
 * collective of the job's own is in flight and one of its ranks is late (each rank in turn), then collectives among the
 * processes of both. A program that never heard of Allport; where the drop-in is preloaded, children have it, too.
 * What the MPI library cannot do must be refused on every rank, and the reason is printed. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { n = 1 << 18 };

static MPI_Comm half;    /* of the world, for accept and connect */
static MPI_Comm other;   /* between the two sides */
static MPI_Comm merged;  /* of both sides */
static MPI_Comm between; /* the halves */
static char port[MPI_MAX_PORT_NAME];
static char* program;
static int children;
static int came; /* the error class of the call */

static int class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class;
}

static void tell(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  const char* last = strrchr(text, '\n'); /* of a stack of calls */
  printf("this library refuses %s: %s\n", what, last != NULL && last[1] != '\0' ? last + 1 : text);
  fflush(stdout);
}

/* As the job was started: with what is preloaded here. */
static void spawn(void) {
  const char* loaded = getenv("LD_PRELOAD");
  char preload[4096];
  snprintf(preload, sizeof preload, "LD_PRELOAD=%s", loaded != NULL ? loaded : "");
  char* arguments[] = {preload, program, "child", NULL};
  int const code =
      MPI_Comm_spawn("env", arguments, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
  came = class_of(code);
  if (code != MPI_SUCCESS && rank_of(MPI_COMM_WORLD) == 0) tell("MPI_Comm_spawn", code);
}
static void disconnect(void) { MPI_Comm_disconnect(&other); }
static void disconnect_between(void) { MPI_Comm_disconnect(&between); }
static void accept_or_connect(void) {
  int const me = rank_of(MPI_COMM_WORLD);
  came = class_of(me == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between)
                          : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between));
}

/* One rank is late. Its call comes when the sum is there, which takes the others' part, who are in the call. */
static void late(int who, const char* name, void (*call)(void)) {
  int const me = rank_of(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  int *in = numbers(n), *sum = numbers(n);
  MPI_Request request;
  if (me == 0) printf("rank %d is late in %s\n", who, name), fflush(stdout);
  for (int i = 0; i < n; ++i) in[i] = me + i % 1000 + who;
  if (me == who) usleep(300000);
  MPI_Iallreduce(in, sum, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  if (me == who) MPI_Wait(&request, MPI_STATUS_IGNORE);
  call();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) EXPECT(name, i, sum[i], p * (p - 1) / 2 + p * (i % 1000 + who));
  free(in), free(sum);
}

/* Sums over a communicator's ranks, blocking and not. */
static void sums(const char* name, MPI_Comm comm) {
  int const p = size_of(comm), me = rank_of(comm);
  int *in = numbers(n), *out = numbers(n), word = me == p - 1 ? 17 : 0;
  MPI_Request request;
  for (int i = 0; i < n; ++i) in[i] = me + i % 1000;
  MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) EXPECT(name, i, out[i], p * (p - 1) / 2 + p * (i % 1000));
  for (int i = 0; i < n; ++i) out[i] = -1;
  MPI_Iallreduce(in, out, n, MPI_INT, MPI_MAX, comm, &request);
  MPI_Bcast(&word, 1, MPI_INT, p - 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(name, 0, word, 17);
  for (int i = 0; i < n; ++i) EXPECT(name, i, out[i], p - 1 + i % 1000);
  free(in), free(out);
}

/* What parents and children do together, `other` being between them and `merged` of all. */
static void together(int is_child) {
  int const far = is_child ? 100 : 1; /* what the other side gives */
  int one = is_child ? 1 : 100, sum = 0, far_size;
  MPI_Comm copy, own;
  MPI_Intercomm_merge(other, is_child, &merged);
  MPI_Comm_remote_size(other, &far_size);
  sums("merged", merged);
  MPI_Comm_dup(merged, &copy);
  sums("a copy of merged", copy);
  MPI_Comm_split(copy, is_child, rank_of(copy), &own);
  EXPECT("a side of merged", 0, size_of(own), size_of(MPI_COMM_WORLD));
  sums("a side of merged", own);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other);
  EXPECT("between", 0, sum, far * far_size);
  MPI_Barrier(other);
  sums("world", MPI_COMM_WORLD);
  MPI_Comm_free(&own);
  MPI_Comm_free(&copy);
  /* Children's differences are their parents'. */
  if (is_child) MPI_Send(&differences, 1, MPI_INT, 0, 6, other);
  for (int r = 0; r < far_size && !is_child && rank_of(MPI_COMM_WORLD) == 0; ++r) {
    int some;
    MPI_Recv(&some, 1, MPI_INT, r, 6, other, MPI_STATUS_IGNORE);
    differences += some;
  }
}

static int child(void) {
  MPI_Comm_get_parent(&other);
  together(1);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}

/* True where the library can. */
static int spawned(int who) {
  late(who, "MPI_Comm_spawn", spawn);
  if (came != MPI_SUCCESS) return 0;
  together(0);
  MPI_Comm_free(&merged); /* MPI_Comm_disconnect of it does not end with Open MPI 4.1 */
  late(who, "MPI_Comm_disconnect", disconnect);
  return 1;
}

static int opened(void) {
  int code = MPI_SUCCESS;
  if (rank_of(MPI_COMM_WORLD) == 0) {
    code = MPI_Open_port(MPI_INFO_NULL, port);
    if (code != MPI_SUCCESS) tell("MPI_Open_port", code);
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  return code == MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int provided, can_spawn = 1;
  MPI_Comm parent;
  int const level = argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return child();
  int const p = size_of(MPI_COMM_WORLD), me = rank_of(MPI_COMM_WORLD);
  program = argv[0];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int who = 0; who < p && can_spawn; ++who) {
    children = who % 2 == 0 ? p - 1 : p; /* as many as the machine has, and not */
    can_spawn = spawned(who);
  }
  if (!can_spawn) { /* all were told so, also those that were late */
    for (int who = 0; who < p; ++who) {
      came = MPI_SUCCESS;
      late(who, "MPI_Comm_spawn", spawn);
      EXPECT("refused", who, came != MPI_SUCCESS, 1);
    }
  }
  MPI_Comm_split(MPI_COMM_WORLD, me == 0, 0, &half);
  if (opened()) {
    for (int who = 0; who < p; ++who) {
      late(who, "MPI_Comm_accept and connect", accept_or_connect);
      EXPECT("accepted", who, came, MPI_SUCCESS);
      MPI_Comm all;
      MPI_Intercomm_merge(between, me == 0, &all);
      sums("accepted", all);
      MPI_Comm_free(&all);
      late(who, "MPI_Comm_disconnect of what was accepted", disconnect_between);
    }
    if (me == 0) MPI_Close_port(port);
  }
  MPI_Comm_free(&half);
  return finish("dynamic");
}
