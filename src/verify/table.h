// All ranks' operations, each in some hundred bytes, with the two ends of every stream joined.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "findings.h"
#include "space.h"

namespace allport::verify {

using RowId = std::uint32_t;
inline constexpr RowId no_row = std::numeric_limits<RowId>::max();

/// An operation while it is executed.
struct Row {
  std::int64_t length = 0;
  std::int64_t segment = 1;
  std::int64_t expected = 0;  ///< address of the stream's first byte when addresses follow each other; or -1 - index
                              ///< into Table::pieces
  std::uint64_t piece_hash = 0;
  RowId partner = no_row;     ///< the stream's other end
  std::int32_t segments = 0;  ///< 0: broken, never runs
  std::int32_t done = 0;
  std::int32_t depth = 0;   ///< messages before and with its first segment
  std::int32_t clock = 0;   ///< logical time of its last segment: above those of all that it waited for
  std::uint32_t needs = 0;  ///< first of its dependences
  std::uint32_t wakes = 0;  ///< first of those that wait for it
  std::uint32_t slots = 0;  ///< first of its slots: one of a send or receive; from, into of a copy; + with
  Rank rank = 0;
  std::int32_t peer = -1;
  std::int32_t channel = 0;
  OpKind kind = OpKind::receive;
  bool queued = false;
  bool combined = false;
  bool broken = false;

  [[nodiscard]] std::int64_t bytes(std::int64_t i) const { return i + 1 < segments ? segment : length - i * segment; }
  [[nodiscard]] std::int64_t position(Slot const& s, std::int64_t i) const {
    return s.offset + (s.ring > 0 ? i % s.ring : i) * segment;
  }
};

struct Need {
  RowId row = 0;
  std::int32_t lag = 0;
};

class Table {
 public:
  Table(Schedule const& schedule, Space const& space) : schedule_(schedule), space_(space) {}

  /// Adds the rank's program; the ranks come in order. Operations flagged in `broken` are kept but never run.
  void add(Rank rank, Program const& program, std::vector<bool> const& broken);
  /// After the last rank: joins the ends of streams and reverses the dependences.
  void finish(Findings& findings);

  [[nodiscard]] std::vector<Row>& rows() { return rows_; }
  [[nodiscard]] std::vector<Row> const& rows() const { return rows_; }
  [[nodiscard]] std::span<Need const> needs(RowId row) const {
    return {needs_.data() + rows_[row].needs, needs_.data() + end_of(row, &Row::needs, needs_.size())};
  }
  [[nodiscard]] std::span<RowId const> wakes(RowId row) const {
    return {wakes_.data() + rows_[row].wakes, wakes_.data() + end_of(row, &Row::wakes, wakes_.size())};
  }
  [[nodiscard]] Slot const* slots(Row const& row) const { return slots_.data() + row.slots; }
  [[nodiscard]] Piece const& piece(std::int64_t expected) const {
    return pieces_[static_cast<std::size_t>(-1 - expected)];
  }
  [[nodiscard]] std::int32_t index(RowId row) const {
    return static_cast<std::int32_t>(row - first_[static_cast<std::size_t>(rows_[row].rank)]);
  }
  [[nodiscard]] RowId row(Rank rank, std::int32_t index) const {
    return first_[static_cast<std::size_t>(rank)] + static_cast<RowId>(index);
  }
  [[nodiscard]] Schedule const& schedule() const { return schedule_; }
  [[nodiscard]] Space const& space() const { return space_; }

  /// The operation again, from the schedule. For messages only: it makes the whole program.
  [[nodiscard]] Op op(RowId row) const;
  /// "rank 4's send to 6 on channel 2".
  [[nodiscard]] std::string text(RowId row) const;
  /// The next segment that the row would do, in words.
  [[nodiscard]] std::string piece_text(RowId row, std::int64_t segment) const;

  /// Back to the start of an execution.
  void rewind();

 private:
  struct End {
    std::int32_t peer;
    std::int32_t channel;
    RowId row;
  };

  [[nodiscard]] std::size_t end_of(RowId row, std::uint32_t Row::*begin, std::size_t last) const {
    return row + 1 < rows_.size() ? rows_[row + 1].*begin : last;
  }
  [[nodiscard]] std::span<End const> receives(Rank rank) const;
  void collect_receives(Findings& findings);
  void join(RowId send, Findings& findings);
  void compare(RowId send, RowId receive, Findings& findings) const;
  void report_lost(RowId row, Findings& findings) const;
  void reverse_needs();

  Schedule const& schedule_;
  Space const& space_;
  std::vector<Row> rows_;
  std::vector<Need> needs_;
  std::vector<RowId> wakes_;
  std::vector<Slot> slots_;
  std::vector<Piece> pieces_;
  std::vector<RowId> first_;   // of each rank
  std::vector<End> receives_;  // sorted by (rank, peer, channel)
  std::vector<std::uint32_t> first_receive_;
};

}  // namespace allport::verify
