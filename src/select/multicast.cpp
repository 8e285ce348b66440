#include "allport/select/multicast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "allport/mapping/mapping.h"
#include "allport/multicast/schedule.h"
#include "model/tree_cost.h"

namespace allport {
namespace {

TopologyIds ids_of(Machine const& machine) { return TopologyIds(machine, TopologyIds::default_bits(machine.ranks())); }

Cut whole(Contract const& contract, Cut cut) { return {std::max<std::int64_t>(contract.bytes, 1), cut.window}; }

Seconds price_of(Machine const& machine, TopologyIds const& ids, Multicast const& m, Contract const& c, Cut cut) {
  return model::t_tree(machine, messages(ids, m), Bytes(c.bytes), Bytes(cut.segment), cut.window,
                       multicast_lanes(m.tree));
}

/// The cheapest split of the tables' rows, or degree of tree `kary`. The same on every rank, because prices are.
std::pair<Split, Seconds> best_split(Machine const& machine, Contract const& contract, MulticastTree tree, Cut cut) {
  auto const ids = ids_of(machine);
  bool const by_prefix = tree == MulticastTree::prefix;
  auto m = multicast_of(ids, contract, tree);
  m.split = {by_prefix ? 0 : 1};
  std::pair<Split, Seconds> best{m.split, price_of(machine, ids, m, contract, cut)};
  for (auto bits = m.split.bits + 1; bits < (by_prefix ? std::min(ids.bits(), 3) : 4); ++bits) {
    m.split = {bits};
    auto const price = price_of(machine, ids, m, contract, cut);
    if (price < best.second) best = {m.split, price};
  }
  return best;
}

/// A row for a tree that depends only on the contract. @param in_segments in segments, or the whole message at once
Algorithm along(MulticastTree tree, std::string summary, bool in_segments) {
  auto const cut_of = [=](Contract const& contract, Cut cut) { return in_segments ? cut : whole(contract, cut); };
  return {
      .what = Collective::broadcast,
      .name = std::string(name(tree)),
      .summary = std::move(summary),
      .make = [=](Machine const& machine, Contract const& contract,
                  Cut cut) { return multicast_schedule(ids_of(machine), tree, {}, contract, cut_of(contract, cut)); },
      .price =
          [=](Machine const& machine, Contract const& contract, Cut cut) {
            auto const ids = ids_of(machine);
            return price_of(machine, ids, multicast_of(ids, contract, tree), contract, cut_of(contract, cut));
          },
      .to_some = true};
}

/// A row for a tree of which there are several, by their splits.
Algorithm best_of(MulticastTree tree, std::string name, std::string summary, bool in_segments) {
  auto const cut_of = [=](Contract const& contract, Cut cut) { return in_segments ? cut : whole(contract, cut); };
  return {.what = Collective::broadcast,
          .name = std::move(name),
          .summary = std::move(summary),
          .make =
              [=](Machine const& machine, Contract const& contract, Cut cut) {
                auto const mine = cut_of(contract, cut);
                auto const split = best_split(machine, contract, tree, mine).first;
                return multicast_schedule(ids_of(machine), tree, split, contract, mine);
              },
          .price = [=](Machine const& machine, Contract const& contract,
                       Cut cut) { return best_split(machine, contract, tree, cut_of(contract, cut)).second; },
          .to_some = true};
}

Algorithm const& rectangular() {
  static auto const& only = algorithm(Collective::broadcast, "rectangular", library_algorithms());
  return only;
}

/// The machine of the trees: the box that source and targets fill, or else the whole machine.
struct Ground {
  Machine machine;
  std::vector<Rank> ranks;   // by place
  std::vector<Rank> places;  // by rank; -1: not in the box
  Contract contract;         // broadcast to all ranks of the box

  Ground(Machine const& whole, Contract const& wanted) : machine(whole) {
    std::vector<Rank> members{wanted.root};
    for (Rank r = 0; r < whole.ranks(); ++r) {
      if (r != wanted.root && wanted.wanted_by(r)) members.push_back(r);
    }
    auto mapping = Mapping::identity(whole.ranks());
    if (auto box = find_box(whole, members)) {
      machine = std::move(box->machine);
      mapping = std::move(box->mapping);
    } else {
      members.resize(static_cast<std::size_t>(whole.ranks()));
      std::iota(members.begin(), members.end(), 0);
    }
    ranks.resize(members.size());
    places.assign(static_cast<std::size_t>(whole.ranks()), -1);
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto const place = mapping.place(static_cast<Rank>(i));
      ranks[static_cast<std::size_t>(place)] = members[i];
      places[static_cast<std::size_t>(members[i])] = place;
    }
    contract = {Collective::broadcast, machine.ranks(), places[static_cast<std::size_t>(wanted.root)], wanted.bytes,
                wanted.element};
  }

  [[nodiscard]] Rank place(Rank rank) const { return places[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Rank rank(Rank at) const { return ranks[static_cast<std::size_t>(at)]; }
};

/// The trees of a broadcast without branches that lead to no target.
class PrunedTrees {
 public:
  PrunedTrees(Machine const& machine, Contract const& wanted, Cut cut)
      : wanted_(wanted),
        cut_(cut),
        ground_(machine, wanted),
        all_(make_schedule(ground_.machine, ground_.contract, rectangular(), cut)),
        needed_(static_cast<std::size_t>(all_.trees()), std::vector<bool>(ground_.ranks.size())) {
    for (Rank r = 0; r < wanted.ranks; ++r) {
      if (r != wanted.root && wanted.wanted_by(r)) need(ground_.place(r));
    }
  }

  [[nodiscard]] int trees() const { return all_.trees(); }

  void program(Rank rank, Program& into) const {
    auto const place = ground_.place(rank);
    if (place < 0) return;
    auto const all = all_.program(place);
    std::int32_t receive = -1;  // of the current tree, whose operations are consecutive
    for (auto op : all.ops) {
      bool const receives = op.kind == OpKind::receive;
      if (receives) receive = -1;
      if (!is_needed(op.channel, receives ? place : op.peer)) continue;
      op.peer = ground_.rank(op.peer);
      op.piece.sources = {wanted_.root, wanted_.root};
      op.piece.destinations = {0, wanted_.ranks - 1};
      op.after.clear();
      if (receives) {
        receive = static_cast<std::int32_t>(into.ops.size());
        if (wanted_.output_bytes(rank) == 0) relay(op, into);
      } else if (receive >= 0) {
        op.after.add(receive);
        op.from = into.ops[static_cast<std::size_t>(receive)].into;
        if (op.from.buffer == Buffer::scratch) take_turn(op, receive, into);
      }
      into.ops.push_back(op);
    }
  }

 private:
  static constexpr std::int32_t lanes = 4;  ///< maximum number of sends that a relay's receive waits for directly

  [[nodiscard]] bool is_needed(std::int32_t tree, Rank place) const {
    return needed_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(place)];
  }

  /// The path from the root to a place, in every tree.
  void need(Rank place) {
    auto const own = all_.program(place);
    for (auto const& op : own.ops) {
      if (op.kind != OpKind::receive) continue;
      auto& tree = needed_[static_cast<std::size_t>(op.channel)];
      for (auto at = place; at != ground_.contract.root && !tree[static_cast<std::size_t>(at)];) {
        tree[static_cast<std::size_t>(at)] = true;
        auto const there = all_.program(at);
        at = std::ranges::find_if(there.ops, [&](Op const& o) {
               return o.kind == OpKind::receive && o.channel == op.channel;
             })->peer;
      }
    }
  }

  /// A rank that is no target stores only a window of segments.
  void relay(Op& receive, Program& into) const {
    auto const window = static_cast<std::int32_t>(std::min<std::int64_t>(cut_.window, receive.segments()));
    receive.into = {Buffer::scratch, window, into.scratch};
    into.scratch += window * receive.segment;
  }

  /// A slot of the relay's ring is free once the last send of each lane has completed.
  static void take_turn(Op& send, std::int32_t receive, Program& into) {
    auto const index = static_cast<std::int32_t>(into.ops.size());
    auto const before = index - lanes;
    auto& reader = into.ops[static_cast<std::size_t>(receive)];
    bool const wraps = reader.into.ring < reader.segments();
    if (before > receive) {
      send.after.add(before);
      for (auto& d : reader.after) {
        if (d.op == before) d.op = index;
      }
    } else if (wraps) {
      reader.after.add(index, reader.into.ring);
    }
  }

  Contract wanted_;
  Cut cut_;
  Ground ground_;
  Schedule all_;
  std::vector<std::vector<bool>> needed_;  // by tree and place: whether on the path to a target
};

Schedule trees(Machine const& machine, Contract const& contract, Cut cut) {
  auto const pruned = std::make_shared<PrunedTrees const>(machine, contract, cut);
  return {"trees", contract, cut, pruned->trees(), [pruned](Rank rank, Program& into) { pruned->program(rank, into); }};
}

}  // namespace

AlgorithmList const& multicast_algorithms() {
  static std::array<Algorithm, 7> const rows{
      along(MulticastTree::flat, "From the source to one target after the other.", false),
      along(MulticastTree::chain, "From target to target in the order of their topology IDs, in segments.", true),
      along(MulticastTree::axes,
            "From node to neighbour along the machine's axes, a tree that takes no link twice, in segments.", true),
      best_of(MulticastTree::prefix, "prefix",
              "Over compact prefix routing tables (Song09), the whole message from hop to hop.", false),
      best_of(MulticastTree::prefix, "segmented",
              "Over compact prefix routing tables, each segment forwarded on arrival.", true),
      best_of(MulticastTree::kary, "kary",
              "A balanced tree of degree 2, 4 or 8 over the targets in the order of their topology IDs, in segments.",
              true),
      Algorithm{.what = Collective::broadcast,
                .name = "trees",
                .summary = "Over link-disjoint rectangular trees of the box that source and targets fill, else of the "
                           "whole machine, as far as they lead to targets.",
                .make = trees,
                .price =
                    [](Machine const& machine, Contract const& contract, Cut cut) {
                      Ground const ground(machine, contract);
                      return rectangular().price(ground.machine, ground.contract, cut);
                    },
                .why_not =
                    [](Machine const& machine, Contract const& contract) {
                      Ground const ground(machine, contract);
                      return rectangular().why_not(ground.machine, ground.contract);
                    },
                .to_some = true}};
  static AlgorithmList const list = [] {
    AlgorithmList all;
    for (auto const& row : rows) all.push_back(&row);
    return all;
  }();
  return list;
}

AlgorithmList const& unannounced_multicasts() {
  static AlgorithmList const list = [] {
    AlgorithmList all;
    for (auto const* row : multicast_algorithms()) {
      if (row->name != "trees") all.push_back(row);
    }
    return all;
  }();
  return list;
}

MulticastForm form_of(Machine const& machine, Choice const& choice) {
  ensure(choice.best.algorithm != nullptr && std::ranges::count(unannounced_multicasts(), choice.best.algorithm) == 1,
         "choice", choice.best.algorithm == nullptr ? "none" : choice.best.algorithm->name,
         "one of unannounced_multicasts()");
  auto const& name = choice.best.algorithm->name;
  auto const tree = name == "segmented" ? MulticastTree::prefix : parse_multicast_tree(name);
  MulticastForm form{tree, {}, Bytes(choice.best.cut.segment), choice.best.predicted};
  if (tree == MulticastTree::prefix || tree == MulticastTree::kary) {
    form.split = best_split(machine, choice.contract, tree, choice.best.cut).first;
  }
  return form;
}

Choice choose_multicast(Machine const& machine, Contract const& contract, SelectOptions const& options) {
  ensure(contract.what == Collective::broadcast, "contract", name(contract.what), "a broadcast, to all or to targets");
  auto all = options.among.value_or(multicast_algorithms());
  for (auto const* a : algorithms()) {
    if (!options.among && a->what == Collective::broadcast && a->to_some) all.push_back(a);
  }
  if (!options.algorithm.empty()) static_cast<void>(algorithm(Collective::broadcast, options.algorithm, all));
  auto const placed = options.mapping ? at_places(contract, *options.mapping) : contract;
  Choice choice{machine.name(), contract, {}, {}, {}, options.mapping};
  for (auto const* a : all) {
    if (!options.algorithm.empty() && a->name != options.algorithm) continue;
    auto mine = options;
    mine.algorithm = a->name;
    mine.among = AlgorithmList{a};
    if (a->name == "flat" || a->name == "prefix") mine.segments = {whole(contract, {}).segment};
    if (auto const reason = reason_against(*a, machine, placed)) {
      choice.candidates.push_back({a, {}, {}, *reason});
      continue;
    }
    auto const tried = choose(machine, contract, mine);
    choice.candidates.insert(choice.candidates.end(), tried.candidates.begin(), tried.candidates.end());
    bool const first = choice.best.algorithm == nullptr;
    // Through one memory all trees copy the same bytes, and their prices differ by rounding.
    auto const less = choice.best.predicted * (1.0 - 1e-9);
    if (first || (tried.best.priced() && tried.best.predicted < less)) choice.best = tried.best;
  }
  if (choice.best.algorithm == nullptr) {
    throw Error::argument("algorithm", fmt::format("'{}'", options.algorithm), "one that can serve",
                          choice.candidates.front().reason, ErrorKind::unsupported);
  }
  return choice;
}

}  // namespace allport
