// MPI's return codes as Errors.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport::detail {

inline constexpr Rank no_peer = -1;

/// MPI's own words for an error code.
[[nodiscard]] std::string mpi_text(int code);

/// Throws Error(mpi) "MPI_Isend on rank 3 with peer 5: <MPI's text>" unless
/// `code` is MPI_SUCCESS.
void check(int code, std::string_view call, Rank rank, Rank peer = no_peer);

/// While it lives, failed completions return instead of ending the job. MPICH asks the handler of MPI_COMM_WORLD about
/// a request's error, not that of the request's communicator (seen with 4.0's MPI_Testsome and MPI_Test), and that
/// handler is the caller's. Does nothing for other libraries, and nothing where `held` says that an outer one is at
/// work.
class CompletionsReturn {
 public:
  explicit CompletionsReturn(bool& held);
  ~CompletionsReturn();
  CompletionsReturn(CompletionsReturn const&) = delete;
  CompletionsReturn& operator=(CompletionsReturn const&) = delete;

 private:
  bool& held_;
  bool outermost_;
  MPI_Errhandler callers_ = MPI_ERRHANDLER_NULL;
};

/// Neither before MPI_Init nor after MPI_Finalize.
[[nodiscard]] bool mpi_is_up();

}  // namespace allport::detail
