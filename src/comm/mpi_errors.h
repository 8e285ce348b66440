// MPI's return codes as Errors.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport::engine {

inline constexpr Rank no_peer = -1;

/// MPI's own words for an error code.
[[nodiscard]] std::string mpi_text(int code);

/// Throws Error(mpi) "MPI_Isend on rank 3 with peer 5: <MPI's text>" unless
/// `code` is MPI_SUCCESS.
void check(int code, std::string_view call, Rank rank, Rank peer = no_peer);

/// Neither before MPI_Init nor after MPI_Finalize.
[[nodiscard]] bool mpi_is_up();

}  // namespace allport::engine
