#include "execution_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "comm_state.h"
#include "mpi_errors.h"

namespace allport::detail {
namespace {

constexpr std::array<char const*, 4> kinds{"receive", "send", "combine", "copy"};

[[noreturn]] void broken(std::int32_t op, Op const& what, std::string const& why) {
  throw Error(ErrorKind::schedule,
              fmt::format("operation {} ({}) {}", op, kinds[static_cast<std::size_t>(what.kind)], why));
}

void check_slot(Program const& program, Room room, std::int32_t op, Slot const& slot, char const* role) {
  auto const& what = program.ops[static_cast<std::size_t>(op)];
  auto const n = what.segments();
  std::int64_t bytes = program.scratch;
  if (slot.buffer == Buffer::none) broken(op, what, fmt::format("has no buffer in `{}`", role));
  if (slot.buffer == Buffer::input) {
    if (&slot == &what.into) broken(op, what, "writes the caller's input");
    bytes = room.input;
  } else if (slot.buffer == Buffer::output) {
    bytes = room.output;
  }
  bool const whole_ring = slot.ring > 0 && slot.ring < n;
  auto const end = slot.offset + (whole_ring ? slot.ring * what.segment : what.length);
  if (slot.offset < 0 || slot.ring < 0 || end > bytes) {
    broken(op, what, fmt::format("reaches bytes [{}, {}) in `{}`, where {} are", slot.offset, end, role, bytes));
  }
}

}  // namespace

void check_program(CommState const& comm, Program const& program, Room room, bool can_combine) {
  auto const count = static_cast<std::int32_t>(program.ops.size());
  if (program.scratch < 0) {
    throw Error(ErrorKind::schedule, fmt::format("the program asks for {} bytes of scratch", program.scratch));
  }
  for (std::int32_t i = 0; i < count; ++i) {
    auto const& op = program.ops[static_cast<std::size_t>(i)];
    if (op.length <= 0 || op.segment <= 0) {
      broken(i, op, fmt::format("has length {} in segments of {} bytes", op.length, op.segment));
    }
    for (auto const& d : op.after) {
      if (d.op < 0 || d.op >= count) broken(i, op, fmt::format("waits for operation {}, absent", d.op));
      auto const other = program.ops[static_cast<std::size_t>(d.op)].segments();
      if (d.lag != Dependence::whole && (d.lag < 0 || other != op.segments())) {
        broken(i, op,
               fmt::format("follows operation {} with lag {}, but has {} "
                           "segments against {}",
                           d.op, d.lag, op.segments(), other));
      }
    }
    bool const talks = op.kind == OpKind::receive || op.kind == OpKind::send;
    if (talks && (op.peer < 0 || op.peer >= comm.size)) {
      broken(i, op, fmt::format("talks with rank {} of {}", op.peer, comm.size));
    }
    if (talks && (op.channel < 0 || op.channel >= comm.tags.channels)) {
      throw Error(ErrorKind::unsupported, fmt::format("operation {} uses channel {}, but the tags of this MPI library "
                                                      "leave room for {} channels",
                                                      i, op.channel, comm.tags.channels));
    }
    if (talks && std::min(op.length, op.segment) > std::numeric_limits<int>::max()) {
      broken(i, op, fmt::format("has segments of {} bytes, more than one MPI message may have", op.segment));
    }
    if (op.kind == OpKind::combine && !can_combine) {
      throw Error::argument("combine", "none", fmt::format("an operator, for operation {} combines", i));
    }
    if (op.kind != OpKind::receive) check_slot(program, room, i, op.from, "from");
    if (op.kind == OpKind::combine) check_slot(program, room, i, op.with, "with");
    if (op.kind != OpKind::send) check_slot(program, room, i, op.into, "into");
  }
}

void check_arrival(CommState const& comm, Op const& op, Finished const& f) {
  int error_class = MPI_SUCCESS;
  if (f.error != MPI_SUCCESS) MPI_Error_class(f.error, &error_class);
  bool const taken = op.kind == OpKind::receive;
  if (error_class == MPI_ERR_TRUNCATE) {
    throw Error(ErrorKind::mismatch, fmt::format("rank {} expected {}, but more bytes arrived: the two ranks do not "
                                                 "run the same schedule",
                                                 comm.rank, segment_text(comm, op, f.what)));
  }
  check(f.error, taken ? "MPI_Irecv" : "MPI_Isend", comm.rank, comm.rank_at(op.peer));
  if (taken && f.bytes != op.segment_bytes(f.what.segment)) {
    throw Error(ErrorKind::mismatch, fmt::format("rank {} expected {}, but {} bytes arrived: the "
                                                 "two ranks do not run "
                                                 "the same schedule",
                                                 comm.rank, segment_text(comm, op, f.what), f.bytes));
  }
}

std::string segment_text(CommState const& comm, Op const& what, InFlight const& which) {
  auto const segment = which.segment;
  auto text = fmt::format("segment {} of {}", segment + 1, what.segments());
  bool const taken = what.kind == OpKind::receive;
  if (!taken && what.kind != OpKind::send) return text + fmt::format(" of operation {}", which.op);
  return text + fmt::format(" of channel {}, {} bytes, {} {}", what.channel, what.segment_bytes(segment),
                            taken ? "from" : "to", comm.rank_text(comm.rank_at(what.peer)));
}

std::string Execution::waits_for() const {
  if (check_) return "all ranks to say which schedule they start (ALLPORT_CHECK)";
  if (tag_ < 0) return fmt::format("an earlier start, as {} are in flight at once", comm_.tags.sequences);
  for (auto const kind : {OpKind::receive, OpKind::send}) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (program_.ops[i].kind == kind && ops_[i].posted > ops_[i].completed) {
        return segment_text(comm_, program_.ops[i], {nullptr, static_cast<std::int32_t>(i), ops_[i].completed});
      }
    }
  }
  return "nothing that is in flight (a dependence that no message will fulfil)";
}

}  // namespace allport::detail
