// Texts that ranks exchange when settings are read and reports are written.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "allport/base/function_ref.h"

namespace allport::interpose {

/// Broadcasts the result of rank 0's `text()`; the other ranks' is not called. Collective.
[[nodiscard]] std::string bcast_text(MPI_Comm comm, FunctionRef<std::string()> text);

/// Gathers every rank's text on rank 0, in the order of the ranks; empty elsewhere. Collective.
[[nodiscard]] std::vector<std::string> gather_texts(MPI_Comm comm, std::string const& text);

}  // namespace allport::interpose
