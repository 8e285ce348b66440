// ScaLAPACK is timed where a machine is calibrated, and what was found is read back from the machine.
#include "allport/linalg/scalapack_measurements.h"

#include <algorithm>
#include <cstdlib>

#include "comm/world.h"

namespace allport::testing {
namespace {

TEST(ScalapackMeasurements, GoIntoTheMachineAndComeBack) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  CalibrateOptions options;
  options.quick = true;
  options.mpi_collectives = false;
  options.measurements = scalapack_measurements(comm, true);
  if (options.measurements.empty()) GTEST_SKIP() << "no ScaLAPACK is installed for this MPI library";
  ASSERT_EQ(options.measurements.size(), scalapack_routines().size());
  if (world_size() > 5) options.measurements.resize(1);
  auto const found = calibrate(comm, options);
  EXPECT_EQ(Machine::from_toml(found.to_toml(), "again"), found);
  for (std::size_t r = 0; r < options.measurements.size(); ++r) {
    auto const times = scalapack_times(found, scalapack_routines()[r]);
    ASSERT_EQ(times.size(), 1U) << scalapack_routines()[r];
    EXPECT_EQ(times[0].rows * times[0].cols, world_size());
    EXPECT_LE(times[0].rows, times[0].cols);
    EXPECT_EQ(times[0].n, 512);
    EXPECT_GT(times[0].block, 0);
    EXPECT_GT(times[0].seconds.value(), 0);
    EXPECT_LT(times[0].seconds.value(), 60);
  }
}

TEST(ScalapackMeasurements, WhatIsNoneIsNamedOnAllRanks) {
  Communicator const comm(MPI_COMM_WORLD);
  ::setenv("ALLPORT_SCALAPACK_LIBRARY", "/no/such/library.so", 1);
  try {
    static_cast<void>(scalapack_measurements(comm));
    ADD_FAILURE() << "no error";
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(e.what()).find("/no/such/library.so"), std::string::npos) << e.what();
  }
  ::unsetenv("ALLPORT_SCALAPACK_LIBRARY");
}

TEST(ScalapackMeasurements, AreReadFromAMachineFile) {
  auto const machine = Machine::from_toml(R"(name = "m"
axes = [{ length = 2, wraps = false, bandwidth = "1 GB/s", latency = "1 us" }]
[calibration]
date = "2026-11-25"
library = "none"
ranks = 2
fit = [
  { what = "scalapack potrf 1x2 64 3000", value = 3e9, error = 0.0 },
  { what = "scalapack potrf 1x2 32 300", value = 1e9, error = 0.0 },
  { what = "scalapack potrf 0x2 32 300", value = 1e9, error = 0.0 },
  { what = "scalapack potrf 1x2 32 400 fast", value = 1e9, error = 0.0 },
  { what = "scalapack potrf 1x2 32 500", value = 0.0, error = 0.0 },
]
)",
                                          "m.toml");
  auto const times = scalapack_times(machine, "potrf");
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].n, 300);
  EXPECT_EQ(times[0].block, 32);
  EXPECT_NEAR(times[0].seconds.value(), 9e6 / 1e9, 1e-12);
  EXPECT_NEAR(times[1].seconds.value(), 9e9 / 3e9, 1e-9);
  EXPECT_EQ(times[1].rows, 1);
  EXPECT_EQ(times[1].cols, 2);
  EXPECT_TRUE(scalapack_times(machine, "getrf").empty());
  EXPECT_TRUE(scalapack_times(machine, "nothing").empty());
}

}  // namespace
}  // namespace allport::testing
