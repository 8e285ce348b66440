// BLACS contexts: a process grid and its communicator. BLACS is looked up at run time.
#pragma once

#include <mpi.h>

#include <string>

#include "call.h"

namespace allport::scalapack {

/// This process in the grid of a context; rows < 0: the process is not in the context.
struct Grid {
  Int context = -1;
  int rows = -1;
  int cols = -1;
  int row = -1;
  int col = -1;

  [[nodiscard]] bool has_me() const { return rows >= 0; }
  [[nodiscard]] bool is_first() const { return row == 0 && col == 0; }
};

/// Empty if all functions of BLACS that are needed were found; else the name of a missing one.
[[nodiscard]] std::string const& what_blacs_lacks();
[[nodiscard]] Grid grid_of(Int context);
/// The communicator of the grid's processes, which BLACS owns: no messages are sent on it.
/// @pre grid_of(context).has_me()
[[nodiscard]] MPI_Comm comm_of(Int context);
/// The rank in comm_of(context) of grid coordinates (row, col).
[[nodiscard]] int rank_of(Int context, int row, int col);
/// Ends the job, as BLACS does.
void abort_job(Int context, Int code);
/// Prints ScaLAPACK's message about argument -info.
void report_wrong_argument(Int context, std::string const& routine, Int info);

}  // namespace allport::scalapack
