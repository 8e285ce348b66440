#include "collectives/snake.h"

#include <gtest/gtest.h>

#include <set>

#include "collectives/machines.h"

namespace allport {
namespace {

/// The header's claim, from the axes alone.
bool should_close(Machine const& m) {
  int active = 0;
  bool even = false;
  bool wraps = false;
  for (int a = 0; a < m.axes(); ++a) {
    if (m.axis(a).length == 1) continue;
    ++active;
    even = even || m.axis(a).length % 2 == 0;
    wraps = wraps || m.axis(a).wraps;
  }
  return active == 0 || (active == 1 ? wraps : even || wraps);
}

class SnakeOn : public testing::TestWithParam<std::string> {};

TEST_P(SnakeOn, VisitsEveryNodeOnceOverPhysicalLinks) {
  auto const machine = Machine::parse(GetParam());
  auto const snake = Snake(machine);
  ASSERT_EQ(snake.nodes(), machine.nodes());
  EXPECT_EQ(snake.closed(), should_close(machine));
  std::set<Node> seen;
  std::set<LinkId> links;
  for (Node p = 0; p < snake.nodes(); ++p) {
    auto const here = snake.node(p);
    ASSERT_TRUE(here >= 0 && here < machine.nodes());
    EXPECT_TRUE(seen.insert(here).second) << "node " << here << " twice";
    EXPECT_EQ(snake.position(here), p);
    auto const last = p + 1 == snake.nodes();
    auto const next = snake.node(last ? 0 : p + 1);
    auto const out = snake.forward(p);
    if (machine.nodes() == 1 || (last && !snake.closed())) {
      EXPECT_EQ(out, any_port);
      continue;
    }
    ASSERT_NE(out, any_port) << "position " << p;
    EXPECT_EQ(machine.neighbour(here, out), next) << "position " << p;
    auto const back = snake.backward(last ? 0 : p + 1);
    EXPECT_EQ(machine.neighbour(next, back), here);
    EXPECT_TRUE(links.insert(machine.link(here, out)).second) << machine.link_name(machine.link(here, out));
    EXPECT_TRUE(links.insert(machine.link(next, back)).second) << machine.link_name(machine.link(next, back));
  }
}

TEST(Snake, ThePositionsThatItHas) {
  auto const snake = Snake(Machine::parse("torus:3x4"));
  for (Node const wrong : {-1, 12, 1000}) {
    EXPECT_THROW((void)snake.node(wrong), Error);
    EXPECT_THROW((void)snake.position(wrong), Error);
    EXPECT_THROW((void)snake.forward(wrong), Error);
    EXPECT_THROW((void)snake.backward(wrong), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, SnakeOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, SnakeOn, testing::ValuesIn(test::large_machines()));
INSTANTIATE_TEST_SUITE_P(Odd, SnakeOn,
                         testing::Values("torus:3x3x3", "torus:3mx3x5m", "torus:3x5mx5m", "mesh:3x3x3", "mesh:2x3x3",
                                         "mesh:3x3x2", "mesh:3x2x3", "torus:7x1x3", "mesh:2x2", "mesh:7x2"));

}  // namespace
}  // namespace allport
