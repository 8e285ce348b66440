// Neighbourhood collectives as schedules: one stream for each message of each part of a block.
#include "neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "allport/model/at_once.h"
#include "index.h"
#include "model/at_nodes.h"

namespace allport {
namespace {

/// One MPI message counts its bytes in an int.
constexpr std::int64_t longest_message = std::int64_t{1} << 30;
/// Segments of forwarded parts: short enough to fill the pipeline soon, long enough to amortise their start-up.
constexpr std::int64_t shortest_passed = 4 * 1024;
constexpr std::int64_t longest_passed = 64 * 1024;
constexpr std::int64_t segments_a_hop = 4;
constexpr Cut cut_of_routes{longest_passed, 2};

}  // namespace

std::int64_t segment_on_route(std::int64_t bytes, std::int64_t hops, bool whole) {
  auto const most = whole && hops == 1 ? longest_message : longest_passed;
  if (hops <= 1) return std::clamp<std::int64_t>(bytes, 1, most);
  auto const wanted = std::clamp(bytes / (segments_a_hop * hops), shortest_passed, longest_passed);
  return std::clamp<std::int64_t>(bytes, 1, wanted);
}

NeighbourRoutes::Table::Table(Rank n, std::vector<NeighbourEdge> all_edges, std::vector<Part> all_parts)
    : ranks(n), edges(std::move(all_edges)), parts(std::move(all_parts)), first_stop(at(n) + 1, 0) {
  std::map<std::pair<Rank, Rank>, std::int32_t> next;
  for (auto& part : parts) {
    part.channels.clear();
    for (std::size_t h = 0; h + 1 < part.path.size(); ++h) {
      auto& channel = next[{part.path[h], part.path[h + 1]}];
      part.channels.push_back(channel++);
      channels = std::max(channels, channel);
    }
    is_straight = is_straight && part.path.size() <= 2 && part.end - part.begin == shares;
    for (auto const r : part.path) ++first_stop[at(r) + 1];
  }
  for (std::size_t r = 0; r < at(n); ++r) first_stop[r + 1] += first_stop[r];
  stops.resize(at(first_stop.back()));
  auto open = first_stop;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t h = 0; h < parts[p].path.size(); ++h) {
      stops[at(open[at(parts[p].path[h])]++)] = {static_cast<std::int32_t>(p), static_cast<std::int32_t>(h)};
    }
  }
}

NeighbourRoutes NeighbourRoutes::straight(Rank ranks, std::vector<NeighbourEdge> edges) {
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  std::vector<Part> parts(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    auto const& [from, out, to, in] = edges[e];
    if (std::min(from, to) < 0 || std::max(from, to) >= ranks) {
      throw Error::argument(fmt::format("edges[{}]", e), fmt::format("{} to {}", from, to),
                            fmt::format("ranks in 0..{}", ranks - 1));
    }
    parts[e].edge = static_cast<std::int32_t>(e);
    parts[e].path = from == to ? std::vector<Rank>{from} : std::vector<Rank>{from, to};
  }
  return NeighbourRoutes(std::make_shared<Table const>(ranks, std::move(edges), std::move(parts)));
}

Rank NeighbourRoutes::ranks() const { return table_->ranks; }
std::span<NeighbourEdge const> NeighbourRoutes::edges() const { return table_->edges; }
std::span<NeighbourRoutes::Part const> NeighbourRoutes::parts() const { return table_->parts; }
bool NeighbourRoutes::is_straight() const { return table_->is_straight; }
std::int32_t NeighbourRoutes::channels() const { return table_->channels; }

Seconds NeighbourRoutes::price(Machine const& machine, std::int64_t bytes) const {
  ensure(machine.ranks() == ranks(), "machine", machine.name(), fmt::format("one of {} ranks", ranks()));
  auto nodes = model::AtNodes(machine);
  model::AtOnce counted;
  std::vector<double> busy(at(machine.link_ids()), 0.0);
  std::vector<std::int64_t> ends(at(ranks()), 0);
  auto const o = machine.rates().overhead;
  for (auto const& part : parts()) {
    auto const length = before_share(bytes, part.end) - before_share(bytes, part.begin);
    auto const hops = static_cast<std::int64_t>(part.path.size()) - 1;
    if (length == 0) continue;
    auto const segment = segment_on_route(length, hops, part.end - part.begin == shares);
    auto const messages = (length + segment - 1) / segment;
    Seconds path{};
    for (std::size_t h = 0; h < at(hops); ++h) {
      auto const from = machine.node_of(part.path[h]);
      auto const to = machine.node_of(part.path[h + 1]);
      nodes.add(part.path[h], part.path[h + 1], length);
      ends[at(part.path[h])] += messages;
      ends[at(part.path[h + 1])] += messages;
      auto slowest = 0.0;
      machine.route(from, to, [&](LinkId l) {
        auto const rate = machine.bandwidth(l).value();
        busy[at(l)] += static_cast<double>(length) / rate;
        slowest = std::max(slowest, static_cast<double>(segment) / rate);
      });
      path += model::route_latency(machine, from, to);
      if (h > 0) path += 2.0 * o + Seconds(slowest);
    }
    counted.path = std::max(counted.path, path);
    counted.chain = 1;
  }
  counted.link_seconds = busy.empty() ? 0.0 : *std::ranges::max_element(busy);
  nodes.count(counted);
  counted.ends = *std::ranges::max_element(ends);
  return model::t_at_once(machine, counted);
}

namespace {

/// Shared data of the programs of one schedule.
struct RouteLengths {
  NeighbourRoutes::Length length;
  NeighbourRoutes::Offset input;
  NeighbourRoutes::Offset output;
};

}  // namespace

Schedule NeighbourRoutes::schedule(Length length, Offset input, Offset output, std::vector<Extents> buffers) const {
  Contract none;
  none.what = Collective::none;
  none.ranks = ranks();
  none.buffers = std::make_shared<std::vector<Extents> const>(std::move(buffers));
  none.check();
  auto const maker = [table = table_, sizes = RouteLengths{std::move(length), std::move(input), std::move(output)}](
                         Rank me, Program& into) {
    auto const everyone = RankBox{0, table->ranks - 1};
    for (auto const& [p, hop] : table->stops_of(me)) {
      auto const& part = table->parts[at(p)];
      auto const& edge = table->edges[at(part.edge)];
      auto const bytes = sizes.length(part.edge);
      auto const begin = before_share(bytes, part.begin);
      Op op;
      op.length = before_share(bytes, part.end) - begin;
      if (op.length == 0) continue;
      auto const hops = static_cast<std::int64_t>(part.path.size()) - 1;
      op.segment = segment_on_route(op.length, hops, part.end - part.begin == shares);
      op.piece = {everyone, everyone, {begin, begin + op.length}, false};
      bool const first = hop == 0;
      bool const last = hop == hops;
      if (first) op.from = {Buffer::input, 0, sizes.input(me, edge.out) + begin};
      if (last) op.into = {Buffer::output, 0, sizes.output(me, edge.in) + begin};
      if (first && last) {
        op.kind = OpKind::copy;
        into.ops.push_back(op);
        continue;
      }
      // A relay stores a few segments at a time.
      auto const ring = cut_of_routes.window + 2;
      Slot const passing{Buffer::scratch, ring, into.scratch};
      if (!first && !last) into.scratch += std::min<std::int64_t>(ring * op.segment, op.length);
      auto const at_receive = static_cast<std::int32_t>(into.ops.size());
      if (!first) {
        op.kind = OpKind::receive;
        op.peer = part.path[at(hop) - 1];
        op.channel = part.channels[at(hop) - 1];
        if (!last) {
          op.into = passing;
          op.after.add(at_receive + 1, ring);
        }
        into.ops.push_back(op);
      }
      if (!last) {
        op.kind = OpKind::send;
        op.peer = part.path[at(hop) + 1];
        op.channel = part.channels[at(hop)];
        op.after.clear();
        op.into = {};
        if (!first) {
          op.from = passing;
          op.after.add(at_receive);
        }
        into.ops.push_back(op);
      }
    }
  };
  return {is_straight() ? "straight" : "multipath", none, cut_of_routes, 1, maker};
}

}  // namespace allport
