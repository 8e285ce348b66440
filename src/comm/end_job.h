// How a rank ends the whole job: never without its reason having been read.
#pragma once

#include <mpi.h>

#include <string_view>

namespace allport {

/// Prints `reason`, sees to it that the launcher has read it, and ends every rank of `comm`'s job with exit code
/// `code`.
void end_job(MPI_Comm comm, int code, std::string_view reason);

}  // namespace allport
