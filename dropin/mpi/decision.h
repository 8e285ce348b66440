// Whether a call is ours.
#pragma once

#include <optional>
#include <string>

#include "call.h"
#include "state.h"

namespace allport::dropin {

/// Why the MPI library does this call, or nothing when we do. Under the Lock. Decided from what is the same on all
/// ranks of the communicator, but for wrong arguments, which are the MPI library's to complain about.
[[nodiscard]] std::optional<std::string> why_not(Call const& call, Record& record);

}  // namespace allport::dropin
