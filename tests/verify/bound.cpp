// The lower bound of a contract: that of the collective; none if blocks differ.
#include "allport/verify/bound.h"

#include <gtest/gtest.h>

#include <memory>

#include "collectives/machines.h"

namespace allport::verify {
namespace {

TEST(LowerBound, IsThatOfTheCollectiveOnATorus) {
  auto const machine = Machine::parse("torus:5x5");
  auto const b = machine.axis(0).bandwidth.value();
  constexpr double p = 25;
  constexpr std::int64_t m = 64 << 20;
  // Chan06, lower bounds: what one node sends or gets over its 2d links; alltoall across the middle of an axis.
  std::vector<std::pair<Collective, double>> const known{
      {Collective::broadcast, m / (4 * b)},
      {Collective::reduce, m / (4 * b)},
      {Collective::scatter, (p - 1) * m / (4 * b)},
      {Collective::gather, (p - 1) * m / (4 * b)},
      {Collective::allgather, (p - 1) * m / (4 * b)},
      {Collective::reduce_scatter, (p - 1) * m / (4 * b)},
      {Collective::allreduce, (p - 1) / p * m / (2 * b)},
      {Collective::alltoall, p * m * 6 / (10 * b)},
  };
  for (auto const& [what, seconds] : known) {
    EXPECT_NEAR(lower_bound(machine, {what, 25, 7, m, 1}).time().value() / seconds, 1.0, 1e-9) << name(what);
  }
}

TEST(LowerBound, OfABarrierIsLatencyAlone) {
  auto const machine = Machine::parse("mesh:7");
  auto const bound = lower_bound(machine, {Collective::barrier, 7, 0, 0, 1});
  EXPECT_EQ(bound.bandwidth.value(), 0.0);
  EXPECT_DOUBLE_EQ(bound.time().value(), 2 * machine.rates().overhead.value() + 6 * machine.axis(0).latency.value());
}

TEST(LowerBound, IsNotKnownOfBlocksThatDiffer) {
  auto const machine = Machine::parse("torus:3");
  auto const contract = with_blocks(Collective::gather, 3, 0, BlockTable::per_rank({8, 0, 1 << 20}));
  EXPECT_EQ(lower_bound(machine, contract).time().value(), 0.0);
}

TEST(LowerBound, IsNothingWhereNothingMoves) {
  EXPECT_EQ(lower_bound(Machine::parse("torus:3"), {Collective::allgather, 3, 0, 0, 1}).time().value(), 0.0);
}

TEST(LowerBound, IsOfTheContractsRanks) {
  EXPECT_THROW((void)lower_bound(Machine::parse("torus:3"), {Collective::gather, 4, 0, 8, 1}), Error);
}

}  // namespace
}  // namespace allport::verify
