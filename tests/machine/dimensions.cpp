#include "machine/dimensions.h"

#include <gtest/gtest.h>

namespace allport {
namespace {

TEST(Dimensions, AreTheNodesRanksAndTheAxes) {
  for (auto const* spec : {"torus:1", "torus:4x3m", "mesh:2x1x5/ppn=3", "xe6:2x3x1/ppn=6"}) {
    auto const machine = Machine::parse(spec);
    auto const all = dimensions(machine);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(machine.axes()) + 1);
    EXPECT_EQ(all[0].axis, -1);
    for (Rank r = 0; r < machine.ranks(); ++r) {
      EXPECT_EQ(all[0].of(r), r % machine.ranks_per_node());
      for (int a = 0; a < machine.axes(); ++a) {
        auto const& dim = all[static_cast<std::size_t>(a) + 1];
        EXPECT_EQ(dim.wraps, machine.axis(a).wraps);
        EXPECT_EQ(dim.of(r), machine.coord(machine.node_of(r), a));
        auto c = machine.coord(machine.node_of(r));
        c[static_cast<std::size_t>(a)] = machine.axis(a).length - 1;
        EXPECT_EQ(dim.with(r, machine.axis(a).length - 1),
                  machine.node(c) * machine.ranks_per_node() + r % machine.ranks_per_node());
      }
    }
  }
}

}  // namespace
}  // namespace allport
