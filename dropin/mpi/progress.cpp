#include "progress.h"

#include <dlfcn.h>

#include <mutex>
#include <vector>

#include "requests.h"
#include "state.h"

namespace allport::dropin {
namespace {

int on_library_progress() {
  if (state().flying.load(std::memory_order_relaxed) == 0) return 0;
  TryLock const lock;
  return lock && progress_in_flight() ? 1 : 0;
}

using Callback = int (*)();
using Registration = int (*)(Callback);

Registration engine(char const* name) { return reinterpret_cast<Registration>(dlsym(RTLD_DEFAULT, name)); }

std::mutex retired_mutex;
std::vector<std::shared_ptr<Record>> retired;

}  // namespace

void start_progressing() {
  if (auto* const add = engine("opal_progress_register")) add(&on_library_progress);
}

void stop_progressing() {
  if (auto* const remove = engine("opal_progress_unregister")) remove(&on_library_progress);
}

void retire(std::shared_ptr<Record>* record) {
  std::scoped_lock const lock(retired_mutex);
  retired.push_back(std::move(*record));
  delete record;
}

void release_retired() {
  std::vector<std::shared_ptr<Record>> gone;
  {
    std::scoped_lock const lock(retired_mutex);
    gone.swap(retired);
  }
  if (gone.empty()) return;
  Lock const lock;
  gone.clear();
}

}  // namespace allport::dropin
