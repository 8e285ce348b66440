/* Preloaded into ranks by tools/delay-suite: messages leave late, and what is done is reported later, at random, as on
 * a network and a machine that others use, too. MPI allows all of that. ALLPORT_TEST_DELAYS="SEED SLEEPS HIDES": so
 * many calls of a thousand sleep, up to 1.5 ms and one of 50 of those up to 22 ms; so many tests of a hundred find
 * nothing done. Each thread of each rank has numbers of its own. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long seed = 1;
static int sleeps = 10, hides = 30;

__attribute__((constructor)) static void read_settings(void) {
  char const* const text = getenv("ALLPORT_TEST_DELAYS");
  if (text != NULL && sscanf(text, "%lu %d %d", &seed, &sleeps, &hides) != 3) {
    fprintf(stderr, "ALLPORT_TEST_DELAYS = '%s': expected three numbers, SEED SLEEPS HIDES\n", text);
    exit(2);
  }
}

/* xorshift64 */
static uint64_t draw(void) {
  static __thread uint64_t state;
  if (state == 0) {
    int up = 0, rank = 0;
    PMPI_Initialized(&up);
    if (up) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = (seed * 64 + (uint64_t)rank + 1) * 6364136223846793005u ^ (uint64_t)(uintptr_t)&state;
    if (state == 0) state = 1;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 11;
}

static void delay(void) {
  uint64_t const number = draw();
  if ((int)(number % 1000) >= sleeps) return;
  unsigned const time = (unsigned)((number >> 10) % 1500);
  usleep((number >> 24) % 50 == 0 ? 15 * time : time);
}

static int is_hidden(void) { return (int)(draw() % 100) < hides; }

/* Name, its parameters, its arguments: the library's own, later. */
#define DELAYED(Name, PARAMETERS, ARGUMENTS) \
  int MPI_##Name PARAMETERS {                \
    delay();                                 \
    return PMPI_##Name ARGUMENTS;            \
  }

DELAYED(Isend, (void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, to, tag, comm, request))
DELAYED(Issend, (void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, to, tag, comm, request))
DELAYED(Irecv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, from, tag, comm, request))
DELAYED(Mrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
        (data, count, type, message, status))
DELAYED(Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
DELAYED(Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
        (data, count, type, root, comm, request))
DELAYED(Iallgather,
        (void const* data, int count, MPI_Datatype type, void* all, int each, MPI_Datatype of, MPI_Comm comm,
         MPI_Request* request),
        (data, count, type, all, each, of, comm, request))
DELAYED(Iallreduce,
        (void const* data, void* sum, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
        (data, sum, count, type, op, comm, request))

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  delay();
  if (*request == MPI_REQUEST_NULL || !is_hidden()) return PMPI_Test(request, flag, status);
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int which[], MPI_Status statuses[]) {
  delay();
  if (count == 0 || !is_hidden()) return PMPI_Testsome(count, requests, done, which, statuses);
  *done = 0;
  return MPI_SUCCESS;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  delay();
  if (!is_hidden()) return PMPI_Improbe(from, tag, comm, flag, message, status);
  *flag = 0;
  return MPI_SUCCESS;
}
