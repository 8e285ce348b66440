// The generalised minimum spanning trees (Chan06): what they cost step by step along the longest way, and their rows.
#include "mst_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "allport/model/multilink_cost.h"
#include "families.h"
#include "model/within_node.h"

namespace allport {
namespace {

class Price {
 public:
  Price(Machine const& machine, std::int64_t bytes, Collective what, Cut cut)
      : machine_(machine), bytes_(bytes), cut_(cut) {
    within_ = model::copy_seconds_per_byte(machine, 1.0);
    for (auto const& level : machine.levels().all()) {
      if (level.bandwidth.value() > 0.0) within_ = std::max(within_, 1.0 / level.bandwidth.value());
    }
    leaves_ = model::injection_seconds_per_byte(machine, 1.0, 0.0);
    if (what == Collective::reduce) apply_ = model::operator_seconds_per_byte(machine);
    for (auto const& e : machine.exceptions()) {
      if (e.dead) continue;
      slowest_ = std::min(slowest_, machine.bandwidth(machine.link(e.node, e.out)).value());
      latency_ = std::max(latency_, machine.latency(machine.link(e.node, e.out)));
    }
  }

  [[nodiscard]] double step(std::vector<MstBranch> const& branches) const {
    auto const each = real(bytes_);
    auto const all = each * static_cast<double>(branches.size());
    bool const inside = branches.front().part.axis == 0;
    return apply_ * all + (inside ? within_node(all, branches.size()) : over_links(branches, each, all));
  }

 private:
  [[nodiscard]] double segments(double bytes) const {
    return std::max(1.0, std::ceil(bytes / real(std::max<std::int64_t>(1, cut_.segment))));
  }
  [[nodiscard]] double within_node(double all, std::size_t messages) const {
    auto const ends = 2.0 * machine_.rates().overhead.value() * real(static_cast<std::int64_t>(messages));
    return ends + std::max(within_, leaves_) * all;
  }

  [[nodiscard]] double over_links(std::vector<MstBranch> const& branches, double each, double all) const {
    auto const& rates = machine_.rates();
    auto link = slowest_;
    Seconds latency{};
    for (auto const& [part, ranks, node] : branches) {
      auto const& axis = machine_.axis(part.axis - 1);
      auto const hops = axis.wraps ? std::min(part.steps, axis.length - part.steps) : part.steps;
      latency = std::max(latency, static_cast<double>(hops) * std::max(axis.latency, latency_));
      link = std::min(link, axis.bandwidth.value());
    }
    auto const messages = static_cast<std::int64_t>(branches.size());
    auto const turns = rates.ports > 0 ? (messages + rates.ports - 1) / rates.ports : 1;
    auto const alpha = 2.0 * rates.overhead + latency;
    model::MultilinkTerms const terms{alpha, BytesPerSecond(link), rates.tau, rates.start_tau()};
    // Ports take turns with whole messages, their start-up included (Chan06: one after the other is tau = 1).
    auto const first =
        std::max(model::simultaneous_sends(Bytes(0), messages, terms).value(), alpha.value() * real(turns));
    auto const whole = Bytes(bytes_);
    auto time = model::simultaneous_sends(whole, messages, terms).value();
    time = std::max(time, (alpha.value() + each / link) * real(turns));
    if (rates.injection.value() > 0.0) time = std::max(time, first + all / rates.injection.value());
    time = std::max(time, first + all * leaves_);
    // Later segments follow `window` at a time.
    return time + (segments(each) - 1.0) * first / cut_.window;
  }

  Machine const& machine_;
  std::int64_t bytes_;
  Cut cut_;
  double within_ = 0.0;  // seconds per byte of the slowest way between a node's ranks
  double leaves_ = 0.0;  // seconds per byte that one rank sends, under its parts' caps on injection
  double apply_ = 0.0;   // seconds per byte combined
  double slowest_ = std::numeric_limits<double>::infinity();
  Seconds latency_{};
};

}  // namespace

Seconds price_mst(Machine const& machine, MstForm form, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  bool const blocks = contract.what == Collective::scatter || contract.what == Collective::gather;
  auto const shape = MstShape(machine, form);
  auto const tree = mst_tree(shape, contract.root);
  auto const price = Price(machine, blocks ? 0 : contract.bytes, contract.what, cut);
  auto const steps = Seconds(longest_path(*tree, [&](auto const& branches) { return price.step(branches); }));
  return blocks ? std::max(steps, price_mst_blocks(machine, shape, *tree, contract, cut)) : steps;
}

std::optional<std::string> mst_why_not(Machine const& machine, MstForm form, Contract const& contract) {
  if (auto reason = needs_all_links(machine, contract)) return reason;
  auto const messages = mst_tree(MstShape(machine, form), contract.root)->messages();
  if (messages <= TreePlace::capacity) return std::nullopt;
  return "the root of machine " + machine.name() + " would serve " + std::to_string(messages) + " parts, and at most " +
         std::to_string(TreePlace::capacity) + " are possible";
}

namespace {

/// Every row of one form; `parts`: a step's, in words.
AlgorithmTable rows(MstForm form, std::string const& name, std::string const& parts) {
  auto const priced = [form](Machine const& machine, Contract const& contract, Cut cut) {
    return price_mst(machine, form, contract, cut);
  };
  auto const refused = [form](Machine const& machine, Contract const& contract) {
    return mst_why_not(machine, form, contract);
  };
  auto const by = [form, name](Schedule (*make)(Machine const&, MstForm, std::string, Contract const&, Cut)) {
    return [=](Machine const& machine, Contract const& contract, Cut cut) {
      return make(machine, form, name, contract, cut);
    };
  };
  auto const trees = [form](Machine const& machine, Rank root) { return mst_trees(machine, root, form); };
  return {
      {.what = Collective::broadcast,
       .name = name,
       .summary = "Generalised minimum spanning tree: boxes cut into " + parts +
                  " parts a step, a link direction each (Chan06).",
       .make = by(mst_bcast),
       .price = priced,
       .why_not = refused},
      {.what = Collective::reduce,
       .name = name,
       .summary = "Up the generalised minimum spanning tree, " + parts + " parts a step (Chan06, reversed).",
       .make = over_trees(name, trees, reduce_up),
       .price = priced,
       .why_not = refused},
      {.what = Collective::scatter,
       .name = name,
       .summary = "Down the generalised minimum spanning tree, " + parts +
                  " parts a step, each with its blocks only (Chan06).",
       .make = by(mst_scatter),
       .price = priced,
       .why_not = refused},
      {.what = Collective::gather,
       .name = name,
       .summary = "Up the generalised minimum spanning tree, " + parts +
                  " parts a step, each with its blocks only (Chan06, reversed).",
       .make = by(mst_gather),
       .price = priced,
       .why_not = refused},
  };
}

}  // namespace

AlgorithmTable mst_family() {
  auto all = rows(MstForm::one_side, "mst", "N + 1");
  for (auto& row : rows(MstForm::both_sides, "mst2", "2N + 1")) all.push_back(std::move(row));
  return all;
}

}  // namespace allport
