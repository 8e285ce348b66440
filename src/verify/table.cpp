#include "table.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::verify {
namespace {

std::uint64_t hash(Piece const& p) {
  auto h = std::uint64_t{p.combined};
  for (auto const x : {std::int64_t{p.sources.lo}, std::int64_t{p.sources.hi}, std::int64_t{p.destinations.lo},
                       std::int64_t{p.destinations.hi}, p.bytes.begin, p.bytes.end}) {
    h = (h ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace

void Table::add(Rank rank, Program const& program, std::vector<bool> const& broken) {
  linked_.add(rank, program, broken);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    Row row;
    row.slots = static_cast<std::uint32_t>(slots_.size());
    if (!broken[i]) {
      row.combined = op.piece.combined;
      row.piece_hash = hash(op.piece);
      if (space_.blocks(op.piece) == 1 && (row.combined || !space_.reduces())) {
        row.expected = space_.address(space_.at(op.piece, 0));
      } else {
        pieces_.push_back(op.piece);
        row.expected = -static_cast<std::int64_t>(pieces_.size());
      }
      if (op.kind != OpKind::receive) slots_.push_back(op.from);
      if (op.kind != OpKind::send) slots_.push_back(op.into);
      if (op.kind == OpKind::combine) slots_.push_back(op.with);
    }
    rows_.push_back(row);
  }
}

void Table::finish(Findings& findings) {
  linked_.link([&](Mismatch const& m) { report(m, findings); });
  for (OpId i = 0; i < size(); ++i) {
    auto const partner = op(i).partner;
    if (op(i).kind != OpKind::send || partner == no_op || rows_[i].piece_hash == rows_[partner].piece_hash) continue;
    report_difference(i, partner, findings);
  }
}

void Table::report(Mismatch const& m, Findings& findings) const {
  switch (m.kind) {
    case Mismatch::Kind::twice:
      return report_twice(m.op, m.other, findings);
    case Mismatch::Kind::unmatched:
      return report_lost(m.op, findings);
    default:
      return report_difference(m.op, m.other, findings);
  }
}

void Table::report_twice(OpId again, OpId first, Findings& findings) const {
  findings.add({Kind::program, 0, 0, op(again).rank, linked_.index(again)}, [&] {
    return Finding{{},
                   -1,
                   -1,
                   0,
                   piece_text(again, 0),
                   fmt::format("{} is not the only one: operation {} has the same peer and channel",
                               linked_.text(again), linked_.index(first))};
  });
}

void Table::report_difference(OpId send, OpId receive, Findings& findings) const {
  auto const& s = op(send);
  auto const& r = op(receive);
  findings.add({Kind::mismatch, 0, 0, r.rank, linked_.index(receive)}, [&] {
    std::string difference;
    if (s.length != r.length) {
      difference = fmt::format("{} bytes against {}", s.length, r.length);
    } else if (s.segment != r.segment) {
      difference = fmt::format("segments of {} bytes against {}", s.segment, r.segment);
    } else {
      auto const sent = space_.text(whole_op(send).piece);
      auto const taken = space_.text(whole_op(receive).piece);
      difference = fmt::format("{} against {}{}", sent, taken, sent == taken ? " (other boxes)" : "");
    }
    return Finding{{},
                   -1,
                   -1,
                   0,
                   piece_text(receive, 0),
                   fmt::format("{} does not match {}: {}", linked_.text(send), linked_.text(receive), difference)};
  });
}

// Reports a stream with one end only. The message names an unmatched end that was probably meant.
void Table::report_lost(OpId lost, Findings& findings) const {
  auto const& row = op(lost);
  auto const alike = [&](OpId i) { return rows_[i].piece_hash == rows_[lost].piece_hash; };
  findings.add({Kind::unmatched, 0, row.kind == OpKind::send, row.rank, linked_.index(lost)}, [&] {
    auto const wanted = row.kind == OpKind::receive ? OpKind::send : OpKind::receive;
    auto meant = no_op;
    for (auto i = linked_.first(row.peer); i < linked_.first(row.peer + 1); ++i) {
      auto const& other = op(i);
      if (other.kind != wanted || other.partner != no_op || other.segments == 0) continue;
      if (meant == no_op || alike(i)) meant = i;
    }
    std::string text;
    if (row.kind == OpKind::receive) {
      auto const sentence = fmt::format("rank {} never receives {}", row.rank, piece_text(lost, 0));
      text = meant == no_op
                 ? fmt::format("{}: rank {} sends it nothing on channel {}", sentence, row.peer, row.channel)
                 : fmt::format("{}: its parent {} sends {} on channel {} to rank {}", sentence, row.peer,
                               alike(meant) ? "them" : piece_text(meant, 0), op(meant).channel, op(meant).peer);
    } else {
      auto const sentence = fmt::format("rank {} sends {} on channel {} to rank {}", row.rank, piece_text(lost, 0),
                                        row.channel, row.peer);
      text = meant == no_op ? sentence + ", which never receives them"
                            : fmt::format("{}, which expects {} on channel {} from rank {}", sentence,
                                          piece_text(meant, 0), op(meant).channel, op(meant).peer);
    }
    return Finding{{}, -1, -1, 0, piece_text(lost, 0), text + " (segment 0)"};
  });
}

Op Table::whole_op(OpId i) const {
  return schedule_.program(op(i).rank).ops[static_cast<std::size_t>(linked_.index(i))];
}

std::string Table::piece_text(OpId i, std::int64_t segment) const {
  auto const op = whole_op(i);
  return space_.text(op.piece, segment * op.segment, segment * op.segment + op.segment_bytes(segment));
}

void Table::rewind() {
  for (auto& row : rows_) {
    row.done = 0;
    row.depth = 0;
    row.clock = 0;
    row.queued = false;
  }
}

}  // namespace allport::verify
