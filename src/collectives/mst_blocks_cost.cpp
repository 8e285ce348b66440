// Cost of scatter and gather over the generalised minimum spanning trees: messages of a rank are sequential if they
// share a link, a processor, memory or a cap, and simultaneous otherwise.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "allport/model/link_loads.h"
#include "model/link_traffic.h"
#include "model/within_node.h"
#include "mst_cost.h"

namespace allport {
namespace {

/// The resources of one rank's messages: the time from which each is free.
struct Turns {
  std::array<std::array<double, 3>, max_box_axes> links{};  // by axis and direction + 1; axis 0: within the node
  std::vector<double> ports;
  double cap = 0.0;
  double processor = 0.0;
  double memory = 0.0;
};

class BlocksPrice {
 public:
  BlocksPrice(Machine const& machine, MstShape const& shape, MstTree const& tree, Contract const& contract, Cut cut)
      : machine_(machine),
        shape_(shape),
        tree_(tree),
        cut_(cut),
        block_(real(contract.total()) / contract.ranks),
        overhead_(machine.rates().overhead.value()) {
    copy_ = model::copy_seconds_per_byte(machine, 1.0);
    within_ = copy_;
    for (auto const& level : machine.levels().all()) {
      if (level.bandwidth.value() > 0.0) within_ = std::max(within_, 1.0 / level.bandwidth.value());
      near_ = std::max(near_, level.latency.value());
    }
    leaves_ = model::injection_seconds_per_byte(machine, 1.0, 0.0);
    if (machine.rates().injection.value() > 0.0) leaves_ = std::max(leaves_, 1.0 / machine.rates().injection.value());
    whole_ = shape.whole(contract.root);
    for (int a = 0; a < shape.axes(); ++a) whole_.span[at(a)] = {0, shape.length(a)};
    scatters_ = contract.what == Collective::scatter;
    for (int a = 1; a < shape.axes(); ++a) link_.push_back(1.0 / model::slowest_link(machine, a - 1).value());
  }

  double seconds() {
    for (int n = 0; n <= tree_.whole(); ++n) {
      done_.push_back(!tree_.nodes[at(n)].is_part ? 0.0 : scatters_ ? scatter(n) : gather(n));
    }
    return done_.back();
  }

 private:
  [[nodiscard]] double segments(double bytes) const {
    return std::max(1.0, std::ceil(bytes / real(std::max<std::int64_t>(1, cut_.segment))));
  }
  /// Whether the blocks of a part that `node` cuts off lie side by side among those that its root holds: those of
  /// `holder`, whose root it is, and of the whole machine in the order of ranks.
  [[nodiscard]] bool together(MstNode const& node, MstPart const& part, int holder) const {
    auto const& held = holder == tree_.whole() ? whole_ : tree_.nodes[at(holder)].box;
    for (int a = 0; a < shape_.axes(); ++a) {
      auto const& mine = part.box.span[at(a)];
      auto const& all = held.span[at(a)];
      // Nodes stand for boxes at other places, too: places count from the root.
      auto const n = shape_.length(a);
      auto const from = (mine.lo - node.box.root[at(a)] - all.lo + held.root[at(a)] + 2 * n) % n;
      if (a < part.axis && (from != 0 || mine.length != all.length)) return false;
      if (a == part.axis && from + mine.length > n) return false;
      if (a > part.axis && all.length != 1) return false;
    }
    return true;
  }

  struct Route {
    int axis = 0;
    int sign = 0;
    double latency = 0.0;
    double seconds_per_byte = 0.0;
  };
  [[nodiscard]] Route route(MstPart const& part) const {
    if (part.axis == 0) return {0, 0, near_, within_};
    auto const& axis = machine_.axis(part.axis - 1);
    auto const round = axis.wraps && part.steps > 1 && 2 * part.steps >= axis.length;  // the other way is as short
    auto const hops = round ? axis.length - part.steps : part.steps;
    auto const sign = !round ? part.sign : 2 * part.steps == axis.length ? (scatters_ ? 1 : -1) : -part.sign;
    return {part.axis, sign, hops * axis.latency.value(), link_[at(part.axis - 1)]};
  }

  /// Arrival of the last segment, if the sender may start at `ready`.
  double pass(Route const& route, double ready, double bytes, std::size_t beside) {
    auto const parts = segments(bytes);
    auto& link = turns_.links[at(route.axis)][at(route.sign + 1)];
    auto begin = std::max({ready + overhead_, link, turns_.cap});
    auto* port = route.axis == 0 || turns_.ports.empty() ? nullptr : &*std::ranges::min_element(turns_.ports);
    if (port != nullptr) begin = std::max(begin, *port);
    turns_.cap = begin + bytes * leaves_;
    auto const tau = machine_.rates().tau;
    auto const moving = bytes * route.seconds_per_byte * (1.0 + real(static_cast<std::int64_t>(beside) - 1) * tau);
    // The rate of segments is limited by the route, by the sender's processor, or by the window.
    auto const hop = 2.0 * overhead_ + route.latency + moving / parts;
    auto const pace = std::max({moving / parts, overhead_, hop / cut_.window});
    auto const end = begin + moving / parts + (parts - 1.0) * pace;
    link = end;
    if (port != nullptr) *port = end;
    return end + route.latency;
  }
  /// How long a message's start keeps the next one waiting, where the machine says so.
  [[nodiscard]] double start_turn(Route const& route) const {
    return std::max(machine_.rates().tau_short, 0.0) * (2.0 * overhead_ + route.latency);
  }
  void start() {
    turns_.links = {};
    turns_.ports.assign(at(machine_.rates().ports), 0.0);
    turns_.cap = turns_.processor = turns_.memory = 0.0;
  }

  /// From when the box's root has all blocks until the last rank has its own.
  double scatter(int holder) {
    start();
    auto last = 0.0;
    tree_.each_step(holder, [&](MstNode const& node) {
      for (auto const& [part, ranks, to] : node.branches) {
        auto const b = block_ * real(ranks);
        bool const packed = !together(node, part, holder);
        if (packed) turns_.memory += b * copy_;
        auto const ready = std::max(turns_.processor, packed ? turns_.memory : 0.0);
        auto const there = pass(route(part), ready, b, node.branches.size());
        turns_.processor = ready + std::max(segments(b) * overhead_, start_turn(route(part)));
        last = std::max(last, there + overhead_ + done_[at(to)]);
      }
    });
    return std::max(last, turns_.memory + block_ * copy_);
  }

  /// Until the box's root has all blocks.
  double gather(int holder) {
    bool const root = holder == tree_.whole();
    steps_.clear();
    tree_.each_step(holder, [&](MstNode const& node) { steps_.push_back(&node); });
    start();
    if (root || !steps_.empty()) turns_.memory = block_ * copy_;
    auto last = turns_.memory;
    for (auto node = steps_.rbegin(); node != steps_.rend(); ++node) {
      auto const& branches = (*node)->branches;
      for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
        auto const& [part, ranks, to] = *branch;
        auto const b = block_ * real(ranks);
        turns_.cap = 0.0;  // each part's own
        auto const there = pass(route(part), done_[at(to)], b, branches.size());
        turns_.processor = std::max(turns_.processor + segments(b) * overhead_, there + overhead_);
        last = std::max(last, turns_.processor);
        if (root && together(**node, part, holder)) continue;
        turns_.memory = std::max(turns_.memory, turns_.processor) + b * copy_;
        last = std::max(last, turns_.memory);
      }
    }
    return last;
  }

  Machine const& machine_;
  MstShape const& shape_;
  MstTree const& tree_;
  Cut cut_;
  double block_;
  MstBox whole_;
  bool scatters_ = true;
  double overhead_;
  double copy_ = 0.0;                  // seconds per byte copied
  double within_ = 0.0;                // seconds per byte of the slowest way between a node's ranks
  double near_ = 0.0;                  // and its latency
  double leaves_ = 0.0;                // seconds per byte that one rank sends, under caps on injection
  std::vector<double> link_;           // seconds per byte of an axis' slowest link
  std::vector<double> done_;           // by node
  std::vector<MstNode const*> steps_;  // of the node at hand
  Turns turns_;
};

}  // namespace

Seconds price_mst_blocks(Machine const& machine, MstShape const& shape, MstTree const& tree, Contract const& contract,
                         Cut cut) {
  return Seconds(BlocksPrice(machine, shape, tree, contract, cut).seconds());
}

}  // namespace allport
