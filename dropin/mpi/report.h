// Which calls were taken, which were handed back and why, and what they cost.
#pragma once

#include <cstdint>
#include <string>

#include "call.h"

namespace allport::dropin {

struct Record;

/// Seconds since some moment.
[[nodiscard]] double now();

/// Counted where the caller is rank 0 of the communicator, so that sums over ranks count collectives, not calls.
void count_taken(Function what, Record const& record, std::int64_t bytes, double seconds);
void count_returned(Function what, int rank, std::string const& why, double seconds);

/// To stderr or to the JSON file that ALLPORT_REPORT names. Collective over MPI_COMM_WORLD.
void write_report();

}  // namespace allport::dropin
