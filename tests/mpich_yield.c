/* Preloaded into MPICH's ranks by tools/mpirun. MPICH over UCX polls for messages without ever giving its core away, so
 * with more ranks than cores each message waits for the kernel's time slices: 16 ranks on 2 cores spend 120 ms where
 * they spend 11 ms with this. It wraps the call that polls, and yields whenever nothing had arrived. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

typedef unsigned (*progress_function)(void*);

unsigned ucp_worker_progress(void* worker) {
  static progress_function poll;
  if (!poll) {
    poll = (progress_function)dlsym(RTLD_NEXT, "ucp_worker_progress");
  }
  unsigned events = poll(worker);
  if (events == 0) {
    sched_yield();
  }
  return events;
}
