// The start and end of MPI, and persistent requests, under their C names.
#include <mpi.h>

#include "exported.h"
#include "requests.h"
#include "state.h"

using namespace allport::dropin;

extern "C" {

ALLPORT_EXPORTED int MPI_Init(int* argc, char*** argv) {
  auto const code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin();
  return code;
}

ALLPORT_EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  auto const code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin();
  return code;
}

ALLPORT_EXPORTED int MPI_Finalize() {
  end();
  return PMPI_Finalize();
}

ALLPORT_EXPORTED int MPI_Start(MPI_Request* request) {
  if (request != nullptr && is_persistent_of_ours(*request)) return start_persistent(request);
  return PMPI_Start(request);
}

ALLPORT_EXPORTED int MPI_Startall(int count, MPI_Request requests[]) {
  bool any = false;
  for (int i = 0; i < count && requests != nullptr; ++i) any = any || is_persistent_of_ours(requests[i]);
  if (!any) return PMPI_Startall(count, requests);
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    auto const code = MPI_Start(&requests[i]);
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

ALLPORT_EXPORTED int MPI_Request_free(MPI_Request* request) {
  bool const ours = request != nullptr && is_persistent_of_ours(*request);
  auto const handle = ours ? *request : MPI_REQUEST_NULL;
  auto const code = PMPI_Request_free(request);
  if (ours && code == MPI_SUCCESS) forget_persistent(handle);
  return code;
}

}  // extern "C"
