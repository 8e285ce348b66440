#include "execution_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "comm_state.h"
#include "mpi_errors.h"

namespace allport::engine {
namespace {

[[noreturn]] void cannot_run(std::size_t op, Op const& what, std::string const& why) {
  throw Error(ErrorKind::unsupported, fmt::format("operation {} ({}) {}", op, describe(what), why));
}

}  // namespace

void ensure_runnable(CommState const& comm, Program const& program, Extents extents, bool can_combine) {
  check_program(program, comm.position_of(comm.rank), comm.size, extents);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    bool const is_message = op.kind == OpKind::receive || op.kind == OpKind::send;
    if (is_message && op.channel >= comm.tags.channels) {
      cannot_run(
          i, op,
          fmt::format("needs more channels than the {} that the tags of this MPI library allow", comm.tags.channels));
    }
    if (is_message && std::min(op.length, op.segment) > std::numeric_limits<int>::max()) {
      cannot_run(i, op, fmt::format("has segments of {} bytes, more than one MPI message may have", op.segment));
    }
    if (op.kind == OpKind::combine && !can_combine) {
      throw Error::argument("combine", "none", fmt::format("an operator, for operation {} combines", i));
    }
  }
}

void check_arrival(CommState const& comm, Op const& op, Finished const& f) {
  int error_class = MPI_SUCCESS;
  if (f.error != MPI_SUCCESS) MPI_Error_class(f.error, &error_class);
  bool const taken = op.kind == OpKind::receive;
  auto const mismatch = [&](std::string const& arrived) {
    throw Error(
        ErrorKind::mismatch,
        fmt::format("rank {} expected {}, but {} arrived: the two ranks do not run the same schedule; pass as many "
                    "elements, and the same arguments, on all ranks (ALLPORT_CHECK=1 names those that differ)",
                    comm.rank, segment_text(comm, op, f.what), arrived));
  };
  if (error_class == MPI_ERR_TRUNCATE) mismatch("more bytes");
  check(f.error, taken ? "MPI_Irecv" : "MPI_Isend", comm.rank, comm.rank_at(op.peer));
  if (taken && f.bytes != op.segment_bytes(f.what.segment)) mismatch(fmt::format("{} bytes", f.bytes));
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
  if (check_) return "all ranks to report which schedule they start (ALLPORT_CHECK)";
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

}  // namespace allport::engine
