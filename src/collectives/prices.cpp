#include "prices.h"

#include <algorithm>
#include <cmath>

#include "hierarchical.h"

namespace allport {

Seconds price_streamed(Machine const& machine, Contract const& contract, Cut cut, model::StreamedTrees trees) {
  if (contract.bytes == 0) return {};  // an empty message has an empty program
  auto bytes = contract.bytes;
  if (contract.what == Collective::allreduce) {  // up and down at once: in the steady state every link carries it twice
    bytes *= 2;
    trees.depth *= 2;
    trees.turns = 2;
  }
  trees.parts = slices(bytes, unit_of(contract), trees.parts);
  trees.combines = combines(contract.what);
  trees.segment = Bytes(cut.segment);
  trees.window = cut.window;
  return model::t_streamed(machine, trees, Bytes(bytes));
}

Seconds price_block_trees(Machine const& machine, Contract const& contract, Cut cut, int trees, std::int64_t depth) {
  if (contract.total() == 0) return {};
  auto const used = static_cast<double>(slices(contract.bytes, 1, trees));
  auto const away = all_blocks(contract) * (machine.nodes() - 1) / machine.nodes();
  model::LinkTraffic t;
  t.link_bytes = away / used;
  t.node_bytes = away;
  t.messages = messages_of(away, used * (contract.ranks - 1), cut);
  t.held = held_of(static_cast<double>(contract.bytes) / used, cut);
  t.depth = depth;
  t.first_bytes = std::min(static_cast<double>(contract.bytes) / used, static_cast<double>(cut.segment));
  return price_hierarchical(machine, contract, t);
}

double all_blocks(Contract const& contract) {
  auto const all = static_cast<double>(contract.total());
  return contract.what == Collective::alltoall ? all / contract.ranks : all;
}

double held_of(double stream_bytes, Cut cut) {
  if (stream_bytes <= 0.0) return 0.0;
  auto const segment = static_cast<double>(std::max<std::int64_t>(cut.segment, 1));
  auto const messages = std::ceil(stream_bytes / segment);
  auto const turns = std::ceil(messages / cut.window);
  auto const last = stream_bytes - (messages - 1.0) * segment;
  return 1.0 - ((turns - 1.0) * segment + last) / stream_bytes;
}

double held_among_many(double stream_bytes, Cut cut) { return 0.5 + 0.5 * held_of(stream_bytes, cut); }

double messages_of(double bytes, double streams, Cut cut) {
  return std::max(streams, bytes / static_cast<double>(std::max<std::int64_t>(cut.segment, 1)));
}

Seconds price_hierarchical(Machine const& machine, Contract const& contract, model::LinkTraffic over_grid) {
  auto const all = all_blocks(contract);
  auto const per_node = machine.ranks_per_node();
  auto const block = static_cast<double>(contract.bytes);
  bool const one_root = contract.what == Collective::scatter || contract.what == Collective::gather;
  if (combines(contract.what)) over_grid.combined_bytes = all * per_node;
  if (per_node == 1) {
    over_grid.copied_bytes = block;
  } else {
    // Ranks copy their own blocks, and leaders forward to their siblings: their own blocks, or everybody's.
    over_grid.copied_bytes = one_root ? block * per_node : all * (per_node - 1) + block * per_node;
    if (contract.what == Collective::scatter) over_grid.root_bytes = all - block;
  }
  over_grid.depth += InnerTrees(machine.levels(), 0, Below::binomial).rounds();
  return model::t_traffic(machine, over_grid);
}

}  // namespace allport
