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
  auto const first = static_cast<RowId>(rows_.size());
  first_.push_back(first);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    Row row;
    row.rank = rank;
    row.kind = op.kind;
    row.peer = op.peer;
    row.channel = op.channel;
    row.needs = static_cast<std::uint32_t>(needs_.size());
    row.slots = static_cast<std::uint32_t>(slots_.size());
    row.broken = broken[i];
    if (!broken[i]) {
      row.length = op.length;
      row.segment = op.segment;
      row.segments = static_cast<std::int32_t>(op.segments());
      row.combined = op.piece.combined;
      row.piece_hash = hash(op.piece);
      if (space_.blocks(op.piece) == 1 && (row.combined || !space_.reduces())) {
        row.expected = space_.address(space_.at(op.piece, 0));
      } else {
        pieces_.push_back(op.piece);
        row.expected = -static_cast<std::int64_t>(pieces_.size());
      }
      for (auto const& d : op.after) needs_.push_back({first + static_cast<RowId>(d.op), d.lag});
      if (op.kind != OpKind::receive) slots_.push_back(op.from);
      if (op.kind != OpKind::send) slots_.push_back(op.into);
      if (op.kind == OpKind::combine) slots_.push_back(op.with);
    }
    rows_.push_back(row);
  }
}

void Table::finish(Findings& findings) {
  first_.push_back(static_cast<RowId>(rows_.size()));
  collect_receives(findings);
  for (RowId i = 0; i < rows_.size(); ++i) {
    if (rows_[i].kind == OpKind::send && !rows_[i].broken) join(i, findings);
  }
  for (RowId i = 0; i < rows_.size(); ++i) {
    auto const& row = rows_[i];
    bool const stream = row.kind == OpKind::send || row.kind == OpKind::receive;
    if (stream && row.partner == no_row && !row.broken) report_lost(i, findings);
  }
  reverse_needs();
}

std::span<Table::End const> Table::receives(Rank rank) const {
  auto const r = static_cast<std::size_t>(rank);
  return {receives_.data() + first_receive_[r], receives_.data() + first_receive_[r + 1]};
}

void Table::collect_receives(Findings& findings) {
  constexpr auto by_stream = [](End const& a, End const& b) {
    return std::tuple(a.peer, a.channel, a.row) < std::tuple(b.peer, b.channel, b.row);
  };
  std::vector<End> sends;
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
    first_receive_.push_back(static_cast<std::uint32_t>(receives_.size()));
    sends.clear();
    for (auto i = row(rank, 0); i < first_[static_cast<std::size_t>(rank) + 1]; ++i) {
      if (rows_[i].broken) continue;
      End const end{rows_[i].peer, rows_[i].channel, i};
      if (rows_[i].kind == OpKind::receive) receives_.push_back(end);
      if (rows_[i].kind == OpKind::send) sends.push_back(end);
    }
    auto const begin = receives_.begin() + first_receive_.back();
    std::sort(begin, receives_.end(), by_stream);
    std::sort(sends.begin(), sends.end(), by_stream);
    auto const twice = [&](auto from, auto to) {
      for (; from != to && from + 1 != to; ++from) {
        if (from->peer != (from + 1)->peer || from->channel != (from + 1)->channel) continue;
        auto const again = (from + 1)->row;
        findings.add({Kind::program, 0, 0, rank, index(again)}, [&] {
          return Finding{{},
                         -1,
                         -1,
                         0,
                         piece_text(again, 0),
                         fmt::format("{} is not the only one: operation {} has the same peer and channel", text(again),
                                     index(from->row))};
        });
      }
    };
    twice(begin, receives_.end());
    twice(sends.begin(), sends.end());
  }
  first_receive_.push_back(static_cast<std::uint32_t>(receives_.size()));
}

void Table::join(RowId send, Findings& findings) {
  auto const& s = rows_[send];
  auto const all = receives(s.peer);
  auto const found = std::lower_bound(all.begin(), all.end(), std::pair(s.rank, s.channel),
                                      [](End const& e, auto const& key) { return std::pair(e.peer, e.channel) < key; });
  if (found == all.end() || found->peer != s.rank || found->channel != s.channel) return;
  if (rows_[found->row].partner != no_row) return;  // a second send of this channel, already reported
  compare(send, found->row, findings);
  // A stream whose ends disagree about the cut cannot be executed.
  if (rows_[found->row].length != s.length || rows_[found->row].segment != s.segment) {
    rows_[send].broken = rows_[found->row].broken = true;
    rows_[send].segments = rows_[found->row].segments = 0;
    return;
  }
  rows_[send].partner = found->row;
  rows_[found->row].partner = send;
}

void Table::compare(RowId send, RowId receive, Findings& findings) const {
  auto const& s = rows_[send];
  auto const& r = rows_[receive];
  if (s.length == r.length && s.segment == r.segment && s.piece_hash == r.piece_hash) return;
  findings.add({Kind::mismatch, 0, 0, r.rank, index(receive)}, [&] {
    std::string difference;
    if (s.length != r.length) {
      difference = fmt::format("{} bytes against {}", s.length, r.length);
    } else if (s.segment != r.segment) {
      difference = fmt::format("segments of {} bytes against {}", s.segment, r.segment);
    } else {
      difference = fmt::format("{} against {}", space_.text(op(send).piece), space_.text(op(receive).piece));
      if (space_.text(op(send).piece) == space_.text(op(receive).piece)) difference += " (other boxes)";
    }
    return Finding{{},
                   -1,
                   -1,
                   0,
                   piece_text(receive, 0),
                   fmt::format("{} does not match {}: {}", text(send), text(receive), difference)};
  });
}

// A stream without its other end. The sentence looks for a stray end at the peer that was probably meant.
void Table::report_lost(RowId lost, Findings& findings) const {
  auto const& row = rows_[lost];
  findings.add({Kind::unmatched, 0, row.kind == OpKind::send, row.rank, index(lost)}, [&] {
    auto const wanted = row.kind == OpKind::receive ? OpKind::send : OpKind::receive;
    auto meant = no_row;
    for (auto i = first_[static_cast<std::size_t>(row.peer)]; i < first_[static_cast<std::size_t>(row.peer) + 1]; ++i) {
      auto const& other = rows_[i];
      if (other.kind != wanted || other.partner != no_row || other.broken) continue;
      if (meant == no_row || other.piece_hash == row.piece_hash) meant = i;
    }
    std::string text;
    if (row.kind == OpKind::receive) {
      auto const sentence = fmt::format("rank {} never receives {}", row.rank, piece_text(lost, 0));
      text = meant == no_row
                 ? fmt::format("{}: rank {} sends it nothing on channel {}", sentence, row.peer, row.channel)
                 : fmt::format("{}: its parent {} sends {} on channel {} to rank {}", sentence, row.peer,
                               rows_[meant].piece_hash == row.piece_hash ? "them" : piece_text(meant, 0),
                               rows_[meant].channel, rows_[meant].peer);
    } else {
      auto const sentence = fmt::format("rank {} sends {} on channel {} to rank {}", row.rank, piece_text(lost, 0),
                                        row.channel, row.peer);
      text = meant == no_row ? sentence + ", which never receives them"
                             : fmt::format("{}, which expects {} on channel {} from rank {}", sentence,
                                           piece_text(meant, 0), rows_[meant].channel, rows_[meant].peer);
    }
    return Finding{{}, -1, -1, 0, piece_text(lost, 0), text + " (segment 0)"};
  });
}

void Table::reverse_needs() {
  for (auto const& need : needs_) ++rows_[need.row].wakes;
  std::uint32_t sum = 0;
  for (auto& row : rows_) sum += std::exchange(row.wakes, sum);
  wakes_.resize(needs_.size());
  std::vector<std::uint32_t> filled(rows_.size(), 0);
  for (RowId i = 0; i < rows_.size(); ++i) {
    for (auto const& need : needs(i)) wakes_[rows_[need.row].wakes + filled[need.row]++] = i;
  }
}

Op Table::op(RowId row) const { return schedule_.program(rows_[row].rank).ops[static_cast<std::size_t>(index(row))]; }

std::string Table::text(RowId row) const {
  auto const& r = rows_[row];
  switch (r.kind) {
    case OpKind::send:
      return fmt::format("rank {}'s send to {} on channel {}", r.rank, r.peer, r.channel);
    case OpKind::receive:
      return fmt::format("rank {}'s receive from {} on channel {}", r.rank, r.peer, r.channel);
    case OpKind::combine:
      return fmt::format("rank {}'s combine (operation {})", r.rank, index(row));
    case OpKind::copy:
      return fmt::format("rank {}'s copy (operation {})", r.rank, index(row));
  }
  return {};
}

std::string Table::piece_text(RowId row, std::int64_t segment) const {
  auto const op = this->op(row);
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
