// Error handlers of communicators with MPICH, under their C names: the program does not see that ours stands where
// MPI_ERRORS_ARE_FATAL stood (error_handler.h), and its own handlers are not called about messages of ours, whose
// failure they are told by the call that fails.
#include <mpi.h>

#if defined(MPICH_NUMVERSION) || defined(MPI_ABI)
#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "comm/error_handler.h"
#include "exported.h"

using allport::stand_in_for_fatal;

namespace {

using Handler = MPI_Comm_errhandler_function*;

/// Handlers have no data of their own, so each function of the program's gets one of ours that calls it. Those of a
/// program with more are called about our messages, too.
constexpr std::size_t most_handlers = 64;
std::array<Handler, most_handlers> programs{};

template <std::size_t I>
void call_program(MPI_Comm* comm, int* code, ...) {
  if (!allport::completes_ours()) programs[I](comm, code);
}

template <std::size_t... I>
constexpr std::array<Handler, most_handlers> callers(std::index_sequence<I...>) {
  return {&call_program<I>...};
}

Handler caller_of(Handler program) {
  static constexpr auto all = callers(std::make_index_sequence<most_handlers>());
  static std::mutex mutex;
  std::scoped_lock const lock(mutex);
  auto* const place = std::ranges::find_if(programs, [&](Handler known) { return !known || known == program; });
  if (program == nullptr || place == programs.end()) return program;
  *place = program;
  return all[static_cast<std::size_t>(place - programs.begin())];
}

}  // namespace

extern "C" {

ALLPORT_EXPORTED int MPI_Comm_create_errhandler(Handler function, MPI_Errhandler* handler) {
  return PMPI_Comm_create_errhandler(caller_of(function), handler);
}

ALLPORT_EXPORTED int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  auto const code = PMPI_Comm_get_errhandler(comm, handler);
  // Communicators that were made from MPI_COMM_WORLD have ours, too.
  if (code == MPI_SUCCESS && *handler != MPI_ERRHANDLER_NULL && *handler == stand_in_for_fatal()) {
    PMPI_Errhandler_free(handler);
    *handler = MPI_ERRORS_ARE_FATAL;
  }
  return code;
}

ALLPORT_EXPORTED int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  auto const ours = stand_in_for_fatal();
  bool const stands_in = comm == MPI_COMM_WORLD && handler == MPI_ERRORS_ARE_FATAL && ours != MPI_ERRHANDLER_NULL;
  return PMPI_Comm_set_errhandler(comm, stands_in ? ours : handler);
}

ALLPORT_EXPORTED int MPI_Errhandler_create(Handler function, MPI_Errhandler* handler) {
  return MPI_Comm_create_errhandler(function, handler);
}

// Names of MPI 1 that MPICH's header no longer has and its library does; Fortran's old names call them.
ALLPORT_EXPORTED int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
  return MPI_Comm_get_errhandler(comm, handler);
}

ALLPORT_EXPORTED int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  return MPI_Comm_set_errhandler(comm, handler);
}

}  // extern "C"
#endif
