// The ScaLAPACK drop-in's calls in a report.
#pragma once

#include "handback/report.h"

namespace allport::scalapack {

/// Counted where the caller is its grid's first process, so that sums over processes count calls.
[[nodiscard]] handback::Report& calls();

/// Sums up over MPI_COMM_WORLD, collectively, where rank 0 wants a report.
void gather_report();
/// What rank 0 gathered: to stderr or to the JSON file that ALLPORT_REPORT names. Needs no MPI.
void write_report();

}  // namespace allport::scalapack
