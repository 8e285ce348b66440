// Coordinates, neighbours, links, routes and boxes against definitions written out by hand or found by search.
#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "allport/machine/machine.h"

using namespace allport;

namespace {

std::vector<std::string> const small_specs = {
    "torus:1",       "mesh:1",          "torus:2",     "mesh:2",       "torus:3",           "torus:5",
    "mesh:7",        "torus:2x2",       "torus:2x2m",  "torus:1x4",    "torus:4x1x3",       "torus:3x4m",
    "mesh:3x4t",     "torus:3x4x5",     "torus:2x3m",  "mesh:2x2x2x2", "torus:6x5/ppn=3",   "gemini:4x4x2",
    "torus:1x1x1x1", "torus:2x1x2x1x2", "mesh:5x1x2t", "bgp:3x2x2",    "torus:8x8x3m/ppn=2"};

/// Directed cables of the definition: one per pair of neighbouring positions and direction, plus the wrap-around.
std::multiset<std::pair<Node, Node>> cables(Machine const& m) {
  std::multiset<std::pair<Node, Node>> all;
  for (Node n = 0; n < m.nodes(); ++n) {
    for (int a = 0; a < m.axes(); ++a) {
      auto c = m.coord(n);
      auto const i = static_cast<std::size_t>(a);
      auto const last = c[i] + 1 == m.axis(a).length;
      if (m.axis(a).length == 1 || (last && !m.axis(a).wraps)) {
        continue;
      }
      c[i] = last ? 0 : c[i] + 1;
      all.emplace(n, m.node(c));
      all.emplace(m.node(c), n);
    }
  }
  return all;
}

std::vector<int> distances(Machine const& m, Node from) {
  std::vector<int> d(static_cast<std::size_t>(m.nodes()), -1);
  std::queue<Node> queue;
  queue.push(from);
  d[static_cast<std::size_t>(from)] = 0;
  while (!queue.empty()) {
    auto const n = queue.front();
    queue.pop();
    for (Port p = 0; p < 2 * m.axes(); ++p) {
      auto const to = m.neighbour(n, p);
      if (to && d[static_cast<std::size_t>(*to)] < 0) {
        d[static_cast<std::size_t>(*to)] = d[static_cast<std::size_t>(n)] + 1;
        queue.push(*to);
      }
    }
  }
  return d;
}

class EveryMachine : public testing::TestWithParam<std::string> {};

TEST_P(EveryMachine, CountsXFastest) {
  auto const m = Machine::parse(GetParam());
  Coord c{};
  for (Node n = 0; n < m.nodes(); ++n) {
    ASSERT_EQ(m.coord(n), c);
    ASSERT_EQ(m.node(c), n);
    for (int a = 0; a < m.axes(); ++a) {
      ASSERT_EQ(m.coord(n, a), c[static_cast<std::size_t>(a)]);
    }
    for (int a = 0; a < m.axes() && ++c[static_cast<std::size_t>(a)] == m.axis(a).length; ++a) {
      c[static_cast<std::size_t>(a)] = 0;
    }
  }
  for (Rank r = 0; r < m.ranks(); ++r) {
    ASSERT_EQ(m.node_of(r), r / m.ranks_per_node());
  }
}

TEST_P(EveryMachine, HasTheCablesOfItsAxes) {
  auto const m = Machine::parse(GetParam());
  std::multiset<std::pair<Node, Node>> found;
  std::set<LinkId> ids;
  for (Node n = 0; n < m.nodes(); ++n) {
    for (Port p = 0; p < 2 * m.axes(); ++p) {
      auto const l = m.link(n, p);
      EXPECT_TRUE(ids.insert(l).second);
      EXPECT_GE(l, 0);
      EXPECT_LT(l, m.link_ids());
      EXPECT_EQ(m.link_source(l), n);
      EXPECT_EQ(m.link_port(l), p);
      if (auto const to = m.neighbour(n, p)) {
        found.emplace(n, *to);
        EXPECT_EQ(m.neighbour(*to, port(axis_of(p), -sign_of(p))), std::optional(n)) << "the cable leads back";
        EXPECT_EQ(m.bandwidth(l), m.axis(axis_of(p)).bandwidth);
        EXPECT_EQ(m.latency(l), m.axis(axis_of(p)).latency);
        EXPECT_FALSE(m.dead(l));
      }
    }
  }
  EXPECT_EQ(found, cables(m));
  EXPECT_EQ(m.links(), static_cast<std::int64_t>(found.size()));
}

TEST_P(EveryMachine, RoutesAreShortestAndDimensionOrdered) {
  auto const m = Machine::parse(GetParam());
  for (Node from = 0; from < m.nodes(); ++from) {
    auto const d = distances(m, from);
    for (Node to = 0; to < m.nodes(); ++to) {
      auto at = from;
      int hops = 0;
      int axis = 0;
      std::map<int, std::set<int>> signs;
      m.route(from, to, [&](LinkId l) {
        ASSERT_EQ(m.link_source(l), at);
        auto const p = m.link_port(l);
        ASSERT_GE(axis_of(p), axis);
        axis = axis_of(p);
        signs[axis].insert(sign_of(p));
        at = *m.neighbour(at, p);
        ++hops;
      });
      ASSERT_EQ(at, to);
      ASSERT_EQ(hops, d[static_cast<std::size_t>(to)]);
      ASSERT_EQ(hops, m.hops(from, to));
      for (auto const& [a, set] : signs) {
        ASSERT_EQ(set.size(), 1U);
        auto const half = m.axis(a).wraps && m.axis(a).length % 2 == 0 &&
                          std::abs(m.coord(to, a) - m.coord(from, a)) == m.axis(a).length / 2;
        ASSERT_TRUE(!half || *set.begin() == 1) << "a tie goes in positive direction";
      }
    }
  }
}

TEST_P(EveryMachine, RoundTripsThroughItsFile) {
  auto const m = Machine::parse(GetParam());
  EXPECT_EQ(Machine::from_toml(m.to_toml()), m) << m.to_toml();
}

INSTANTIATE_TEST_SUITE_P(Small, EveryMachine, testing::ValuesIn(small_specs));

TEST(Wrap, AxisOfLengthTwoHasTwoCablesOrOne) {
  auto const two = Machine::parse("torus:2");
  EXPECT_EQ(two.neighbour(0, port(0, 1)), std::optional<Node>(1));
  EXPECT_EQ(two.neighbour(0, port(0, -1)), std::optional<Node>(1));
  EXPECT_EQ(two.links(), 4);
  auto const one = Machine::parse("torus:2m");
  EXPECT_EQ(one.neighbour(0, port(0, -1)), std::nullopt);
  EXPECT_EQ(one.links(), 2);
}

/// Boxes by definition: sub-node -> node, link by link.
void check_box(Machine const& m, Coord const& lo, Coord const& hi) {
  auto const sub = m.box(lo, hi);
  ASSERT_EQ(sub.ranks_per_node(), m.ranks_per_node());
  auto const lift = [&](Node n) {
    auto c = sub.coord(n);
    for (int a = 0; a < m.axes(); ++a) {
      auto& x = c[static_cast<std::size_t>(a)];
      x = (x + lo[static_cast<std::size_t>(a)]) % m.axis(a).length;
    }
    return m.node(c);
  };
  for (int a = 0; a < m.axes(); ++a) {
    auto const full = sub.axis(a).length == m.axis(a).length;
    ASSERT_EQ(sub.axis(a).wraps, full && m.axis(a).wraps);
    auto const end = (lo[static_cast<std::size_t>(a)] + sub.axis(a).length - 1) % m.axis(a).length;
    ASSERT_EQ(end, hi[static_cast<std::size_t>(a)]);
  }
  for (Node n = 0; n < sub.nodes(); ++n) {
    for (Port p = 0; p < 2 * m.axes(); ++p) {
      if (auto const to = sub.neighbour(n, p)) {
        ASSERT_EQ(m.neighbour(lift(n), p), std::optional(lift(*to)));
        auto const l = m.link(lift(n), p);
        ASSERT_EQ(sub.dead(sub.link(n, p)), m.dead(l));
        ASSERT_EQ(sub.bandwidth(sub.link(n, p)), m.bandwidth(l));
        ASSERT_EQ(sub.latency(sub.link(n, p)), m.latency(l));
      }
    }
  }
}

TEST(Box, KeepsWhatLiesInside) {
  for (auto const* spec : {"torus:4x3", "mesh:4x3", "torus:2x4m/ppn=2"}) {
    auto const plain = Machine::parse(spec);
    std::vector<LinkException> exceptions;
    for (Node n = 0; n < plain.nodes(); ++n) {
      for (Port p = 0; p < 4; ++p) {
        if (plain.neighbour(n, p) && (n * 4 + p) % 3 == 0) {
          exceptions.push_back({n, p, p % 2 == 0, BytesPerSecond(1e6 + n), Seconds(n % 2 == 0 ? -1.0 : 1e-3)});
        }
      }
    }
    Machine const m(plain.name(), {plain.axis(0), plain.axis(1)}, plain.rates(), plain.ranks_per_node(), exceptions);
    EXPECT_TRUE(m.has_dead_links());
    for (Node lo = 0; lo < m.nodes(); ++lo) {
      for (Node hi = 0; hi < m.nodes(); ++hi) {
        auto const crosses = [&](int a) { return m.coord(hi, a) < m.coord(lo, a) && !m.axis(a).wraps; };
        if (crosses(0) || crosses(1)) {
          EXPECT_THROW((void)m.box(m.coord(lo), m.coord(hi)), Error);
        } else {
          check_box(m, m.coord(lo), m.coord(hi));
        }
      }
    }
  }
}

TEST(Flat, IsAnOpenLine) {
  for (int n : {1, 2, 17}) {
    auto const m = Machine::flat(n);
    EXPECT_EQ(m.ranks(), n);
    EXPECT_EQ(m.axes(), 1);
    EXPECT_FALSE(m.axis(0).wraps);
  }
  EXPECT_THROW((void)Machine::flat(0), Error);
}

TEST(Checks, RefuseWhatNoMachineCanBe) {
  Axis const good{4, true, BytesPerSecond(1e9), Seconds(1e-6)};
  NodeRates const rates;
  EXPECT_THROW(Machine("m", {}, rates), Error);
  EXPECT_THROW(Machine("m", std::vector<Axis>(9, good), rates), Error);
  EXPECT_THROW(Machine("m", {{0, true, good.bandwidth, good.latency}}, rates), Error);
  EXPECT_THROW(Machine("m", {{4, true, BytesPerSecond(0.0), good.latency}}, rates), Error);
  EXPECT_NO_THROW(Machine("m", {{1, true, BytesPerSecond(0.0), good.latency}}, rates));
  EXPECT_THROW(Machine("m", {good}, rates, 0), Error);
  EXPECT_THROW(Machine("m", {good}, rates, 1 << 29), Error);
  EXPECT_THROW(Machine("m", {good}, NodeRates{.tau = 1.5}), Error);
  EXPECT_THROW(Machine("m", {good}, rates, 1, {{4, 0, true}}), Error);
  EXPECT_THROW(Machine("m", {good}, rates, 1, {{0, 2, true}}), Error);
  EXPECT_THROW(Machine("m", {good}, rates, 1, {{0, 0, true}, {0, 0, true}}), Error);
  Machine const m("m", {good}, rates, 1, {{3, 1, true}});
  EXPECT_EQ(m.link_name(m.link(3, 1)), "(3)+x -> (0)");
  EXPECT_TRUE(m.dead(m.link(3, 1)));
  EXPECT_FALSE(m.dead(m.link(0, 0))) << "the other direction of the same cable";
  EXPECT_THROW((void)m.coord(4), Error);
  EXPECT_THROW((void)m.neighbour(0, any_port), Error);
  EXPECT_THROW((void)m.node(Coord{4}), Error);
}

}  // namespace
