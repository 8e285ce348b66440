// Packed trees on machines with dead links: no message crosses one, and no two trees share a link.
#include <gtest/gtest.h>

#include "allport/collectives/registry.h"
#include "allport/verify/verify.h"
#include "collectives/dead_links.h"

namespace allport {
namespace {

TEST(Proofs, HoldForPackedTreesAroundDeadLinks) {
  int proven = 0;
  for (auto const* spec : {"torus:4x4", "torus:4x3m/ppn=2", "torus:3x3x3", "torus:3x2x2m"}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto const machine = test::random_dead(spec, static_cast<int>(seed), seed);
      for (auto const* a : algorithms()) {
        auto const contract = Contract{a->what, machine.ranks(), 3, 1600, 8};
        if (a->name != "packed" || a->why_not(machine, contract)) continue;
        bool const one_way = a->what == Collective::broadcast || a->what == Collective::reduce;
        auto const report =
            verify::prove(make_schedule(machine, contract, "packed", {512, 2}), machine, {.disjoint = one_way});
        EXPECT_TRUE(report.ok) << name(a->what) << " on " << spec << "\n" << verify::to_text(report);
        ++proven;
      }
    }
  }
  EXPECT_GE(proven, 4 * 4 * 5);
}

}  // namespace
}  // namespace allport
