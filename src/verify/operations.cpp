#include "operations.h"

#include <fmt/format.h>

#include <string>

#include "allport/schedule/linked.h"

namespace allport::verify {

std::vector<bool> const& Operations::check(Rank rank, Program const& program) {
  broken_.assign(program.ops.size(), false);
  if (program.scratch < 0) {
    findings_.add({Kind::program, 0, 0, rank, -1}, [&] {
      return Finding{{}, -1, -1, -1, {}, fmt::format("rank {} asks for {} bytes of scratch", rank, program.scratch)};
    });
  }
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    if (auto const complaint = fatal(rank, program, i); !complaint.empty()) {
      broken_[i] = true;
      report(rank, i, op, complaint);
    } else if (auto const odd = unaligned(op); !odd.empty()) {
      report(rank, i, op, odd);
    }
  }
  return broken_;
}

std::string Operations::fatal(Rank rank, Program const& program, std::size_t index) const {
  auto const& contract = space_.contract();
  if (auto bad = fault_of(program, index, rank, contract.ranks, extents(contract, rank)); !bad.empty()) return bad;
  return bad_piece(program.ops[index]);
}

std::string Operations::bad_piece(Op const& op) const {
  auto const& [sources, destinations, bytes, combined] = op.piece;
  auto const& c = space_.contract();
  for (auto const corner : {sources.lo, sources.hi, destinations.lo, destinations.hi}) {
    if (corner < 0 || corner >= c.ranks) return fmt::format("names rank {} in its piece", corner);
  }
  auto const longest = c.what == Collective::barrier ? std::int64_t{1} : c.bytes;  // a barrier sends tokens
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

// Combined data must consist of whole elements.
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
    return Finding{{}, -1, -1,
                   -1, {}, fmt::format("rank {}'s operation {} ({}) {}", rank, index, describe(op), complaint)};
  });
}

}  // namespace allport::verify
