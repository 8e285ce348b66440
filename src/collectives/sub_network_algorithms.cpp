// The rows of one sub-network: its packed trees under the collectives over trees, priced with the links that they
// share.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "allport/collectives/sub_network.h"
#include "base/recent.h"
#include "families.h"
#include "prices.h"

namespace allport {
namespace {

/// Largest sub-network that packs the trees of all roots.
constexpr Node max_roots = 256;

/// The trees of all members, as many of each as the one with fewest has.
struct NetworkRoots {
  std::vector<std::shared_ptr<SubNetwork::Trees const>> roots;
  int trees = 2 * max_axes;
  std::int64_t depth = 0;
  Seconds through{};
  std::int32_t streams = 1;  ///< over the busiest link
};

class Rows {
 public:
  explicit Rows(std::shared_ptr<SubNetwork const> network) : network_(std::move(network)) {}

  [[nodiscard]] SubNetwork const& network() const { return *network_; }

  [[nodiscard]] std::shared_ptr<SubNetwork::Trees const> trees(Rank root, TreeDirection direction) const {
    return *cache_.get(std::pair(root, direction), [&] { return network_->trees(root, direction); });
  }

  [[nodiscard]] NetworkRoots const& all_roots(TreeDirection direction) const {
    auto const i = static_cast<std::size_t>(direction);
    std::call_once(made_[i], [&] {
      NetworkRoots all;
      std::vector<std::int32_t> load(static_cast<std::size_t>(network_->machine().link_ids()), 0);
      for (Rank root = 0; root < network_->ranks(); ++root) {
        auto const& trees = all.roots.emplace_back(network_->trees(root, direction));
        all.trees = std::min(all.trees, trees->over_ranks.count);
        all.depth = std::max(all.depth, trees->extent.depth);
        all.through = std::max(all.through, trees->through);
        for (auto const l : trees->links) all.streams = std::max(all.streams, ++load[static_cast<std::size_t>(l)]);
      }
      all_[i] = std::move(all);
    });
    return all_[i];
  }

  /// Streams: broadcast, reduce, allreduce.
  [[nodiscard]] Seconds streams(Contract const& contract, Cut cut, TreeDirection direction) const {
    auto const trees = this->trees(contract.root, direction);
    auto const turns = contract.what == Collective::allreduce ? 2.0 : 1.0;
    auto const time = price_streamed(network_->machine(), contract, cut,
                                     {.depth = trees->extent.depth,
                                      .parts = trees->over_ranks.count,
                                      .fan_out = trees->extent.fan_out,
                                      .sharing = trees->sharing});
    return contract.bytes == 0 ? time : time + turns * trees->through;
  }

  /// Scatter and gather.
  [[nodiscard]] Seconds blocks(Contract const& contract, Cut cut, TreeDirection direction) const {
    if (contract.total() == 0) return {};
    auto const trees = this->trees(contract.root, direction);
    return static_cast<double>(trees->sharing) *
               price_block_trees(network_->machine(), contract, cut, trees->over_ranks.count, trees->extent.depth) +
           trees->through;
  }

  /// Allgather and reduce-scatter: the streams over the busiest link are counted.
  [[nodiscard]] Seconds of_all_roots(Contract const& contract, Cut cut, TreeDirection direction) const {
    if (contract.total() == 0) return {};
    auto const& all = all_roots(direction);
    auto const trees = static_cast<double>(slices(contract.bytes, unit_of(contract), all.trees));
    auto const total = static_cast<double>(contract.total());
    model::LinkTraffic t;
    t.link_bytes = total / network_->ranks() / trees * all.streams;
    t.node_bytes = t.link_bytes * all.trees;
    t.messages = 2.0 * messages_of(total, trees * (contract.ranks - 1), cut);
    t.held = held_among_many(static_cast<double>(contract.bytes) / trees, cut);
    t.depth = all.depth;
    t.first_bytes = std::min(static_cast<double>(contract.bytes) / trees, static_cast<double>(cut.segment));
    return price_hierarchical(network_->machine(), contract, t) + all.through;
  }

 private:
  std::shared_ptr<SubNetwork const> network_;
  mutable Recent<std::pair<Rank, TreeDirection>, std::shared_ptr<SubNetwork::Trees const>> cache_{64};
  mutable std::array<std::once_flag, 3> made_;
  mutable std::array<NetworkRoots, 3> all_;
};

using Shared = std::shared_ptr<Rows const>;

std::optional<std::string> cut_off(Shared const& rows, TreeDirection direction) {
  if (rows->network().nodes() > max_sub_network_nodes) {
    return fmt::format("it has {} nodes, and trees are packed up to {}", rows->network().nodes(),
                       max_sub_network_nodes);
  }
  if (!rows->network().machine().has_dead_links()) return std::nullopt;
  try {
    // Who reaches member 0 and is reached from there reaches everyone.
    (void)rows->network().trees(0, direction == TreeDirection::both ? direction : TreeDirection::from_root);
    (void)rows->network().trees(0, direction == TreeDirection::both ? direction : TreeDirection::to_root);
  } catch (Error const& error) {
    return error.what();
  }
  return std::nullopt;
}

auto why_not(Shared const& rows, TreeDirection direction) {
  return [rows, direction](Machine const&, Contract const&) { return cut_off(rows, direction); };
}

auto why_not_all_roots(Shared const& rows, TreeDirection direction) {
  return [rows, direction](Machine const&, Contract const&) -> std::optional<std::string> {
    if (rows->network().ranks() > max_roots) {
      return fmt::format("it has {} ranks, and the trees of all roots are packed up to {}", rows->network().ranks(),
                         max_roots);
    }
    return cut_off(rows, direction);
  };
}

auto priced(Shared const& rows, Seconds (Rows::*price)(Contract const&, Cut, TreeDirection) const,
            TreeDirection direction) {
  return [=](Machine const&, Contract const& contract, Cut cut) { return ((*rows).*price)(contract, cut, direction); };
}

constexpr auto row_name = "subnetwork";

auto over(Shared const& rows, TreeDirection direction, Schedule (*stream)(TreeSet, std::string, Contract const&, Cut)) {
  auto const trees = [rows, direction](Machine const&, Rank root) { return rows->trees(root, direction)->over_ranks; };
  return over_trees(row_name, trees, stream);
}

auto over_all(Shared const& rows, TreeDirection direction,
              Schedule (*stream)(TreeFamily, std::string, Contract const&, Cut)) {
  auto const family = [rows, direction](Machine const&) {
    return TreeFamily{rows->all_roots(direction).trees, [rows, direction](Rank root) {
                        return rows->all_roots(direction).roots[static_cast<std::size_t>(root)]->over_ranks;
                      }};
  };
  return over_all_roots(row_name, family, stream);
}

}  // namespace

std::vector<Algorithm> sub_network_algorithms(std::shared_ptr<SubNetwork const> const& network) {
  auto const rows = std::make_shared<Rows const>(network);
  constexpr auto down = TreeDirection::from_root;
  constexpr auto up = TreeDirection::to_root;
  std::string const trees = "packed trees over the links among ranks that form no box of the machine.";
  return {
      {.what = Collective::broadcast,
       .name = row_name,
       .summary = "Down " + trees,
       .make = over(rows, down, broadcast_down),
       .price = priced(rows, &Rows::streams, down),
       .why_not = why_not(rows, down)},
      {.what = Collective::reduce,
       .name = row_name,
       .summary = "Up " + trees,
       .make = over(rows, up, reduce_up),
       .price = priced(rows, &Rows::streams, up),
       .why_not = why_not(rows, up)},
      {.what = Collective::scatter,
       .name = row_name,
       .summary = "Every block cut over " + trees,
       .make = over(rows, down, scatter_down),
       .price = priced(rows, &Rows::blocks, down),
       .why_not = why_not(rows, down)},
      {.what = Collective::gather,
       .name = row_name,
       .summary = "Every block up " + trees,
       .make = over(rows, up, gather_up),
       .price = priced(rows, &Rows::blocks, up),
       .why_not = why_not(rows, up)},
      {.what = Collective::allgather,
       .name = row_name,
       .summary = "Every rank's block down its own " + trees,
       .make = over_all(rows, down, allgather_down),
       .price = priced(rows, &Rows::of_all_roots, down),
       .why_not = why_not_all_roots(rows, down)},
      {.what = Collective::reduce_scatter,
       .name = row_name,
       .summary = "Every rank's block of the sum up its own " + trees,
       .make = over_all(rows, up, reduce_scatter_up),
       .price = priced(rows, &Rows::of_all_roots, up),
       .why_not = why_not_all_roots(rows, up)},
      {.what = Collective::allreduce,
       .name = row_name,
       .summary = "Up and down " + trees,
       .make = over(rows, TreeDirection::both, reduce_up),
       .price = priced(rows, &Rows::streams, TreeDirection::both),
       .why_not = why_not(rows, TreeDirection::both)},
  };
}

}  // namespace allport
