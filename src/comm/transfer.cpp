// Transfers and persistent transfers: an Execution with its turn of the tags.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/fnv.h"
#include "comm_state.h"
#include "execution_checks.h"
#include "mpi_errors.h"

namespace allport {
namespace engine {

std::string schedule_text(Schedule const& schedule) {
  auto const& c = schedule.contract();
  auto text = fmt::format(
      "{} '{}' of {} bytes (element {}) to {} ranks, root {}, "
      "segment {}, window {}",
      name(c.what), schedule.algorithm(), c.bytes, c.element, c.ranks, c.root, schedule.cut().segment,
      schedule.cut().window);
  if (!c.blocks) return text;
  std::string lengths;
  for (std::int64_t b = 0; b < c.blocks->entries(); ++b) lengths += fmt::format(" {}", c.blocks->bytes(b));
  return text + fmt::format(", blocks of{}", lengths.size() < 60 ? lengths : fmt::format(" {:016x}", fnv1a(lengths)));
}

namespace {

/// This rank's.
Program program_of(Schedule const& schedule, CommState const& comm, Buffers buffers, bool can_combine) {
  auto program = schedule.program(comm.position_of(comm.rank));
  auto const bytes = [](auto const& buffer) { return static_cast<std::int64_t>(buffer.size()); };
  ensure_runnable(comm, program, {bytes(buffers.input), bytes(buffers.output)}, can_combine);
  return program;
}

/// All messages are posted at once and matched by their order under one tag.
std::int64_t messages_of(Program const& program) { return program.ops.empty() ? 1 : program.ops.front().segments(); }

}  // namespace

TransferState::TransferState(std::shared_ptr<CommState> comm_, Schedule schedule_, Buffers buffers, Combine combine)
    : comm(std::move(comm_)),
      schedule(std::make_unique<Schedule>(std::move(schedule_))),
      execution(*comm, program_of(*schedule, *comm, buffers, static_cast<bool>(combine)), buffers, combine,
                schedule->cut().window) {}

TransferState::TransferState(std::shared_ptr<CommState> comm_, Program program, Buffers buffers, int tag_)
    : comm(std::move(comm_)), tag(tag_), execution(*comm, program, buffers, {}, messages_of(program)) {}

TransferState::TransferState(std::shared_ptr<CommState> comm_)
    : comm(std::move(comm_)), execution(*comm, {}, {}, {}, 1) {}

TransferState::~TransferState() {
  // Another thread may still be handling the last segment.
  EngineGuard const hold(comm->lock());
  if (execution.active()) execution.abandon(nullptr);
  if (lasting_turn >= 0) comm->lasting_turns.give_back(lasting_turn);
}

void TransferState::start(Tags tags, std::shared_ptr<StartCheck> check) {
  comm->ensure_alive();
  ensure(!execution.active(), "start", "a transfer in flight", "a transfer that is done", "wait() first");
  if (staging) staging->bring();
  execution.start(tags, std::move(check));
  if (!execution.active()) execution.rethrow_if_failed();
  comm->engine->progress();
}

bool TransferState::test() {
  if (execution.active()) {
    EngineGuard const hold(comm->lock());
    comm->engine->progress();
  }
  if (execution.active()) return false;
  arrived();
  return true;
}

void TransferState::wait(FunctionRef<void()> pause) {
  if (execution.active()) {
    EngineGuard const hold(comm->lock());
    auto const done = [this] { return !execution.active(); };
    auto const what = [this] { return text(); };
    comm->engine->wait_until(done, what, comm->context.mpi, pause);
  }
  arrived();
}

void TransferState::wait_for_data() {
  if (execution.active()) {
    EngineGuard const hold(comm->lock());
    auto const done = [this] { return execution.has_data(); };
    auto const what = [this] { return text(); };
    comm->engine->wait_until(done, what, comm->context.mpi);
    if (execution.active()) {
      if (staging) staging->give();
      return;
    }
  }
  arrived();
}

void TransferState::arrived() {
  execution.rethrow_if_failed();
  if (staging) staging->give();
}

std::string TransferState::text() const {
  if (!schedule) return fmt::format("{}; a message with tag {}", execution.waits_for(), tag);
  return fmt::format("{}; {}", execution.waits_for(), schedule_text(*schedule));
}

void TransferState::settle() noexcept {
  if (!execution.active()) {
    if (staging && !execution.failed()) staging->give();
    return;
  }
  try {
    EngineGuard const hold(comm->lock());
    if (std::uncaught_exceptions() > 0 || !comm->engine->alive() || !mpi_is_up()) {
      execution.abandon(nullptr);
    } else {
      wait();
    }
  } catch (std::exception const& e) {
    fmt::print(stderr, "allport: a transfer that nobody waited for failed: {}\n", e.what());
  }
}

TurnState::TurnState(std::shared_ptr<CommState> comm_, bool lasts) : comm(std::move(comm_)) {
  if (lasts) {
    lasting = comm->take_lasting_turn();
  } else {
    number = comm->turns.take();
  }
}

TurnState::~TurnState() {
  if (latest) latest->settle();
  EngineGuard const hold(comm->lock());
  if (lasting >= 0) comm->lasting_turns.give_back(lasting);
  if (number >= 0) comm->turns.give_back(number);
}

}  // namespace engine

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

bool Transfer::test() { return !state_ || state_->test(); }

void Transfer::wait() {
  if (state_) state_->wait();
}

void Transfer::wait(std::function<void()> const& pause) {
  if (state_) state_->wait(pause);
}

void Transfer::wait_for_data() {
  if (state_) state_->wait_for_data();
}

bool Transfer::active() const { return state_ && state_->execution.active(); }

Transfer Persistent::start() {
  EngineGuard const hold(state_->comm->lock());
  state_->start({.first = state_->lasting_tag()});
  return Transfer(state_);
}

}  // namespace allport
