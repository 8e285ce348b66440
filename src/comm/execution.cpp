#include "execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "comm_state.h"
#include "mpi_errors.h"

namespace allport::engine {

Execution::Execution(CommState& comm, Program program, Buffers buffers, Combine combine, std::int64_t window)
    : ProgramRun(comm, std::move(program)),
      engine_(*comm.engine),
      linked_(program_),
      own_combine_(std::move(combine)),
      window_(window),
      ops_(program_.ops.size()),
      landed_(program_.ops.size() * index(window)),
      ready_(program_.ops.size()) {
  buffers_ = buffers;
  combine_ = &own_combine_;
}

Execution::~Execution() {
  if (active()) abandon(nullptr);
}

void Execution::start(Tags tags, std::shared_ptr<StartCheck> check) {
  tag_ = -1;
  tags_ = tags;
  error_ = nullptr;
  ready_first_ = ready_count_ = 0;
  ops_left_ = static_cast<std::int64_t>(ops_.size());
  writes_left_ = std::ranges::count_if(program_.ops, [](Op const& op) { return op.kind != OpKind::send; });
  std::ranges::fill(ops_, OpProgress{});
  std::ranges::fill(landed_, std::uint8_t{0});
  active_.store(true, std::memory_order_relaxed);
  if (!check) return go_in_turn();
  check_ = std::move(check);
  try {
    engine_.post(check_->start(), {this, agreement, 0});
  } catch (...) {
    abandon(std::current_exception());
  }
}

void Execution::go_in_turn() {
  if (tags_.turn < 0) return go(tags_.first);
  if (!comm_.turns.is_on(tags_.turn)) return comm_.turns.hold_back(tags_.turn, *this);
  go(comm_.turns.first_tag(tags_.turn));
}

void Execution::go(int tag) {
  tag_ = tag;
  if (ops_left_ == 0) return end();
  // Receives first, so that they are posted before their messages arrive.
  try {
    comm_.ensure_alive();
    allocate_scratch();
    for (auto const kind : {OpKind::receive, OpKind::send, OpKind::combine, OpKind::copy}) {
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        if (program_.ops[i].kind == kind) advance(static_cast<std::int32_t>(i));
      }
    }
  } catch (...) {
    abandon(std::current_exception());
  }
}

void Execution::end() {
  active_.store(false, std::memory_order_release);
  if (tags_.gives_back) comm_.turns.give_back(tags_.turn);
}

void Execution::abandon(std::exception_ptr why) {
  error_ = std::move(why);
  listed_ = false;
  if (tag_ < 0 && tags_.turn >= 0) comm_.turns.forget(tags_.turn);
  if (mpi_is_up()) engine_.abandon(*this);
  if (check_) engine_.keep(std::move(check_));
  end();
}

bool Execution::may_go(std::int32_t op) const {
  auto const& state = ops_[index(op)];
  auto const id = static_cast<OpId>(op);
  if (state.posted == linked_.op(id).segments || state.posted - state.completed == window_) return false;
  return linked_.ready(id, state.posted, [this](OpId other) { return ops_[other].completed; });
}

void Execution::advance(std::int32_t op) {
  auto const kind = program_.ops[index(op)].kind;
  if (kind == OpKind::receive || kind == OpKind::send) {
    while (may_go(op)) post(op);
  } else if (!ops_[index(op)].queued && may_go(op)) {
    ops_[index(op)].queued = true;
    ready_[(ready_first_ + ready_count_++) % ready_.size()] = op;
    if (!listed_) engine_.compute_later(*this);
    listed_ = true;
  }
}

void Execution::post(std::int32_t op) {
  auto& state = ops_[index(op)];
  auto const i = state.posted;
  MPI_Request request = MPI_REQUEST_NULL;
  start_message(program_.ops[index(op)], i, tag_, request);
  ++state.posted;
  engine_.post(request, {this, op, i});
}

void Execution::finished(Finished const& f) {
  if (!active()) return;  // failed on another request of the same poll
  try {
    if (f.what.op == agreement) {
      check(f.error, "MPI_Iallreduce", comm_.rank);
      auto const passed = std::move(check_);
      passed->ensure_agreement();
      return go_in_turn();
    }
    end_message(f);
    complete(f.what.op, f.what.segment);
  } catch (...) {
    abandon(std::current_exception());
  }
}

void Execution::complete(std::int32_t op, std::int64_t segment) {
  auto& state = ops_[index(op)];
  auto* const landed = landed_.data() + op * window_;
  landed[segment % window_] = 1;
  if (segment != state.completed) return;  // an earlier one is still in flight
  while (state.completed < state.posted && landed[state.completed % window_] != 0) {
    landed[state.completed % window_] = 0;
    ++state.completed;
  }
  if (state.completed == linked_.op(static_cast<OpId>(op)).segments) {
    if (program_.ops[index(op)].kind != OpKind::send) --writes_left_;
    if (--ops_left_ == 0) return end();
  }
  advance(op);
  for (auto const waiting : linked_.wakes(static_cast<OpId>(op))) advance(static_cast<std::int32_t>(waiting));
}

bool Execution::compute_one() {
  auto const op = ready_[ready_first_];
  ready_first_ = (ready_first_ + 1) % ready_.size();
  --ready_count_;
  auto& state = ops_[index(op)];
  auto const i = state.posted++;
  try {
    compute(program_.ops[index(op)], i);
    state.queued = false;
    complete(op, i);
  } catch (...) {
    abandon(std::current_exception());
    return false;
  }
  listed_ = ready_count_ > 0;
  return listed_;
}

}  // namespace allport::engine
