// Rectangular trees, and the rotated ones that share their links: one root's for a message, all roots' for blocks.
#include <algorithm>

#include "families.h"
#include "prices.h"

namespace allport {
namespace {

/// The trees of all roots.
template <TreeSet (*outer)(Machine const&, Node)>
TreeFamily of_all(Machine const& machine) {
  return {rectangular_tree_count(machine), [machine](Rank root) { return hierarchically(outer)(machine, root); }};
}

Seconds price_rectangular(Machine const& machine, Contract const& contract, Cut cut) {
  auto const extent = rectangular_extent(machine, machine.node_of(contract.root));
  return price_streamed(machine, contract, cut,
                        {.depth = extent.depth, .parts = rectangular_tree_count(machine), .fan_out = extent.fan_out});
}

/// Scatter and gather.
Seconds price_rectangular_blocks(Machine const& machine, Contract const& contract, Cut cut) {
  return price_block_trees(machine, contract, cut, rectangular_tree_count(machine),
                           rectangular_extent(machine, machine.node_of(contract.root)).depth);
}

/// Allgather and reduce-scatter.
template <bool rotated>
Seconds price_rectangular_roots(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const trees = slices(contract.bytes, unit_of(contract), rectangular_tree_count(machine));
  auto const all = all_blocks(contract);
  auto const bytes = static_cast<double>(contract.bytes);
  auto const of_axes = rotated ? rotated_streams(machine, trees) : rectangular_streams(machine, trees);
  auto const slice = all / machine.nodes() / trees;
  auto const slowest = model::slowest_link(machine).value();
  model::LinkTraffic t;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length == 1) continue;
    auto const [up, down] = of_axes[static_cast<std::size_t>(a)];
    // Axes differ: what takes longest, as bytes over the slowest link.
    auto const share = slowest / model::slowest_link(machine, a).value();
    t.link_bytes = std::max(t.link_bytes, slice * share * static_cast<double>(std::max(up, down)));
    t.node_bytes += slice * static_cast<double>(up + down);
  }
  t.messages = 2.0 * messages_of(all, static_cast<double>(trees) * (contract.ranks - 1), cut);
  t.held = held_among_many(bytes / trees, cut);
  t.depth = rectangular_extent(machine, machine.node_of(contract.root)).depth;
  t.first_bytes = std::min(bytes / trees, static_cast<double>(cut.segment));
  return price_hierarchical(machine, contract, t);
}

/// Programs that hold the trees of all roots.
std::optional<std::string> needs_few_roots(Machine const& machine, Contract const& contract) {
  if (machine.ranks() > all_roots_ranks) {
    return "machine " + machine.name() + " has " + std::to_string(machine.ranks()) +
           " ranks, and a program over all roots' trees serves at most " + std::to_string(all_roots_ranks);
  }
  return needs_all_links(machine, contract);
}

}  // namespace

AlgorithmTable rectangular_family() {
  return {
      {.what = Collective::broadcast,
       .name = "rectangular",
       .summary = "Link-disjoint rectangular trees, 2d on a torus of d axes, each with its slice of the message "
                  "(Solomonik11, slides 4-5).",
       .make = over_trees("rectangular", hierarchically(rectangular_trees), broadcast_down),
       .price = price_rectangular,
       .why_not = needs_all_links},
      {.what = Collective::reduce,
       .name = "rectangular",
       .summary =
           "The rectangular broadcast's link-disjoint trees upwards, combining at every node (Solomonik11, slide 32).",
       .make = over_trees("rectangular", hierarchically(rectangular_trees), reduce_up),
       .price = price_rectangular,
       .why_not = needs_all_links},
      {.what = Collective::scatter,
       .name = "rectangular",
       .summary = "Every block cut over the link-disjoint rectangular trees, farthest ranks first: all of the root's "
                  "links at once.",
       .make = over_trees("rectangular", hierarchically(rectangular_trees), scatter_down),
       .price = price_rectangular_blocks,
       .why_not = needs_all_links},
      {.what = Collective::gather,
       .name = "rectangular",
       .summary = "The scatter over rectangular trees reversed: all of the root's links at once.",
       .make = over_trees("rectangular", hierarchically(rectangular_trees), gather_up),
       .price = price_rectangular_blocks,
       .why_not = needs_all_links},
      {.what = Collective::allgather,
       .name = "rectangular",
       .summary = "Every rank's block down its own 2d rectangular trees, all roots at once: attains the bandwidth "
                  "bound on any torus.",
       .make = over_all_roots("rectangular", of_all<rectangular_trees>, allgather_down),
       .price = price_rectangular_roots<false>,
       .why_not = needs_few_roots},
      {.what = Collective::allgather,
       .name = "rotated",
       .summary = "Bucket allgather in all axes at once, both directions, the order of the axes rotated over 2d slices "
                  "(Chan06).",
       .make = over_all_roots("rotated", of_all<rotated_trees>, allgather_down),
       .price = price_rectangular_roots<true>,
       .why_not = needs_few_roots},
      {.what = Collective::reduce_scatter,
       .name = "rectangular",
       .summary = "Every rank's block of the sum up its own 2d rectangular trees, all roots at once: attains the "
                  "bandwidth bound on any torus.",
       .make = over_all_roots("rectangular", of_all<rectangular_trees>, reduce_scatter_up),
       .price = price_rectangular_roots<false>,
       .why_not = needs_few_roots},
      {.what = Collective::reduce_scatter,
       .name = "rotated",
       .summary = "The rotated bucket allgather reversed, combining on the way.",
       .make = over_all_roots("rotated", of_all<rotated_trees>, reduce_scatter_up),
       .price = price_rectangular_roots<true>,
       .why_not = needs_few_roots},
      {.what = Collective::allreduce,
       .name = "rectangular",
       .summary = "Up the rectangular trees of one root and down again, segment by segment, both directions of every "
                  "link at once.",
       .make = over_trees("rectangular", hierarchically(rectangular_trees), reduce_up),
       .price = price_rectangular,
       .why_not = needs_all_links},
  };
}

}  // namespace allport
