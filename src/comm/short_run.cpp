#include "short_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "comm_state.h"
#include "execution_checks.h"
#include "mpi_errors.h"
#include "short_wait.h"

namespace allport::engine {
namespace {

bool is_short(Program const& program) {
  return program.ops.size() <= ShortRun::most_operations && std::ranges::all_of(program.ops, [](Op const& op) {
           return op.segments() == 1 && op.length <= ShortRun::most_bytes &&
                  std::ranges::all_of(op.after, [](Dependence const& d) { return d.lag <= 0; });
         });
}

}  // namespace

std::unique_ptr<ShortRun> ShortRun::of(CommState& comm, Program program, Extents extents) {
  if (!is_short(program)) return nullptr;
  ensure_runnable(comm, program, extents, true);
  return std::unique_ptr<ShortRun>(new ShortRun(comm, std::move(program)));
}

ShortRun::ShortRun(CommState& comm, Program program)
    : ProgramRun(comm, std::move(program)), after_(program_.ops.size()) {
  LinkedProgram const linked(program_);  // of one segment each: to wait for one is to wait for all of it
  for (OpId i = 0; i < linked.size(); ++i) {
    all_ |= bit(i);
    for (auto const& need : linked.needs(i)) after_[i] |= bit(need.op);
  }
  allocate_scratch();
}

void ShortRun::run(int tag, Buffers buffers, Combine const& combine, FunctionRef<void()> pause) {
  tag_ = tag;
  buffers_ = buffers;
  combine_ = &combine;
  started_ = done_ = 0;
  outstanding_ = 0;
  auto& engine = *comm_.engine;
  engine.ensure_no_operator();
  try {
    go();
    auto const move = [this] {
      bool const moved = poll();
      if (moved) go();
      return moved;
    };
    wait_actively(
        engine, [this] { return done_ == all_; }, move, [this] { return waits_for(); }, comm_.context.mpi, pause);
  } catch (...) {
    abandon();
    throw;
  }
}

void ShortRun::go() {
  for (bool again = true; again;) {
    again = false;
    for (auto waiting = all_ & ~started_; waiting != 0; waiting &= waiting - 1) {
      auto const op = static_cast<std::size_t>(std::countr_zero(waiting));
      if ((after_[op] & ~done_) != 0) continue;
      start(op);
      again = again || (done_ & bit(op)) != 0;  // computed: others may wait for it
    }
  }
}

void ShortRun::start(std::size_t op) {
  auto const& what = program_.ops[op];
  started_ |= bit(op);
  if (what.kind == OpKind::combine || what.kind == OpKind::copy) {
    compute(what, 0);
    done_ |= bit(op);
    return;
  }
  start_message(what, 0, tag_, requests_[static_cast<std::size_t>(outstanding_)]);
  owners_[static_cast<std::size_t>(outstanding_++)] = static_cast<std::uint8_t>(op);
}

bool ShortRun::poll() {
  if (outstanding_ == 0) return false;
  // One after the other from the back, so that the last entry fills the hole: each look moves all of MPI along.
  bool any = false;
  for (int i = outstanding_ - 1; i >= 0; --i) {
    int flag = 0;
    MPI_Status status{};
    auto const code = test(requests_[static_cast<std::size_t>(i)], flag, status);
    if (code == MPI_SUCCESS && flag == 0) continue;
    any = true;
    completed(static_cast<std::size_t>(i), status, code);
  }
  return any;
}

void ShortRun::completed(std::size_t place, MPI_Status const& status, int code) {
  auto const op = static_cast<std::size_t>(owners_[place]);
  auto const last = static_cast<std::size_t>(--outstanding_);
  requests_[place] = requests_[last];
  owners_[place] = owners_[last];
  Finished ended{{nullptr, static_cast<std::int32_t>(op), 0}, code, 0};
  if (code == MPI_SUCCESS && receives_op(ended.what.op)) MPI_Get_count(&status, MPI_BYTE, &ended.bytes);
  end_message(ended);
  done_ |= bit(op);
}

void ShortRun::abandon() noexcept {
  while (outstanding_ > 0) {
    auto const i = static_cast<std::size_t>(--outstanding_);
    if (requests_[i] != MPI_REQUEST_NULL && mpi_is_up()) let_go(requests_[i], receives_op(owners_[i]));
  }
}

std::string ShortRun::waits_for() const {
  for (auto waiting = all_ & ~done_; waiting != 0; waiting &= waiting - 1) {
    auto const op = std::countr_zero(waiting);
    auto const& what = program_.ops[static_cast<std::size_t>(op)];
    if (what.kind == OpKind::receive || what.kind == OpKind::send) return segment_text(comm_, what, {nullptr, op, 0});
  }
  return "nothing";
}

}  // namespace allport::engine
