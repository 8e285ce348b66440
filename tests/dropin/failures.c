/* One error of a collective of ours is one call of the communicator's error handler, with the code that the program
   gets: from a blocking call, and where a request is completed, by whichever call. Ranks that pass different lengths to
   a broadcast make it: all but the root are told. A program that never heard of Allport. */
#include <mpi.h>

#include "check.h"

enum { completions = 8 };

static int heard, last, elsewhere, of_comm;
static MPI_Comm watched;

static void hear(MPI_Comm* comm, int* code, ...) {
  ++heard;
  last = *code;
  of_comm = *comm == watched;
}

static void hear_elsewhere(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++elsewhere;
}

static int count_of(int me) { return me == 0 ? 64 : 16; }

/* All of one request, which fails, and one that does not. */
static int complete(int how, MPI_Request requests[2]) {
  MPI_Status statuses[2];
  int flag = 0, which = 0, indices[2], done = 0, left = 2, code = MPI_SUCCESS;
  switch (how) {
    case 0:
      code = MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      break;
    case 1:
      code = MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      break;
    case 2:
      code = MPI_Waitall(2, requests, statuses);
      break;
    case 3:
      for (int i = 0; i < 2; ++i) {
        int const one = MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
        if (one != MPI_SUCCESS) code = one;
      }
      break;
    case 4:
      for (; left > 0; left -= done) {
        int const one = MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
        if (one != MPI_SUCCESS) code = one;
      }
      break;
    case 5:
      /* What only looks raises nothing. */
      while (!flag) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
      EXPECT("heard of a look", how, heard, 0);
      for (flag = 0; !flag;) {
        int const one = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        if (one != MPI_SUCCESS) code = one;
      }
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      break;
    case 6:
      while (!flag) {
        int const one = MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        if (one != MPI_SUCCESS) code = one;
      }
      break;
    default:
      for (; left > 0; left -= done) {
        int const one = how % 2 ? MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE)
                                : MPI_Testany(2, requests, &which, &done, MPI_STATUS_IGNORE);
        if (one != MPI_SUCCESS) code = one;
      }
  }
  return code;
}

static MPI_Comm new_comm(MPI_Errhandler handler) {
  MPI_Comm_dup(MPI_COMM_WORLD, &watched);
  if (handler != MPI_ERRHANDLER_NULL) MPI_Comm_set_errhandler(watched, handler);
  heard = elsewhere = last = of_comm = 0;
  return watched;
}

static void expect_one(const char* what, int how, int code) {
  int const fails = rank_of(MPI_COMM_WORLD) != 0;
  EXPECT(what, how, code != MPI_SUCCESS, fails);
  EXPECT("heard", how, heard, fails);
  EXPECT("code heard", how, last, fails ? code : 0);
  EXPECT("communicator heard of", how, of_comm, fails);
  EXPECT("heard elsewhere", how, elsewhere, 0);
}

static void blocking(MPI_Errhandler handler) {
  int data[64] = {0};
  for (int well = 0; well < 3; ++well) { /* calls that went well before, which later ones are quicker for */
    MPI_Comm comm = new_comm(handler);
    int const me = rank_of(comm);
    for (int i = 0; i < well; ++i) EXPECT("well", i, MPI_Bcast(data, 64, MPI_INT, 0, comm), MPI_SUCCESS);
    expect_one("blocking", well, MPI_Bcast(data, count_of(me), MPI_INT, 0, comm));
    MPI_Comm_free(&comm);
  }
}

static void started(MPI_Errhandler handler, int persistent) {
  int data[64] = {0}, sum = 0, one = 1;
  for (int how = 0; how <= completions; ++how) {
    MPI_Comm comm = new_comm(handler);
    MPI_Request requests[2];
    int const me = rank_of(comm);
    if (persistent) {
      Bcast_init(data, count_of(me), MPI_INT, 0, comm, MPI_INFO_NULL, &requests[0]);
      Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[1]);
      MPI_Startall(2, requests);
    } else {
      MPI_Ibcast(data, count_of(me), MPI_INT, 0, comm, &requests[0]);
      MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    }
    int const code = complete(how, requests);
    EXPECT("sum", how, sum, size_of(comm));
    expect_one(persistent ? "persistent" : "non-blocking", how, code);
    for (int i = 0; persistent && i < 2; ++i) {
      EXPECT("still there", i, requests[i] != MPI_REQUEST_NULL, 1);
      if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
    }
    MPI_Comm_free(&comm);
  }
}

/* The communicator is freed before its request is waited for. */
static void freed(void) {
  int data[64] = {0};
  MPI_Request request;
  MPI_Comm comm = new_comm(MPI_ERRHANDLER_NULL);
  int const me = rank_of(comm);
  MPI_Ibcast(data, count_of(me), MPI_INT, 0, comm, &request);
  MPI_Comm_free(&comm);
  watched = MPI_COMM_WORLD;
  expect_one("freed", 0, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  MPI_Errhandler own, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(hear, &own);
  MPI_Comm_create_errhandler(hear_elsewhere, &other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  for (int apart = 0; apart < 2; ++apart) { /* by the handler that all have, and by one beside another */
    MPI_Errhandler const handler = apart ? own : MPI_ERRHANDLER_NULL;
    blocking(handler);
    started(handler, 0);
    started(handler, 1);
    if (!apart) freed();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, other);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); /* of which no other communicator hears */
  started(own, 0);
  started(own, 1);
  blocking(own);
  MPI_Errhandler_free(&own);
  MPI_Errhandler_free(&other);
  return finish("failures");
}
