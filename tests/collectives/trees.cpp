#include "allport/collectives/trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collectives/hierarchical.h"
#include "collectives/machines.h"

namespace allport {
namespace {

using OfGrid = TreeSet (*)(Machine const&, Node);

TreeSet over_ranks(OfGrid make, Machine const& machine, Rank root) {
  auto const leader = root % machine.ranks_per_node();
  return hierarchical(make(machine, machine.node_of(root)), {machine.levels(), leader, Below::binomial});
}

/// What the places of one tree say together.
struct Gathered {
  int depth = 0;
  int fan_out = 0;            ///< most children of one rank
  std::vector<LinkId> links;  ///< physical links used downwards
};

/// Checks that the places of `tree` fit together to one tree that spans all ranks.
Gathered gather(Machine const& machine, TreeSet const& set, int tree, Rank root) {
  auto const ranks = machine.ranks();
  std::vector<Rank> parent(static_cast<std::size_t>(ranks), -2);
  std::vector<int> times_child(static_cast<std::size_t>(ranks), 0);
  Gathered result;
  TreePlace place;
  TreePlace below;
  for (Rank r = 0; r < ranks; ++r) {
    set.place(tree, r, place);
    parent[static_cast<std::size_t>(r)] = place.parent.rank;
    result.fan_out = std::max(result.fan_out, static_cast<int>(place.children()));
    for (std::size_t i = 0; i < place.children(); ++i) {
      auto const child = place.child(i);
      EXPECT_TRUE(child.rank >= 0 && child.rank < ranks) << child.rank;
      ++times_child[static_cast<std::size_t>(child.rank)];
      set.place(tree, child.rank, below);
      EXPECT_EQ(below.parent.rank, r);
      if (child.out == any_port) {
        EXPECT_EQ(below.parent.out, any_port);
        continue;
      }
      EXPECT_EQ(machine.neighbour(machine.node_of(r), child.out), machine.node_of(child.rank));
      EXPECT_EQ(below.parent.out, child.out ^ 1);
      result.links.push_back(machine.link(machine.node_of(r), child.out));
    }
  }
  for (Rank r = 0; r < ranks; ++r) {
    EXPECT_EQ(times_child[static_cast<std::size_t>(r)], r == root ? 0 : 1) << "rank " << r;
    int steps = 0;
    for (auto at = r; at != root && steps <= ranks; ++steps) {
      at = parent[static_cast<std::size_t>(at)];
      if (at < 0) break;
    }
    EXPECT_LT(steps, ranks) << "rank " << r << " does not lead to the root";
    result.depth = std::max(result.depth, steps);
  }
  EXPECT_EQ(parent[static_cast<std::size_t>(root)], -1);
  return result;
}

bool any_open(Machine const& m) {
  for (int a = 0; a < m.axes(); ++a) {
    if (m.axis(a).length > 1 && !m.axis(a).wraps) return true;
  }
  return false;
}

/// Sum of n_i - 1, and one more when some n_i is 2.
int depth_bound(Machine const& m) {
  int sum = 0;
  bool two = false;
  for (int a = 0; a < m.axes(); ++a) {
    sum += m.axis(a).length - 1;
    two = two || m.axis(a).length == 2;
  }
  return sum + (two ? 1 : 0);
}

int active_axes(Machine const& m) {
  int active = 0;
  for (int a = 0; a < m.axes(); ++a) active += m.axis(a).length > 1 ? 1 : 0;
  return active;
}

void expect_rectangular(std::string const& spec, std::vector<Rank> const& roots) {
  auto const machine = Machine::parse(spec);
  auto const trees = std::max(1, active_axes(machine) * (any_open(machine) ? 1 : 2));
  for (auto const root : roots) {
    SCOPED_TRACE(spec + " root " + std::to_string(root));
    auto const set = over_ranks(rectangular_trees, machine, root);
    ASSERT_EQ(set.count, trees);
    std::vector<LinkId> used;
    int deepest = 0;
    int most_children = 0;
    for (int t = 0; t < set.count; ++t) {
      SCOPED_TRACE("tree " + std::to_string(t));
      auto const tree = gather(machine, set, t, root);
      EXPECT_EQ(tree.links.size(), static_cast<std::size_t>(machine.nodes() - 1));
      if (machine.ranks_per_node() == 1) {
        EXPECT_LE(tree.depth, depth_bound(machine) + (any_open(machine) ? 1 : 0));
      }
      deepest = std::max(deepest, tree.depth);
      most_children = std::max(most_children, tree.fan_out);
      used.insert(used.end(), tree.links.begin(), tree.links.end());
    }
    if (machine.ranks_per_node() == 1) {
      EXPECT_EQ(rectangular_extent(machine, root).depth, deepest);
      EXPECT_GE(rectangular_extent(machine, root).fan_out, most_children);
    }
    std::sort(used.begin(), used.end());
    auto const twice = std::adjacent_find(used.begin(), used.end());
    EXPECT_EQ(twice, used.end()) << machine.link_name(*twice) << " is in two trees";
  }
}

class EveryTreeOn : public testing::TestWithParam<std::string> {};

TEST_P(EveryTreeOn, Spans) {
  auto const machine = Machine::parse(GetParam());
  auto const roots = machine.ranks() <= 27 ? test::all_roots(machine) : test::some_roots(machine);
  for (auto const& [name, make] : std::map<std::string, OfGrid>{
           {"binomial", nullptr}, {"line", line_trees}, {"ring", ring_trees}, {"rectangular", rectangular_trees}}) {
    for (auto const root : roots) {
      SCOPED_TRACE(name + " root " + std::to_string(root));
      auto const set = make == nullptr ? binomial_trees(machine, root) : over_ranks(make, machine, root);
      for (int t = 0; t < set.count; ++t) gather(machine, set, t, root);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, EveryTreeOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, EveryTreeOn, testing::ValuesIn(test::large_machines()));

class RectangularOn : public testing::TestWithParam<std::string> {};

TEST_P(RectangularOn, SharesNoLinkFromAnyRoot) {
  expect_rectangular(GetParam(), test::all_roots(Machine::parse(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Small, RectangularOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, RectangularOn, testing::ValuesIn(test::large_machines()));
INSTANTIATE_TEST_SUITE_P(Proven, RectangularOn,
                         testing::Values("torus:8", "torus:4x4", "torus:8x8", "torus:3x5", "torus:2x4", "torus:2x2",
                                         "torus:4x4x4", "torus:3x4x5", "torus:2x3x4", "torus:2x2x2", "torus:4x4mx3",
                                         "torus:5mx4x3", "torus:2mx2x2m", "mesh:2x2", "mesh:4x1x3"));

TEST(Rectangular, SharesNoLinkOnLargerTori) {
  for (auto const* spec : {"torus:8x8x8", "torus:3x3x3x3", "torus:2x2x3x3x2"}) {
    auto const p = Machine::parse(spec).ranks();
    expect_rectangular(spec, {0, 7, p / 2, p - 1});
  }
}

TEST(Rectangular, TakesAllLinksOfATorusButThoseIntoTheRoot) {
  auto const machine = Machine::parse("torus:4x3x2");
  auto const set = rectangular_trees(machine, 13);
  std::vector<bool> used(static_cast<std::size_t>(machine.link_ids()), false);
  for (int t = 0; t < set.count; ++t) {
    for (auto const l : gather(machine, set, t, 13).links) used[static_cast<std::size_t>(l)] = true;
  }
  for (LinkId l = 0; l < machine.link_ids(); ++l) {
    auto const end = machine.neighbour(machine.link_source(l), machine.link_port(l));
    EXPECT_EQ(used[static_cast<std::size_t>(l)], end != 13) << machine.link_name(l);
  }
}

TEST(Rectangular, DepthIsTheSumOfTheAxesOn8x8x8) {
  auto const machine = Machine::parse("torus:8x8x8");
  auto const set = rectangular_trees(machine, 100);
  for (int t = 0; t < 6; ++t) EXPECT_EQ(gather(machine, set, t, 100).depth, 21);
}

// Two arms of a line, or two whole turns of a ring, use different links as long as the snake is made of links.
TEST(LineAndRing, ShareNoLinkWhereTheSnakeCloses) {
  for (auto const* spec : {"torus:2", "torus:5", "torus:3x3", "mesh:3x4", "torus:2x2", "mesh:2x2x3", "torus:3x5mx3"}) {
    auto const machine = Machine::parse(spec);
    for (auto const root : test::all_roots(machine)) {
      SCOPED_TRACE(std::string(spec) + " root " + std::to_string(root));
      std::vector<LinkId> used;
      auto const ring = ring_trees(machine, root);
      for (int t = 0; t < 2; ++t) {
        auto const tree = gather(machine, ring, t, root);
        EXPECT_EQ(tree.depth, machine.nodes() - 1);
        used.insert(used.end(), tree.links.begin(), tree.links.end());
      }
      EXPECT_EQ(used.size(), 2U * static_cast<std::size_t>(machine.nodes() - 1));
      std::sort(used.begin(), used.end());
      EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end());
      EXPECT_EQ(gather(machine, line_trees(machine, root), 0, root).depth, machine.nodes() / 2);
    }
  }
}

TEST(Binomial, HasTheTextbookShape) {
  auto const set = binomial_trees(Machine::parse("torus:13"), 4);
  TreePlace place;
  set.place(0, 4, place);
  std::vector<Rank> children;
  for (std::size_t i = 0; i < place.children(); ++i) children.push_back(place.child(i).rank);
  EXPECT_EQ(children, (std::vector<Rank>{12, 8, 6, 5}));  // 4 + 8, 4, 2, 1
  set.place(0, 3, place);                                 // relative 12 = 8 + 4
  EXPECT_EQ(place.parent.rank, 12);
  EXPECT_EQ(place.children(), 0U);  // relative 13 and 14 are beyond the last, 12
}

TEST(Slices, CoverTheMessageInWholeUnits) {
  for (std::int64_t unit : {1, 4, 12, 100}) {
    for (std::int64_t units : {0, 1, 2, 3, 5, 6, 7, 64, 1000}) {
      for (int trees : {1, 2, 3, 6, 10}) {
        auto const bytes = unit * units;
        auto const count = slices(bytes, unit, trees);
        ASSERT_TRUE(count >= 1 && count <= trees);
        std::int64_t end = 0;
        for (int i = 0; i < count; ++i) {
          auto const part = slice(bytes, unit, count, i);
          EXPECT_EQ(part.begin, end);
          EXPECT_EQ(part.size() % unit, 0);
          EXPECT_TRUE(count == 1 || part.size() >= std::max(unit, min_slice));
          end = part.end;
        }
        EXPECT_EQ(end, bytes);
      }
    }
  }
}

/// Counted on every link over the trees of all roots.
std::array<AxisStreams, max_axes> counted_streams(Machine const& machine, OfGrid make, int trees) {
  std::vector<std::int64_t> load(static_cast<std::size_t>(machine.link_ids()), 0);
  TreePlace place;
  for (Node root = 0; root < machine.nodes(); ++root) {
    auto const set = make(machine, root);
    for (int tree = 0; tree < trees; ++tree) {
      for (Node node = 0; node < machine.nodes(); ++node) {
        set.place(tree, node, place);
        for (std::size_t i = 0; i < place.children(); ++i) {
          ++load[static_cast<std::size_t>(machine.link(node, place.child(i).out))];
        }
      }
    }
  }
  std::array<AxisStreams, max_axes> most{};
  for (LinkId l = 0; l < machine.link_ids(); ++l) {
    auto const out = machine.link_port(l);
    auto& of_axis = most[static_cast<std::size_t>(axis_of(out))];
    auto& side = sign_of(out) > 0 ? of_axis.up : of_axis.down;
    side = std::max(side, load[static_cast<std::size_t>(l)]);
  }
  return most;
}

TEST(AllRootsTrees, LoadTheBusiestLinksOfEveryAxisAsCounted) {
  auto all = test::small_machines();
  for (auto const* more : {"torus:4x4x4", "torus:3x4x5", "mesh:4x3x5", "torus:4x5x3m", "torus:2x2x3x3x2"}) {
    all.emplace_back(more);
  }
  for (auto const& spec : all) {
    auto const machine = Machine::parse(spec);
    for (int trees = 0; trees <= rectangular_tree_count(machine); ++trees) {
      for (bool const rotated : {false, true}) {
        auto const said = rotated ? rotated_streams(machine, trees) : rectangular_streams(machine, trees);
        auto const counted = counted_streams(machine, rotated ? rotated_trees : rectangular_trees, trees);
        for (std::size_t a = 0; a < max_axes; ++a) {
          EXPECT_EQ(said[a].up, counted[a].up) << spec << " axis " << a << ", " << trees << " trees, " << rotated;
          EXPECT_EQ(said[a].down, counted[a].down) << spec << " axis " << a << ", " << trees << " trees, " << rotated;
        }
      }
    }
  }
  EXPECT_THROW((void)rotated_streams(Machine::parse("torus:4x4"), 5), Error);
}

}  // namespace
}  // namespace allport
