// Open MPI waits for its process manager in calls into PMIx that move nothing, neither ours nor its own collectives:
// MPI_Comm_spawn, accept, connect and disconnect. While any of ours is in flight, those calls are made by another
// thread, which PMIx allows, and the caller's moves ours along. Where PMIx is part of Open MPI under other names, and
// not a library of its own, they go past us.
#include <mpi.h>

#ifdef OPEN_MPI
#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <system_error>

#include "collectives.h"
#include "exported.h"
#include "no_signals.h"
#include "progress.h"

using namespace allport::dropin;

namespace {

constexpr auto glance = std::chrono::microseconds(50);  ///< between steps of ours
constexpr int pmix_error = -1;                          ///< PMIX_ERROR

struct Wanted {
  char const* name;
  void* found;
};

int look_in(dl_phdr_info* object, std::size_t, void* wanted) {
  auto& w = *static_cast<Wanted*>(wanted);
  if (std::strstr(object->dlpi_name, "libpmix") == nullptr) return 0;
  auto* const library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  w.found = dlsym(library, w.name);
  dlclose(library);
  return w.found != nullptr ? 1 : 0;
}

/// PMIx's own. Open MPI loads it for itself alone, so that it comes after us in no search.
void* library_function(char const* name) {
  Wanted wanted{name, nullptr};
  dl_iterate_phdr(&look_in, &wanted);
  return wanted.found;
}

/// The call's code; none where the system gives no thread.
template <class F>
std::optional<int> beside_ours(F const& call) {
  std::future<int> code;
  try {
    NoSignals const quiet;
    code = std::async(std::launch::async, call);
  } catch (std::system_error const&) {
    return std::nullopt;
  }
  while (code.wait_for(glance) != std::future_status::ready) poll_once();
  return code.get();
}

template <class... A>
int waiting(void* function, A... arguments) {
  auto* const library = reinterpret_cast<int (*)(A...)>(function);
  if (library == nullptr) return pmix_error;
  if (should_poll()) {
    if (auto const code = beside_ours([=] { return library(arguments...); })) return *code;
  }
  return library(arguments...);
}

}  // namespace

// X(Name, (parameters), (arguments)); what is pointed at is not ours to know.
#define ALLPORT_PMIX_WAITS(X)                                                                                       \
  X(Fence, (void const* procs, std::size_t count, void const* infos, std::size_t n), (procs, count, infos, n))      \
  X(Connect, (void const* procs, std::size_t count, void const* infos, std::size_t n), (procs, count, infos, n))    \
  X(Disconnect, (void const* procs, std::size_t count, void const* infos, std::size_t n), (procs, count, infos, n)) \
  X(Lookup, (void* data, std::size_t count, void const* infos, std::size_t n), (data, count, infos, n))             \
  X(Spawn, (void const* infos, std::size_t n, void const* programs, std::size_t count, char* job),                  \
    (infos, n, programs, count, job))

#define ALLPORT_EXPORT_PMIX(Name, PARAMETERS, ARGUMENTS)          \
  ALLPORT_EXPORTED int PMIx_##Name PARAMETERS {                   \
    static auto* const library = library_function("PMIx_" #Name); \
    return waiting(library, ALLPORT_UNPACK ARGUMENTS);            \
  }

extern "C" {

ALLPORT_PMIX_WAITS(ALLPORT_EXPORT_PMIX)

}  // extern "C"
#endif
