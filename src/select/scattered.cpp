#include "allport/select/scattered.h"

#include <utility>

#include "allport/mapping/mapping.h"

namespace allport {
namespace {

/// Nothing if the collective does not use trees.
std::optional<NetworkTrees> trees_for(SubNetwork const& network, Contract const& contract) {
  if (contract.what == Collective::alltoall || contract.what == Collective::barrier) return std::nullopt;
  auto const collects = contract.what == Collective::reduce || contract.what == Collective::gather;
  auto const trees = network.trees(contract.root, collects ? TreeDirection::to_root : TreeDirection::from_root);
  auto const depth = static_cast<int>(trees->extent.depth);  // less than the number of nodes
  return NetworkTrees{network.nodes(), trees->over_ranks.count, depth, trees->sharing};
}

}  // namespace

Scattered::Scattered(Machine const& machine, std::vector<Rank> const& places)
    : line_(line_through(machine, places)),
      network_(std::make_shared<SubNetwork const>(machine, places)),
      own_(std::make_shared<Own const>(Own{machine, places, sub_network_algorithms(network_)})) {}

AlgorithmList Scattered::among(AlgorithmList const& known) const {
  AlgorithmList all;
  for (auto const& row : own_->rows) all.push_back(&row);
  all.insert(all.end(), known.begin(), known.end());
  return all;
}

Choice Scattered::choose(Contract const& contract, SelectOptions options) const {
  ensure(!options.mapping, "mapping", "one", "none: ranks are where the places are that this was made of");
  options.among = among(options.among ? *options.among : algorithms());
  auto choice = allport::choose(line_, contract, options);
  choice.keeps = own_;
  choice.network = trees_for(*network_, contract);
  return choice;
}

std::optional<model::Bound> Scattered::lower_bounds(Contract const& contract) const {
  return allport::lower_bounds(own_->machine, contract, own_->places);
}

}  // namespace allport
