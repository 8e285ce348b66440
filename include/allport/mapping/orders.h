// The registered orders: ways to lay the ranks of a pattern on the places of a machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/pattern/pattern.h"

namespace allport {

/// What is to be mapped: the ranks of a pattern onto the places that a job has.
class MappingTask {
 public:
  /// @param allocation the job's places (ranks of the machine), in the order in which the scheduler fills them; empty:
  ///        the machine's first ones, in its own order
  /// @throws Error naming the argument: as many different places of the machine as the pattern has ranks
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

/// What an order made: places[rank], or why it cannot.
struct Ordered {
  std::vector<Rank> places;
  std::string why_not;
};

/// One way to order: a row of the table in orders.cpp, a function in a file of its own.
struct Order {
  std::string name;
  std::string summary;  ///< one sentence with its source, for the reference pages
  std::function<Ordered(MappingTask const&)> make;
};

/// All, in the order of the table. Where two are as good, the first is chosen; the first is `given`, the order as it
/// is.
[[nodiscard]] std::vector<Order> const& orders();
/// @throws Error that lists the names
[[nodiscard]] Order const& order(std::string_view name);

}  // namespace allport
