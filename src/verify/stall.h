// Who waits for whom when nothing can move any more.
#pragma once

#include <vector>

#include "findings.h"
#include "table.h"

namespace allport::verify {

/// Reports a shortest cycle of waits. Says nothing where all waiting ends at an operation that was already reported as
/// broken or without its other end.
class Stall {
 public:
  Stall(Table const& table, Findings& findings) : table_(table), findings_(findings) {}
  void report();

 private:
  /// One step of a cycle: `from`, an end of the unit that waits, needs `need` of the next unit.
  struct Wait {
    OpId from = no_op;
    Need need;
  };

  /// A stream is one unit, named by its receive; a combine or copy is its own.
  [[nodiscard]] OpId unit(OpId op) const;
  [[nodiscard]] bool waits(OpId unit) const;
  void waits_of(OpId unit, std::vector<Wait>& into) const;
  [[nodiscard]] std::vector<OpId> any_cycle() const;
  [[nodiscard]] std::vector<Wait> shortest_cycle(OpId through) const;
  [[nodiscard]] std::string text(std::vector<Wait> const& cycle) const;

  Table const& table_;
  Findings& findings_;
};

}  // namespace allport::verify
