#include "comm_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mpi_errors.h"

namespace allport::detail {

TagSpace TagSpace::of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  // MPI keeps MPI_TAG_UB with the world; some libraries do not answer for other
  // communicators.
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  if (found == 0) MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found);
  auto const top = found != 0 ? *static_cast<int*>(value) : 32767;  // the least that MPI allows
  auto const room = static_cast<std::int64_t>(top) + 1 - schedules;
  TagSpace tags;
  tags.sequences = static_cast<int>(std::clamp<std::int64_t>(room / 1024, 1, 1024));
  tags.channels = static_cast<int>(std::min<std::int64_t>(room / tags.sequences, std::numeric_limits<int>::max()));
  return tags;
}

CommState::CommState(std::shared_ptr<Family> family_, MPI_Comm mpi, Machine machine_, bool box_,
                     std::vector<Rank> ranks_, std::vector<Rank> whole_)
    : family(std::move(family_)),
      shadow(*family, mpi),
      machine(std::move(machine_)),
      box(box_),
      ranks(std::move(ranks_)),
      positions(ranks.size()),
      whole(std::move(whole_)),
      tags(TagSpace::of(mpi)) {
  check(MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", rank);
  check(MPI_Comm_rank(mpi, &rank), "MPI_Comm_rank", rank);
  check(MPI_Comm_size(mpi, &size), "MPI_Comm_size", rank);
  for (std::size_t p = 0; p < ranks.size(); ++p) positions[static_cast<std::size_t>(ranks[p])] = static_cast<Rank>(p);
}

std::string CommState::rank_text(Rank r) const {
  auto const& all = family->machine();
  auto const node = all.node_of(whole_position(r));
  std::string at;
  for (int a = 0; a < all.axes(); ++a) at += fmt::format("{}{}", a == 0 ? "" : ",", all.coord(node, a));
  return fmt::format("rank {} (node ({}))", r, at);
}

void CommState::ensure_alive() const {
  if (!family->alive() || !mpi_is_up()) {
    throw Error(ErrorKind::mpi, "this communicator ended with MPI_Finalize; use it before");
  }
}

void CommState::ensure_rank(std::string_view argument, Rank r) const {
  if (r < 0 || r >= size) [[unlikely]] {
    throw Error::argument(argument, show(r), fmt::format("a rank in 0..{}", size - 1));
  }
}

void CommState::await(MPI_Request request, std::string_view what) const {
  family->await(
      request, [what] { return std::string(what); }, shadow.mpi());
}

std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  for (auto const c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return seed;
}

}  // namespace allport::detail
