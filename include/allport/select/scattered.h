// Selection for ranks that form no box of their machine.
#pragma once

#include <memory>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/machine/machine.h"

namespace allport {

/// What is chosen from for such ranks: algorithms on the line through their places, and trees over the network among
/// these (sub_network_algorithms): choose(line(), contract, {.among = among(known)}). Copies share the trees.
class Scattered {
 public:
  /// @param places of the ranks, in their order
  /// @pre places are distinct ranks of the machine, at least one
  Scattered(Machine const& machine, std::vector<Rank> const& places);

  [[nodiscard]] Machine const& line() const { return line_; }
  /// The trees' rows, then `known`; they live as long as this or a copy of it.
  [[nodiscard]] AlgorithmList among(AlgorithmList const& known) const;

 private:
  Machine line_;
  std::shared_ptr<std::vector<Algorithm> const> own_;
};

}  // namespace allport
