#include "progress.h"

#include <dlfcn.h>
#include <sched.h>

#include <mutex>
#include <set>
#include <vector>

#include "exported.h"
#include "progress_thread.h"
#include "requests.h"
#include "state.h"

namespace allport::dropin {
namespace {

std::atomic<bool> engine_asks{false};  ///< us, on its turns
std::atomic<bool> engine_seen{false};  ///< MPICH's, by its calls into UCX

int on_library_progress() {
  if (state().flying.load(std::memory_order_relaxed) == 0) return 0;
  TryLock const lock;
  return lock && progress_in_flight() ? 1 : 0;
}

using Callback = int (*)();
using Registration = int (*)(Callback);
using Poll = unsigned (*)(void*);

Registration engine(char const* name) { return reinterpret_cast<Registration>(dlsym(RTLD_DEFAULT, name)); }

Poll polling_of_ucx() {
  static auto* const library = reinterpret_cast<Poll>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  return library;
}

ProgressThread& thread() {
  static auto* const the_thread = new ProgressThread;  // never destroyed: a program may exit without MPI_Finalize
  return *the_thread;
}

bool start_here() {
  if (engine("opal_progress_register") != nullptr) return true;  // from the first operation on: operation_flies()
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  // At this level MPICH holds a lock of its own, which is not recursive, while it polls.
  if (level == MPI_THREAD_MULTIPLE) return thread().start();
  PMPI_Barrier(MPI_COMM_WORLD);  // which cannot end without a turn of the engine
  engine_asks = engine_seen.load();
  return engine_asks;
}

std::mutex records_mutex;
std::set<std::shared_ptr<Record>> living;
std::vector<std::shared_ptr<Record>> retired;

}  // namespace

int level_for(int wanted) {
  bool const tells = engine("opal_progress_register") != nullptr || polling_of_ucx() != nullptr;
  return tells ? wanted : MPI_THREAD_MULTIPLE;
}

bool start_progressing() {
  int here = start_here() ? 1 : 0;
  int everywhere = 0;
  PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return everywhere != 0;
}

void stop_progressing() {
  engine_asks = false;
  if (auto* const remove = engine("opal_progress_unregister")) remove(&on_library_progress);
  thread().stop();
}

void operation_flies() {
  // Only now, for its engine turns while any call waits, and programs that start nothing should not pay for that.
  if (auto* const add = engine_asks ? nullptr : engine("opal_progress_register")) {
    engine_asks = add(&on_library_progress) == 0;
  }
  thread().wake();
}

bool should_poll() { return state().flying.load(std::memory_order_relaxed) > 0 && !Inside::now() && !Lock::held(); }

void poll_once() {
  {
    TryLock const lock;
    if (lock && progress_in_flight()) return;
  }
  sched_yield();
}

void enlist(std::shared_ptr<Record> const& record) {
  std::scoped_lock const lock(records_mutex);
  living.insert(record);
}

void retire(std::shared_ptr<Record>* record) {
  state().epoch.fetch_add(1, std::memory_order_release);
  (*record)->freed.store(true, std::memory_order_release);
  std::scoped_lock const lock(records_mutex);
  living.erase(*record);
  retired.push_back(std::move(*record));
  delete record;
}

void release_retired() {
  std::vector<std::shared_ptr<Record>> gone;
  {
    std::scoped_lock const lock(records_mutex);
    gone.swap(retired);
  }
  if (gone.empty()) return;
  Lock const lock;
  gone.clear();
}

void release_living() {
  Lock const lock;
  std::scoped_lock const records(records_mutex);
  for (auto const& record : living) {
    record->sites.clear();
    record->ours.reset();
    record->context.reset();
    record->shadow.reset();
  }
  living.clear();
}

#ifndef OPEN_MPI
extern "C" ALLPORT_EXPORTED unsigned ucp_worker_progress(void* worker) {
  auto const events = polling_of_ucx()(worker);
  if (engine_asks.load(std::memory_order_relaxed)) {
    on_library_progress();
  } else {
    engine_seen.store(true, std::memory_order_relaxed);
  }
  return events;
}
#endif

}  // namespace allport::dropin
