// The MPI drop-in's calls in a report, beside the lower bounds of their collectives.
#pragma once

#include <cstdint>
#include <optional>

#include "allport/schedule/schedule.h"
#include "allport/select/selector.h"
#include "call.h"
#include "interpose/enter.h"

namespace allport::dropin {

struct Record;

/// Where a call is counted: on rank 0 of its communicator, so that sums over ranks count collectives, not calls.
[[nodiscard]] interpose::Tally tally_of(Call const& call, Record const* record);

/// A call that was taken.
/// @param contract  what it came to, if that is known and a report is wanted
[[nodiscard]] interpose::Taken taken(Record& record, std::optional<Contract> const& contract, std::int64_t bytes);

/// To stderr or to the JSON file that ALLPORT_REPORT names, with what tuning has found. Collective over
/// MPI_COMM_WORLD.
void write_report(Memory const& found);

}  // namespace allport::dropin
