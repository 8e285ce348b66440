#include "comm_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "allport/select/select.h"
#include "mpi_errors.h"
#include "planned_schedule.h"

namespace allport::engine {

MessageContext MessageContext::of(MPI_Comm mpi) {
  auto const top = greatest_tag(mpi);
  return {.mpi = mpi,
          .top_tag = static_cast<int>(top - std::int64_t{ContextTags::up_to(top).count} * ContextTags::tags)};
}

MessageContext MessageContext::within(std::shared_ptr<CommState> lender, std::span<Rank const> members, int number) {
  auto const contexts = ContextTags::up_to(greatest_tag(lender->mpi()));
  ensure(number >= 0 && number < contexts.count, "context", number, fmt::format("one of {}", contexts.count));
  return {.mpi = lender->mpi(),
          .ranks = {members.begin(), members.end()},
          .first_tag = contexts.first_tag(number),
          .top_tag = ContextTags::tags - 1,
          .lender = std::move(lender)};
}

CommState::CommState(std::shared_ptr<ProgressEngine> engine_, MessageContext context_, Machine machine_, bool box_,
                     std::vector<Rank> ranks_, std::vector<Rank> whole_)
    : engine(std::move(engine_)),
      context(std::move(context_)),
      machine(std::move(machine_)),
      box(box_),
      ranks(std::move(ranks_)),
      positions(ranks.size()),
      whole(std::move(whole_)),
      tags(TagSpace::up_to(context.top_tag, context.lender ? TagSpace::channels_for(std::ssize(context.ranks))
                                                           : TagSpace::fewest_channels)),
      turns(tags),
      lasting_turns(tags) {
  check(MPI_Comm_rank(context.mpi, &rank), "MPI_Comm_rank", rank);
  if (context.lender) {
    size = static_cast<Rank>(context.ranks.size());
    rank = static_cast<Rank>(std::ranges::find(context.ranks, rank) - context.ranks.begin());
  } else {
    shadow.emplace(*engine, context.mpi);
    check(MPI_Comm_set_errhandler(context.mpi, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", rank);
    check(MPI_Comm_size(context.mpi, &size), "MPI_Comm_size", rank);
  }
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

std::string CommState::algorithm_by_name(Contract const& contract, std::optional<Mapping> mapping) const {
  if (!named || !combines(contract.what)) return {};
  return algorithm_for_any_rates(*named, contract,
                                 {.among = algorithms(scattered_named), .mapping = std::move(mapping)});
}

ScheduleCache::Entry& CommState::schedule_for(Contract const& contract, std::string_view algorithm,
                                              std::int64_t segment) {
  if (auto* known = schedules.find(contract, algorithm, segment)) return *known;
  auto const chosen = algorithm.empty() ? algorithm_by_name(contract) : std::string(algorithm);
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
    auto in_use = lasting_turns.in_use();
    std::vector<Rank> everybody(static_cast<std::size_t>(size));
    std::iota(everybody.begin(), everybody.end(), 0);
    join(everybody, rank, in_use, "to prepare a persistent collective");
    lasting_turns.learn(in_use);
  }
  return lasting_turns.take();
}

MPI_Comm CommState::mpi() const {
  ensure(!context.lender, "communicator", "one that shares its family's", "one with an MPI communicator of its own", "",
         ErrorKind::unsupported);
  return context.mpi;
}

void CommState::send(void const* data, std::int64_t bytes, Rank to, int tag, MPI_Request& request) const {
  auto const there = context.ranks.empty() ? to : context.ranks[static_cast<std::size_t>(to)];
  check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, there, context.first_tag + tag, context.mpi, &request),
        "MPI_Isend", rank, to);
}

void CommState::receive(void* data, std::int64_t bytes, Rank from, int tag, MPI_Request& request) const {
  auto const there = context.ranks.empty() ? from : context.ranks[static_cast<std::size_t>(from)];
  check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, there, context.first_tag + tag, context.mpi, &request),
        "MPI_Irecv", rank, from);
}

void CommState::join(std::span<Rank const> members, Rank place, std::span<std::uint64_t> words,
                     std::string_view what) const {
  auto const n = static_cast<std::int64_t>(members.size());
  std::vector<std::uint64_t> theirs(words.size());
  for (std::int64_t step = 1; step < n; step *= 2) {
    auto const to = members[static_cast<std::size_t>((place + step) % n)];
    auto const from = members[static_cast<std::size_t>((place + n - step) % n)];
    std::vector<std::uint64_t> const ours(words.begin(), words.end());
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Request taken = MPI_REQUEST_NULL;
    receive(theirs.data(), std::ssize(theirs) * 8, from, TagSpace::meeting, taken);
    send(ours.data(), std::ssize(ours) * 8, to, TagSpace::meeting, sent);
    auto const text = fmt::format("{} {}", rank_text(from), what);
    await(taken, text);
    await(sent, text);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= theirs[i];
  }
}

void CommState::await(MPI_Request request, std::string_view what) const {
  auto const text = [what] { return std::string(what); };
  engine->await(request, text, context.mpi);
}

void CommState::meet(std::string_view what) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(mpi(), &request), "MPI_Ibarrier", rank);
  await(request, what);
}

MayBlock::MayBlock(EngineLock& lock) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) meanwhile_.emplace(lock);
}

}  // namespace allport::engine

namespace allport {

Schedule planned_schedule(Machine const& machine, Contract const& contract) {
  return make_schedule(machine, choose(machine, contract));
}

}  // namespace allport
