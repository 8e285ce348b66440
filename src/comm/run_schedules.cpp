// Starting schedules: any schedule, and the collectives that selection makes.
#include <fmt/format.h>

#include <utility>

#include "allport/select/select.h"
#include "base/fnv.h"
#include "collective_call.h"
#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {
namespace {

/// @throws Error naming the buffer that is too short on this rank
void check_buffers(engine::CommState const& comm, Schedule const& schedule, Buffers const& buffers,
                   Combine const& combine) {
  // Texts are formatted for errors only: every call runs this check.
  auto const& contract = schedule.contract();
  if (contract.ranks != comm.size) {
    throw Error::argument("schedule", show(contract.ranks),
                          fmt::format("a schedule for the communicator's {} ranks", comm.size));
  }
  ensure(schedule.cut().window >= 1, "window", schedule.cut().window, "at least 1", "", ErrorKind::schedule);
  auto const me = comm.position_of(comm.rank);
  auto const needs = [&](std::string_view argument, std::size_t has, std::int64_t wants) {
    if (static_cast<std::int64_t>(has) >= wants) return;
    throw Error::argument(
        argument, show(has),
        fmt::format("at least {} bytes on rank {} for {}", wants, comm.rank, engine::schedule_text(schedule)));
  };
  needs("input", buffers.input.size(), contract.input_bytes(me));
  needs("output", buffers.output.size(), contract.output_bytes(me));
  if (combines(contract.what) && contract.ranks > 1 && !combine) {
    throw Error::argument("combine", "none", fmt::format("an operator for {}", name(contract.what)));
  }
}

/// The schedule, bound to valid buffers.
std::shared_ptr<engine::TransferState> bound(std::shared_ptr<engine::CommState> const& comm, Schedule const& schedule,
                                             Buffers buffers, Combine&& combine) {
  check_buffers(*comm, schedule, buffers, combine);
  return std::make_shared<engine::TransferState>(comm, schedule, buffers, std::move(combine));
}

/// A call's schedule, bound to its buffers or to their staging.
std::shared_ptr<engine::TransferState> bound(std::shared_ptr<engine::CommState> const& comm, CollectiveCall const& call,
                                             engine::PlacedCall placed) {
  if (!placed.schedule) {
    placed.contract.check();
    placed.schedule = comm->schedule_for(placed.contract, call.algorithm).schedule;
  }
  auto state = bound(comm, *placed.schedule, placed.buffers, Combine(call.combine));
  state->staging = std::move(placed.staging);
  return state;
}

/// @param pairs  as for engine::place()
std::shared_ptr<engine::TransferState> bound(std::shared_ptr<engine::CommState> const& comm, CollectiveCall const& call,
                                             engine::PairTable const* pairs = nullptr) {
  return bound(comm, call, engine::place(*comm, call, pairs));
}

using MakeState = FunctionRef<std::shared_ptr<engine::TransferState>()>;

/// Starts a schedule; with ALLPORT_CHECK, after all ranks have agreed that they start the same. An error on one rank is
/// then an error of every rank's transfer, reported before any rank waits for the failed one.
std::shared_ptr<engine::TransferState> start_checked(std::shared_ptr<engine::CommState> const& comm, engine::Tags under,
                                                     MakeState make) {
  std::shared_ptr<engine::TransferState> state;
  std::shared_ptr<engine::StartCheck> check;
  auto const mpi = comm->mpi();
  try {
    state = make();
    auto const text = engine::schedule_text(*state->schedule);
    check = std::make_shared<engine::StartCheck>(mpi, fnv1a(text), text);
  } catch (Error const& e) {
    state = std::make_shared<engine::TransferState>(comm);
    check = std::make_shared<engine::StartCheck>(mpi, e);
  }
  state->start(under, std::move(check));
  return state;
}

/// A short program runs in the calling thread if its turn has come; else the engine runs it later.
void run_now(std::shared_ptr<engine::CommState> const& comm, engine::ScheduleCache::Entry& entry, std::int64_t number,
             Buffers buffers, Combine const& combine, FunctionRef<void()> pause) {
  check_buffers(*comm, entry.schedule, buffers, combine);
  if (comm->turns.is_on(number)) {
    auto const program = entry.short_run;  // while it waits, other starts may put the entry out of the cache
    program->run(comm->turns.first_tag(number), buffers, combine, pause);
    return;
  }
  auto const late = bound(comm, std::as_const(entry.schedule), buffers, Combine(combine));
  late->start({.turn = number});
  late->wait(pause);
}

/// Uses the next place in the order of starts, even after an error, so that later starts still match the other ranks'.
std::shared_ptr<engine::TransferState> start_in_turn(std::shared_ptr<engine::CommState> const& comm, MakeState make) {
  EngineGuard const hold(comm->lock());
  comm->ensure_alive();
  engine::Tags const own_tags{.turn = comm->turns.take(), .gives_back = true};
  if (comm->engine->checks()) return start_checked(comm, own_tags, make);
  std::shared_ptr<engine::TransferState> state;
  try {
    state = make();
  } catch (...) {
    comm->turns.give_back(own_tags.turn);
    throw;
  }
  state->start(own_tags);
  return state;
}

std::shared_ptr<engine::TransferState> prepare_lasting(std::shared_ptr<engine::CommState> const& comm, MakeState make) {
  EngineGuard const hold(comm->lock());
  comm->ensure_alive();
  auto const turn = comm->take_lasting_turn();
  std::shared_ptr<engine::TransferState> state;
  std::string trouble;
  auto kind = ErrorKind::argument;
  try {
    state = make();
    state->lasting_turn = turn;
  } catch (Error const& e) {
    comm->lasting_turns.give_back(turn);
    if (!comm->engine->checks()) throw;
    trouble = e.what();
    kind = e.kind();
  }
  if (comm->engine->checks()) {  // later starts come in any order, so that this is the time to ask
    comm->all_well(trouble, kind);
    auto const text = engine::schedule_text(*state->schedule);
    comm->agree("schedule", agreement_hash(text), text);
  }
  return state;
}

/// All ranks exchange what they send and expect; an error on one rank is an error on all.
engine::PairTable exchange_pairs(Communicator const& on, engine::CommState const& comm, CollectiveCall const& call) {
  std::string trouble;
  auto const mine = engine::pairs_of(comm, call, trouble);
  auto const n = static_cast<std::size_t>(comm.size);
  std::vector<std::int64_t> reported(2 * n * n);
  Contract const contract{Collective::allgather, comm.size, 0, static_cast<std::int64_t>(2 * n * sizeof(std::int64_t))};
  on.run(on.schedule_for(contract), {std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(reported))});
  if (!trouble.empty()) throw Error(ErrorKind::argument, trouble);
  return engine::agreed_pairs(comm, reported);
}

bool exchanges_pairs(CollectiveCall const& call) { return call.what == Collective::alltoall && call.varies; }

}  // namespace

Persistent Communicator::prepare(Schedule const& schedule, Buffers buffers, Combine combine) const {
  return Persistent(prepare_lasting(state_, [&] { return bound(state_, schedule, buffers, std::move(combine)); }));
}

Transfer Communicator::start(Schedule const& schedule, Buffers buffers, Combine combine) const {
  return Transfer(start_in_turn(state_, [&] { return bound(state_, schedule, buffers, std::move(combine)); }));
}

Transfer Communicator::start(CollectiveCall const& call) const {
  return Transfer(start_in_turn(state_, [&] { return bound(state_, call); }));
}

void Communicator::run(CollectiveCall const& call) const {
  if (exchanges_pairs(call)) {
    auto const pairs = exchange_pairs(*this, *state_, call);
    Transfer(start_in_turn(state_, [&] { return bound(state_, call, &pairs); })).wait();
    return;
  }
  if (call.algorithm.empty() && !state_->engine->checks()) {
    std::optional<engine::PlacedCall> placed;
    try {
      auto made = engine::place(*state_, call);
      made.contract.check();
      placed = std::move(made);
    } catch (Error const&) {  // start() says it, in its place among the starts
    }
    if (placed) {
      if (!placed->staging && run_short(placed->contract, placed->buffers, call.combine)) return;
      Transfer(start_in_turn(state_, [&] { return bound(state_, call, std::move(*placed)); })).wait();
      return;
    }
  }
  start(call).wait();
}

Persistent Communicator::prepare(CollectiveCall const& call) const {
  if (!exchanges_pairs(call)) return Persistent(prepare_lasting(state_, [&] { return bound(state_, call); }));
  auto const pairs = exchange_pairs(*this, *state_, call);
  return Persistent(prepare_lasting(state_, [&] { return bound(state_, call, &pairs); }));
}

Turn Communicator::reserve() const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  return Turn(std::make_shared<engine::TurnState>(state_, false));
}

Turn Communicator::reserve_lasting() const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  return Turn(std::make_shared<engine::TurnState>(state_, true));
}

engine::TurnState& Communicator::free_turn(Turn const& under) const {
  ensure(under.state_ && under.state_->comm == state_, "under", "none, or another communicator's",
         "a turn of this communicator", "reserve() makes one");
  auto& turn = *under.state_;
  ensure(!turn.latest || !turn.latest->execution.active(), "under", "a turn in use", "a turn whose last start is done",
         "wait() first");
  return turn;
}

Transfer Communicator::start(Turn const& under, Schedule const& schedule, Buffers buffers, Combine combine) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  auto& turn = free_turn(under);
  bool const first = !std::exchange(turn.used, true);
  if (turn.lasting >= 0) {
    turn.latest = bound(state_, schedule, buffers, std::move(combine));
    turn.latest->start({.first = state_->lasting_turns.first_tag(turn.lasting)});
  } else if (first && state_->engine->checks()) {
    turn.latest = start_checked(state_, {.turn = turn.number},
                                [&] { return bound(state_, schedule, buffers, std::move(combine)); });
  } else {
    turn.latest = bound(state_, schedule, buffers, std::move(combine));
    turn.latest->start({.turn = turn.number});
  }
  return Transfer(turn.latest);
}

void Communicator::run(Schedule const& schedule, Buffers buffers, Combine combine) const {
  start(schedule, buffers, std::move(combine)).wait();
}

Schedule Communicator::schedule_for(Collective what, Rank root, Bytes bytes, std::int64_t element,
                                    std::string_view algorithm) const {
  state_->ensure_rank("root", root);
  return schedule_for({what, state_->size, state_->position_of(root), bytes.value(), element}, algorithm);
}

Schedule Communicator::schedule_for(Contract const& contract, std::string_view algorithm, std::int64_t segment) const {
  contract.check();
  ensure(segment >= 0, "segment", segment, "at least 0 bytes");
  EngineGuard const hold(state_->lock());
  return state_->schedule_for(contract, algorithm, segment).schedule;
}

bool Communicator::run_short(Contract const& contract, Buffers buffers, Combine const& combine,
                             FunctionRef<void()> pause) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  auto* const entry = state_->short_entry(contract);
  if (entry == nullptr) return false;
  engine::GivesBack const turn{*state_, state_->turns.take()};
  run_now(state_, *entry, turn.number, buffers, combine, pause);
  return true;
}

bool Communicator::prepare_short(Contract const& contract) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  return state_->short_entry(contract) != nullptr;
}

bool Communicator::run_short(Turn const& under, Contract const& contract, Buffers buffers, Combine const& combine,
                             FunctionRef<void()> pause) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  auto& turn = free_turn(under);
  auto* const entry = turn.lasting < 0 ? state_->short_entry(contract) : nullptr;
  if (entry == nullptr) return false;
  turn.used = true;
  run_now(state_, *entry, turn.number, buffers, combine, pause);
  return true;
}

}  // namespace allport
