// Multicast algorithms: each is proven on machines, its price compared with the simulator's time; and the choice.
#include "allport/select/multicast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "allport/sim.h"
#include "allport/verify/verify.h"

namespace allport {
namespace {

std::vector<Rank> some_of(std::mt19937& random, Rank ranks, int count) {
  std::vector<Rank> some(static_cast<std::size_t>(count));
  for (auto& r : some) r = std::uniform_int_distribution<Rank>(0, ranks - 1)(random);
  return some;
}

std::vector<Rank> all_of(Rank ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  for (Rank r = 0; r < ranks; ++r) all[static_cast<std::size_t>(r)] = r;
  return all;
}

TEST(Multicast, IsProvenOnMachinesForEveryWay) {
  std::mt19937 random(3);
  int trees = 0;
  for (auto const* spec :
       {"torus:4x4", "mesh:3x5/ppn=2", "torus:1x2m", "torus:1", "torus:3x2x4", "gemini:2x3x2/ppn=4"}) {
    auto const machine = Machine::parse(spec);
    for (int turn = 0; turn < 12; ++turn) {
      auto targets = turn < 2 ? all_of(machine.ranks()) : some_of(random, machine.ranks(), turn);
      if (turn == 1) targets.erase(targets.begin());  // all others but the source
      auto const root = turn == 1 ? 0 : std::uniform_int_distribution<Rank>(0, machine.ranks() - 1)(random);
      auto const contract = multicast_contract(machine.ranks(), root, turn % 4 == 3 ? 0 : 5000, targets);
      for (auto const* a : multicast_algorithms()) {
        if (reason_against(*a, machine, contract)) continue;
        trees += a->name == "trees" ? 1 : 0;
        for (std::int64_t const segment : {700, 9000}) {
          auto const schedule = make_schedule(machine, contract, *a, {segment, 2});
          auto const report = verify::prove(schedule, machine, {.disjoint = a->name == "trees"});
          ASSERT_TRUE(report.ok) << spec << ' ' << a->name << ": " << report.findings.front().message;
        }
      }
    }
  }
  EXPECT_GT(trees, 60);
}

TEST(Multicast, WrongSchedulesAreFoundWrong) {
  auto const machine = Machine::parse("torus:4x4");
  auto const contract = multicast_contract(16, 0, 5000, {3, 5, 9, 14});
  auto const fewer = multicast_contract(16, 0, 5000, {3, 5, 9});
  auto const& chain = *multicast_algorithms()[1];
  auto const made = make_schedule(machine, fewer, chain, {700, 2});
  Schedule const short_of_one("chain", contract, made.cut(), 1, [&](Rank r, Program& into) { made.program(r, into); });
  auto const report = verify::prove(short_of_one, machine);
  ASSERT_FALSE(report.ok);
  EXPECT_EQ(report.findings.front().kind, verify::Kind::missing);
}

TEST(Multicast, PricesAreNearTheSimulatorsTimes) {
  std::mt19937 random(8);
  for (auto const* spec :
       {"torus:4x4", "torus:8x4x2", "mesh:6x6", "bgp:4x4x4", "gemini:3x4x2/ppn=2", "torus:4x4/ppn=4"}) {
    auto const machine = Machine::parse(spec);
    for (int turn = 0; turn < 6; ++turn) {
      auto const targets = turn == 0 ? all_of(machine.ranks()) : some_of(random, machine.ranks(), 4 * turn);
      for (std::int64_t const bytes : {1000, 1'000'000}) {
        auto const contract = multicast_contract(machine.ranks(), turn, bytes, targets);
        for (auto const* a : multicast_algorithms()) {
          if (reason_against(*a, machine, contract)) continue;
          Cut const cut{16384, 2};
          auto const price = a->price(machine, contract, cut).value();
          auto const time = sim::simulate(make_schedule(machine, contract, *a, cut), machine).seconds;
          EXPECT_GT(price, 0.6 * time) << spec << ' ' << a->name << ' ' << bytes << " bytes, turn " << turn;
          // Trees are priced to the farthest node of the machine, which need not be a target.
          EXPECT_LT(price, (a->name == "trees" ? 6.0 : 2.0) * time)
              << spec << ' ' << a->name << ' ' << bytes << " bytes, turn " << turn;
        }
      }
    }
  }
}

TEST(Multicast, IsChosenByPriceWithTheReason) {
  auto const machine = Machine::parse("torus:8x8");
  auto const far = std::vector<Rank>{27, 28, 35, 36, 63, 1, 8, 50, 22, 13};
  auto const few = choose_multicast(machine, multicast_contract(64, 0, 64, {9}));
  EXPECT_EQ(few.best.algorithm->name, "flat") << "one target: all are alike, and the first is taken";
  auto const all = choose_multicast(machine, multicast_contract(64, 0, 1 << 20, all_of(64)));
  EXPECT_EQ(all.best.algorithm->name, "trees") << explain(all);
  auto const long_one = choose_multicast(machine, multicast_contract(64, 0, 1 << 20, far));
  EXPECT_EQ(long_one.best.algorithm->name, "trees") << "link-disjoint, though they are no box: " << explain(long_one);
  auto const why = explain(long_one);
  EXPECT_NE(why.find("multicast of 1048576 bytes from 0 to 10 of the 64 ranks of torus:8x8"), std::string::npos) << why;
  EXPECT_NE(to_json(long_one).find("\"targets\""), std::string::npos);
  for (auto const& c : long_one.candidates) {
    if (c.applicable()) EXPECT_GE(c.predicted, long_one.best.predicted);
  }
  auto const named = choose_multicast(machine, multicast_contract(64, 0, 4096, far), {.algorithm = "prefix"});
  EXPECT_EQ(named.best.algorithm->name, "prefix");
  EXPECT_EQ(named.candidates.size(), 1u);
  auto const damaged = Machine::from_toml(
      "name = 'd'\naxes = [{length = 4, wraps = true, bandwidth = '1 GB/s', latency = '1 us'}]\n"
      "[[link]]\nfrom = [0]\naxis = 'x'\ndirection = '+'\ndead = true\n");
  auto const around = choose_multicast(damaged, multicast_contract(4, 0, 64, {1, 2}));
  EXPECT_NE(explain(around).find("has dead links, and these trees follow fixed links"), std::string::npos);
  EXPECT_THROW((void)choose_multicast(damaged, multicast_contract(4, 0, 64, {2}), {.algorithm = "trees"}), Error);
  EXPECT_THROW((void)choose_multicast(machine, multicast_contract(64, 0, 64, far), {.algorithm = "ring"}), Error);
  EXPECT_EQ(choose_multicast(machine, multicast_contract(64, 0, 64, {})).best.predicted, Seconds(0));
}

TEST(Multicast, ToManyTakesAnotherWayThanFlat) {
  auto const machine = Machine::parse("bgp:8x8x8");
  std::mt19937 random(2);
  auto const targets = some_of(random, machine.ranks(), 200);
  auto const small = choose_multicast(machine, multicast_contract(machine.ranks(), 17, 64, targets));
  auto const& name = small.best.algorithm->name;
  EXPECT_TRUE(name == "prefix" || name == "segmented" || name == "kary") << explain(small);
}

TEST(Multicast, GoesToWhereAMappingHasItsTargets) {
  auto const machine = Machine::parse("torus:4x4");
  std::vector<Rank> reversed(16);
  for (Rank r = 0; r < 16; ++r) reversed[static_cast<std::size_t>(r)] = 15 - r;
  SelectOptions options;
  options.mapping = Mapping::from_list(reversed);
  auto const contract = multicast_contract(16, 0, 5000, {1, 2, 5});
  auto const choice = choose_multicast(machine, contract, options);
  EXPECT_EQ(choice.contract, contract);
  auto const schedule = make_schedule(machine, choice);
  EXPECT_EQ(schedule.contract(), multicast_contract(16, 15, 5000, {14, 13, 10}));
  EXPECT_TRUE(verify::prove(schedule, machine).ok);
  // A line of the machine stays one, so trees serve it wherever the mapping puts it.
  auto const row = multicast_contract(16, 0, 5000, {1, 2, 3});
  EXPECT_EQ(choose_multicast(machine, row, {.algorithm = "trees", .mapping = options.mapping}).best.algorithm->name,
            "trees");
}

TEST(Multicast, BroadcastsToAllAreNotForSome) {
  auto const machine = Machine::parse("torus:4x4");
  auto const contract = multicast_contract(16, 0, 100, {1, 2});
  EXPECT_THROW((void)choose(machine, contract), Error);
  EXPECT_THROW((void)make_schedule(machine, contract, "binomial"), Error);
}

}  // namespace
}  // namespace allport
