// The start and end of MPI, and persistent requests, under their C names.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdlib>

#include "capture.h"
#include "exported.h"
#include "progress.h"
#include "requests.h"
#include "state.h"

using namespace allport::dropin;

namespace {

/// Begins at the level that the program wants, or at a higher one where we need it; `library` is its own way to begin.
template <class Begin>
int begin_at(int* argc, char*** argv, int wanted, int* provided, Begin const& library) {
  auto const* machine = std::getenv("ALLPORT_MACHINE");
  auto const level = machine != nullptr && *machine != 0 ? level_for(wanted) : wanted;
  auto const code = level == wanted ? library() : PMPI_Init_thread(argc, argv, level, provided);
  if (code != MPI_SUCCESS) return code;
  // Programs compare what they get with what they asked for.
  if (level != wanted && *provided > wanted) *provided = wanted;
  begin();
  return code;
}

}  // namespace

extern "C" {

ALLPORT_EXPORTED int MPI_Init(int* argc, char*** argv) {
  int provided = MPI_THREAD_SINGLE;
  return begin_at(argc, argv, MPI_THREAD_SINGLE, &provided, [&] { return PMPI_Init(argc, argv); });
}

ALLPORT_EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin_at(argc, argv, required, provided, [&] { return PMPI_Init_thread(argc, argv, required, provided); });
}

ALLPORT_EXPORTED int MPI_Finalize() {
  end();
  // Whoever is preloaded behind us wants to see it, too: our library for ScaLAPACK, or another tool.
  static auto* const next = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "MPI_Finalize"));
  return next != nullptr ? next() : PMPI_Finalize();
}

ALLPORT_EXPORTED int MPI_Start(MPI_Request* request) {
  if (request != nullptr && is_persistent_of_ours(*request)) return start_persistent(request);
  auto const code = PMPI_Start(request);
  if (code == MPI_SUCCESS && is_captured()) capture_start(*request);
  return code;
}

ALLPORT_EXPORTED int MPI_Startall(int count, MPI_Request requests[]) {
  bool any = false;
  for (int i = 0; i < count && requests != nullptr; ++i) any = any || is_persistent_of_ours(requests[i]);
  if (!any) {
    auto const code = PMPI_Startall(count, requests);
    for (int i = 0; code == MPI_SUCCESS && is_captured() && i < count; ++i) capture_start(requests[i]);
    return code;
  }
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    auto const code = MPI_Start(&requests[i]);
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

ALLPORT_EXPORTED int MPI_Request_free(MPI_Request* request) {
  bool const ours = request != nullptr && is_persistent_of_ours(*request);
  auto const handle = request != nullptr ? *request : MPI_REQUEST_NULL;
  auto const code = PMPI_Request_free(request);
  if (code == MPI_SUCCESS && is_captured()) forget_starts(handle);
  if (ours && code == MPI_SUCCESS) forget_persistent(handle);
  return code;
}

}  // extern "C"
