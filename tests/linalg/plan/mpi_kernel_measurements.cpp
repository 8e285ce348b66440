// Kernels are measured where a machine is calibrated, and priced by what was found.
#include "allport/linalg/kernel_measurements.h"

#include <cmath>
#include <map>

#include "allport/graph/rates.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

TEST(KernelMeasurements, AreByTypeAndTile) {
  std::map<std::string, double> amounts;
  for (auto const& one : kernel_measurements()) EXPECT_TRUE(amounts.emplace(one.what, one.amount).second) << one.what;
  EXPECT_EQ(amounts.size(), 9U * (4 + 3) + 2);
  EXPECT_EQ(amounts["flops gemm"], 2.0 * 256 * 256 * 256);
  EXPECT_EQ(amounts["flops gemm 64"], 2.0 * 64 * 64 * 64);
  EXPECT_EQ(amounts["flops gemm z"], amounts["flops gemm"]);
  EXPECT_EQ(amounts["bytes copy"], 2.0 * 8 * 16 * 256 * 256);
  EXPECT_EQ(kernel_measurements(true).size(), 9U * 2 + 2);
}

TEST(KernelMeasurements, RunAnyNumberOfTimes) {
  for (auto const& one : kernel_measurements(world_size() > 1)) {
    if (one.what.ends_with("512")) continue;
    auto const calls = one.prepare();
    for (int turn = 0; turn < 3; ++turn) {
      calls.once();
      if (calls.beside) calls.beside();
    }
  }
}

TEST(KernelMeasurements, GoIntoTheMachineThatPricesGraphs) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  CalibrateOptions options;
  options.quick = true;
  options.mpi_collectives = false;
  for (auto& one : kernel_measurements(true)) {
    if (one.what == "flops gemm" || one.what == "flops trsm 64" || one.what == "bytes copy") {
      options.measurements.push_back(std::move(one));
    }
  }
  auto const found = calibrate(comm, options);
  std::map<std::string, double> fits;
  for (auto const& fit : found.calibration().fits) fits[fit.what] = fit.value;
  ASSERT_TRUE(fits.contains("flops gemm") && fits.contains("flops trsm 64") && fits.contains("bytes copy"));
  EXPECT_GT(fits["flops gemm"], 1e6);
  EXPECT_GT(fits["bytes copy"], 1e6);
  EXPECT_EQ(Machine::from_toml(found.to_toml(), "again"), found);
  auto const flops = 2.0 * 256 * 256 * 256;
  EXPECT_NEAR(graph::Rates(found).seconds({Kernel::gemm, flops, 0}), flops / fits["flops gemm"], 1e-12);
  EXPECT_NEAR(graph::Rates(found).seconds({Kernel::copy, 0, 1e6}), 1e6 / fits["bytes copy"], 1e-12);
  for (auto const& [what, value] : fits) EXPECT_TRUE(std::isfinite(value)) << what;
}

}  // namespace
}  // namespace allport::testing
