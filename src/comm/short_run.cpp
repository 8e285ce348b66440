#include "short_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "comm_state.h"
#include "execution_checks.h"

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
    : ProgramRun(comm, std::move(program)), after_(program_.ops.size()), pending_(program_.ops.size()) {
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
  auto& engine = *comm_.engine;
  engine.ensure_no_operator();
  try {
    go();
    wait_actively(
        engine, [this] { return done_ == all_; }, [this] { return poll(); }, [this] { return waits_for(); },
        comm_.context.mpi, pause);
  } catch (...) {
    pending_.abandon([this](std::size_t op) { return receives_op(static_cast<std::int64_t>(op)); });
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
  start_message(what, 0, tag_, pending_.add(op));
}

bool ShortRun::poll() {
  bool const any = pending_.poll([this](std::size_t op, MPI_Status const& status, int code) {
    Finished ended{{nullptr, static_cast<std::int32_t>(op), 0}, code, 0};
    if (code == MPI_SUCCESS && receives_op(ended.what.op)) MPI_Get_count(&status, MPI_BYTE, &ended.bytes);
    end_message(ended);
    done_ |= bit(op);
  });
  if (any) go();
  return any;
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
