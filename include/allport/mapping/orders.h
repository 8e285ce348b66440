// The registered orders: methods that map the ranks of a pattern to places of a machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/pattern/pattern.h"

namespace allport {

/// A mapping problem: the ranks of a pattern, and the places of a job.
class MappingTask {
 public:
  /// @param allocation the job's places (ranks of the machine), in the order in which the scheduler fills them; empty:
  /// the first places of the machine, in its order
  /// @throws Error naming the argument: expected are as many different places of the machine as the pattern has ranks
  MappingTask(Machine machine, Pattern pattern, std::vector<Rank> allocation = {});

  [[nodiscard]] Machine const& machine() const { return machine_; }
  [[nodiscard]] Pattern const& pattern() const { return pattern_; }
  [[nodiscard]] Rank ranks() const { return pattern_.ranks(); }
  [[nodiscard]] std::vector<Rank> const& allocation() const { return allocation_; }

 private:
  Machine machine_;
  Pattern pattern_;
  std::vector<Rank> allocation_;
};

/// Result of an order: places[rank], or the reason why it does not apply.
struct Ordered {
  std::vector<Rank> places;
  std::string why_not;
};

/// A row of the table in orders.cpp; its function is in a file of its own.
struct Order {
  std::string name;
  std::string summary;  ///< one sentence with its source, for the reference pages
  std::function<Ordered(MappingTask const&)> make;
};

/// All orders, as in the table. Of two equally good ones the first is chosen; the first is `given`, the job's own
/// order.
[[nodiscard]] std::vector<Order> const& orders();
/// @throws Error that lists the names
[[nodiscard]] Order const& order(std::string_view name);

}  // namespace allport
