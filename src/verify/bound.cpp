#include "allport/verify/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace allport::verify {

model::Bound lower_bound(Machine const& machine, Contract const& contract, std::span<Rank const> members) {
  auto const ranks = members.empty() ? machine.ranks() : static_cast<Rank>(members.size());
  ensure(contract.ranks == ranks, "ranks", contract.ranks,
         fmt::format("{}, the ranks of machine {}{}", ranks, machine.name(), members.empty() ? "" : " that take part"));
  bool const nothing_to_move = contract.bytes == 0 && contract.what != Collective::barrier;
  if (nothing_to_move || contract.blocks != nullptr || contract.targets) return {};
  auto const bytes = Bytes(contract.bytes);
  switch (contract.what) {
    case Collective::broadcast:
      return model::bcast_bound(machine, contract.root, bytes, members);
    case Collective::reduce:
      return model::reduce_bound(machine, contract.root, bytes, members);
    case Collective::scatter:
      return model::scatter_bound(machine, contract.root, bytes, members);
    case Collective::gather:
      return model::gather_bound(machine, contract.root, bytes, members);
    case Collective::allgather:
      return model::allgather_bound(machine, bytes, members);
    case Collective::reduce_scatter:
      return model::reduce_scatter_bound(machine, bytes, members);
    case Collective::allreduce:
      return model::allreduce_bound(machine, bytes, members);
    case Collective::alltoall:
      return model::alltoall_bound(machine, bytes, members);
    case Collective::barrier:
      return model::bcast_bound(machine, 0, Bytes(0), members);
    case Collective::none:
      break;
  }
  return {};
}

model::Bound lower_bound_at(Machine const& machine, Contract contract, std::span<Rank const> places) {
  if (contract.what == Collective::none) return {};
  if (static_cast<Rank>(places.size()) != machine.ranks()) return lower_bound(machine, contract, places);
  std::vector<bool> taken(places.size(), false);
  for (auto const p : places) taken.at(static_cast<std::size_t>(p)) = true;
  if (std::ranges::count(taken, true) != machine.ranks()) return lower_bound(machine, contract, places);
  contract.root = places[static_cast<std::size_t>(contract.root)];
  return lower_bound(machine, contract);
}

}  // namespace allport::verify
