// Permutations, and boxes of a machine against all boxes written out.
#include "allport/mapping/mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace allport;

namespace {

TEST(Mapping, ComposesAndInverts) {
  auto const a = Mapping::from_list({2, 0, 1, 3});
  auto const b = Mapping::from_list({3, 2, 1, 0});
  EXPECT_EQ(a.place(0), 2);
  EXPECT_EQ(a.inverse().list(), (std::vector<Rank>{1, 2, 0, 3}));
  EXPECT_EQ(a.then(b).list(), (std::vector<Rank>{1, 3, 2, 0}));
  EXPECT_EQ(a.then(a.inverse()), Mapping::identity(4));
  EXPECT_EQ(Mapping::from_list({0, 1, 2, 3}), Mapping::identity(4)) << "equal permutations are equal objects";
  EXPECT_TRUE(Mapping::from_list({0, 1}).is_identity());
  EXPECT_EQ(Mapping::identity(3).list(), (std::vector<Rank>{0, 1, 2}));
  EXPECT_EQ(Mapping::identity(0).ranks(), 0);
}

TEST(Mapping, RefusesWhatIsNoPermutation) {
  EXPECT_THROW((void)Mapping::from_list({0, 0}), Error);
  EXPECT_THROW((void)Mapping::from_list({1}), Error);
  EXPECT_THROW((void)Mapping::from_list({-1, 0}), Error);
  EXPECT_THROW((void)Mapping::identity(-1), Error);
  EXPECT_THROW((void)Mapping::identity(2).place(2), Error);
  EXPECT_THROW((void)Mapping::identity(2).then(Mapping::identity(3)), Error);
  try {
    (void)Mapping::from_list({1, 2, 1});
    FAIL();
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find("places[2] = 1"), std::string::npos) << e.what();
  }
}

/// All boxes of a machine by definition: corner and lengths -> set of nodes, wrapping only where the axis wraps.
std::set<std::set<Node>> all_boxes(Machine const& m) {
  std::set<std::set<Node>> boxes;
  for (Node corner = 0; corner < m.nodes(); ++corner) {
    for (Node extent = 0; extent < m.nodes(); ++extent) {  // coordinates of `extent` are lengths - 1
      std::set<Node> box;
      bool fits = true;
      for (int a = 0; a < m.axes(); ++a) {
        fits = fits && (m.axis(a).wraps || m.coord(corner, a) + m.coord(extent, a) < m.axis(a).length);
      }
      for (Node n = 0; fits && n < m.nodes(); ++n) {
        auto c = m.coord(n);
        bool inside = true;
        for (int a = 0; a < m.axes(); ++a) {
          auto& x = c[static_cast<std::size_t>(a)];
          inside = inside && x <= m.coord(extent, a);
          x = (x + m.coord(corner, a)) % m.axis(a).length;
        }
        if (inside) box.insert(m.node(c));
      }
      if (fits) boxes.insert(box);
    }
  }
  return boxes;
}

/// The sub-machine is the machine, seen through the mapping: same neighbours by the same ports wherever both are
/// inside, and no link that the machine does not have.
void check_isomorphic(Machine const& m, std::vector<Rank> const& members, BoxInMachine const& box) {
  auto const& sub = box.machine;
  ASSERT_EQ(sub.ranks(), static_cast<Rank>(members.size()));
  std::map<Node, Node> to_sub;
  std::map<Node, Node> to_machine;
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto const place = box.mapping.place(static_cast<Rank>(i));
    to_sub[m.node_of(members[i])] = sub.node_of(place);
    to_machine[sub.node_of(place)] = m.node_of(members[i]);
    if (sub.ranks_per_node() > 1) {
      ASSERT_EQ(place % sub.ranks_per_node(), members[i] % m.ranks_per_node());
    }
  }
  ASSERT_EQ(to_sub.size(), static_cast<std::size_t>(sub.nodes()));
  for (auto const& [there, here] : to_machine) {
    for (Port p = 0; p < 2 * m.axes(); ++p) {
      auto const full = sub.axis(axis_of(p)).length == m.axis(axis_of(p)).length;
      auto const wide = m.neighbour(here, p);
      auto const narrow = sub.neighbour(there, p);
      if (narrow) {
        ASSERT_TRUE(wide.has_value());
        ASSERT_EQ(to_machine.at(*narrow), *wide);
        ASSERT_EQ(sub.dead(sub.link(there, p)), m.dead(m.link(here, p)));
      } else if (wide && to_sub.contains(*wide)) {
        ASSERT_FALSE(full) << "a full axis keeps its links";
      }
    }
  }
}

class FindBox : public testing::TestWithParam<std::string> {};

TEST_P(FindBox, AgreesWithAllBoxesOnAllSubsets) {
  auto const spec = Machine::parse(GetParam());
  std::vector<LinkException> dead;
  if (spec.neighbour(0, port(0, 1))) dead.push_back({0, port(0, 1), true});
  std::vector<Axis> axes;
  for (int a = 0; a < spec.axes(); ++a) axes.push_back(spec.axis(a));
  Machine const m(spec.name(), axes, spec.rates(), spec.ranks_per_node(), dead);
  auto const boxes = all_boxes(m);
  std::mt19937 random(11);
  for (std::uint32_t subset = 1; subset < (1U << m.ranks()); ++subset) {
    std::vector<Rank> members;
    std::map<Node, int> per_node;
    std::set<Node> nodes;
    for (Rank r = 0; r < m.ranks(); ++r) {
      if ((subset >> r & 1U) != 0) {
        members.push_back(r);
        nodes.insert(m.node_of(r));
        ++per_node[m.node_of(r)];
      }
    }
    auto const alike = [&](int count) {
      return std::all_of(per_node.begin(), per_node.end(), [&](auto const& e) { return e.second == count; });
    };
    auto const expected = boxes.contains(nodes) && (alike(1) || alike(m.ranks_per_node()));
    std::shuffle(members.begin(), members.end(), random);
    auto const found = find_box(m, members);
    ASSERT_EQ(found.has_value(), expected) << GetParam() << " subset " << subset;
    if (found) {
      ASSERT_NO_FATAL_FAILURE(check_isomorphic(m, members, *found)) << GetParam() << " subset " << subset;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, FindBox,
                         testing::Values("torus:1", "torus:2", "mesh:2", "torus:5", "mesh:6", "torus:4x3", "mesh:4x3",
                                         "torus:3x4m", "torus:2x2x3", "mesh:2x2x2", "torus:2x3/ppn=2", "mesh:4/ppn=3",
                                         "torus:1x4x2", "torus:2x2x2/ppn=1"));

TEST(FindBox, CrossesTheWrapAround) {
  auto const m = Machine::parse("torus:4");
  auto const box = find_box(m, std::vector<Rank>{3, 0});
  ASSERT_TRUE(box);
  EXPECT_EQ(box->lo[0], 3);
  EXPECT_EQ(box->hi[0], 0);
  EXPECT_TRUE(box->mapping.is_identity());
  EXPECT_FALSE(box->machine.axis(0).wraps);
  EXPECT_FALSE(find_box(Machine::parse("mesh:4"), std::vector<Rank>{3, 0}));
}

TEST(FindBox, KeepsTheWrapOfFullAxes) {
  auto const pair = find_box(Machine::parse("torus:2x3"), std::vector<Rank>{3, 2});
  ASSERT_TRUE(pair);
  EXPECT_TRUE(pair->machine.axis(0).wraps);
  EXPECT_EQ(pair->machine.links(), 4);
  EXPECT_EQ(pair->mapping.list(), (std::vector<Rank>{1, 0}));
}

TEST(FindBox, RefusesRanksThatAreNone) {
  auto const m = Machine::parse("torus:4");
  EXPECT_THROW((void)find_box(m, std::vector<Rank>{}), Error);
  EXPECT_THROW((void)find_box(m, std::vector<Rank>{4}), Error);
  EXPECT_THROW((void)find_box(m, std::vector<Rank>{-1}), Error);
  EXPECT_FALSE(find_box(m, std::vector<Rank>{1, 1})) << "duplicates fill no box";
}

TEST(LineThrough, IsAsSlowAsItsRoutes) {
  auto const mesh = Machine::parse("mesh:8");
  auto const& axis = mesh.axis(0);
  auto const straight = line_through(mesh, std::vector<Rank>{0, 2, 3, 7});
  EXPECT_EQ(straight.ranks(), 4);
  EXPECT_EQ(straight.axes(), 1);
  EXPECT_FALSE(straight.axis(0).wraps);
  EXPECT_EQ(straight.axis(0).bandwidth, axis.bandwidth) << "every link serves one message";
  EXPECT_DOUBLE_EQ(straight.axis(0).latency.value(), 4.0 * axis.latency.value());
  // 0 -> 7 and 1 -> 7 share the links from 1 on.
  auto const turned = line_through(mesh, std::vector<Rank>{0, 7, 1});
  EXPECT_DOUBLE_EQ(turned.axis(0).bandwidth.value(), axis.bandwidth.value() / 2);
  EXPECT_DOUBLE_EQ(turned.axis(0).latency.value(), 7.0 * axis.latency.value());
  auto const node = Machine::parse("torus:1/ppn=4");
  EXPECT_EQ(line_through(node, std::vector<Rank>{3, 1}).axis(0).bandwidth, node.axis(0).bandwidth);
  EXPECT_EQ(line_through(mesh, std::vector<Rank>{5}).ranks(), 1);
  EXPECT_THROW((void)line_through(mesh, std::vector<Rank>{}), Error);
  EXPECT_THROW((void)line_through(mesh, std::vector<Rank>{0, 8}), Error);
}

TEST(FindBox, WorksOnAWholeExascaleMachine) {
  auto const m = Machine::parse("exascale");
  std::vector<Rank> plane;
  for (Rank r = 0; r < m.ranks(); ++r) {
    if (m.coord(r, 1) == 5) plane.push_back(r);
  }
  auto const box = find_box(m, plane);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->machine.nodes(), 64 * 64);
  EXPECT_TRUE(box->machine.axis(0).wraps && !box->machine.axis(1).wraps && box->machine.axis(2).wraps);
  EXPECT_TRUE(box->mapping.is_identity());
}

}  // namespace
