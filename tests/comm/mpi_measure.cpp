// Measuring: every registered algorithm runs and is found right; fits and calibrated machines make sense.
#include <gtest/gtest.h>

#include <cmath>

#include "allport/comm/calibrate.h"
#include "comm/measure.h"
#include "world.h"

namespace allport {
namespace {

using namespace testing;

TEST(Measure, FindsEveryRegisteredAlgorithmRight) {
  for (auto const& spec : fitting_specs()) {
    auto const machine = Machine::parse(spec);
    auto const comm = Communicator(MPI_COMM_WORLD, machine);
    for (auto const* algorithm : algorithms()) {
      auto const contract = Contract{algorithm->what, machine.ranks(), machine.ranks() - 1,
                                     algorithm->what == Collective::barrier ? 0 : 2056, 8};
      if (algorithm->why_not(machine, contract)) continue;
      auto const found = measure(comm, algorithm->make(machine, contract, Cut{512, 2}), 2, 0.0);
      EXPECT_EQ(found.wrong, 0) << algorithm->name << " of " << name(contract.what) << " on " << spec;
      EXPECT_EQ(found.seconds.size(), 2U);
      EXPECT_TRUE(everywhere(found.seconds[0] > 0.0));
    }
  }
}

TEST(Measure, CountsWrongBytesOnAllRanks) {
  auto const n = world_size();
  auto const comm = Communicator(MPI_COMM_WORLD, Machine::flat(n));
  auto const right = chain_broadcast(n, 0, 1000);
  // A broadcast that never sends: all but the root keep rubbish.
  auto const idle = Schedule("idle", right.contract(), {}, 1, [](Rank, Program&) {});
  auto const found = measure(comm, idle, 1, 0.0);
  EXPECT_GE(found.wrong, (n - 1) * 2 * 900) << "two rounds of 1000 bytes, few of them right by chance";
  EXPECT_LE(found.wrong, (n - 1) * 2 * 1000);
  EXPECT_EQ(measure(comm, right, 1, 0.0).wrong, 0);
}

TEST(Measure, RefusesWhatItCannotAdd) {
  auto const n = world_size();
  auto const comm = Communicator(MPI_COMM_WORLD, Machine::flat(n));
  auto const schedule = comm.schedule_for(Collective::reduce, 0, Bytes(40), 4);
  EXPECT_NE(error_of([&] { (void)measure(comm, schedule, 1, 0.0); }).find("element"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)measure(comm, schedule, 0, 0.0); }).find("iterations"), std::string::npos);
}

TEST(Calibrate, GivesAMachineOfTheSameShapeThatAllRanksAgreeOn) {
  auto const n = world_size();
  if (n > 5) GTEST_SKIP() << "long with many ranks a core";
  auto const spec = fitting_specs().back();
  auto const machine = Machine::parse(spec);
  auto const comm = Communicator(MPI_COMM_WORLD, machine);
  CalibrateOptions options;
  options.quick = true;
  options.mpi_collectives = n <= 3;
  std::string last;
  options.progress = [&](std::string_view phase, double done) {
    EXPECT_TRUE(done >= 0.0 && done <= 1.0);
    last = phase;
  };
  auto const found = calibrate(comm, options);
  EXPECT_EQ(found.axes(), machine.axes());
  for (int a = 0; a < machine.axes(); ++a) {
    EXPECT_EQ(found.axis(a).length, machine.axis(a).length);
    EXPECT_EQ(found.axis(a).wraps, machine.axis(a).wraps);
    if (machine.axis(a).length > 1) {
      EXPECT_TRUE(found.axis(a).bandwidth.value() > 1e5) << found.to_toml();
    }
  }
  EXPECT_EQ(found.ranks(), n);
  EXPECT_GT(found.rates().adds.value(), 1e6);
  EXPECT_GT(found.rates().memory_bandwidth.value(), 1e6);
  EXPECT_EQ(found.calibration().ranks, n);
  EXPECT_EQ(found.calibration().mpi.size(), options.mpi_collectives ? mpi_collectives().size() : 0U);
  EXPECT_EQ(Machine::from_toml(found.to_toml()), found);
  EXPECT_EQ(last.empty(), world_rank() != 0);
  auto const same = Communicator(MPI_COMM_WORLD, found);  // throws unless all ranks found the same
  EXPECT_EQ(same.size(), n);
}

TEST(Calibrate, FitsLinesThroughMostPointsAndNotThroughLateOnes) {
  auto const x = std::vector<double>{8, 512, 8192, 65536, 1048576};
  std::vector<double> y;
  for (auto const b : x) y.push_back(2e-5 + b / 5e6);
  auto const exact = fit_line(x, y);
  EXPECT_NEAR(exact.start, 2e-5, 1e-12);
  EXPECT_NEAR(exact.per_byte, 2e-7, 1e-15);
  EXPECT_LT(exact.error, 1e-9);
  y[2] *= 3.0;  // one rank was late
  auto const robust = fit_line(x, y);
  EXPECT_NEAR(robust.start, 2e-5, 1e-6);
  EXPECT_NEAR(robust.per_byte, 2e-7, 1e-9);
  EXPECT_EQ(fit_line({x.data(), 1}, {y.data(), 1}).start, y[0]);
  EXPECT_THROW((void)fit_line(x, {y.data(), 2}), Error);
  auto const none = std::vector<double>{1e-6, 0.0};
  EXPECT_THROW((void)fit_line({x.data(), 2}, none), Error) << "nothing takes no time";
  EXPECT_THROW((void)fit_tau(none), Error);
  EXPECT_THROW((void)fit_cap(none), Error);
}

TEST(Calibrate, TellsTauFromACap) {
  auto const serial = std::vector<double>{1, 2, 3, 4};
  EXPECT_NEAR(fit_tau(serial).tau, 1.0, 1e-12);
  EXPECT_NEAR(fit_tau(serial).error, 0.0, 1e-12);
  auto const quarter = std::vector<double>{1, 1.25, 1.5, 1.75};
  EXPECT_NEAR(fit_tau(quarter).tau, 0.25, 1e-12);
  auto const disturbed = std::vector<double>{1, 2.1, 3.2, 4.3};
  EXPECT_EQ(fit_tau(disturbed).tau, 1.0);
  EXPECT_NEAR(fit_tau(disturbed, 2.0).tau, 1.1, 1e-12);
  auto const free = std::vector<double>{1, 1, 1, 1};
  EXPECT_EQ(fit_tau(free).tau, 0.0);
  EXPECT_EQ(fit_cap(free).cap, 4.0);
  auto const capped = std::vector<double>{1, 1, 1.5, 2};
  EXPECT_NEAR(fit_cap(capped).cap, 2.0, 1e-12);
  EXPECT_NEAR(fit_cap(capped).error, 0.0, 1e-12);
  EXPECT_GT(fit_tau(capped).error, 0.05);
  EXPECT_THROW((void)fit_tau({}), Error);
}

}  // namespace
}  // namespace allport
