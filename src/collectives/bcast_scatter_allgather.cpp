#include <cmath>

#include "algorithms.h"
#include "allport/model/link_traffic.h"
#include "bucket.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return scatter_allgather(machine, binomial_trees(machine, contract.root), "scatter_allgather", contract, cut);
}

/// The root sends (P - 1)/P of the message one half after the other, ceil(log2 P) messages deep.
Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.bytes == 0) return {};
  auto const bytes = static_cast<double>(contract.bytes);
  model::LinkTraffic down;
  down.link_bytes = down.node_bytes = bytes;
  down.depth = static_cast<std::int64_t>(std::ceil(std::log2(static_cast<double>(contract.ranks))));
  down.messages = static_cast<double>(down.depth) + bytes / static_cast<double>(cut.segment);
  down.copied_bytes = bytes;
  return model::t_traffic(machine, down) + price_bucket(machine, contract, cut);
}

}  // namespace

constinit Algorithm const bcast_scatter_allgather{
    .what = Collective::broadcast,
    .name = "scatter_allgather",
    .summary = "Slices down a binomial tree, then bucket allgather: what MPI libraries do with long messages.",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = needs_all_links,
};

}  // namespace allport
