// All ranks' operations as the verifier executes them: the linked program, with what each operation promises and how
// far it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allport/schedule/linked.h"
#include "findings.h"
#include "space.h"

namespace allport::verify {

/// What the verifier knows of an operation beyond the linked program.
struct Row {
  std::int64_t expected = 0;  ///< address of the stream's first byte when addresses follow each other; or -1 - index
                              ///< into Table::pieces
  std::uint64_t piece_hash = 0;
  std::int32_t done = 0;    ///< segments
  std::int32_t depth = 0;   ///< messages before and with its first segment
  std::int32_t clock = 0;   ///< logical time of its last segment: above those of all that it waited for
  std::uint32_t slots = 0;  ///< first of its slots: one of a send or receive; from, into of a copy; + with
  bool queued = false;
  bool combined = false;
};

class Table {
 public:
  Table(Schedule const& schedule, Space const& space) : schedule_(schedule), space_(space) {}

  /// Adds the rank's program; the ranks come in order. Operations flagged in `broken` are kept but never run.
  void add(Rank rank, Program const& program, std::vector<bool> const& broken);
  /// After the last rank: links the programs and reports what does not fit.
  void finish(Findings& findings);

  [[nodiscard]] LinkedProgram const& linked() const { return linked_; }
  [[nodiscard]] LinkedOp const& op(OpId i) const { return linked_.op(i); }
  [[nodiscard]] OpId size() const { return linked_.size(); }
  [[nodiscard]] Row& row(OpId i) { return rows_[i]; }
  [[nodiscard]] Row const& row(OpId i) const { return rows_[i]; }
  [[nodiscard]] Slot const* slots(OpId i) const { return slots_.data() + rows_[i].slots; }
  [[nodiscard]] Piece const& piece(std::int64_t expected) const {
    return pieces_[static_cast<std::size_t>(-1 - expected)];
  }
  [[nodiscard]] Schedule const& schedule() const { return schedule_; }
  [[nodiscard]] Space const& space() const { return space_; }

  /// Whether the operation's next segment waits for nothing of its own rank.
  [[nodiscard]] bool ready(OpId i) const {
    return rows_[i].done < op(i).segments &&
           linked_.ready(i, rows_[i].done, [this](OpId other) { return rows_[other].done; });
  }

  /// The operation again, from the schedule. For messages only: it makes the whole program.
  [[nodiscard]] Op whole_op(OpId i) const;
  /// The next segment that the operation would do, in words.
  [[nodiscard]] std::string piece_text(OpId i, std::int64_t segment) const;

  /// Back to the start of an execution.
  void rewind();

 private:
  void report(Mismatch const& m, Findings& findings) const;
  void report_twice(OpId op, OpId first, Findings& findings) const;
  void report_difference(OpId send, OpId receive, Findings& findings) const;
  void report_lost(OpId op, Findings& findings) const;

  Schedule const& schedule_;
  Space const& space_;
  LinkedProgram linked_;
  std::vector<Row> rows_;
  std::vector<Slot> slots_;
  std::vector<Piece> pieces_;
};

}  // namespace allport::verify
