// Small tables for reports.
#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {

std::vector<std::int64_t> Communicator::all_gather(std::span<std::int64_t const> mine) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(state_->size));
  auto const count = static_cast<int>(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  engine::check(
      MPI_Iallgather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, state_->mpi(), &request),
      "MPI_Iallgather", state_->rank);
  state_->await(request, "all ranks to pass their values");
  return all;
}

}  // namespace allport
