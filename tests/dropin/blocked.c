/* A rank blocks in a call of the MPI library while a collective that it started earlier still needs it: another rank
 * comes late, ends the collective first and only then comes to the call. One such call of every kind. A program that
 * never heard of Allport.
 *
 * blocked [single | multiple [CALL]]: only that call while a collective is in flight, the others before and after it.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { n = 1 << 18 };

static MPI_Comm other; /* the call's own communicator */
static MPI_Comm ring;  /* with neighbours */
static MPI_Win window;
static MPI_File file;
static char path[64];
static int one, two[2];
static int* memory;
static char buffer[1 << 21];

static int right(void) { return (rank_of(other) + 1) % size_of(other); }
static int left(void) { return (rank_of(other) + size_of(other) - 1) % size_of(other); }

static void scan(void) { MPI_Scan(&one, two, 1, MPI_INT, MPI_SUM, other); }
static void exscan(void) { MPI_Exscan(&one, two, 1, MPI_INT, MPI_SUM, other); }
static void alltoallw(void) {
  int const p = size_of(other);
  int *counts = calloc(p, sizeof *counts), *in = numbers(p), *out = numbers(p);
  int* begins = calloc(p, sizeof *begins);
  MPI_Datatype* types = malloc(p * sizeof *types);
  for (int r = 0; r < p; ++r) counts[r] = 1, begins[r] = r * (int)sizeof(int), types[r] = MPI_INT;
  MPI_Alltoallw(in, counts, begins, types, out, counts, begins, types, other);
  free(counts), free(in), free(out), free(begins), free(types);
}
static void neighbours(void) { MPI_Neighbor_allgather(&one, 1, MPI_INT, two, 1, MPI_INT, ring); }
static void duplicate(void) {
  MPI_Comm copy;
  MPI_Comm_dup(other, &copy);
  MPI_Comm_free(&copy);
}
static void split(void) {
  MPI_Comm some;
  MPI_Comm_split(other, rank_of(other) % 2, 0, &some);
  MPI_Comm_free(&some);
}
static void intercommunicator(void) {
  int const half = size_of(other) / 2, low = rank_of(other) < half;
  MPI_Comm mine, between;
  MPI_Comm_split(other, low, 0, &mine);
  MPI_Intercomm_create(mine, 0, other, low ? half : 0, 3, &between);
  MPI_Comm_disconnect(&between);
  MPI_Comm_free(&mine);
}
static void window_made(void) {
  MPI_Win_allocate(sizeof(int) * 4, sizeof(int), MPI_INFO_NULL, other, &memory, &window);
}
static void fence(void) { MPI_Win_fence(0, window); }
static void post_and_wait(void) {
  int const peers[] = {left(), right()};
  MPI_Group all, near;
  MPI_Comm_group(other, &all);
  MPI_Group_incl(all, size_of(other) > 2 ? 2 : 1, peers, &near);
  MPI_Win_post(near, 0, window);
  MPI_Win_start(near, 0, window);
  MPI_Put(&one, 1, MPI_INT, right(), 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&near);
  MPI_Group_free(&all);
}
static void window_freed(void) { MPI_Win_free(&window); }
static void file_opened(void) {
  MPI_File_open(other, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
}
static void written_by_all(void) {
  MPI_File_write_at_all(file, rank_of(other) * 4, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
}
static void written_in_order(void) { MPI_File_write_ordered(file, &one, 1, MPI_INT, MPI_STATUS_IGNORE); }
static void read_by_all(void) { MPI_File_read_at_all(file, 0, two, 1, MPI_INT, MPI_STATUS_IGNORE); }
static void file_resized(void) { MPI_File_set_size(file, 4096); }
static void file_closed(void) { MPI_File_close(&file); }
static void detached(void) {
  int size;
  void* at;
  int* in = numbers(1 << 18);
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(in, 1 << 18, MPI_INT, right(), 4, other);
  if (rank_of(other) == 0) MPI_Buffer_detach(&at, &size);
  MPI_Recv(in, 1 << 18, MPI_INT, left(), 4, other, MPI_STATUS_IGNORE);
  if (rank_of(other) != 0) MPI_Buffer_detach(&at, &size);
  free(in);
}
static void synchronous_send(void) {
  MPI_Request request;
  int got;
  MPI_Irecv(&got, 1, MPI_INT, left(), 5, other, &request);
  MPI_Ssend(&one, 1, MPI_INT, right(), 5, other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static struct {
  const char* name;
  void (*run)(void);
} const calls[] = {
    {"MPI_Scan", scan},
    {"MPI_Exscan", exscan},
    {"MPI_Alltoallw", alltoallw},
    {"MPI_Neighbor_allgather", neighbours},
    {"MPI_Comm_dup", duplicate},
    {"MPI_Comm_split", split},
    {"MPI_Intercomm_create", intercommunicator},
    {"MPI_Win_allocate", window_made},
    {"MPI_Win_fence", fence},
    {"MPI_Win_wait", post_and_wait},
    {"MPI_Win_free", window_freed},
    {"MPI_File_open", file_opened},
    {"MPI_File_write_at_all", written_by_all},
    {"MPI_File_write_ordered", written_in_order},
    {"MPI_File_read_at_all", read_by_all},
    {"MPI_File_set_size", file_resized},
    {"MPI_File_close", file_closed},
    {"MPI_Buffer_detach", detached},
    {"MPI_Ssend", synchronous_send},
};

/* The last rank is late. Its call comes when the sum is there, which takes the others' part, who are in the call. */
static void late(int which, int* in, int* sum) {
  int const me = rank_of(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  MPI_Request request;
  for (int i = 0; i < n; ++i) in[i] = me + i % 1000 + which, sum[i] = -1;
  if (me == p - 1) usleep(300000);
  MPI_Iallreduce(in, sum, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  if (me == p - 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  calls[which].run();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) EXPECT(calls[which].name, i, sum[i], p * (p - 1) / 2 + p * (i % 1000 + which));
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  int const p = size_of(MPI_COMM_WORLD), around = 1;
  int *in = numbers(n), *sum = numbers(n);
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "/tmp/dropin-blocked-%d.dat", process);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &around, 0, &ring);
  one = 1;
  for (int which = 0; which < (int)(sizeof calls / sizeof *calls); ++which) {
    if (argc > 2 && strcmp(argv[2], calls[which].name) != 0) { /* what the call that is asked for needs */
      calls[which].run();
      continue;
    }
    if (rank_of(other) == 0) printf("blocked in %s\n", calls[which].name), fflush(stdout);
    late(which, in, sum);
  }
  MPI_Comm_free(&ring);
  MPI_Comm_free(&other);
  free(in);
  free(sum);
  return finish("blocked");
}
