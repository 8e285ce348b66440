// All ranks' operations as the verifier executes them: the linked program, with each operation's piece and progress.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allport/schedule/linked.h"
#include "findings.h"
#include "space.h"

namespace allport::verify {

/// The verifier's data for an operation, beside the linked program.
struct Row {
  std::int64_t expected = 0;  ///< address of the stream's first byte when addresses follow each other; or -1 - index
                              ///< into Table::pieces
  std::uint64_t piece_hash = 0;
  std::int32_t done = 0;    ///< completed segments
  std::int32_t depth = 0;   ///< messages up to and including its first segment
  std::int32_t clock = 0;   ///< logical time of its last segment: larger than those of all that it waited for
  std::uint32_t slots = 0;  ///< index of its first slot: from, into and with, as far as its kind has them
  bool queued = false;
  bool combined = false;
};

class Table {
 public:
  Table(Schedule const& schedule, Space const& space) : schedule_(schedule), space_(space) {}

  /// Adds the next rank's program. Operations flagged in `broken` are stored but never executed.
  void add(Rank rank, Program const& program, std::vector<bool> const& broken);
  /// Called after the last rank: links the programs and reports mismatches.
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

  /// Whether the operation's next segment has no unfulfilled dependence on its own rank.
  [[nodiscard]] bool ready(OpId i) const {
    return rows_[i].done < op(i).segments &&
           linked_.ready(i, rows_[i].done, [this](OpId other) { return rows_[other].done; });
  }

  /// The operation, from the schedule again. Only for messages: it generates the whole program.
  [[nodiscard]] Op whole_op(OpId i) const;
  /// Description of the operation's segment.
  [[nodiscard]] std::string piece_text(OpId i, std::int64_t segment) const;

  /// Resets the progress to the start of an execution.
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
