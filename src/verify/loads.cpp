#include "loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "allport/verify/bound.h"

namespace allport::verify {

Loads::Loads(Machine const& machine, Schedule const& schedule, Options const& options, Findings& findings)
    : machine_(machine), schedule_(schedule), options_(options), findings_(findings) {
  if (!options.links) return;
  bytes_.resize(static_cast<std::size_t>(machine.link_ids()), 0);
  tree_.resize(bytes_.size(), 0);
}

void Loads::add(Rank rank, std::int32_t index, Op const& op) {
  auto const from = node_of(rank);
  auto const to = node_of(op.peer);
  if (op.port == any_port || !options_.placement.empty()) {
    if (options_.links || machine_.has_dead_links()) {
      machine_.route(from, to, [&](LinkId link) { cross(link, rank, index, op); });
    }
    return;
  }
  bool const exists = op.port >= 0 && op.port < 2 * machine_.axes();
  auto const behind = exists ? machine_.neighbour(from, op.port) : std::nullopt;
  if (behind != to) {
    findings_.add({Kind::no_link, 0, 0, rank, index}, [&] {
      return Finding{
          {},
          -1,
          -1,
          -1,
          {},
          fmt::format("rank {}'s send to {} on channel {} leaves by port {}, which leads {}", rank, op.peer, op.channel,
                      op.port, behind ? fmt::format("to node {}, not {}", *behind, to) : std::string("nowhere"))};
    });
    return;
  }
  cross(machine_.link(from, op.port), rank, index, op);
}

Node Loads::node_of(Rank rank) const {
  return options_.placement.empty() ? machine_.node_of(rank) : options_.placement[static_cast<std::size_t>(rank)];
}

void Loads::cross(LinkId link, Rank rank, std::int32_t index, Op const& op) {
  if (machine_.has_dead_links() && machine_.dead(link)) {
    findings_.add({Kind::dead_link, 0, 0, rank, index}, [&] {
      return Finding{{},
                     -1,
                     -1,
                     -1,
                     {},
                     fmt::format("rank {}'s send to {} on channel {} crosses the dead link {}", rank, op.peer,
                                 op.channel, machine_.link_name(link))};
    });
  }
  if (!options_.links) return;
  bytes_[static_cast<std::size_t>(link)] += op.length;
  auto& owner = tree_[static_cast<std::size_t>(link)];
  auto const tree = static_cast<int>(op.channel % std::max(1, schedule_.trees()));
  if (owner == 0) owner = static_cast<std::int16_t>(tree + 1);
  if (owner == tree + 1) return;
  if (shared_ < 0 || link < shared_) {
    shared_ = link;
    shared_trees_[0] = owner - 1;
    shared_trees_[1] = tree;
  }
  if (!options_.disjoint) return;
  findings_.add({Kind::shared_link, 0, link, rank, index}, [&] {
    return Finding{{},
                   -1,
                   -1,
                   -1,
                   {},
                   fmt::format("trees {} and {} share the link {}: rank {}'s send to {} on channel {} is the second",
                               owner - 1, tree, machine_.link_name(link), rank, op.peer, op.channel)};
  });
}

void Loads::finish(Report& report) {
  auto& out = report.links;
  out.present = machine_.links();
  if (!options_.links) return;
  out.by_port.assign(static_cast<std::size_t>(2 * machine_.axes()), 0);
  std::vector<std::int64_t> used;
  LinkId busiest = -1;
  for (LinkId l = 0; l < machine_.link_ids(); ++l) {
    auto const load = bytes_[static_cast<std::size_t>(l)];
    if (load == 0) continue;
    used.push_back(load);
    out.bytes += load;
    out.by_port[static_cast<std::size_t>(machine_.link_port(l))] += load;
    if (load > out.max) {
      out.max = load;
      busiest = l;
    }
  }
  out.used = static_cast<std::int64_t>(used.size());
  if (busiest >= 0) out.max_name = machine_.link_name(busiest);
  out.disjoint = shared_ < 0;
  if (shared_ >= 0) out.shared_name = machine_.link_name(shared_);
  std::ranges::copy(shared_trees_, out.shared_trees);
  if (!used.empty()) histogram(used, out);
  times(report);
}

// One bin per distinct load if there are few, else sixteen bins of equal width.
void Loads::histogram(std::vector<std::int64_t>& used, Links& into) const {
  constexpr std::size_t bins = 16;
  into.min = std::ranges::min(used);
  into.mean = static_cast<double>(into.bytes) / static_cast<double>(used.size());
  std::map<std::int64_t, std::int64_t> distinct;
  for (auto const load : used) {
    ++distinct[load];
    if (distinct.size() > bins) break;
  }
  if (distinct.size() <= bins) {
    for (auto const& [load, links] : distinct) into.histogram.push_back({load, load, links});
    return;
  }
  auto const width = (into.max - into.min) / static_cast<std::int64_t>(bins) + 1;
  for (std::int64_t b = 0; b < static_cast<std::int64_t>(bins); ++b) {
    into.histogram.push_back({into.min + b * width, into.min + (b + 1) * width - 1, 0});
  }
  for (auto const load : used) ++into.histogram[static_cast<std::size_t>((load - into.min) / width)].links;
}

void Loads::times(Report& report) const {
  auto& time = report.time;
  auto const& rates = machine_.rates();
  auto const offer = [&](double seconds, auto&& label) {
    if (seconds <= time.busiest.value()) return;
    time.busiest = Seconds(seconds);
    time.busiest_name = label();
  };
  auto const ports = 2 * machine_.axes();
  for (Node n = 0; n < machine_.nodes(); ++n) {
    std::int64_t out = 0;
    double serial = 0;
    for (int p = 0; p < ports; ++p) {
      auto const link = machine_.link(n, static_cast<Port>(p));
      auto const load = bytes_[static_cast<std::size_t>(link)];
      if (load == 0) continue;
      auto const rate = machine_.bandwidth(link).value();
      if (rate <= 0) continue;  // unknown rate, or a dead link
      out += load;
      serial += static_cast<double>(load) / rate;
      offer(static_cast<double>(load) / rate, [&] { return machine_.link_name(link); });
    }
    if (rates.injection.value() > 0) {
      offer(static_cast<double>(out) / rates.injection.value(), [&] { return fmt::format("injection of node {}", n); });
    }
    if (rates.ports > 0) offer(serial / rates.ports, [&] { return fmt::format("ports of node {}", n); });
  }
  auto const bound = lower_bound_at(machine_, report.contract, places_on(machine_, options_.placement));
  if (!std::isfinite(bound.time().value())) return;
  time.lower_bound = bound.time();
  time.bandwidth_bound = bound.bandwidth;
  if (bound.bandwidth.value() > 0) time.gap = time.busiest.value() / bound.bandwidth.value();
}

}  // namespace allport::verify
