// Explains a deadlock.
#pragma once

#include <vector>

#include "findings.h"
#include "table.h"

namespace allport::verify {

/// Reports a shortest cycle of waits. Reports nothing if all waits end at an operation already reported as broken or
/// unmatched.
class Stall {
 public:
  Stall(Table const& table, Findings& findings) : table_(table), findings_(findings) {}
  void report();

 private:
  /// One step of a cycle: `from`, an end of the waiting unit, has the dependence `need` on the next unit.
  struct Wait {
    OpId from = no_op;
    Need need;
  };

  /// A stream is one unit, represented by its receive; a combine or copy is a unit of its own.
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
