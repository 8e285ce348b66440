// Transfers and persistent transfers: an Execution with its turn of the tags.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {
namespace detail {

std::string schedule_text(Schedule const& schedule) {
  auto const& c = schedule.contract();
  return fmt::format(
      "{} '{}' of {} bytes (element {}) to {} ranks, root {}, "
      "segment {}, window {}",
      name(c.what), schedule.algorithm(), c.bytes, c.element, c.ranks, c.root, schedule.cut().segment,
      schedule.cut().window);
}

TransferState::TransferState(std::shared_ptr<CommState> comm_, Schedule schedule_, Buffers buffers, Combine combine)
    : comm(std::move(comm_)),
      schedule(std::make_unique<Schedule>(std::move(schedule_))),
      execution(*comm, schedule->program(comm->position_of(comm->rank)), buffers, std::move(combine),
                schedule->cut().window) {}

TransferState::TransferState(std::shared_ptr<CommState> comm_, Program program, Buffers buffers, int tag_)
    : comm(std::move(comm_)),
      tag(tag_),
      // All messages are posted at once: their order under one tag is what
      // tells them apart.
      execution(*comm, std::move(program), buffers, {}, program.ops.empty() ? 1 : program.ops.front().segments()) {}

TransferState::~TransferState() {
  if (turn_ >= 0 && comm->turns[static_cast<std::size_t>(turn_)] == &execution) {
    comm->turns[static_cast<std::size_t>(turn_)] = nullptr;
  }
}

int TransferState::take_turn(std::int64_t number) {
  auto const turn = static_cast<std::size_t>(number % comm->tags.sequences);
  auto& turns = comm->turns;
  if (turn >= turns.size()) turns.resize(turn + 1);
  if (turns[turn] != nullptr && turns[turn]->active()) {
    // As many schedules are in flight as there are turns: the oldest must go
    // first.
    comm->family->wait_until([&] { return turns[turn] == nullptr || !turns[turn]->active(); },
                             [&] { return turns[turn]->waits_for(); }, comm->shadow.mpi());
  }
  if (turn_ >= 0 && turns[static_cast<std::size_t>(turn_)] == &execution) {
    turns[static_cast<std::size_t>(turn_)] = nullptr;
  }
  turns[turn] = &execution;
  turn_ = static_cast<std::int64_t>(turn);
  return comm->tags.first_tag(number);
}

void TransferState::start(std::int64_t reserved) {
  comm->ensure_alive();
  ensure(!execution.active(), "start", "a transfer in flight", "a transfer that is done", "wait() first");
  if (schedule && comm->family->checks()) {
    auto const text = schedule_text(*schedule);
    comm->agree("schedule", static_cast<std::int64_t>(hash(text)), text);
  }
  if (schedule) {
    execution.start(take_turn(reserved < 0 ? comm->started++ : reserved));
  } else {
    execution.start(tag);
  }
  comm->family->progress();
}

void TransferState::wait(std::function<void()> const& pause) {
  comm->family->wait_until([this] { return !execution.active(); }, [this] { return text(); }, comm->shadow.mpi(),
                           pause);
  execution.rethrow_if_failed();
}

void TransferState::wait_for_data() {
  comm->family->wait_until([this] { return execution.has_data(); }, [this] { return text(); }, comm->shadow.mpi());
  execution.rethrow_if_failed();
}

std::string TransferState::text() const {
  if (!schedule) return fmt::format("{}; a message with tag {}", execution.waits_for(), tag);
  return fmt::format("{}; {}", execution.waits_for(), schedule_text(*schedule));
}

void TransferState::settle() noexcept {
  if (!execution.active()) return;
  if (std::uncaught_exceptions() > 0 || !comm->family->alive() || !mpi_is_up()) {
    execution.abandon(nullptr);
    return;
  }
  try {
    wait({});
  } catch (std::exception const& e) {
    fmt::print(stderr, "allport: a transfer that nobody waited for failed: {}\n", e.what());
  }
}

}  // namespace detail

Transfer& Transfer::operator=(Transfer&& other) noexcept {
  if (this != &other) {
    if (state_) state_->settle();
    state_ = std::move(other.state_);
  }
  return *this;
}

Transfer::~Transfer() {
  if (state_) state_->settle();
}

bool Transfer::test() {
  if (!state_) return true;
  if (state_->execution.active()) state_->comm->family->progress();
  if (state_->execution.active()) return false;
  state_->execution.rethrow_if_failed();
  return true;
}

void Transfer::wait() {
  if (state_) state_->wait({});
}

void Transfer::wait(std::function<void()> const& pause) {
  if (state_) state_->wait(pause);
}

void Transfer::wait_for_data() {
  if (state_) state_->wait_for_data();
}

bool Transfer::active() const { return state_ && state_->execution.active(); }

Transfer Persistent::start() {
  state_->start();
  return Transfer(state_);
}

}  // namespace allport
