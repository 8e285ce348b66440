// Schedules over trees that are packed on graphs: proven, as near the bound as the packing, and simulated.
#include "allport/collectives/network_trees.h"

#include <gtest/gtest.h>

#include "allport/sim.h"
#include "allport/verify/verify.h"

namespace allport::verify {
namespace {

Contract contract_of(Collective what, Rank ranks, Rank root = 0) {
  return {what, ranks, root, 24 * 8 * 64, combines(what) ? 8 : 1};
}

TEST(NetworkTrees, OnToriReachTheBandwidthBound) {
  for (auto const* spec : {"torus:4x4", "torus:3x3x3", "torus:3x5"}) {
    auto const machine = Machine::parse(spec);
    for (auto const what :
         {Collective::allgather, Collective::reduce_scatter, Collective::broadcast, Collective::reduce}) {
      auto const packing = pack_trees(Topology::of(machine), what, 1);
      auto const schedule = schedule_over(packing, contract_of(what, machine.ranks(), 1), {1 << 10, 2});
      auto const report = prove(schedule, machine);
      EXPECT_TRUE(report.ok) << spec << "\n" << to_text(report);
      EXPECT_NEAR(report.time.gap, 1, 1e-9) << spec << " " << name(what);
      EXPECT_GE(sim::simulate(schedule, machine).seconds, report.time.lower_bound.value()) << spec;
    }
  }
}

TEST(NetworkTrees, OnOtherNetworksAreProven) {
  for (auto const* spec : {"fattree:4x4/4", "dragonfly:a=3,p=2,h=2", "rails:4x4", "random:20,3,1", "full:5"}) {
    auto const topology = Topology::parse(spec);
    auto const flat = Machine::flat(topology.compute_nodes());
    for (auto const what :
         {Collective::allgather, Collective::reduce_scatter, Collective::broadcast, Collective::reduce}) {
      auto const packing = pack_trees(topology, what, 2);
      auto const schedule = schedule_over(packing, contract_of(what, flat.ranks(), 2), {1 << 10, 2});
      auto const report = prove(schedule, flat);
      EXPECT_TRUE(report.ok) << spec << "\n" << to_text(report);
      EXPECT_GT(sim::simulate(schedule, flat).seconds, 0) << spec;
    }
  }
}

}  // namespace
}  // namespace allport::verify
