// Scatter and gather down and up the generalised minimum spanning trees: every rank's messages one after the other
// where they share a link, a processor, a memory or a cap, and side by side where they do not.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "allport/model/link_loads.h"
#include "allport/model/link_traffic.h"
#include "allport/model/within_node.h"
#include "mst_cost.h"

namespace allport {
namespace {

/// What one rank's messages take turns at: from when on each is free.
struct Turns {
  std::map<std::pair<int, int>, double> links;  // by axis and direction; axis 0: the way within the node
  std::vector<double> ports;
  double cap = 0.0;
  double processor = 0.0;
  double memory = 0.0;
};

class BlocksPrice {
 public:
  BlocksPrice(Machine const& machine, MstShape const& shape, Contract const& contract, Cut cut)
      : machine_(machine),
        shape_(shape),
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
    scatters_ = contract.what == Collective::scatter;
  }

  double seconds() {
    auto held = whole_;
    for (int a = 0; a < shape_.axes(); ++a) held.span[at(a)] = {0, shape_.length(a)};
    return scatters_ ? scatter(whole_, held) : gather(whole_, held, true);
  }

 private:
  [[nodiscard]] double bytes(MstBox const& box) const { return block_ * real(shape_.size(box)); }
  [[nodiscard]] double segments(double bytes) const {
    return std::max(1.0, std::ceil(bytes / real(std::max<std::int64_t>(1, cut_.segment))));
  }
  /// Whether a part's blocks lie side by side among those that its parent holds.
  [[nodiscard]] bool together(MstPart const& part, MstBox const& held) const {
    for (int a = 0; a < shape_.axes(); ++a) {
      auto const& mine = part.box.span[at(a)];
      auto const& all = held.span[at(a)];
      auto const from = (mine.lo - all.lo + shape_.length(a)) % shape_.length(a);
      if (a < part.axis && (from != 0 || mine.length != all.length)) return false;
      if (a == part.axis && from + mine.length > shape_.length(a)) return false;
      if (a > part.axis && all.length != 1) return false;
    }
    return true;
  }

  struct Way {
    std::pair<int, int> key;
    double latency = 0.0;
    double seconds_per_byte = 0.0;
  };
  [[nodiscard]] Way way(MstPart const& part) const {
    if (part.axis == 0) return {{0, 0}, near_, within_};
    auto const& axis = machine_.axis(part.axis - 1);
    auto const round = axis.wraps && part.steps > 1 && 2 * part.steps >= axis.length;  // the other way is as short
    auto const hops = round ? axis.length - part.steps : part.steps;
    auto const sign = !round ? part.sign : 2 * part.steps == axis.length ? (scatters_ ? 1 : -1) : -part.sign;
    auto const slowest = model::slowest_link(machine_, part.axis - 1).value();
    return {{part.axis, sign}, hops * axis.latency.value(), 1.0 / slowest};
  }

  /// When the last segment is there, if the first one's sender may begin at `ready`.
  double pass(Turns& turns, Way const& way, double ready, double bytes, std::size_t beside) const {
    auto const parts = segments(bytes);
    auto begin = std::max({ready + overhead_, turns.links[way.key], turns.cap});
    auto* port = way.key.first == 0 || turns.ports.empty() ? nullptr : &*std::ranges::min_element(turns.ports);
    if (port != nullptr) begin = std::max(begin, *port);
    turns.cap = begin + bytes * leaves_;
    auto const tau = machine_.rates().tau;
    auto const moving = bytes * way.seconds_per_byte * (1.0 + real(static_cast<std::int64_t>(beside) - 1) * tau);
    // Segments follow each other at the pace of the way, of the sender's processor, or of the window.
    auto const hop = 2.0 * overhead_ + way.latency + moving / parts;
    auto const pace = std::max({moving / parts, overhead_, hop / cut_.window});
    auto const end = begin + moving / parts + (parts - 1.0) * pace;
    turns.links[way.key] = end;
    if (port != nullptr) *port = end;
    return end + way.latency;
  }
  [[nodiscard]] Turns start() const {
    return {{}, std::vector<double>(at(machine_.rates().ports), 0.0), 0.0, 0.0, 0.0};
  }

  /// From when the box's root has all blocks until the last rank has its own. `held`: how they lie there.
  double scatter(MstBox box, MstBox const& held) {
    auto const form = shape_.outline(box);
    if (auto const found = known_.find(form); found != known_.end()) return found->second;
    auto turns = start();
    auto last = 0.0;
    for (auto parts = shape_.cut(box); !parts.empty(); parts = shape_.cut(box)) {
      for (auto const& part : parts) {
        auto const b = bytes(part.box);
        if (!together(part, held)) turns.memory += b * copy_;
        auto const ready = std::max(turns.processor, together(part, held) ? 0.0 : turns.memory);
        auto const there = pass(turns, way(part), ready, b, parts.size());
        turns.processor = ready + segments(b) * overhead_;
        last = std::max(last, there + overhead_ + scatter(part.box, part.box));
      }
    }
    return known_[form] = std::max(last, turns.memory + block_ * copy_);
  }

  /// Until the box's root has all blocks. `held`: how they are to lie there.
  double gather(MstBox box, MstBox const& held, bool root) {
    auto const form = shape_.outline(box);
    if (auto const found = known_.find(form); found != known_.end()) return found->second;
    std::vector<std::vector<MstPart>> steps;
    for (auto parts = shape_.cut(box); !parts.empty(); parts = shape_.cut(box)) steps.push_back(std::move(parts));
    auto turns = start();
    if (root || !steps.empty()) turns.memory = block_ * copy_;
    auto last = turns.memory;
    for (auto parts = steps.rbegin(); parts != steps.rend(); ++parts) {
      for (auto part = parts->rbegin(); part != parts->rend(); ++part) {
        auto const b = bytes(part->box);
        auto const sent = gather(part->box, part->box, false);
        turns.cap = 0.0;  // each part's own
        auto const there = pass(turns, way(*part), sent, b, parts->size());
        turns.processor = std::max(turns.processor + segments(b) * overhead_, there + overhead_);
        last = std::max(last, turns.processor);
        if (root && together(*part, held)) continue;
        turns.memory = std::max(turns.memory, turns.processor) + b * copy_;
        last = std::max(last, turns.memory);
      }
    }
    return known_[form] = last;
  }

  Machine const& machine_;
  MstShape const& shape_;
  Cut cut_;
  double block_;
  MstBox whole_;
  bool scatters_ = true;
  double overhead_;
  double copy_ = 0.0;    // seconds per byte copied
  double within_ = 0.0;  // seconds per byte of the slowest way between a node's ranks
  double near_ = 0.0;    // and its latency
  double leaves_ = 0.0;  // seconds per byte that one rank sends, under caps on injection
  std::map<MstOutline, double> known_;
};

}  // namespace

Seconds price_mst_blocks(Machine const& machine, MstShape const& shape, Contract const& contract, Cut cut) {
  return Seconds(BlocksPrice(machine, shape, contract, cut).seconds());
}

}  // namespace allport
