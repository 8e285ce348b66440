// Starting schedules: any schedule, and the collectives that selection makes.
#include <fmt/format.h>

#include "allport/select/select.h"
#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {
namespace {

/// @throws Error naming the buffer that is too short on this rank
void check_buffers(detail::CommState const& comm, Schedule const& schedule, Buffers const& buffers,
                   Combine const& combine) {
  auto const& contract = schedule.contract();
  ensure(contract.ranks == comm.size, "schedule", contract.ranks,
         fmt::format("a schedule for the communicator's {} ranks", comm.size));
  ensure(schedule.cut().window >= 1, "window", schedule.cut().window, "at least 1", "", ErrorKind::schedule);
  auto const me = comm.position_of(comm.rank);
  auto const needs = [&](std::string_view argument, std::size_t has, std::int64_t wants) {
    ensure(static_cast<std::int64_t>(has) >= wants, argument, has,
           fmt::format("at least {} bytes on rank {} for {}", wants, comm.rank, detail::schedule_text(schedule)));
  };
  needs("input", buffers.input.size(), contract.input_bytes(me));
  needs("output", buffers.output.size(), contract.output_bytes(me));
  ensure(!combines(contract.what) || contract.ranks == 1 || combine, "combine", "none",
         fmt::format("an operator for {}", name(contract.what)));
}

}  // namespace

Persistent Communicator::prepare(Schedule const& schedule, Buffers buffers, Combine combine) const {
  state_->ensure_alive();
  if (!state_->family->checks()) {
    check_buffers(*state_, schedule, buffers, combine);
    return Persistent(std::make_shared<detail::TransferState>(state_, schedule, buffers, std::move(combine)));
  }
  // With ALLPORT_CHECK an error on one rank is an error on all, before anybody
  // waits for the one that has left.
  std::shared_ptr<detail::TransferState> state;
  std::string trouble;
  auto kind = ErrorKind::argument;
  try {
    check_buffers(*state_, schedule, buffers, combine);
    state = std::make_shared<detail::TransferState>(state_, schedule, buffers, std::move(combine));
  } catch (Error const& e) {
    trouble = e.what();
    kind = e.kind();
  }
  state_->all_well(trouble, kind);
  return Persistent(std::move(state));
}

Transfer Communicator::start(Schedule const& schedule, Buffers buffers, Combine combine) const {
  return prepare(schedule, buffers, std::move(combine)).start();
}

std::int64_t Communicator::reserve(std::int64_t starts) const {
  auto const first = state_->started;
  state_->started += starts;
  return first;
}

Transfer Communicator::start(std::int64_t reserved, Schedule const& schedule, Buffers buffers, Combine combine) const {
  auto const prepared = prepare(schedule, buffers, std::move(combine));
  prepared.state_->start(reserved);
  return Transfer(prepared.state_);
}

void Communicator::run(Schedule const& schedule, Buffers buffers, Combine combine) const {
  start(schedule, buffers, std::move(combine)).wait();
}

Schedule Communicator::schedule_for(Collective what, Rank root, Bytes bytes, std::int64_t element,
                                    std::string_view algorithm) const {
  state_->ensure_rank("root", root);
  return schedule_for({what, state_->size, state_->position_of(root), bytes.value(), element}, algorithm);
}

Schedule Communicator::schedule_for(Contract const& contract, std::string_view algorithm) const {
  contract.check();
  if (auto const* known = state_->schedules.find(contract, algorithm)) return *known;
  auto const& machine = state_->machine;
  auto const choice = choose(machine, contract, {.algorithm = std::string(algorithm), .segments = {}});
  return state_->schedules.add(contract, algorithm, make_schedule(machine, choice));
}

Transfer Communicator::start_broadcast(std::span<std::byte> data, Rank root, std::string_view algorithm) const {
  auto const bytes = Bytes(static_cast<std::int64_t>(data.size()));
  return start(schedule_for(Collective::broadcast, root, bytes, 1, algorithm), {{}, data});
}

Transfer Communicator::start_reduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                                    Combine combine, Rank root, std::string_view algorithm) const {
  auto const bytes = Bytes(static_cast<std::int64_t>(input.size()));
  return start(schedule_for(Collective::reduce, root, bytes, element, algorithm), {input, output}, std::move(combine));
}

}  // namespace allport
