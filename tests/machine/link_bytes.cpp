#include "machine/link_bytes.h"

#include <gtest/gtest.h>

namespace allport {
namespace {

TEST(LinkBytes, AddUpAlongRoutesAndTheSlowestLinkIsTheLongest) {
  Axis const fast{4, true, BytesPerSecond(100), Seconds(1)};
  Axis const slow{2, false, BytesPerSecond(10), Seconds(1)};
  Machine const machine("grid", {fast, slow}, {});
  LinkBytes loads(machine);
  EXPECT_EQ(loads.longest(), Seconds(0));
  loads.add(0, 0, 50);
  EXPECT_EQ(loads.longest(), Seconds(0)) << "nothing leaves the node";
  loads.add(0, 1, 300);
  loads.add(0, 5, 100);  // along x, then along y
  EXPECT_EQ(loads.seconds(machine.link(0, port(0, 1))), Seconds(4));
  EXPECT_EQ(loads.seconds(machine.link(1, port(1, 1))), Seconds(10));
  EXPECT_EQ(loads.seconds(machine.link(1, port(0, 1))), Seconds(0));
  EXPECT_EQ(loads.longest(), Seconds(10));
  loads.add(machine.link(0, port(0, 1)), 800);
  EXPECT_EQ(loads.longest(), Seconds(12));
  loads.clear();
  EXPECT_EQ(loads.longest(), Seconds(0));
  EXPECT_EQ(loads.seconds(machine.link(0, port(0, 1))), Seconds(0));
  loads.add(0, 1, 100);
  EXPECT_EQ(loads.longest(), Seconds(1));
}

}  // namespace
}  // namespace allport
