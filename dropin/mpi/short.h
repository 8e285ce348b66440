// Short calls on plain data: the way into a call without what only long or strange ones need.
#pragma once

#include <optional>

#include "call.h"

namespace allport::dropin {

struct Record;

/// Runs a blocking call that is ours, of the kind that remember_form() has seen on its communicator; its code, or
/// nothing where it must go the long way. Without the lock.
[[nodiscard]] std::optional<int> run_short(Call const& call);

/// After a call of ours that went the long way: what its types and operator are need not be asked again where they are
/// MPI's own and the data lie as they travel. Under the Lock.
void remember_form(Call const& call, Record& record);

}  // namespace allport::dropin
