// Trees among ranks that form no box, proven and simulated on the machine that they are part of.
#include "allport/collectives/sub_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "allport/mapping/mapping.h"
#include "allport/sim.h"
#include "allport/verify/bound.h"
#include "allport/verify/verify.h"

namespace allport {
namespace {

std::vector<Rank> drawn(Machine const& machine, Rank count, unsigned seed) {
  std::vector<Rank> places(static_cast<std::size_t>(machine.ranks()));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937(seed));
  places.resize(static_cast<std::size_t>(count));
  return places;
}

TEST(SubNetworkProof, HoldsOnOddSetsOfPlaces) {
  for (auto const* spec : {"mesh:7", "torus:5x5", "mesh:4x5", "torus:4x4x3", "torus:3x4m/ppn=3"}) {
    auto const machine = Machine::parse(spec);
    for (auto const count : {2, 3, 5, 7}) {
      auto const places = drawn(machine, count, static_cast<unsigned>(count));
      auto const network = std::make_shared<SubNetwork const>(machine, places);
      verify::Options options;
      options.placement = network->placement();
      for (auto const& row : sub_network_algorithms(network)) {
        for (Rank root : {0, count - 1}) {
          SCOPED_TRACE(std::string(spec) + " " + std::string(name(row.what)) + " of " + std::to_string(count));
          auto const contract = Contract{row.what, count, root, 4096, combines(row.what) ? 8 : 1};
          auto const schedule = make_schedule(Machine::flat(count), contract, row, {512, 2});
          auto const report = verify::prove(schedule, machine, options);
          ASSERT_TRUE(report.ok) << verify::to_text(report);
          EXPECT_EQ(report.time.lower_bound.value(), verify::lower_bound(machine, contract, places).time().value());
          EXPECT_GE(report.time.busiest.value(), report.time.bandwidth_bound.value() * (1 - 1e-9));
          bool const packed = network->trees(root, TreeDirection::from_root)->sharing == 1;
          if (row.what == Collective::broadcast && packed) EXPECT_TRUE(report.links.disjoint);
        }
      }
    }
  }
}

// What it is for: three quarters of a torus broadcast over several trees at once, which no line can.
TEST(SubNetworkProof, BeatsTheLineInTheSimulatorAndInThePrice) {
  auto const machine = Machine::parse("bgp:4x4x1");
  std::vector<Rank> const places = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3};
  auto const p = static_cast<Rank>(places.size());
  ASSERT_FALSE(find_box(machine, places));
  auto const network = std::make_shared<SubNetwork const>(machine, places);
  sim::Options options;
  options.placement = network->placement();
  auto const line = line_through(machine, places);
  for (auto const& row : sub_network_algorithms(network)) {
    if (row.what != Collective::broadcast && row.what != Collective::reduce) continue;
    auto const contract = Contract{row.what, p, 4, 4 << 20, combines(row.what) ? 8 : 1};
    auto const cut = Cut{16384, 2};
    auto const seconds = [&](Schedule const& s) { return sim::simulate(s, machine, options).seconds; };
    auto const ours = seconds(make_schedule(line, contract, row, cut));
    auto const flat = seconds(make_schedule(line, contract, "line", cut));
    EXPECT_LT(1.5 * ours, flat) << name(row.what);
    auto const price = row.price(line, contract, cut).value();
    EXPECT_NEAR(price / ours, 1.0, 0.05) << name(row.what);
    EXPECT_LT(price, algorithm(row.what, "line").price(line, contract, cut).value());
  }
}

TEST(SubNetworkProof, PlacementsAreChecked) {
  auto const machine = Machine::parse("torus:4");
  auto const contract = Contract{Collective::broadcast, 3, 0, 64, 1};
  auto const schedule = make_schedule(Machine::flat(3), contract, "binomial");
  verify::Options options;
  EXPECT_THROW((void)verify::prove(schedule, machine, options), Error);
  options.placement = {0, 1};
  EXPECT_THROW((void)verify::prove(schedule, machine, options), Error);
  options.placement = {0, 1, 4};
  EXPECT_THROW((void)verify::prove(schedule, machine, options), Error);
  options.placement = {3, 1, 0};
  EXPECT_TRUE(verify::prove(schedule, machine, options).ok);
  EXPECT_EQ(verify::prove(schedule, machine, options).links.bytes, 3 * 64) << "two links to node 1, one to node 0";
}

}  // namespace
}  // namespace allport
