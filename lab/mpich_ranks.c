/* Preloaded into MPICH's ranks by `allport lab run`. It needs neither MPI nor UCX to build: it wraps two functions of
 * UCX by their names, and does nothing in a program that has none.
 *
 * Yield. MPICH over UCX polls for messages without ever giving its core away; a lab has many more ranks than cores.
 *
 * Leave in peace. MPICH up to 4.1 closes its connections one by one in MPI_Finalize and then waits, without polling, in
 * a barrier of the launcher. Over TCP closing means to flush, which opens connections that were never used, and waits
 * for ever for the answer of a rank that no longer polls (MPICH's pull request 6596 took the barrier away). Here each
 * rank sends what is left to send and leaves its connections open; the process's end closes them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

typedef unsigned (*progress_function)(void* worker);

static void* last_worker;

static unsigned poll_worker(void* worker) {
  static progress_function poll;
  if (!poll) {
    void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&poll, &found, sizeof poll); /* ISO C has no cast for this */
  }
  return poll(worker);
}

unsigned ucp_worker_progress(void* worker) {
  last_worker = worker;
  unsigned events = poll_worker(worker);
  if (events == 0) {
    sched_yield();
  }
  return events;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Called once for each endpoint in MPI_Finalize; NULL says that it is done. */
void* ucp_disconnect_nb(void* endpoint) {
  static int drained;
  (void)endpoint;
  if (!drained && last_worker) {
    drained = 1;
    for (double quiet = seconds(); seconds() - quiet < 0.05; sched_yield()) {
      if (poll_worker(last_worker) != 0) {
        quiet = seconds();
      }
    }
  }
  return NULL;
}
