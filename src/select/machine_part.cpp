#include "allport/select/machine_part.h"

#include <utility>

#include "allport/select/mpi_price.h"

namespace allport {

MachinePart::MachinePart(Machine machine, std::vector<Rank> members)
    : machine_(std::move(machine)), members_(std::move(members)) {
  box_ = find_box(machine_, members_);
  if (!box_) scattered_.emplace(machine_, members_);
}

Choice MachinePart::choose(Contract const& contract, SelectOptions options) const {
  ensure(!options.mapping, "mapping", "one", "none: the members are where they are");
  if (scattered_) {
    auto choice = scattered_->choose(contract, std::move(options));
    choice.mpi = mpi_price_of(scattered_->line(), contract);
    if (auto const bound = scattered_->lower_bounds(contract)) choice.bound = bound->time();
    return choice;
  }
  options.mapping = box_->mapping;
  auto choice = allport::choose(box_->machine, contract, options);
  choice.mpi = mpi_price_of(box_->machine, contract, box_->mapping);
  choice.bound = lower_bound(box_->machine, at_places(contract, box_->mapping));
  return choice;
}

Schedule MachinePart::schedule(Choice const& choice) const {
  return make_schedule(scattered_ ? scattered_->line() : box_->machine, choice);
}

std::optional<Mapping> MachinePart::mapping() const { return box_ ? std::optional(box_->mapping) : std::nullopt; }

}  // namespace allport
