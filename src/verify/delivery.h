// Checks that every rank ends with the data that the contract requires.
#pragma once

#include <vector>

#include "execution.h"

namespace allport::verify {

class Delivery {
 public:
  Delivery(Table& table, Execution const& execution, Findings& findings);

  /// Reports every violation. For the first wrong byte of a reduction, reruns the execution with exact multisets.
  void check();
  [[nodiscard]] bool rank_ordered() const { return rank_ordered_; }

 private:
  struct WrongSum {
    Place place;
    Run found;
  };

  void check(Rank rank, std::int64_t begin, std::int64_t end, std::int64_t address);
  void missing(Rank rank, std::int64_t begin, std::int64_t end, std::int64_t address);
  void wrong(Rank rank, Run const& found, std::int64_t address);
  void explain_sums();
  [[nodiscard]] Finding explain(WrongSum const& sum, Trace const& trace, std::uint32_t node) const;
  /// The operation that should write a byte of the rank's output, or no_op; sets its segment.
  [[nodiscard]] OpId writer(Rank rank, std::int64_t at, std::int64_t& segment) const;
  [[nodiscard]] Place place(Kind kind, Rank rank, std::int64_t at) const;

  Table& table_;
  Execution const& execution_;
  Findings& findings_;
  Space const& space_;
  Value all_;  // every rank once
  bool rank_ordered_ = true;
  std::vector<Run> held_;
  std::vector<WrongSum> sums_;
};

}  // namespace allport::verify
