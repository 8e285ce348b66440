#include "comm_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "allport/comm/planned_schedule.h"
#include "allport/select/select.h"
#include "mpi_errors.h"

namespace allport::engine {

CommState::CommState(std::shared_ptr<ProgressEngine> engine_, MPI_Comm mpi, Machine machine_, bool box_,
                     std::vector<Rank> ranks_, std::vector<Rank> whole_)
    : engine(std::move(engine_)),
      shadow(*engine, mpi),
      machine(std::move(machine_)),
      box(box_),
      ranks(std::move(ranks_)),
      positions(ranks.size()),
      whole(std::move(whole_)),
      tags(TagSpace::of(mpi)),
      turns(tags),
      lasting_turns(tags) {
  check(MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", rank);
  check(MPI_Comm_rank(mpi, &rank), "MPI_Comm_rank", rank);
  check(MPI_Comm_size(mpi, &size), "MPI_Comm_size", rank);
  for (std::size_t p = 0; p < ranks.size(); ++p) positions[static_cast<std::size_t>(ranks[p])] = static_cast<Rank>(p);
}

std::string CommState::rank_text(Rank r) const {
  auto const& all = engine->machine();
  auto const node = all.node_of(whole_position(r));
  std::string at;
  for (int a = 0; a < all.axes(); ++a) at += fmt::format("{}{}", a == 0 ? "" : ",", all.coord(node, a));
  return fmt::format("rank {} (node ({}))", r, at);
}

void CommState::ensure_alive() const {
  if (!engine->alive() || !mpi_is_up()) {
    throw Error(ErrorKind::mpi, "this communicator ended with MPI_Finalize; use it before");
  }
}

void CommState::ensure_rank(std::string_view argument, Rank r) const {
  if (r < 0 || r >= size) [[unlikely]] {
    throw Error::argument(argument, show(r), fmt::format("a rank in 0..{}", size - 1));
  }
}

AlgorithmList CommState::algorithms(std::optional<Scattered> const& trees) const {
  return trees ? trees->among(engine->algorithms()) : engine->algorithms();
}

ScheduleCache::Entry& CommState::schedule_for(Contract const& contract, std::string_view algorithm,
                                              std::int64_t segment) {
  if (auto* known = schedules.find(contract, algorithm, segment)) return *known;
  auto chosen = std::string(algorithm);
  if (chosen.empty() && named && combines(contract.what))
    chosen = choose(*named, contract, {.among = algorithms(scattered_named)}).best.algorithm->name;
  SelectOptions options{.algorithm = chosen, .among = algorithms(scattered)};
  if (segment > 0) options.segments = {segment};
  return schedules.add(contract, algorithm, segment, make_schedule(machine, choose(machine, contract, options)));
}

ScheduleCache::Entry* CommState::short_entry(Contract const& contract) {
  if (engine->checks()) return nullptr;
  auto& entry = schedule_for(contract, {});
  if (!std::exchange(entry.asked_for_short_run, true)) {
    auto const me = position_of(rank);
    entry.short_run = ShortRun::of(*this, entry.schedule.program(me), extents(contract, me));
  }
  return entry.short_run ? &entry : nullptr;
}

int CommState::take_lasting_turn() {
  if (lasting_turns.must_ask()) {
    auto const here = lasting_turns.in_use();
    auto anywhere = here;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(here.data(), anywhere.data(), static_cast<int>(here.size()), MPI_UINT64_T, MPI_BOR,
                         shadow.mpi(), &request),
          "MPI_Iallreduce", rank);
    await(request, "all ranks to prepare a persistent collective");
    lasting_turns.learn(anywhere);
  }
  return lasting_turns.take();
}

void CommState::await(MPI_Request request, std::string_view what) const {
  auto const text = [what] { return std::string(what); };
  engine->await(request, text, shadow.mpi());
}

std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  for (auto const c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return seed;
}

}  // namespace allport::engine

namespace allport {

Schedule planned_schedule(Machine const& machine, Contract const& contract) {
  return make_schedule(machine, choose(machine, contract));
}

}  // namespace allport
