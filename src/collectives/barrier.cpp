// Barriers: tokens, no data.
#include <algorithm>
#include <array>

#include "families.h"

namespace allport {
namespace {

/// Over the live links of the axis.
Seconds slowest_hop(Machine const& machine, int a) {
  auto latency = machine.axis(a).latency;
  for (auto const& e : machine.exceptions()) {
    if (!e.dead && axis_of(e.out) == a) latency = std::max(latency, machine.latency(machine.link(e.node, e.out)));
  }
  return latency;
}

void disseminate(Rank rank, Rank ranks, Program& into) {
  Op op;
  op.length = op.segment = 1;
  op.piece = {{0, ranks - 1}, {0, ranks - 1}, {0, 1}, false};
  for (std::int64_t step = 1; step < ranks; step *= 2, ++op.channel) {
    auto const first = static_cast<std::int32_t>(into.ops.size());
    op.after.clear();
    op.kind = OpKind::receive;
    op.peer = static_cast<Rank>((rank - step + ranks) % ranks);
    op.from = {};
    op.into = {Buffer::scratch, 0, 1 + op.channel};
    into.ops.push_back(op);
    op.kind = OpKind::send;
    op.peer = static_cast<Rank>((rank + step) % ranks);
    op.from = {Buffer::scratch, 0, 0};
    op.into = {};
    if (first > 0) {  // the round before: what was heard in it, and in those before it
      op.after.add(first - 2, Dependence::whole);
      op.after.add(first - 1, Dependence::whole);
    }
    into.ops.push_back(op);
  }
  into.scratch = 1 + op.channel;
}

Schedule make(Machine const&, Contract const& contract, Cut cut) {
  return {"dissemination", contract, cut, 1,
          [ranks = contract.ranks](Rank rank, Program& into) { disseminate(rank, ranks, into); }};
}

/// Latency of the longest route between two nodes that are `step` nodes apart in their order, x fastest. A position
/// that passes its axis' end starts again at 0 and carries one to the next axis, or leaves the machine's end for its
/// begin.
Seconds farthest_partner(Machine const& machine, Node step) {
  constexpr auto never = Seconds(-1.0);
  std::array<Seconds, 2> longest = {Seconds{}, never};  // by what is carried
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    auto const hop = slowest_hop(machine, a);
    std::array<Seconds, 2> next = {never, never};
    auto const offer = [&](int carried, Seconds before, std::int32_t hops) {
      auto const distance = axis.wraps ? std::min(hops, axis.length - hops) : hops;
      auto& known = next[static_cast<std::size_t>(carried)];
      known = std::max(known, before + hop * static_cast<double>(distance));
    };
    for (int carry = 0; carry < 2; ++carry) {
      auto const before = longest[static_cast<std::size_t>(carry)];
      if (before < Seconds{}) continue;
      auto const ahead = step % axis.length + carry;
      if (ahead < axis.length) offer(0, before, ahead);
      if (ahead > 0) offer(1, before, axis.length - ahead);
    }
    longest = next;
    step /= axis.length;
  }
  return std::max(longest[0], longest[1]);
}

/// Sum over rounds of the latency to the farthest partner; within a node, to the farthest sibling.
Seconds price_barrier(Machine const& machine, Contract const& contract, Cut) {
  Seconds siblings{};
  for (auto const& level : machine.levels().all()) siblings = std::max(siblings, level.latency);
  auto const per_node = machine.ranks_per_node();
  Seconds sum{};
  for (std::int64_t step = 1; step < contract.ranks; step *= 2) {
    // Ranks of a node whose partners' places within theirs lie before their own's go one node further.
    auto const nodes = static_cast<Node>(step / per_node);
    auto farthest = farthest_partner(machine, nodes);
    if (step % per_node != 0) farthest = std::max(farthest, farthest_partner(machine, nodes + 1));
    if (step < per_node) farthest = std::max(farthest, siblings);
    sum += 2.0 * machine.rates().overhead + farthest;
  }
  return sum;
}

}  // namespace

AlgorithmTable barrier_family() {
  return {
      {.what = Collective::barrier,
       .name = "dissemination",
       .summary = "In round k each rank notifies rank + 2^k that all ranks before have arrived: ceil(log2 P) rounds.",
       .make = make,
       .price = price_barrier},
  };
}

}  // namespace allport
