#include "allport/select/scattered.h"

#include "allport/collectives/sub_network.h"
#include "allport/mapping/mapping.h"

namespace allport {

Scattered::Scattered(Machine const& machine, std::vector<Rank> const& places)
    : line_(line_through(machine, places)),
      own_(std::make_shared<std::vector<Algorithm> const>(
          sub_network_algorithms(std::make_shared<SubNetwork const>(machine, places)))) {}

AlgorithmList Scattered::among(AlgorithmList const& known) const {
  AlgorithmList all;
  for (auto const& row : *own_) all.push_back(&row);
  all.insert(all.end(), known.begin(), known.end());
  return all;
}

}  // namespace allport
