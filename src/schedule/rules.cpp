#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "allport/schedule/linked.h"

namespace allport {
namespace {

constexpr std::int64_t most_segments = std::numeric_limits<std::int32_t>::max();

std::string bad_stream(Op const& op, Rank rank, Rank ranks) {
  if (op.length <= 0) return fmt::format("has length {}", op.length);
  if (op.segment <= 0) return fmt::format("has segments of {} bytes", op.segment);
  if (op.segments() > most_segments) return fmt::format("has {} segments", op.segments());
  if (op.kind != OpKind::send && op.kind != OpKind::receive) return {};
  if (op.peer < 0 || op.peer >= ranks) return fmt::format("has peer {}, but ranks are 0..{}", op.peer, ranks - 1);
  if (op.peer == rank) return "has itself as peer";
  if (op.channel < 0) return fmt::format("has channel {}", op.channel);
  return {};
}

std::string bad_slot(Program const& program, Op const& op, Extents extents) {
  auto const check = [&](Slot const& slot, bool write) -> std::string {
    if (slot.buffer == Buffer::none) return write ? "writes nowhere" : "reads nothing";
    if (write && slot.buffer == Buffer::input) return "writes the caller's input";
    auto const size = slot.buffer == Buffer::input    ? extents.input
                      : slot.buffer == Buffer::output ? extents.output
                                                      : program.scratch;
    if (slot.ring < 0) return fmt::format("has a ring of {} segments", slot.ring);
    // The slots of a ring hold whole segments, but for a stream of one.
    auto const used =
        slot.ring > 0 ? std::min(std::min<std::int64_t>(slot.ring, op.segments()) * op.segment, op.length) : op.length;
    if (slot.offset < 0 || slot.offset > size - used) {
      return fmt::format("touches bytes [{}, {}) of {}, which has {}", slot.offset, slot.offset + used,
                         name(slot.buffer), size);
    }
    return {};
  };
  auto const reads = op.kind != OpKind::receive ? check(op.from, false) : std::string();
  if (!reads.empty()) return reads;
  if (op.kind == OpKind::combine) {
    if (auto bad = check(op.with, false); !bad.empty()) return bad;
  }
  return op.kind != OpKind::send ? check(op.into, true) : std::string();
}

std::string bad_dependence(Program const& program, Op const& op) {
  auto const count = static_cast<std::int32_t>(program.ops.size());
  for (auto const& d : op.after) {
    if (d.op < 0 || d.op >= count) return fmt::format("waits for operation {} of {}", d.op, count);
    if (d.lag == Dependence::whole) continue;
    if (d.lag < 0) return fmt::format("waits for operation {} with lag {}", d.op, d.lag);
    auto const& other = program.ops[static_cast<std::size_t>(d.op)];
    auto const segments = other.segment <= 0 ? 0 : other.segments();
    if (segments != op.segments()) {
      return fmt::format("follows operation {} segment by segment, but has {} of them against {}", d.op, op.segments(),
                         segments);
    }
  }
  return {};
}

}  // namespace

Extents extents(Contract const& contract, Rank rank) {
  return {contract.input_bytes(rank), contract.output_bytes(rank)};
}

std::string fault_of(Program const& program, std::size_t index, Rank rank, Rank ranks, Extents extents) {
  auto const& op = program.ops[index];
  if (auto bad = bad_stream(op, rank, ranks); !bad.empty()) return bad;
  if (auto bad = bad_slot(program, op, extents); !bad.empty()) return bad;
  return bad_dependence(program, op);
}

void check_program(Program const& program, Rank rank, Rank ranks, Extents extents) {
  if (program.scratch < 0) {
    throw Error(ErrorKind::schedule, fmt::format("rank {} asks for {} bytes of scratch", rank, program.scratch));
  }
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (auto const bad = fault_of(program, i, rank, ranks, extents); !bad.empty()) {
      throw Error(ErrorKind::schedule,
                  fmt::format("rank {}'s operation {} ({}) {}", rank, i, describe(program.ops[i]), bad));
    }
  }
}

}  // namespace allport
