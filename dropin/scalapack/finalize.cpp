// MPI_Finalize, where the report is made: under C's and Fortran's names, as Fortran's do not call C's.
#include <mpi.h>

#include "exported.h"
#include "original.h"
#include "record.h"
#include "report.h"

namespace {

using namespace allport::scalapack;

/// Gathers the report before MPI ends and writes it after, so that it is added to a report of the MPI drop-in.
template <class F>
void finalize(F const& library) {
  static bool ended = false;
  bool const first = !ended;
  ended = true;
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (first && initialized != 0 && finalized == 0) {
    gather_report();
    free_processes();
  }
  library();
  if (first) write_report();
}

template <class F>
F* behind(char const* name) {
  return reinterpret_cast<F*>(find_behind(name));
}

// MPI's standard binary interface has no type for Fortran's integers.
#ifndef MPI_ABI
void finalize_fortran(char const* name, MPI_Fint* code) {
  finalize([&] {
    if (auto* const original = behind<void(MPI_Fint*)>(name)) {
      original(code);
    } else {
      auto const result = PMPI_Finalize();
      if (code != nullptr) *code = result;
    }
  });
}
#endif

}  // namespace

extern "C" {

ALLPORT_EXPORTED int MPI_Finalize() {
  int code = MPI_SUCCESS;
  finalize([&] {
    auto* const original = behind<int()>("MPI_Finalize");
    code = original != nullptr ? original() : PMPI_Finalize();
  });
  return code;
}

#ifndef MPI_ABI
ALLPORT_EXPORTED void mpi_finalize_(MPI_Fint* code) { finalize_fortran("mpi_finalize_", code); }
ALLPORT_EXPORTED void mpi_finalize_f08_(MPI_Fint* code) { finalize_fortran("mpi_finalize_f08_", code); }
#endif

}  // extern "C"
