// Times of tasks by the rates of a machine file.
#include "allport/graph/rates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace allport {
namespace {

Machine machine_with(std::string const& fits) {
  return Machine::from_toml(
      "name = \"m\"\nflops = \"8 GF\"\nmemory_bandwidth = \"4 GB/s\"\nranks_per_node = 2\n"
      "axes = [ { length = 2, bandwidth = \"1 GB/s\", latency = \"1 us\" } ]\n"
      "[calibration]\ndate = \"2026-11-23\"\nlibrary = \"MPI\"\nranks = 4\nfit = [" +
          fits + "]\n",
      "m.toml");
}

double seconds(Machine const& machine, Work const& work, double factor = 1, int workers = 1) {
  return graph::Rates(machine, factor, workers).seconds(work);
}

double gemm_of(double size) { return 2 * size * size * size; }

TEST(Rates, AreTheRanksShareOfTheNodeWhereNothingIsSaid) {
  auto const machine = machine_with("");
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::gemm, 4e9, 0}), 1);
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::gemm, 4e9, 0}, 2), 0.5);
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::gemm, 4e9, 0}, 0.25, 3), 12);
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::copy, 0, 2e9}), 1);
}

TEST(Rates, AreAKernelsOwnByTypeAndTile) {
  auto const machine = machine_with(R"(
    { what = "flops gemm", value = 3e9, error = 0 }, { what = "flops gemm 64", value = 1e9, error = 0 },
    { what = "flops gemm 512", value = 3.5e9, error = 0 }, { what = "flops gemm s", value = 5e9, error = 0 },
    { what = "bytes copy", value = 1e9, error = 0 }, { what = "flops gemm of all", value = 1, error = 0 })");
  auto const rate = [&](double size, double factor = 1) {
    return gemm_of(size) / seconds(machine, {Kernel::gemm, gemm_of(size), 0}, factor);
  };
  EXPECT_NEAR(rate(256), 3e9, 1);
  EXPECT_NEAR(rate(64), 1e9, 1);
  EXPECT_NEAR(rate(8), 1e9, 1) << "no smaller tiles were measured";
  EXPECT_NEAR(rate(5000), 3.5e9, 1);
  EXPECT_NEAR(rate(128), 2e9, 1) << "half-way in the logarithm";
  EXPECT_NEAR(rate(256, 2), 5e9, 1) << "single precision's own";
  EXPECT_NEAR(rate(64, 2), 5e9 / 3, 1) << "as much less on small tiles as double precision's";
  EXPECT_NEAR(rate(256, 0.25), 0.75e9, 1) << "complex doubles were not measured";
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::trsm, 4e9, 0}), 1);
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::copy, 0, 2e9}), 2);
  EXPECT_DOUBLE_EQ(seconds(machine, {Kernel::add, 0, 2e9}), 1);
}

TEST(Rates, NameTheMachineThatSaysNone) {
  auto const machine = Machine::from_toml(
      "name = \"quiet\"\naxes = [ { length = 2, bandwidth = \"1 GB/s\", latency = \"1 us\" } ]\n", "quiet.toml");
  EXPECT_THROW(graph::Rates{machine}, Error);
}

}  // namespace
}  // namespace allport
