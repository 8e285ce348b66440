#include "mpi_errors.h"

#include <fmt/format.h>

#include <array>

namespace allport::engine {

std::string mpi_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return fmt::format("MPI error code {}", code);
  return {text.data(), static_cast<std::size_t>(length)};
}

void check(int code, std::string_view call, Rank rank, Rank peer) {
  if (code == MPI_SUCCESS) return;
  auto const who =
      peer == no_peer ? fmt::format("on rank {}", rank) : fmt::format("on rank {} with peer {}", rank, peer);
  throw Error(ErrorKind::mpi, fmt::format("{} {}: {}", call, who, mpi_text(code)));
}

bool mpi_is_up() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace allport::engine
