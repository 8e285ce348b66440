// Selection for ranks that do not form a box of their machine.
#pragma once

#include <memory>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/collectives/sub_network.h"
#include "allport/machine/machine.h"
#include "allport/select/select.h"

namespace allport {

/// The candidates for such ranks: algorithms on the line through their places, and trees over the network among the
/// places (sub_network_algorithms). Copies share the trees.
class Scattered {
 public:
  /// @param places by rank
  /// @pre places are distinct ranks of the machine, at least one
  Scattered(Machine const& machine, std::vector<Rank> const& places);

  [[nodiscard]] Machine const& line() const { return line_; }
  /// The rows of the trees, then `known`; valid as long as this object or a copy of it.
  [[nodiscard]] AlgorithmList among(AlgorithmList const& known) const;
  /// allport::choose() on line(), among the rows of the trees and of options.among. The choice may outlive this object.
  /// @pre options has no mapping: the contract is over positions in `places`
  [[nodiscard]] Choice choose(Contract const& contract, SelectOptions options = {}) const;
  /// Lower bounds for any schedule among the places on the machine, if other ranks may forward data, too.
  [[nodiscard]] std::optional<model::Bound> lower_bounds(Contract const& contract) const;
  [[nodiscard]] SubNetwork const& network() const { return *network_; }

 private:
  struct Own {
    Machine machine;
    std::vector<Rank> places;
    std::vector<Algorithm> rows;
  };
  Machine line_;
  std::shared_ptr<SubNetwork const> network_;
  std::shared_ptr<Own const> own_;
};

}  // namespace allport
