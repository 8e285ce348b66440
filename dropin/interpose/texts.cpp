#include "texts.h"

namespace allport::interpose {

std::string bcast_text(MPI_Comm comm, FunctionRef<std::string()> text) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  auto received = rank == 0 ? text() : std::string{};
  auto length = static_cast<int>(received.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, comm);
  received.resize(static_cast<std::size_t>(length));
  if (length > 0) PMPI_Bcast(received.data(), length, MPI_CHAR, 0, comm);
  return received;
}

std::vector<std::string> gather_texts(MPI_Comm comm, std::string const& text) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  auto const length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::vector<int> begins(lengths.size() + 1);
  for (std::size_t r = 0; r < lengths.size(); ++r) begins[r + 1] = begins[r] + lengths[r];
  std::string all(static_cast<std::size_t>(begins.back()), ' ');
  PMPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0, comm);
  std::vector<std::string> texts;
  for (std::size_t r = 0; rank == 0 && r < lengths.size(); ++r) {
    texts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r])));
  }
  return texts;
}

}  // namespace allport::interpose
