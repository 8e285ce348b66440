// Schedules of some ranks of a machine.
#pragma once

#include <optional>
#include <vector>

#include "allport/mapping/mapping.h"
#include "allport/select/scattered.h"
#include "allport/select/select.h"

namespace allport {

/// Some ranks of a machine, whose schedules are made, proven and simulated as Communicator::sub()'s: on the box of the
/// machine that they fill, or else over trees among their places (Scattered). Copies share those.
class MachinePart {
 public:
  /// @param members ranks of the machine, in the order that their schedules have them
  /// @throws Error(argument) where there is none, one is no rank of the machine, or comes twice
  MachinePart(Machine machine, std::vector<Rank> members);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(members_.size()); }
  /// The cheapest algorithm and cut with MPI's price and the bound, as allport::choose().
  /// @param contract by the members' order
  /// @pre options has no mapping
  [[nodiscard]] Choice choose(Contract const& contract, SelectOptions options = {}) const;
  /// What was chosen; over places of the box, where they fill one. Valid as long as the choice.
  [[nodiscard]] Schedule schedule(Choice const& choice) const;
  /// Of member i in the machine that schedule() is over; none: i.
  [[nodiscard]] std::optional<Mapping> mapping() const;
  /// What a schedule of theirs is proven and simulated on: the box, all ranks of it; else the whole machine.
  [[nodiscard]] Machine const& machine() const { return box_ ? box_->machine : machine_; }
  /// Which ranks of machine() the members are; empty: all, by mapping().
  [[nodiscard]] std::vector<Rank> places() const { return box_ ? std::vector<Rank>{} : members_; }

 private:
  Machine machine_;
  std::vector<Rank> members_;
  std::optional<BoxInMachine> box_;
  std::optional<Scattered> scattered_;  // where they fill no box
};

}  // namespace allport
