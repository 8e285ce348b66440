#include "retained.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "exported.h"

namespace allport::dropin {
namespace {

struct Use {
  int operations = 0;
  int frees = 0;  ///< put off; several where the caller got the handle several times (MPI_Type_get_contents)
};

template <class Kind>
struct Table {
  std::mutex mutex;
  std::unordered_map<typename Kind::Handle, Use> uses;
  std::atomic<int> count{0};  ///< of `uses`, read without the mutex
};

template <class Kind>
Table<Kind>& table() {
  static auto* const the_table =
      new Table<Kind>;  // never destroyed: MPI may be called from static objects' destructors
  return *the_table;
}

int library_free(MPI_Datatype* handle, Datatypes) { return PMPI_Type_free(handle); }
int library_free(MPI_Op* handle, Operators) { return PMPI_Op_free(handle); }

MPI_Datatype null_of(Datatypes) { return MPI_DATATYPE_NULL; }
MPI_Op null_of(Operators) { return MPI_OP_NULL; }

}  // namespace

template <class Kind>
Retained<Kind>::Retained(Handle handle) : handle_(handle) {
  auto& t = table<Kind>();
  std::scoped_lock const lock(t.mutex);
  ++t.uses[handle_].operations;
  t.count = static_cast<int>(t.uses.size());
}

template <class Kind>
Retained<Kind>::~Retained() {
  int frees = 0;
  {
    auto& t = table<Kind>();
    std::scoped_lock const lock(t.mutex);
    auto const use = t.uses.find(handle_);
    if (--use->second.operations > 0) return;
    frees = use->second.frees;
    t.uses.erase(use);
    t.count = static_cast<int>(t.uses.size());
  }
  // Not under the mutex: the library may call the program's own attribute callbacks.
  for (int i = 0; i < frees; ++i) {
    auto handle = handle_;
    library_free(&handle, Kind{});
  }
}

namespace {

/// The free that MPI promises the caller: now, or when the last operation that uses the handle is done.
template <class Kind>
int free_handle(typename Kind::Handle* handle) {
  auto& t = table<Kind>();
  if (handle != nullptr && t.count.load(std::memory_order_relaxed) > 0) {
    std::scoped_lock const lock(t.mutex);
    if (auto const use = t.uses.find(*handle); use != t.uses.end()) {
      ++use->second.frees;
      *handle = null_of(Kind{});
      return MPI_SUCCESS;
    }
  }
  return library_free(handle, Kind{});
}

}  // namespace

template class Retained<Datatypes>;
template class Retained<Operators>;

}  // namespace allport::dropin

using namespace allport::dropin;

extern "C" {

ALLPORT_EXPORTED int MPI_Type_free(MPI_Datatype* type) { return free_handle<Datatypes>(type); }
ALLPORT_EXPORTED int MPI_Op_free(MPI_Op* op) { return free_handle<Operators>(op); }

}  // extern "C"
