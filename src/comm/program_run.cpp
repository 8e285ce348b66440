#include "program_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm_state.h"
#include "execution_checks.h"

namespace allport::engine {
namespace {

/// As Op::segment_bytes(), without its division: short messages are counted in nanoseconds.
std::int64_t bytes_of(Op const& what, std::int64_t segment) {
  return std::min(what.segment, what.length - segment * what.segment);
}

}  // namespace

ProgramRun::ProgramRun(CommState& comm, Program program) : comm_(comm), program_(std::move(program)) {}

void ProgramRun::allocate_scratch() {
  if (scratch_ || program_.scratch == 0) return;
  scratch_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(program_.scratch));
}

void ProgramRun::start_message(Op const& what, std::int64_t segment, int tag, MPI_Request& request) const {
  auto const bytes = bytes_of(what, segment);
  auto const peer = comm_.rank_at(what.peer);
  tag += what.channel;
  if (what.kind == OpKind::receive) return comm_.receive(place(what.into, what, segment), bytes, peer, tag, request);
  comm_.send(place(what.from, what, segment), bytes, peer, tag, request);
  auto& counted = comm_.engine->counted;
  ++counted.messages_sent;
  counted.bytes_sent += bytes;
}

void ProgramRun::end_message(Finished const& f) const {
  check_arrival(comm_, operation(f.what.op), f);
  if (!receives_op(f.what.op)) return;
  auto& counted = comm_.engine->counted;
  ++counted.messages_received;
  counted.bytes_received += f.bytes;
}

void ProgramRun::compute(Op const& what, std::int64_t segment) const {
  auto const bytes = bytes_of(what, segment);
  auto* const into = place(what.into, what, segment);
  auto const* const from = place(what.from, what, segment);
  if (what.kind == OpKind::copy) {
    std::memmove(into, from, static_cast<std::size_t>(bytes));
  } else {
    (*combine_)(place(what.with, what, segment), from, into, bytes);
  }
}

std::byte* ProgramRun::place(Slot const& slot, Op const& what, std::int64_t segment) const {
  auto const at = what.position(slot, segment);
  switch (slot.buffer) {
    case Buffer::input:  // never written: ensure_runnable
      return const_cast<std::byte*>(buffers_.input.data()) + at;
    case Buffer::output:
      return buffers_.output.data() + at;
    default:
      return scratch_.get() + at;
  }
}

}  // namespace allport::engine
