// Packed trees on machines with dead links: no message crosses one, and no two trees share a link.
#include <gtest/gtest.h>

#include "allport/collectives/registry.h"
#include "allport/verify/verify.h"
#include "collectives/dead_links.h"

namespace allport {
namespace {

TEST(Proofs, HoldForPackedTreesAroundDeadLinks) {
  for (auto const* spec : {"torus:4x4", "torus:4x3m/ppn=2", "torus:3x3x3", "torus:3x2x2m"}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto const machine = test::random_dead(spec, static_cast<int>(seed), seed);
      for (auto const what : {Collective::broadcast, Collective::reduce}) {
        auto const contract = Contract{what, machine.ranks(), 3, 8000, 8};
        if (algorithm(what, "packed").why_not(machine, contract)) continue;
        auto const report =
            verify::prove(make_schedule(machine, contract, "packed", {512, 2}), machine, {.disjoint = true});
        EXPECT_TRUE(report.ok) << verify::to_text(report);
      }
    }
  }
}

}  // namespace
}  // namespace allport
