// What a BLACS context is: a grid of processes and their communicator. BLACS is found at run time.
#pragma once

#include <mpi.h>

#include <string>

#include "call.h"

namespace allport::scalapack {

/// This process in the grid of a context; rows < 0: the context is none of this process's.
struct Grid {
  Int context = -1;
  int rows = -1;
  int cols = -1;
  int row = -1;
  int col = -1;

  [[nodiscard]] bool has_me() const { return rows >= 0; }
  [[nodiscard]] bool is_first() const { return row == 0 && col == 0; }
};

/// Empty when all of BLACS that is needed was found; else what is missing.
[[nodiscard]] std::string const& what_blacs_lacks();
[[nodiscard]] Grid grid_of(Int context);
/// The communicator of the grid's processes, BLACS's own: nothing is sent on it.
/// @pre grid_of(context).has_me()
[[nodiscard]] MPI_Comm comm_of(Int context);
/// The rank in comm_of(context) of a place of the grid.
[[nodiscard]] int rank_of(Int context, int row, int col);
/// Ends the job, as BLACS does.
void abort_job(Int context, Int code);
/// ScaLAPACK's own message about argument -info.
void tell_wrong_argument(Int context, std::string const& routine, Int info);

}  // namespace allport::scalapack
