#include "computers.h"

#include <fmt/format.h>
#include <mpi.h>

#include <array>

namespace allport::dropin {

Computers computers() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
  int size = 1;
  int place = 0;
  PMPI_Comm_size(here, &size);
  PMPI_Comm_rank(here, &place);
  PMPI_Comm_free(&here);
  bool const in_order = rank / size * size + place == rank;
  std::array<int, 3> const mine{size, -size, in_order ? 1 : 0};
  std::array<int, 3> least{};
  int const firsts = place == 0 ? 1 : 0;
  Computers all;
  PMPI_Allreduce(mine.data(), least.data(), 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  PMPI_Allreduce(&firsts, &all.count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (least[0] == -least[1] && least[2] != 0) all.ranks_each = size;
  return all;
}

std::optional<std::string> ring_of(Computers const& computers) {
  if (computers.count < 2 || computers.ranks_each == 0) return std::nullopt;
  auto const ring = fmt::format("torus:{}", computers.count);
  return computers.ranks_each == 1 ? ring : fmt::format("{}/ppn={}", ring, computers.ranks_each);
}

}  // namespace allport::dropin
