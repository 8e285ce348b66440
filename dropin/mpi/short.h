// Short calls on plain data: the way into a call without what only long or strange ones need.
#pragma once

#include <optional>

#include "call.h"
#include "handback/report.h"

namespace allport::dropin {

struct Record;

/// Runs a blocking call that is ours, of the kind that remember_form() has seen on its communicator; its code, or
/// nothing where it must go the long way. Without the lock.
[[nodiscard]] std::optional<int> run_short(Call const& call);

/// The same for a call that its trial has just found to be ours; what it came to, for the report. Under the Lock.
[[nodiscard]] std::optional<handback::Taken> run_short_of_trial(Call const& call, Record& record);

/// Makes what short calls like this one keep, for every root: where the root goes round, so many calls in a row would
/// have the making on their clock. More roots than are kept would be made for nothing. Sends nothing. Under the Lock.
void prepare_for_all_roots(Call const& call, Record& record);

/// After a call of ours that went the long way: what its types and operator are need not be asked again where they are
/// MPI's own and the data lie as they travel. Under the Lock.
void remember_form(Call const& call, Record& record);

}  // namespace allport::dropin
