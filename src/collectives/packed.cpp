// Packed trees: of one root, and of every root where links are dead.
#include <algorithm>
#include <utility>

#include "allport/collectives/packing.h"
#include "base/recent.h"
#include "families.h"
#include "prices.h"

namespace allport {
namespace {

/// Streams through the trees, with their real depth: broadcast, reduce, allreduce.
Seconds price_streams(Machine const& machine, Contract const& contract, Cut cut, TreeDirection direction) {
  if (contract.bytes == 0) return {};
  auto const packed = packing(machine, machine.node_of(contract.root), direction);
  // An allreduce goes up and down at once: in the steady state every link carries the message twice.
  auto const turns = contract.what == Collective::allreduce ? 2 : 1;
  return model::t_streamed(machine,
                           {.depth = packed->extent.depth * turns,
                            .parts = slices(contract.bytes, unit_of(contract), packed->report.trees),
                            .fan_out = packed->extent.fan_out,
                            .turns = turns,
                            .combines = combines(contract.what),
                            .segment = Bytes(cut.segment),
                            .window = cut.window},
                           Bytes(contract.bytes * turns));
}

/// Scatter and gather.
Seconds price_blocks(Machine const& machine, Contract const& contract, Cut cut, TreeDirection direction) {
  if (contract.total() == 0) return {};
  auto const packed = packing(machine, machine.node_of(contract.root), direction);
  return price_block_trees(machine, contract, cut, packed->report.trees, packed->extent.depth);
}

/// The message of packing(), where it throws.
std::optional<std::string> cut_off(Machine const& machine, Contract const& contract, TreeDirection direction) {
  if (!machine.has_dead_links()) return std::nullopt;
  try {
    (void)packing(machine, machine.node_of(contract.root), direction);
  } catch (Error const& error) {
    return error.what();
  }
  return std::nullopt;
}

/// The same, or that the rectangular trees apply and are as many.
std::optional<std::string> no_help(Machine const& machine, Contract const& contract, TreeDirection direction) {
  if (!machine.has_dead_links() && tree_limit(machine) <= rectangular_tree_count(machine)) {
    return "the rectangular trees of machine " + machine.name() + " are as many";
  }
  return cut_off(machine, contract, direction);
}

/// Largest machine that packs the trees of all roots.
constexpr Node max_packed_roots = 256;

/// The packings of all roots, with the minimum number of trees over all roots.
struct PackedRoots {
  Machine machine;
  std::vector<std::shared_ptr<Packing const>> roots;  // by node
  int trees = 1;
  std::int64_t depth = 0;
};

/// Cached for the last few machines.
std::shared_ptr<PackedRoots const> all_roots(Machine const& machine, TreeDirection direction) {
  static Recent<std::pair<Machine, TreeDirection>, PackedRoots> recent(4);
  return recent.get({machine, direction}, [&] {
    auto made = PackedRoots{machine, {}, 2 * max_axes, 0};
    for (Node root = 0; root < machine.nodes(); ++root) {
      auto const packed = packing(machine, root, direction);
      made.roots.push_back(packed);
      made.trees = std::min(made.trees, packed->report.trees);
      made.depth = std::max(made.depth, packed->extent.depth);
    }
    return made;
  });
}

TreeFamily trees_of_all_roots(Machine const& machine, TreeDirection direction) {
  auto const all = all_roots(machine, direction);
  auto const outer = [all](Machine const&, Node root) {
    return all->roots[static_cast<std::size_t>(root)]->over_nodes;
  };
  return {all->trees, [all, trees = hierarchically(outer)](Rank root) { return trees(all->machine, root); }};
}

/// Allgather and reduce-scatter.
Seconds price_all_roots(Machine const& machine, Contract const& contract, Cut cut, TreeDirection direction) {
  if (contract.total() == 0) return {};
  auto const packed = all_roots(machine, direction);
  auto const trees = static_cast<double>(slices(contract.bytes, unit_of(contract), packed->trees));
  auto const all = static_cast<double>(contract.total());
  model::LinkTraffic t;
  // The trees of all roots load the live links nearly evenly: the busiest one has 1.5 times the mean.
  t.link_bytes = 1.5 * all * (machine.nodes() - 1) / machine.nodes() / trees;
  t.node_bytes = t.link_bytes * packed->trees;
  t.messages = 2.0 * messages_of(all, trees * (contract.ranks - 1), cut);
  t.held = held_among_many(static_cast<double>(contract.bytes) / trees, cut);
  t.depth = packed->depth;
  t.first_bytes = std::min(static_cast<double>(contract.bytes) / trees, static_cast<double>(cut.segment));
  return price_hierarchical(machine, contract, t);
}

std::optional<std::string> all_roots_why_not(Machine const& machine, Contract const& contract) {
  if (!machine.has_dead_links()) return "machine " + machine.name() + " has no dead links to go round";
  if (machine.nodes() > max_packed_roots) {
    return "machine " + machine.name() + " has " + std::to_string(machine.nodes()) +
           " nodes, and the trees of all roots are packed up to " + std::to_string(max_packed_roots);
  }
  // If every node reaches node 0 and is reached from it, the machine is connected.
  auto from_first = contract;
  from_first.root = 0;
  if (auto reason = cut_off(machine, from_first, TreeDirection::from_root)) return reason;
  if (auto reason = cut_off(machine, from_first, TreeDirection::to_root)) return reason;
  return std::nullopt;
}

/// Adapts a price function with a direction to a registry row; likewise why_not.
template <class Price>
auto priced(Price price, TreeDirection direction) {
  return [=](Machine const& machine, Contract const& contract, Cut cut) {
    return price(machine, contract, cut, direction);
  };
}
template <class Reason>
auto refused(Reason reason, TreeDirection direction) {
  return [=](Machine const& machine, Contract const& contract) { return reason(machine, contract, direction); };
}
auto trees(TreeDirection direction) {
  return hierarchically(
      [direction](Machine const& machine, Node root) { return packing(machine, root, direction)->over_nodes; });
}
auto of_all_roots(TreeDirection direction) {
  return [direction](Machine const& machine) { return trees_of_all_roots(machine, direction); };
}

}  // namespace

AlgorithmTable packed_family() {
  return {
      {.what = Collective::broadcast,
       .name = "packed",
       .summary = "Each tree of a largest link-disjoint set has its slice of the message; goes round dead links and "
                  "serves wrapped and open axes mixed (Edmonds 1973; Solomonik11, slides 4-5).",
       .make = over_trees("packed", trees(TreeDirection::from_root), broadcast_down),
       .price = priced(price_streams, TreeDirection::from_root),
       .why_not = refused(cut_off, TreeDirection::from_root)},
      {.what = Collective::reduce,
       .name = "packed",
       .summary = "Up the trees of a largest link-disjoint set, which goes round dead links and serves wrapped and "
                  "open axes mixed (Edmonds 1973; Solomonik11, slides 4-5).",
       .make = over_trees("packed", trees(TreeDirection::to_root), reduce_up),
       .price = priced(price_streams, TreeDirection::to_root),
       .why_not = refused(cut_off, TreeDirection::to_root)},
  };
}

AlgorithmTable packed_stand_ins() {
  return {
      {.what = Collective::scatter,
       .name = "packed",
       .summary = "Blocks cut over a largest set of link-disjoint trees, where dead links or mixed axes make it larger "
                  "than the rectangular one.",
       .make = over_trees("packed", trees(TreeDirection::from_root), scatter_down),
       .price = priced(price_blocks, TreeDirection::from_root),
       .why_not = refused(no_help, TreeDirection::from_root)},
      {.what = Collective::gather,
       .name = "packed",
       .summary = "Blocks cut over a largest set of link-disjoint trees to the root, where dead links or mixed axes "
                  "make it larger than the rectangular one.",
       .make = over_trees("packed", trees(TreeDirection::to_root), gather_up),
       .price = priced(price_blocks, TreeDirection::to_root),
       .why_not = refused(no_help, TreeDirection::to_root)},
      {.what = Collective::allreduce,
       .name = "packed",
       .summary = "Up and down a largest set of link-disjoint trees over links whose two directions live.",
       .make = over_trees("packed", trees(TreeDirection::both), reduce_up),
       .price = priced(price_streams, TreeDirection::both),
       .why_not = refused(no_help, TreeDirection::both)},
      {.what = Collective::allgather,
       .name = "packed",
       .summary = "Every rank's block down its own packed trees, round dead links.",
       .make = over_all_roots("packed", of_all_roots(TreeDirection::from_root), allgather_down),
       .price = priced(price_all_roots, TreeDirection::from_root),
       .why_not = all_roots_why_not},
      {.what = Collective::reduce_scatter,
       .name = "packed",
       .summary = "Every rank's block of the sum up its own packed trees, round dead links.",
       .make = over_all_roots("packed", of_all_roots(TreeDirection::to_root), reduce_scatter_up),
       .price = priced(price_all_roots, TreeDirection::to_root),
       .why_not = all_roots_why_not},
  };
}

}  // namespace allport
