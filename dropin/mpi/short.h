// Short calls on plain data, without what only long or unusual ones need.
#pragma once

#include <optional>

#include "call.h"
#include "decision.h"
#include "interpose/report.h"

namespace allport::dropin {

/// Runs a blocking call of a site that is ours, if its arguments are known to be plain; its code, or nothing where it
/// must go the long way. Without the lock. @pre shape.site
[[nodiscard]] std::optional<int> run_short(Call const& call, CallShape const& shape);

/// The same for a call that the site's tuning has just found to be ours, and without what counts it; the result is for
/// the report. Under the Lock.
[[nodiscard]] std::optional<interpose::Taken> run_form(Call const& given, CallShape const& shape);

/// Builds what short calls like this one cache, for every root: where the root goes round, so many calls in a row would
/// be timed with the building. More roots than are cached would be built for nothing. Sends nothing. Under the Lock.
void prepare_for_all_roots(Call const& given, CallShape const& shape);

/// After a call of ours that went the long way: types and operator are not checked again where they are MPI's own and
/// the data lie as they travel. Under the Lock.
void remember_form(Call const& call, Record const& record, Form& form);

}  // namespace allport::dropin
