// Schedules for a subset of a machine's ranks.
#pragma once

#include <optional>
#include <vector>

#include "allport/mapping/mapping.h"
#include "allport/select/scattered.h"
#include "allport/select/select.h"

namespace allport {

/// A subset of a machine's ranks. Schedules are made, proven and simulated as for Communicator::sub(): on the box of
/// the machine that the ranks fill, or else over trees among their places (Scattered). Copies share the trees.
class MachinePart {
 public:
  /// @param members ranks of the machine, in the order of the schedules' ranks
  /// @throws Error(argument) if the list is empty, or a member is not a rank of the machine or occurs twice
  MachinePart(Machine machine, std::vector<Rank> members);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(members_.size()); }
  /// The cheapest algorithm and cut with MPI's price and the bound, as allport::choose().
  /// @param contract over positions in `members`
  /// @pre options has no mapping
  [[nodiscard]] Choice choose(Contract const& contract, SelectOptions options = {}) const;
  /// The chosen schedule, over places of the box if the members fill one. Valid as long as the choice.
  [[nodiscard]] Schedule schedule(Choice const& choice) const;
  /// Mapping of members to the ranks of schedule(); none: member i is rank i.
  [[nodiscard]] std::optional<Mapping> mapping() const;
  /// The machine to prove and simulate schedules on: the box, or else the whole machine.
  [[nodiscard]] Machine const& machine() const { return box_ ? box_->machine : machine_; }
  /// The members' ranks in machine(); empty: all of its ranks, by mapping().
  [[nodiscard]] std::vector<Rank> places() const { return box_ ? std::vector<Rank>{} : members_; }

 private:
  Machine machine_;
  std::vector<Rank> members_;
  std::optional<BoxInMachine> box_;
  std::optional<Scattered> scattered_;  // if they fill no box
};

}  // namespace allport
