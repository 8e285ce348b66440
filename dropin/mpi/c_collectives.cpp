// The collectives' C names: ours or the library's. Those of neighbours are counted where ALLPORT_CAPTURE asks for it.
#include <type_traits>

#include "capture.h"
#include "collectives.h"
#include "enter.h"
#include "exported.h"

namespace {

using namespace allport::dropin;

void* unconst(void const* buffer) { return const_cast<void*>(buffer); }

struct Uncounted {};

/// `code`, after the bytes of each neighbour's block are counted.
template <class BytesTo>
int counted(int code, MPI_Comm comm, BytesTo const& bytes_to) {
  if constexpr (std::is_same_v<decltype(bytes_to(0)), Uncounted>) {
    return code;
  } else {
    return captured_by_neighbours(code, comm, bytes_to);
  }
}

}  // namespace

// Open MPI 4 has persistent collectives under names of its own.
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define ALLPORT_INIT(P, Name, S) P##MPIX_##Name##_init
#else
#define ALLPORT_INIT(P, Name, S) P##MPI_##Name##_init##S
#endif

#define ALLPORT_EXPORT(S, Name, lower, PARAMETERS, ARGUMENTS, CALL, BYTES)                                        \
  ALLPORT_EXPORTED int MPI_##Name##S PARAMETERS {                                                                 \
    auto const library = [&] { return PMPI_##Name##S ARGUMENTS; };                                                \
    auto const code = at_work() ? blocking(Call{ALLPORT_UNPACK CALL}, library) : library();                       \
    return counted(code, comm, [&]([[maybe_unused]] int n) { return BYTES; });                                    \
  }                                                                                                               \
  ALLPORT_EXPORTED int MPI_I##lower##S(ALLPORT_UNPACK PARAMETERS, MPI_Request* request) {                         \
    auto const library = [&] { return PMPI_I##lower##S(ALLPORT_UNPACK ARGUMENTS, request); };                     \
    auto const code = at_work() ? nonblocking(Call{ALLPORT_UNPACK CALL}, request, library) : library();           \
    return counted(code, comm, [&]([[maybe_unused]] int n) { return BYTES; });                                    \
  }                                                                                                               \
  ALLPORT_EXPORTED int ALLPORT_INIT(, Name, S)(ALLPORT_UNPACK PARAMETERS, MPI_Info info, MPI_Request * request) { \
    auto const library = [&] { return ALLPORT_INIT(P, Name, S)(ALLPORT_UNPACK ARGUMENTS, info, request); };       \
    return at_work() ? persistent(Call{ALLPORT_UNPACK CALL}, request, library) : library();                       \
  }
#define ALLPORT_EXPORT_PLAIN(S, Name, lower, PARAMETERS, ARGUMENTS, CALL) \
  ALLPORT_EXPORT(S, Name, lower, PARAMETERS, ARGUMENTS, CALL, Uncounted{})

extern "C" {

ALLPORT_COUNTLESS_COLLECTIVES(ALLPORT_EXPORT_PLAIN)
ALLPORT_COLLECTIVES(ALLPORT_EXPORT_PLAIN, , int, int)
ALLPORT_NEIGHBOUR_COLLECTIVES(ALLPORT_EXPORT, , int, int)
#if MPI_VERSION >= 4
ALLPORT_COLLECTIVES(ALLPORT_EXPORT_PLAIN, _c, MPI_Count, MPI_Aint)
ALLPORT_NEIGHBOUR_COLLECTIVES(ALLPORT_EXPORT, _c, MPI_Count, MPI_Aint)
#endif

}  // extern "C"
