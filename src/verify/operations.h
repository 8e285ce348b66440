// Checks of one rank's program that need no other rank.
#pragma once

#include <vector>

#include "findings.h"
#include "space.h"

namespace allport::verify {

class Operations {
 public:
  Operations(Space const& space, Machine const& machine, Findings& findings)
      : space_(space), machine_(machine), findings_(findings) {}

  /// Reports invalid operations. Returns for each operation whether it is too broken to be executed.
  std::vector<bool> const& check(Rank rank, Program const& program);

 private:
  /// Both return the complaint, or an empty text. An operation with a `fatal` complaint is not executed.
  [[nodiscard]] std::string fatal(Rank rank, Program const& program, std::size_t index) const;
  [[nodiscard]] std::string unaligned(Op const& op) const;
  [[nodiscard]] std::string bad_piece(Op const& op) const;
  void report(Rank rank, std::size_t index, Op const& op, std::string const& complaint);

  Space const& space_;
  Machine const& machine_;
  Findings& findings_;
  std::vector<bool> broken_;
};

}  // namespace allport::verify
