// Which calls were taken, which were handed back and why, and what they cost.
#pragma once

#include <string>

#include "blacs.h"

namespace allport::scalapack {

/// Seconds since some moment.
[[nodiscard]] double now();

/// Counted where the caller is its grid's first process, so that sums over processes count calls. `how`: of a call
/// that was taken, for example an algorithm.
void count_taken(std::string const& routine, Grid const& grid, std::string const& how, double seconds);
void count_returned(std::string const& routine, Grid const& grid, std::string const& why, double seconds);
/// A call that ScaLAPACK made to itself.
void count_inner(std::string const& routine, Int const* desc);
/// Growth of a factorization; the report tells the largest.
void count_growth(std::string const& routine, Grid const& grid, double growth);

/// Sums up over MPI_COMM_WORLD, collectively, where rank 0 wants a report.
void gather_report();
/// What rank 0 gathered: to stderr or to the JSON file that ALLPORT_REPORT names. Needs no MPI.
void write_report();

}  // namespace allport::scalapack
