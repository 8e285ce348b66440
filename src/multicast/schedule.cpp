#include "allport/multicast/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace allport {
namespace {

struct Plan {
  TopologyIds ids;
  Multicast multicast;
  Contract contract;
  Cut cut;
};

Op stream_of(Plan const& plan, OpKind kind, Rank peer) {
  auto const& c = plan.contract;
  Op op;
  op.kind = kind;
  op.peer = peer;
  op.length = c.bytes;
  op.segment = std::min(plan.cut.segment, c.bytes);
  op.piece = {{c.root, c.root}, {0, c.ranks - 1}, {0, c.bytes}, false};
  return op;
}

void program(Plan const& plan, Rank rank, Program& into) {
  if (plan.contract.bytes == 0) return;
  auto const mine = share(plan.ids, plan.multicast, rank);
  auto const sends = static_cast<std::int32_t>(mine.hops.size());
  auto const lanes = multicast_lanes(plan.multicast.tree);
  Slot home{Buffer::output, 0, 0};
  std::int32_t first_send = 0;
  if (mine.from >= 0) {
    auto receive = stream_of(plan, OpKind::receive, mine.from);
    first_send = 1;
    if (plan.contract.output_bytes(rank) == 0) {
      auto const all = receive.segments();
      home = {Buffer::scratch, static_cast<std::int32_t>(std::min<std::int64_t>(plan.cut.window, all)), 0};
      into.scratch = home.ring * receive.segment;
      // A place of the ring is free again when the last send of either lane is done with it.
      for (auto s = std::max(sends - lanes, 0); s < sends && home.ring < all; ++s) {
        receive.after.add(first_send + s, home.ring);
      }
    }
    receive.into = home;
    into.ops.push_back(receive);
  }
  for (std::int32_t s = 0; s < sends; ++s) {
    auto send = stream_of(plan, OpKind::send, mine.hops[static_cast<std::size_t>(s)].next);
    send.from = home;
    if (mine.from >= 0) send.after.add(0);
    if (s >= lanes) send.after.add(first_send + s - lanes);
    into.ops.push_back(send);
  }
}

}  // namespace

Multicast multicast_of(TopologyIds const& ids, Contract const& contract, MulticastTree tree, Split split) {
  contract.check();
  ensure(contract.what == Collective::broadcast, "contract", name(contract.what), "a broadcast, to all or to targets");
  ensure(contract.ranks == ids.ranks(), "ranks", contract.ranks, fmt::format("{}, as many as IDs", ids.ranks()));
  auto set = contract.targets ? DestinationSet::of(ids, *contract.targets) : DestinationSet::all(ids);
  auto m = multicast_by(tree, ids, contract.root, std::move(set));
  m.split = split;
  return m;
}

Schedule multicast_schedule(TopologyIds const& ids, MulticastTree tree, Split split, Contract const& contract,
                            Cut cut) {
  ensure(cut.segment >= 1, "segment", cut.segment, "at least 1 byte");
  ensure(cut.window >= 1, "window", cut.window, "at least 1 segment in flight");
  auto plan = std::make_shared<Plan const>(Plan{ids, multicast_of(ids, contract, tree, split), contract, cut});
  auto name = std::string(allport::name(tree));
  return {std::move(name), contract, cut, 1,
          [plan = std::move(plan)](Rank rank, Program& into) { program(*plan, rank, into); }};
}

std::vector<std::pair<Rank, Rank>> messages(TopologyIds const& ids, Multicast const& m) {
  std::vector<std::pair<Rank, Rank>> all;
  if (m.tree == MulticastTree::flat || m.tree == MulticastTree::chain) {
    auto const others = m.set.without(ids.position(m.source));
    auto const count = others.size();
    auto const behind = m.tree == MulticastTree::chain ? others.below(ids.position(m.source)) : 0;
    auto from = m.source;
    for (Rank i = 0; i < count; ++i) {
      auto const to = ids.rank_at(others.at((behind + i) % count));
      all.push_back({from, to});
      if (m.tree == MulticastTree::chain) from = to;
    }
    return all;
  }
  std::vector<Hop> reached{{m.source, {}, m.set}};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    auto const from = reached[i].next;
    auto set = std::exchange(reached[i].set, {});
    auto hops = forwarding_of(ids, {m.source, std::move(set), m.tree, m.split, m.order}, from).hops;
    for (auto& hop : hops) {
      all.push_back({from, hop.next});
      reached.push_back(std::move(hop));
    }
  }
  return all;
}

}  // namespace allport
