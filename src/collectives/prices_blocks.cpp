// What the algorithms cost that move blocks: their busiest link, busiest rank and longest chain, priced by room model.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include "allport/collectives/trees.h"
#include "allport/model/link_traffic.h"
#include "prices.h"

namespace allport {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

double rounds_within_node(Machine const& machine) {
  return std::ceil(std::log2(static_cast<double>(machine.ranks_per_node())));
}

/// Bytes of all blocks that meet at one rank, and the mean block.
double all_blocks(Contract const& c) {
  return c.what == Collective::alltoall ? real(c.total()) / c.ranks : real(c.total());
}

double messages(double bytes, double streams, Cut cut) {
  return std::max(streams, bytes / real(std::max<std::int64_t>(cut.segment, 1)));
}

/// Sum over all displacements between two nodes of how often the busiest link is crossed when every node sends one
/// message that way, in messages over the slowest link. Messages that are routed over several axes do not wait for each
/// other where it would help: the simulator finds them as slow as if displacement came after displacement, not as fast
/// as the sum of their bytes allows.
double sum_of_displacements(Machine const& machine) {
  auto const slowest = model::slowest_link(machine).value();
  std::vector<double> counts(static_cast<std::size_t>(machine.axes()), 1.0);
  std::vector<std::tuple<double, int, double>> more;  // (cost, axis, displacements of that many hops)
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    auto const farthest = axis.wraps ? axis.length / 2 : axis.length - 1;
    for (int h = 1; h <= farthest; ++h) {
      auto const ways = axis.wraps && 2 * h == axis.length ? 1.0 : axis.wraps ? 2.0 : 1.0;
      more.emplace_back(h * slowest / axis.bandwidth.value(), a, ways);
    }
  }
  std::ranges::sort(more);
  double sum = 0.0;
  double before = 1.0;
  for (auto const& [cost, axis, ways] : more) {
    counts[static_cast<std::size_t>(axis)] += ways;
    auto const now = std::accumulate(counts.begin(), counts.end(), 1.0, std::multiplies<>());
    sum += cost * (now - before);
    before = now;
  }
  return sum;
}

}  // namespace

Seconds price_block_trees(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const extent = rectangular_extent(machine, contract.root);
  auto const trees = real(slices(contract.bytes, 1, rectangular_tree_count(machine)));
  auto const away = all_blocks(contract) * (machine.nodes() - 1) / machine.nodes();
  auto const part = real(contract.bytes) / trees;
  model::LinkTraffic t;
  t.link_bytes = away / trees;
  t.node_bytes = away;
  t.messages = messages(away, trees * (contract.ranks - 1), cut);
  t.copied_bytes = all_blocks(contract);
  t.depth = extent.depth + static_cast<std::int64_t>(rounds_within_node(machine));
  t.first_bytes = std::min(part, real(cut.segment));
  return model::t_traffic(machine, t);
}

Seconds price_all_roots(Machine const& machine, Contract const& contract, Cut cut, bool rotated) {
  if (contract.total() == 0) return {};
  auto const count = rectangular_tree_count(machine);
  auto const trees = slices(contract.bytes, unit_of(contract), count);
  auto const all = all_blocks(contract);
  model::LinkTraffic t;
  std::int64_t links = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    ++links;
    // The last link of an open line carries all of the line but its own end.
    auto const away = all * (axis.length - 1) / axis.length;
    t.link_bytes = std::max(t.link_bytes, axis.wraps ? away / 2 : away);
  }
  bool const torus = count == 2 * links;
  if (torus && !rotated) {
    t.link_bytes = all * (machine.nodes() - 1) / machine.nodes() / trees;
  } else if (links > 0) {
    t.link_bytes /= static_cast<double>(std::min<std::int64_t>(trees, links));
    // A mesh's rectangular trees go by one side of the root's plane.
    if (!rotated) t.link_bytes *= 1.5;
  }
  t.node_bytes = t.link_bytes * 2.0 * real(links);
  t.messages = 2.0 * messages(all, real(trees) * (contract.ranks - 1), cut);
  if (combines(contract.what)) t.combined_bytes = all;
  t.copied_bytes = machine.ranks_per_node() > 1 ? all * machine.ranks_per_node() : real(contract.bytes);
  t.depth = rectangular_extent(machine, contract.root).depth + static_cast<std::int64_t>(rounds_within_node(machine));
  t.first_bytes = std::min(real(contract.bytes) / trees, real(cut.segment));
  return model::t_traffic(machine, t);
}

Seconds price_all_roots_rectangular(Machine const& machine, Contract const& contract, Cut cut) {
  return price_all_roots(machine, contract, cut, false);
}

Seconds price_all_roots_rotated(Machine const& machine, Contract const& contract, Cut cut) {
  return price_all_roots(machine, contract, cut, true);
}

Seconds price_bucket(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const all = contract.what == Collective::allreduce || contract.what == Collective::broadcast
                       ? real(contract.bytes)
                       : all_blocks(contract);
  Seconds sum{};
  auto have = all / machine.nodes();
  auto const cores = machine.ranks_per_node() - 1.0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    auto const steps = axis.wraps ? axis.length / 2 : axis.length - 1;
    model::LinkTraffic t;
    // Half the line's other blocks come from either side; an end of an open line gets all of them over one link.
    t.link_bytes = have * steps;
    t.node_bytes = 2.0 * t.link_bytes;
    t.messages = (2.0 + cores) * messages(have * (axis.length - 1), axis.length - 1, cut);
    t.copied_bytes = cores * have * (axis.length - 1);
    if (combines(contract.what)) t.combined_bytes = have * (axis.length - 1);
    t.depth = steps;
    t.first_bytes = std::min(have, real(cut.segment));
    sum += model::t_traffic(machine, t);
    have *= axis.length;
  }
  if (cores > 0) {
    model::LinkTraffic t;
    t.messages = 2.0 * cores;
    t.copied_bytes = all;
    t.depth = 1;
    sum += model::t_traffic(machine, t);
  }
  return contract.what == Collective::allreduce ? 2.0 * sum : sum;
}

Seconds price_alltoall_axes(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const all = all_blocks(contract);
  int axes = 0;
  auto busiest = 0.0;
  auto hops = 0.0;
  auto streams = 0.0;
  std::int64_t depth = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    ++axes;
    busiest = std::max(busiest, model::line_exchange_load(axis, all * machine.ranks_per_node() / axis.length, true));
    auto const farthest = axis.wraps ? axis.length / 2 : axis.length - 1;
    depth += farthest;
    hops += model::line_exchange_load(axis, 2.0, true);
    streams += 2.0 * model::line_exchange_load(axis, 2.0, true);
  }
  auto const parts = slices(contract.bytes, 1, 2 * std::max(axes, 1));
  model::LinkTraffic t;
  // The axes take turns where there are fewer slices than axes.
  t.link_bytes = busiest * std::max(1.0, real(axes) / parts);
  t.node_bytes = 2.0 * axes * busiest;
  t.messages = messages(all * hops, parts * (streams + machine.ranks_per_node()), cut);
  t.copied_bytes = all * (axes + 1) * machine.ranks_per_node();
  t.depth = depth + axes;
  t.first_bytes = std::min(all / std::max(1, axes), real(cut.segment));
  return model::t_traffic(machine, t);
}

Seconds price_alltoall_pairs(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const all = all_blocks(contract);
  auto const pair = all * machine.ranks_per_node() / std::max(1, machine.nodes());
  model::LinkTraffic t;
  t.link_bytes = pair * sum_of_displacements(machine);
  t.node_bytes = pair * (machine.nodes() - 1);
  t.messages = 2.0 * messages(all, contract.ranks - 1, cut);
  t.copied_bytes = all * machine.ranks_per_node() / std::max(1, machine.nodes());
  t.depth = 2;
  t.first_bytes = std::min(real(contract.bytes), real(cut.segment));
  return model::t_traffic(machine, t);
}

Seconds price_barrier(Machine const& machine, Contract const& contract, Cut) {
  model::LinkTraffic t;
  t.depth = static_cast<std::int64_t>(std::ceil(std::log2(static_cast<double>(contract.ranks))));
  return model::t_traffic(machine, t);
}

}  // namespace allport
