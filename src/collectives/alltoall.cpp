// All-to-all: axis by axis from neighbour to neighbour (alltoall_axes.cpp), or every pair by itself.
#include "alltoall.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "allport/model/link_loads.h"
#include "families.h"
#include "model/link_traffic.h"
#include "prices.h"
#include "streams.h"

namespace allport {
namespace {

constexpr std::int32_t pairs_in_flight = 4;

void exchange_pairs(Contract const& contract, Cut cut, Rank rank, Program& into) {
  auto const p = contract.ranks;
  std::vector<std::int32_t> sends;
  for (Rank i = 0; i < p; ++i) {
    auto const from = (rank - i + p) % p;
    auto const to = (rank + i) % p;
    auto const op_of = [&](OpKind kind, Rank s, Rank d) {
      auto const bytes = contract.block(s, d);
      return stream(contract, cut, {{s, s}, {d, d}, {0, bytes}, false}, 0, bytes).op(kind);
    };
    if (auto const bytes = contract.block(from, rank); bytes > 0) {
      auto op = op_of(i == 0 ? OpKind::copy : OpKind::receive, from, rank);
      op.peer = i == 0 ? -1 : from;
      if (i == 0) op.from = {Buffer::input, 0, contract.input_offset(rank, rank)};
      op.into = {Buffer::output, 0, contract.output_offset(rank, from)};
      into.ops.push_back(op);
    }
    if (auto const bytes = contract.block(rank, to); bytes > 0 && i > 0) {
      auto op = op_of(OpKind::send, rank, to);
      op.peer = to;
      op.from = {Buffer::input, 0, contract.input_offset(rank, to)};
      if (sends.size() >= pairs_in_flight) op.after.add(sends[sends.size() - pairs_in_flight], Dependence::whole);
      sends.push_back(static_cast<std::int32_t>(into.ops.size()));
      into.ops.push_back(op);
    }
  }
}

Schedule make_pairs(Machine const&, Contract const& contract, Cut cut) {
  return {"pairs", contract, cut, 1, [=](Rank rank, Program& into) { exchange_pairs(contract, cut, rank, into); }};
}

/// Sum over all displacements between two nodes of the number of messages on the busiest link if every node sends one
/// message with this displacement, in messages over the slowest link. In the simulator, messages routed over several
/// axes are as slow as if the displacements followed each other, and slower than the sum of their bytes allows.
double sum_of_displacements(Machine const& machine) {
  auto const slowest = model::slowest_link(machine).value();
  std::vector<double> counts(static_cast<std::size_t>(machine.axes()), 1.0);
  std::vector<std::tuple<double, int, double>> more;  // (cost, axis, displacements of that many hops)
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    auto const farthest = axis.wraps ? axis.length / 2 : axis.length - 1;
    for (int h = 1; h <= farthest; ++h) {
      auto const directions = axis.wraps && 2 * h == axis.length ? 1.0 : axis.wraps ? 2.0 : 1.0;
      more.emplace_back(h * slowest / axis.bandwidth.value(), a, directions);
    }
  }
  std::ranges::sort(more);
  double sum = 0.0;
  double before = 1.0;
  for (auto const& [cost, axis, directions] : more) {
    counts[static_cast<std::size_t>(axis)] += directions;
    auto const now = std::accumulate(counts.begin(), counts.end(), 1.0, std::multiplies<>());
    sum += cost * (now - before);
    before = now;
  }
  return sum;
}

/// Phase by phase: within each node, then axis by axis. A rank handles its own messages and those that it relays, and
/// waits for the farthest ones. Link and memory times add up, since packing waits for received messages, and sends wait
/// for packing.
Seconds price_axes(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const all = all_blocks(contract);
  auto const overhead = machine.rates().overhead;
  auto const per_node = static_cast<double>(machine.ranks_per_node());
  int axes = 0;
  for (int a = 0; a < machine.axes(); ++a) axes += machine.axis(a).length > 1 ? 1 : 0;
  auto const parts = slices(contract.bytes, 1, 2 * std::max(axes, 1));
  auto const segment = static_cast<double>(std::max<std::int64_t>(1, cut.segment));
  // Of all slices, to one of the `length` positions of a line.
  auto const messages = [&](double length) { return parts * std::max(1.0, std::ceil(all / length / parts / segment)); };
  auto phases = 2.0 * (per_node - 1.0) * messages(per_node) * overhead;
  auto const within = 1.0 - 1.0 / per_node;
  auto copies = within + within + 1.0;  // packed and moved within the node, and at last brought home
  auto busiest = 0.0;
  model::LinkTraffic t;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    busiest = std::max(busiest, model::line_exchange_load(axis, all * per_node / axis.length, true));
    auto const farthest = axis.wraps ? axis.length / 2 : axis.length - 1;
    auto const passing = model::line_exchange_load(axis, 2.0, true);  // over both links of the busiest node
    auto const ends = 2.0 * passing * messages(axis.length);
    phases += std::max(ends * overhead, static_cast<double>(farthest) * (2.0 * overhead + axis.latency));
    copies += 1.0 - 1.0 / axis.length;  // packed for the others of the line
    t.depth += farthest;
    t.held = std::max({t.held, held_of(all / axis.length / parts, cut), 0.5});  // streams cross
  }
  // If there are fewer slices than axes, the axes are used one after the other.
  t.link_bytes = busiest * std::max(1.0, static_cast<double>(axes) / parts);
  t.node_bytes = 2.0 * axes * busiest;
  t.copied_bytes = all * per_node * within;
  t.first_bytes = std::min(all / std::max(1, axes), static_cast<double>(cut.segment));
  auto const copying = Seconds(model::copy_seconds_per_byte(machine, all * per_node * copies));
  return std::max(phases, model::t_traffic(machine, t) + copying);
}

Seconds price_pairs(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  auto const all = all_blocks(contract);
  auto const pair = all * machine.ranks_per_node() / std::max(1, machine.nodes());
  model::LinkTraffic t;
  t.link_bytes = pair * sum_of_displacements(machine);
  t.node_bytes = pair * (machine.nodes() - 1);
  t.messages = 2.0 * messages_of(all, contract.ranks - 1, cut);
  t.copied_bytes = all * machine.ranks_per_node() / std::max(1, machine.nodes());
  t.depth = 2;
  t.first_bytes = std::min(static_cast<double>(contract.bytes), static_cast<double>(cut.segment));
  return model::t_traffic(machine, t);
}

}  // namespace

AlgorithmTable alltoall_family() {
  return {
      {.what = Collective::alltoall,
       .name = "axes",
       .summary =
           "Dimension by dimension from neighbour to neighbour, slices in rotated orders of the axes, half-way blocks "
           "split both ways: attains the bound on tori with equal axes.",
       .make = alltoall_axes,
       .price = price_axes,
       .why_not = needs_all_links},
      {.what = Collective::alltoall,
       .name = "pairs",
       .summary = "Every block in one message of its own, a few at a time, routed by the machine.",
       .make = make_pairs,
       .price = price_pairs},
  };
}

}  // namespace allport
