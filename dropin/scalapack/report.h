// The report on the calls of the ScaLAPACK drop-in.
#pragma once

#include "interpose/report.h"

namespace allport::scalapack {

/// Counted on the first process of a grid, so that sums over processes count calls.
[[nodiscard]] interpose::Report& calls();

/// Sums the counts over MPI_COMM_WORLD, collectively, if a report is requested.
void gather_report();
/// Writes the report of rank 0 to stderr or to the JSON file that ALLPORT_REPORT names. Needs no MPI.
void write_report();

}  // namespace allport::scalapack
