#include "allport/tasks/transport.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allport/multicast/schedule.h"
#include "frontier.h"
#include "graph/sum_tree.h"

namespace allport::tasks {

namespace {

/// Moves places round the rings of a machine until one of them lies where those of all others like it come to lie:
/// trees along the axes look the same from all nodes of a ring, but for the parity by which routes half round it
/// are chosen.
class Shift {
 public:
  /// @param moves  false: everything stays
  Shift(Machine const& machine, bool moves) : machine_(machine), axes_(moves ? machine.axes() : 0) {
    for (Node node = 0; node < (moves ? machine.nodes() : 0); ++node) {
      for (int a = 0; a < axes_; ++a) coords_.push_back(machine.coord(node, a));
    }
  }

  void bring(Rank home) {
    if (axes_ == 0) return;
    auto const* at = coords(machine_.node_of(home));
    bool odd = false;
    int ring = -1;
    for (int a = 0; a < axes_; ++a) {
      auto const length = machine_.axis(a).length;
      bool const moves = machine_.axis(a).wraps && length > 1;
      there_[index(a)] = moves ? (length - at[a]) % length : 0;
      odd = odd != (moves && at[a] % 2 != 0);
      if (moves) ring = a;
    }
    if (odd) there_[index(ring)] = (there_[index(ring)] + 1) % machine_.axis(ring).length;
    for (int a = 0; a < axes_; ++a) {
      auto const length = machine_.axis(a).length;
      back_[index(a)] = (length - there_[index(a)]) % length;
    }
  }
  [[nodiscard]] Rank there(Rank place) const { return moved(place, there_); }
  [[nodiscard]] Rank back(Rank place) const { return moved(place, back_); }

 private:
  using Steps = std::array<std::int32_t, max_axes>;

  [[nodiscard]] static std::size_t index(int a) { return static_cast<std::size_t>(a); }
  [[nodiscard]] std::int32_t const* coords(Node node) const {
    return coords_.data() + static_cast<std::ptrdiff_t>(node) * axes_;
  }
  [[nodiscard]] Rank moved(Rank place, Steps const& steps) const {
    if (axes_ == 0) return place;
    auto const ranks = machine_.ranks_per_node();
    auto const node = place / ranks;
    auto const* at = coords(node);
    Node to = 0;
    for (int a = 0; a < axes_; ++a) {
      auto const length = machine_.axis(a).length;
      auto const x = at[a] + steps[index(a)];
      to += (x < length ? x : x - length) * machine_.stride(a);
    }
    return to * ranks + (place - node * ranks);
  }

  Machine machine_;
  int axes_;
  std::vector<std::int32_t> coords_;  // of nodes
  Steps there_{};
  Steps back_{};
};

class TreeTransport final : public graph::Transport {
 public:
  TreeTransport(Machine const& machine, MulticastTree tree, Mapping mapping)
      : ids_(machine, TopologyIds::default_bits(machine.ranks())),
        tree_(tree),
        machine_(machine),
        places_(std::move(mapping)),
        ranks_(places_.inverse()),
        shift_(machine, tree == MulticastTree::axes) {}

  /// Ranks without a place in the machine would have no ID.
  void hops(graph::Delivery const& delivery, VisitHop visit) const override {
    auto const last = std::ranges::max(delivery.ranks);
    if (last >= ids_.ranks()) {
      ensure(false, "machine", ids_.ranks(), "as many ranks as the graph has", "take a larger machine");
    }
    if (delivery.in_gang) return gangs_->hops(delivery, visit);
    auto const at = [&](int place) { return delivery.ranks[static_cast<std::size_t>(place)]; };
    auto const root = at(delivery.root);
    if (delivery.what == Collective::reduce) {
      auto const contributions = static_cast<int>(delivery.ranks.size());
      graph::sum_messages(delivery.sum_tree, contributions, delivery.root, [&](int from, int to) {
        visit({at(from), at(to), delivery.bytes, 1});
      });
    } else {
      auto const home = places_.place(root);
      shift_.bring(home);
      // The source, how many parts and how far they may go: with these the ranks say who sends to whom.
      key_.assign({shift_.there(home), delivery.parts, static_cast<Rank>(detour_of(machine_, delivery.bytes))});
      for (auto const rank : delivery.ranks) {
        if (rank != root) key_.push_back(shift_.there(places_.place(rank)));
      }
      for (auto const& [from, to] : messages_of(key_, TaskHash()(delivery.whole), delivery.output)) {
        visit({ranks_.place(shift_.back(from)), ranks_.place(shift_.back(to)), delivery.bytes, 1});
      }
    }
  }

 private:
  using Messages = std::vector<std::pair<Rank, Rank>>;
  /// Equally good trees, as multicast_by() picks from them; computed when first picked.
  struct Trees {
    MulticastTree tree;
    std::vector<int> orders;
    std::vector<std::optional<Messages>> messages;
  };
  struct KeyHash {
    std::size_t operator()(std::vector<Rank> const& key) const {
      std::uint64_t hash = key.size();
      for (auto const one : key) {
        hash = (hash ^ static_cast<std::uint64_t>(one)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };

  /// By places; cached, since a graph sends to the same groups repeatedly.
  [[nodiscard]] Messages const& messages_of(std::vector<Rank> const& key, std::uint64_t spread, int turn) const {
    auto const set = [&] { return DestinationSet::of(ids_, std::span(key).subspan(3)); };
    if (known_.size() >= most_known) known_.clear();
    auto& trees = known_.try_emplace(key, Trees{tree_, {}, {}}).first->second;
    if (trees.messages.empty()) {
      if (goes_straight(tree_, ids_, key.front(), set(), key[1])) trees.tree = MulticastTree::flat;
      trees.orders = trees.tree == MulticastTree::axes ? orders_along_axes(ids_, key[0], set(), key[1], key[2])
                                                       : std::vector<int>{0};
      trees.messages.resize(trees.orders.size());
    }
    auto const picked = pick(trees.orders.size(), spread, turn);
    auto& found = trees.messages[picked];
    if (!found) found = messages(ids_, Multicast{key.front(), set(), trees.tree, {}, trees.orders[picked]});
    return *found;
  }

  static constexpr std::size_t most_known = 1 << 14;

  TopologyIds ids_;
  MulticastTree tree_;
  Machine machine_;
  Mapping places_;  // of ranks
  Mapping ranks_;   // at places
  mutable Shift shift_;
  mutable std::vector<Rank> key_;
  mutable std::unordered_map<std::vector<Rank>, Trees, KeyHash> known_;
  std::unique_ptr<graph::Transport> gangs_ = graph::in_gangs();
};

}  // namespace

MulticastTree default_tree(Machine const& machine) {
  return machine == Machine::flat(machine.ranks()) ? MulticastTree::prefix : MulticastTree::axes;
}

Bytes default_segment(Machine const& machine) {
  constexpr std::int64_t shortest = 4 * 1024;
  constexpr std::int64_t longest = 64 * 1024;
  constexpr double times = 5;
  auto const ends = 2 * machine.rates().overhead.value();
  if (ends <= 0) return Bytes(longest);
  auto slowest = std::numeric_limits<double>::infinity();
  for (int a = 0; a < machine.axes(); ++a) slowest = std::min(slowest, machine.axis(a).bandwidth.value());
  auto segment = shortest;
  while (segment < longest && static_cast<double>(segment) < times * ends * slowest) segment *= 2;
  return Bytes(segment);
}

bool moves_while_polled(Machine const& machine) {
  constexpr double moved_by_a_poll = 64 << 10;
  constexpr double short_poll = 1e-3;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const bandwidth = machine.axis(a).bandwidth.value();
    if (bandwidth > 0 && moved_by_a_poll / bandwidth > short_poll) return false;
  }
  return true;
}

std::int64_t detour_of(Machine const& machine, std::int64_t bytes) {
  std::int64_t longest = 0;  // of any tree that goes round in one direction
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).wraps) longest += machine.axis(a).length - 1 - machine.axis(a).length / 2;
  }
  auto const pieces = bytes / default_segment(machine).value();
  return std::max(default_detour, std::min(pieces, longest + default_detour));
}

std::unique_ptr<graph::Transport> transport(Machine const& machine, std::optional<Mapping> const& mapping) {
  return transport(machine, default_tree(machine), mapping);
}

std::unique_ptr<graph::Transport> transport(Machine const& machine, MulticastTree tree,
                                            std::optional<Mapping> const& mapping) {
  return std::make_unique<TreeTransport>(machine, tree, mapping.value_or(Mapping::identity(machine.ranks())));
}

}  // namespace allport::tasks
