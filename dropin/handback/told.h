// Texts that ranks tell each other where settings are read and reports are written.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "allport/base/function_ref.h"

namespace allport::handback {

/// What rank 0's `text` gives, on all ranks; nobody else's is called. Collective.
[[nodiscard]] std::string told_by_rank_0(MPI_Comm comm, FunctionRef<std::string()> text);

/// Every rank's text on rank 0, by rank; nothing elsewhere. Collective.
[[nodiscard]] std::vector<std::string> gathered_on_rank_0(MPI_Comm comm, std::string const& text);

}  // namespace allport::handback
