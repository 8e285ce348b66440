// No simulated time below the lower bound, whatever links and processors do, and one bound that proofs and simulations
// name alike: every registered algorithm, ranks in the machine's order and shuffled, and a star that no tree beats.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "allport/sim.h"
#include "allport/verify/bound.h"
#include "allport/verify/verify.h"
#include "verify/samples.h"

namespace allport::verify {
namespace {

/// The simulator's links and processors, by turns.
sim::Options some_options(Machine const& machine, int turn) {
  sim::Options options;
  bool const limited = machine.rates().tau > 0 || machine.rates().ports > 0;
  options.sharing = turn % 2 == 0 || limited ? sim::Sharing::fifo : sim::Sharing::fair;
  options.overheads = turn % 3 == 2 ? sim::Overheads::serial : sim::Overheads::parallel;
  options.eager = turn % 5 == 4 ? 0 : 1 << 20;
  return options;
}

void expect_not_below(samples::Sample const& s, std::vector<Rank> const& places, int turn) {
  Options proof;
  for (auto const p : places) proof.placement.push_back(s.machine.node_of(p));
  auto const report = prove(s.schedule, s.machine, proof);
  EXPECT_TRUE(report.ok || !places.empty()) << s.text();
  if (!report.ok) return;  // messages for boxes of ranks, which are those of the machine's order
  auto const bound = lower_bound_at(s.machine, s.schedule.contract(), places);
  EXPECT_EQ(report.time.lower_bound.value(), bound.time().value()) << s.text();
  EXPECT_EQ(report.time.bandwidth_bound.value(), bound.bandwidth.value()) << s.text();
  EXPECT_GE(report.time.busiest.value(), bound.bandwidth.value() * (1 - 1e-9)) << s.text();
  auto options = some_options(s.machine, turn);
  options.places = places;
  EXPECT_GE(sim::simulate(s.schedule, s.machine, options).seconds, bound.time().value() * (1 - 1e-9)) << s.text();
}

std::vector<Rank> shuffled(Machine const& machine) {
  std::vector<Rank> places(static_cast<std::size_t>(machine.ranks()));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937(7));
  return places;
}

TEST(SimulatedBound, IsNotBeatenByAnyAlgorithm) {
  int turn = 0;
  for (auto const* spec : {"torus:1/ppn=3", "torus:2", "mesh:5", "bgp:3x3", "mesh:3x3", "torus:2x2x2", "torus:4x3m",
                           "xe6:1x3x1/ppn=2", "gemini:3x1x2/ppn=2"}) {
    auto const machine = Machine::parse(spec);
    for (Rank const root : {0, machine.ranks() / 2}) {
      for (std::int64_t const bytes : {0, 8, 16'000}) {
        for (auto const& s : samples::registered(machine, root, bytes, 4'000, 2)) {
          expect_not_below(s, {}, turn);
          expect_not_below(s, shuffled(machine), turn++);
        }
      }
    }
  }
  EXPECT_GT(turn, 1000);
}

/// o far above L: a root's messages all leave at once, so that it needs one round where a tree needs two.
TEST(SimulatedBound, IsNotBeatenByAStar) {
  auto const sound = Machine::parse("torus:5x5");
  auto rates = sound.rates();
  rates.overhead = Seconds(1e-3);
  for (int const ports : {0, 1, 2}) {
    rates.ports = ports;
    Machine const machine(fmt::format("o = 1 ms, {} ports", ports), {sound.axis(0), sound.axis(1)}, rates);
    for (std::int64_t const bytes : {8, 40'000}) {
      for (int const turn : {0, 1, 2}) {
        expect_not_below({machine, hand::star_broadcast(25, 24, bytes, bytes)}, {}, turn);
        expect_not_below({machine, hand::alltoall_direct(25, bytes, bytes)}, {}, turn);
      }
    }
  }
}

}  // namespace
}  // namespace allport::verify
