#include "operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace allport::verify {
namespace {

constexpr std::int64_t most_segments = std::numeric_limits<std::int32_t>::max();

std::string_view verb(OpKind kind) {
  constexpr std::array<std::string_view, 4> verbs{"receive", "send", "combine", "copy"};
  return verbs[static_cast<std::size_t>(kind)];
}

std::string_view name(Buffer buffer) {
  constexpr std::array<std::string_view, 4> names{"no buffer", "input", "output", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

}  // namespace

std::vector<bool> const& Operations::check(Rank rank, Program const& program) {
  broken_.assign(program.ops.size(), false);
  if (program.scratch < 0) {
    findings_.add({Kind::program, 0, 0, rank, -1}, [&] {
      return Finding{{}, -1, -1, -1, {}, fmt::format("rank {} asks for {} bytes of scratch", rank, program.scratch)};
    });
  }
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    if (auto const complaint = fatal(rank, program, op); !complaint.empty()) {
      broken_[i] = true;
      report(rank, i, op, complaint);
    } else if (auto const odd = unaligned(op); !odd.empty()) {
      report(rank, i, op, odd);
    }
  }
  return broken_;
}

std::string Operations::fatal(Rank rank, Program const& program, Op const& op) const {
  if (op.length <= 0) return fmt::format("has length {}", op.length);
  if (op.segment <= 0) return fmt::format("has segments of {} bytes", op.segment);
  if (op.segments() > most_segments) return fmt::format("has {} segments", op.segments());
  if (op.kind == OpKind::send || op.kind == OpKind::receive) {
    if (op.peer < 0 || op.peer >= space_.contract().ranks) {
      return fmt::format("has peer {}, but ranks are 0..{}", op.peer, space_.contract().ranks - 1);
    }
    if (op.peer == rank) return "has itself as peer";
  }
  if (auto bad = bad_piece(op); !bad.empty()) return bad;
  if (auto bad = bad_slot(rank, program, op); !bad.empty()) return bad;
  return bad_dependence(program, op);
}

std::string Operations::bad_piece(Op const& op) const {
  auto const& [sources, destinations, bytes, combined] = op.piece;
  auto const& c = space_.contract();
  for (auto const corner : {sources.lo, sources.hi, destinations.lo, destinations.hi}) {
    if (corner < 0 || corner >= c.ranks) return fmt::format("names rank {} in its piece", corner);
  }
  auto const longest = c.what == Collective::barrier ? std::int64_t{1} : c.bytes;  // a barrier's messages are tokens
  if (bytes.begin < 0 || bytes.begin >= bytes.end || bytes.end > longest) {
    return fmt::format("carries bytes [{}, {}), but there are {}", bytes.begin, bytes.end, longest);
  }
  if (combined && !space_.reduces()) return "carries combined data, but nothing is reduced here";
  if (op.kind == OpKind::combine && !combined) return "combines data that its piece does not call combined";
  if (auto const length = space_.length(op.piece); length != op.length) {
    return fmt::format("has length {}, but its piece has {} bytes in {} blocks", op.length, length,
                       space_.blocks(op.piece));
  }
  return {};
}

std::string Operations::bad_slot(Rank rank, Program const& program, Op const& op) const {
  auto const& c = space_.contract();
  auto const check = [&](Slot const& slot, bool write) -> std::string {
    if (slot.buffer == Buffer::none) return write ? "writes nowhere" : "reads nothing";
    if (write && slot.buffer == Buffer::input) return "writes the caller's input";
    auto const size = slot.buffer == Buffer::input    ? c.input_bytes(rank)
                      : slot.buffer == Buffer::output ? c.output_bytes(rank)
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

std::string Operations::bad_dependence(Program const& program, Op const& op) const {
  auto const count = static_cast<std::int32_t>(program.ops.size());
  for (auto const& d : op.after) {
    if (d.op < 0 || d.op >= count) return fmt::format("waits for operation {} of {}", d.op, count);
    if (d.lag == Dependence::whole) continue;
    if (d.lag < 0) return fmt::format("waits for operation {} with lag {}", d.op, d.lag);
    auto const& other = program.ops[static_cast<std::size_t>(d.op)];
    if (other.segment <= 0 || other.segments() != op.segments()) {
      return fmt::format("follows operation {} segment by segment, but has {} of them against {}", d.op, op.segments(),
                         other.segment <= 0 ? 0 : other.segments());
    }
  }
  return {};
}

// Data that are combined come in whole elements.
std::string Operations::unaligned(Op const& op) const {
  auto const element = space_.contract().element;
  if (!op.piece.combined || element == 1) return {};
  auto const cut = [&](std::int64_t x, std::string_view what) {
    return x % element == 0 ? std::string() : fmt::format("cuts elements of {} bytes: its {} is {}", element, what, x);
  };
  if (auto bad = cut(op.piece.bytes.begin, "interval's begin"); !bad.empty()) return bad;
  if (auto bad = cut(op.piece.bytes.end, "interval's end"); !bad.empty()) return bad;
  if (op.segments() > 1) {
    if (auto bad = cut(op.segment, "segment"); !bad.empty()) return bad;
  }
  if (op.kind != OpKind::combine) return {};
  for (auto const* slot : {&op.with, &op.from, &op.into}) {
    if (auto bad = cut(slot->offset, "slot's offset"); !bad.empty()) return bad;
  }
  return {};
}

void Operations::report(Rank rank, std::size_t index, Op const& op, std::string const& complaint) {
  findings_.add({Kind::program, 0, 0, rank, static_cast<std::int32_t>(index)}, [&] {
    auto who = fmt::format("rank {}'s operation {} ({}", rank, index, verb(op.kind));
    if (op.kind == OpKind::send) who += fmt::format(" to {} on channel {}", op.peer, op.channel);
    if (op.kind == OpKind::receive) who += fmt::format(" from {} on channel {}", op.peer, op.channel);
    return Finding{{}, -1, -1, -1, {}, fmt::format("{}) {}", who, complaint)};
  });
}

}  // namespace allport::verify
