// Neighbourhood collectives: every block arrives on any route, and other routes reduce the load of the busiest links.
#include "collectives/neighbour_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "allport/schedule/interpreter.h"
#include "allport/schedule/linked.h"
#include "dead_links.h"

using namespace allport;

namespace {

/// Random edges, several of one pair and some to oneself among them.
std::vector<NeighbourEdge> random_edges(Rank ranks, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> outs(static_cast<std::size_t>(ranks)), ins(outs);
  std::vector<NeighbourEdge> edges;
  for (int i = 0; i < count; ++i) {
    auto const from = static_cast<Rank>(random() % static_cast<unsigned>(ranks));
    auto const to = random() % 7 == 0 ? from : static_cast<Rank>(random() % static_cast<unsigned>(ranks));
    edges.push_back({from, outs[static_cast<std::size_t>(from)]++, to, ins[static_cast<std::size_t>(to)]++});
  }
  return edges;
}

/// A grid's neighbours below and above along each axis, periodic, x-fastest, rank r at place order[r].
std::vector<NeighbourEdge> grid_edges(std::vector<int> const& lengths) {
  std::vector<NeighbourEdge> edges;
  int ranks = 1;
  for (auto const n : lengths) ranks *= n;
  for (Rank r = 0; r < ranks; ++r) {
    int stride = 1;
    for (std::size_t a = 0; a < lengths.size(); stride *= lengths[a++]) {
      auto const x = r / stride % lengths[a];
      for (int up = 0; up < 2; ++up) {
        auto const there = (x + (up ? 1 : lengths[a] - 1)) % lengths[a];
        auto const slot = static_cast<std::int32_t>(2 * a);
        edges.push_back({r, slot + up, r + (there - x) * stride, slot + 1 - up});
      }
    }
  }
  return edges;
}

std::byte content(std::size_t edge, std::int64_t at) {
  return static_cast<std::byte>((edge * 131 + static_cast<std::size_t>(at) * 7 + 3) % 251);
}

/// Runs it by the interpreter on blocks of these lengths, one behind the other by number on both sides.
void expect_delivery(NeighbourRoutes const& routes, std::vector<std::int64_t> const& bytes) {
  auto const n = static_cast<std::size_t>(routes.ranks());
  std::vector<std::map<std::int32_t, std::int64_t>> in_at(n), out_at(n);
  for (std::size_t e = 0; e < bytes.size(); ++e) {
    out_at[static_cast<std::size_t>(routes.edges()[e].from)][routes.edges()[e].out] = bytes[e];
    in_at[static_cast<std::size_t>(routes.edges()[e].to)][routes.edges()[e].in] = bytes[e];
  }
  std::vector<Extents> buffers(n);
  auto const sum_up = [](auto& at) {
    std::int64_t sum = 0;
    for (auto& [_, b] : at) sum += std::exchange(b, sum);
    return sum;
  };
  std::vector<RankBuffers> ranks(n);
  for (std::size_t r = 0; r < n; ++r) {
    buffers[r] = {sum_up(out_at[r]), sum_up(in_at[r])};
    ranks[r].input.resize(static_cast<std::size_t>(buffers[r].input));
    ranks[r].output.resize(static_cast<std::size_t>(buffers[r].output), std::byte{255});
  }
  for (std::size_t e = 0; e < bytes.size(); ++e) {
    auto const& edge = routes.edges()[e];
    auto const begin = out_at[static_cast<std::size_t>(edge.from)][edge.out];
    for (std::int64_t i = 0; i < bytes[e]; ++i) {
      ranks[static_cast<std::size_t>(edge.from)].input[static_cast<std::size_t>(begin + i)] = content(e, i);
    }
  }
  auto const schedule =
      routes.schedule([&](std::int32_t e) { return bytes[static_cast<std::size_t>(e)]; },
                      [&](Rank r, std::int32_t b) { return out_at[static_cast<std::size_t>(r)].at(b); },
                      [&](Rank r, std::int32_t b) { return in_at[static_cast<std::size_t>(r)].at(b); }, buffers);
  EXPECT_NO_THROW(LinkedProgram{schedule});
  for (std::uint64_t seed : {1, 2}) {
    auto run = ranks;
    interpret(schedule, run, {}, seed);
    for (std::size_t e = 0; e < bytes.size(); ++e) {
      auto const& edge = routes.edges()[e];
      auto const begin = in_at[static_cast<std::size_t>(edge.to)][edge.in];
      for (std::int64_t i = 0; i < bytes[e]; ++i) {
        ASSERT_EQ(run[static_cast<std::size_t>(edge.to)].output[static_cast<std::size_t>(begin + i)], content(e, i))
            << "edge " << e << ", byte " << i;
      }
    }
  }
}

/// The largest load of a link, in blocks.
double largest_load(Machine const& machine, NeighbourRoutes const& routes) {
  std::vector<double> load(static_cast<std::size_t>(machine.link_ids()), 0.0);
  for (auto const& part : routes.parts()) {
    for (std::size_t h = 0; h + 1 < part.path.size(); ++h) {
      machine.route(machine.node_of(part.path[h]), machine.node_of(part.path[h + 1]),
                    [&](LinkId l) { load[static_cast<std::size_t>(l)] += (part.end - part.begin) / 8.0; });
    }
  }
  return *std::ranges::max_element(load);
}

TEST(Neighbours, EveryBlockArrives) {
  std::mt19937 random(3);
  for (auto const* spec : {"torus:1", "torus:2", "mesh:5", "torus:4x4", "mesh:3x4", "torus:3x3/ppn=2", "torus:2x3x2"}) {
    auto const machine = Machine::parse(spec);
    for (int count : {0, 1, 5, 40}) {
      auto const edges = random_edges(machine.ranks(), count, 17U + static_cast<unsigned>(count));
      std::vector<std::int64_t> bytes(edges.size());
      for (auto& b : bytes)
        b = random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % (random() % 5 == 0 ? 200000 : 40));
      SCOPED_TRACE(spec);
      expect_delivery(NeighbourRoutes::straight(machine.ranks(), edges), bytes);
      expect_delivery(NeighbourRoutes::spread(machine, edges), bytes);
    }
  }
}

TEST(Neighbours, PartsCoverTheirBlocks) {
  auto const machine = Machine::parse("torus:4x4");
  auto const routes = NeighbourRoutes::spread(machine, random_edges(16, 60, 8));
  EXPECT_FALSE(routes.is_straight());
  std::vector<std::int32_t> next(routes.edges().size(), 0);
  for (auto const& part : routes.parts()) {
    auto const e = static_cast<std::size_t>(part.edge);
    EXPECT_EQ(part.begin, next[e]);
    EXPECT_LT(part.begin, part.end);
    next[e] = part.end;
    EXPECT_EQ(part.path.front(), routes.edges()[e].from);
    EXPECT_EQ(part.path.back(), routes.edges()[e].to);
  }
  EXPECT_TRUE(std::ranges::all_of(next, [](auto n) { return n == NeighbourRoutes::shares; }));
}

TEST(Neighbours, OneBlockTakesAllLinks) {
  auto const machine = Machine::parse("torus:4x4");
  auto const one = NeighbourRoutes::spread(machine, {{0, 0, 1, 0}});
  EXPECT_EQ(one.parts().size(), 4U) << "four routes that share no link";
  EXPECT_DOUBLE_EQ(largest_load(machine, one), 0.25);
  // A corner has two links in an open grid.
  EXPECT_DOUBLE_EQ(
      largest_load(Machine::parse("mesh:4x4"), NeighbourRoutes::spread(Machine::parse("mesh:4x4"), {{0, 0, 1, 0}})),
      0.5);
}

TEST(Neighbours, WhatIsWellSpreadStays) {
  for (auto const* spec : {"torus:4x4", "torus:3x3x3", "torus:5"}) {
    auto const machine = Machine::parse(spec);
    std::vector<int> lengths;
    for (int a = 0; a < machine.axes(); ++a) lengths.push_back(machine.axis(a).length);
    auto const routes = NeighbourRoutes::spread(machine, grid_edges(lengths));
    EXPECT_TRUE(routes.is_straight()) << spec;
    EXPECT_EQ(routes.price(machine, 65536),
              NeighbourRoutes::straight(machine.ranks(), grid_edges(lengths)).price(machine, 65536));
  }
}

TEST(Neighbours, RoutesTakeLoadOffTheBusiestLinks) {
  struct Case {
    char const* spec;
    std::vector<int> grid;
    double most;  ///< of the straight routes' largest load
  };
  for (auto const& [spec, grid, most] : {Case{"torus:4x4", {2, 8}, 0.8}, Case{"torus:4x4", {8, 2}, 0.8}}) {
    auto const machine = Machine::parse(spec);
    auto const straight = NeighbourRoutes::straight(16, grid_edges(grid));
    auto const routes = NeighbourRoutes::spread(machine, grid_edges(grid));
    EXPECT_LE(largest_load(machine, routes), most * largest_load(machine, straight)) << spec << ' ' << grid[0];
    EXPECT_LT(routes.price(machine, 1 << 20), straight.price(machine, 1 << 20));
    EXPECT_GE(routes.price(machine, 8), straight.price(machine, 8)) << "passing on 8 bytes gains nothing";
    auto const again = NeighbourRoutes::spread(machine, grid_edges(grid));
    ASSERT_EQ(again.parts().size(), routes.parts().size());
    for (std::size_t i = 0; i < routes.parts().size(); ++i) EXPECT_EQ(again.parts()[i].path, routes.parts()[i].path);
  }
}

TEST(Neighbours, TooMuchToLookAtAndDeadLinksStayStraight) {
  EXPECT_TRUE(NeighbourRoutes::spread(Machine::parse("torus:4x4"), {{0, 0, 1, 0}}, 3).is_straight());
  auto const dead = test::with_dead("torus:4x4", {0});
  EXPECT_TRUE(NeighbourRoutes::spread(dead, {{0, 0, 1, 0}}).is_straight());
}

TEST(Neighbours, RefusesRanksThatAreNone) {
  EXPECT_THROW((void)NeighbourRoutes::straight(2, {{0, 0, 2, 0}}), Error);
  EXPECT_THROW((void)NeighbourRoutes::straight(2, {{-1, 0, 1, 0}}), Error);
  EXPECT_THROW((void)NeighbourRoutes::straight(2, {}).price(Machine::parse("torus:3"), 8), Error);
}

}  // namespace
