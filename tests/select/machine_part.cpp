// Schedules of some ranks of a machine: on the box that they fill, or on trees of their own.
#include "allport/select/machine_part.h"

#include <gtest/gtest.h>

#include "allport/sim.h"
#include "allport/verify/verify.h"

namespace allport {
namespace {

TEST(MachinePart, ABoxIsAMachineOfItsOwn) {
  auto const machine = Machine::parse("bgp:4x4x1");
  MachinePart const ring(machine, {6, 5, 4, 7});
  EXPECT_EQ(ring.ranks(), 4);
  EXPECT_EQ(ring.machine().ranks(), 4);
  EXPECT_TRUE(ring.places().empty());
  ASSERT_TRUE(ring.mapping());
  EXPECT_EQ(ring.mapping()->place(0), 2) << "rank 6 is the third of the row";
  Contract const contract{Collective::broadcast, 4, 0, 1 << 20, 1};
  auto const choice = ring.choose(contract);
  auto const schedule = ring.schedule(choice);
  EXPECT_EQ(schedule.contract().root, 2);
  EXPECT_TRUE(verify::prove(schedule, ring.machine()).ok);
  ASSERT_TRUE(choice.bound && choice.mpi);
  EXPECT_LE(*choice.bound, choice.best.predicted);
  EXPECT_THROW((void)ring.choose(contract, {.mapping = Mapping::identity(4)}), Error);
}

TEST(MachinePart, OthersAreProvenAndSimulatedWhereTheyAre) {
  auto const machine = Machine::parse("torus:4x3/ppn=2");
  std::vector<Rank> const members = {0, 3, 4, 9, 10, 11, 20};
  MachinePart const part(machine, members);
  EXPECT_EQ(part.machine(), machine);
  EXPECT_EQ(part.places(), members);
  EXPECT_FALSE(part.mapping());
  std::vector<Node> nodes;
  for (auto const r : members) nodes.push_back(machine.node_of(r));
  for (auto const what : {Collective::broadcast, Collective::reduce, Collective::allgather, Collective::alltoall}) {
    auto const choice = part.choose({what, 7, has_root(what) ? 4 : 0, 4096, 8});
    auto const schedule = part.schedule(choice);
    EXPECT_TRUE(verify::prove(schedule, machine, {.links = false, .placement = nodes}).ok) << name(what);
    ASSERT_TRUE(choice.bound) << name(what);
    EXPECT_GE(sim::simulate(schedule, machine, {.places = part.places()}).seconds, choice.bound->value() * (1 - 1e-9));
  }
}

TEST(MachinePart, NoneOrOneTwiceIsRefused) {
  auto const machine = Machine::parse("torus:4x3");
  EXPECT_THROW(MachinePart(machine, {}), Error);
  EXPECT_THROW(MachinePart(machine, {1, 12}), Error);
  EXPECT_THROW(MachinePart(machine, {5, 1, 5}), Error);
}

}  // namespace
}  // namespace allport
