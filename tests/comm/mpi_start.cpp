// Measurement of uncalibrated links at start, and the decisions that must not depend on it.
#include <gtest/gtest.h>

#include "allport/comm/calibrate.h"
#include "world.h"

namespace allport {
namespace {

using namespace testing;

/// The machine with links of other rates.
Machine with_rates(Machine const& machine, double bandwidth, double latency) {
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) {
    axes.push_back(machine.axis(a));
    axes.back().bandwidth = BytesPerSecond(bandwidth);
    axes.back().latency = Seconds(latency);
  }
  return {machine.name(), std::move(axes), machine.rates(), machine.levels(), machine.exceptions(), {}};
}

TEST(MpiStart, FindsRatesThatAllRanksAgreeOn) {
  if (world_size() > 7) GTEST_SKIP() << "long with many ranks a core";
  for (auto const& spec : fitting_specs()) {
    auto const named = Machine::parse(spec);
    auto const found = measure_rates(Communicator(MPI_COMM_WORLD, named), 0.1);
    ASSERT_EQ(found.axes(), named.axes());
    for (int a = 0; a < found.axes(); ++a) {
      EXPECT_EQ(found.axis(a).length, named.axis(a).length);
      EXPECT_GT(found.axis(a).bandwidth.value(), 0.0);
      EXPECT_GE(found.axis(a).latency.value(), 0.0);
    }
    auto const comm = Communicator(MPI_COMM_WORLD, found, named);  // compares the ranks' machines
    EXPECT_EQ(comm.machine(), found);
    EXPECT_EQ(comm.named_machine(), named);
  }
}

/// The algorithms of a collective for many lengths.
std::vector<std::string> chosen(Communicator const& comm, Collective what) {
  std::vector<std::string> names;
  for (std::int64_t bytes = 8; bytes <= 8 << 20; bytes *= 8) {
    names.emplace_back(comm.schedule_for({what, comm.size(), 0, bytes, 8}, "").algorithm());
  }
  return names;
}

TEST(MpiStart, SumsDoNotHangOnMeasuredRates) {
  bool differ = world_size() < 3;
  for (auto const& spec : fitting_specs()) {
    auto const named = Machine::parse(spec);
    auto const usual = Communicator(MPI_COMM_WORLD, named, named);
    for (auto const& measured : {with_rates(named, 1e4, 1e-7), with_rates(named, 1e12, 1e-2)}) {
      auto const own = Communicator(MPI_COMM_WORLD, measured);
      auto const comm = Communicator(MPI_COMM_WORLD, measured, named);
      for (auto const what : {Collective::reduce, Collective::allreduce, Collective::reduce_scatter}) {
        EXPECT_EQ(chosen(comm, what), chosen(usual, what)) << name(what) << " on " << spec;
        EXPECT_EQ(chosen(comm, what).back(), comm.algorithm_by_name({what, comm.size(), 0, 2 << 20, 8}))
            << name(what) << " on " << spec;
        differ = differ || chosen(own, what) != chosen(usual, what);
      }
      EXPECT_EQ(chosen(comm, Collective::broadcast), chosen(own, Collective::broadcast)) << spec;
    }
  }
  EXPECT_TRUE(differ) << "these rates tell nothing";
}

TEST(MpiStart, SumsOfPartsDoNotHangOnMeasuredRates) {
  if (world_size() < 3) return;
  auto const named = Machine::parse(fmt::format("torus:{}", world_size()));
  auto const measured = with_rates(named, 1e12, 1e-2);
  auto const usual = *Communicator(MPI_COMM_WORLD, named, named).split(world_rank() / 3, world_rank());
  auto const comm = *Communicator(MPI_COMM_WORLD, measured, named).split(world_rank() / 3, world_rank());
  for (auto const what : {Collective::reduce, Collective::allreduce, Collective::reduce_scatter}) {
    EXPECT_EQ(chosen(comm, what), chosen(usual, what)) << name(what);
  }
}

}  // namespace
}  // namespace allport
