// Selection for ranks that form no box of their machine.
#pragma once

#include <memory>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/collectives/sub_network.h"
#include "allport/machine/machine.h"
#include "allport/select/select.h"

namespace allport {

/// What is chosen from for such ranks: algorithms on the line through their places, and trees over the network among
/// these (sub_network_algorithms). Copies share the trees.
class Scattered {
 public:
  /// @param places of the ranks, in their order
  /// @pre places are distinct ranks of the machine, at least one
  Scattered(Machine const& machine, std::vector<Rank> const& places);

  [[nodiscard]] Machine const& line() const { return line_; }
  /// The trees' rows, then `known`; they live as long as this or a copy of it.
  [[nodiscard]] AlgorithmList among(AlgorithmList const& known) const;
  /// allport::choose() on line(), among the trees' rows and those of options.among; outlives this.
  /// @pre options has no mapping: the contract is by the order of places
  [[nodiscard]] Choice choose(Contract const& contract, SelectOptions options = {}) const;
  /// What no schedule among the places beats on the machine, whoever passes data on.
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
