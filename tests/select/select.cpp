#include "allport/select/select.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "collectives/machines.h"

namespace allport {
namespace {

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (Error const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Machine with_a_dead_link() {
  auto const sound = Machine::parse("torus:4x4");
  std::vector<Axis> axes = {sound.axis(0), sound.axis(1)};
  return Machine("broken", axes, sound.rates(), 1, {{.node = 5, .out = port(0, 1), .dead = true}});
}

TEST(SegmentLadder, GoesUpToTheMessageInWholeElements) {
  EXPECT_EQ(segment_ladder(0, 1), (std::vector<std::int64_t>{1024}));
  EXPECT_EQ(segment_ladder(3000, 1), (std::vector<std::int64_t>{1024, 2048, 4096}));
  EXPECT_EQ(segment_ladder(3000, 1000), (std::vector<std::int64_t>{1000, 2000, 4000}));
  EXPECT_EQ(segment_ladder(30000, 10000), (std::vector<std::int64_t>{10000, 30000}));
  EXPECT_EQ(segment_ladder(std::int64_t{1} << 40, 8).back(), 4 << 20);
}

class ChoiceOn : public testing::TestWithParam<std::string> {};

TEST_P(ChoiceOn, IsTheCheapestOfAllThatWereTried) {
  auto const machine = Machine::parse(GetParam());
  for (auto const what : {Collective::broadcast, Collective::reduce}) {
    for (std::int64_t const bytes : {0, 8, 4096, 1 << 20, 1 << 28}) {
      auto const contract = Contract{what, machine.ranks(), machine.ranks() / 3, bytes, 8};
      auto const choice = choose(machine, contract);
      std::set<std::string_view> tried;
      for (auto const& c : choice.candidates) {
        tried.insert(c.algorithm->name);
        if (!c.applicable()) continue;
        EXPECT_GE(c.predicted, choice.best.predicted) << c.algorithm->name;
        EXPECT_EQ(c.predicted, c.algorithm->price(machine, contract, c.cut));
      }
      EXPECT_GE(tried.size(), 4U);
      auto const again = choose(machine, contract);
      EXPECT_EQ(again.best.algorithm, choice.best.algorithm);
      EXPECT_EQ(again.best.cut, choice.best.cut);
      auto const schedule = make_schedule(machine, choice);
      EXPECT_EQ(schedule.algorithm(), choice.best.algorithm->name);
      EXPECT_EQ(schedule.cut(), choice.best.cut);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, ChoiceOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, ChoiceOn, testing::ValuesIn(test::large_machines()));
INSTANTIATE_TEST_SUITE_P(Presets, ChoiceOn, testing::Values("bgp:8x8x8", "exascale", "laptop"));

TEST(Choose, KeepsToTheOptions) {
  auto const machine = Machine::parse("torus:4x4");
  auto const contract = Contract{Collective::broadcast, 16, 0, 100000, 1};
  auto const choice = choose(machine, contract, {"line", {3000, 500}, 4});
  ASSERT_EQ(choice.candidates.size(), 2U);
  EXPECT_EQ(choice.best.algorithm->name, "line");
  EXPECT_EQ(choice.candidates[0].cut, (Cut{3000, 4}));
  EXPECT_EQ(choice.candidates[1].cut, (Cut{500, 4}));
}

TEST(Choose, SaysWhichArgumentIsWrong) {
  auto const machine = Machine::parse("torus:4x4");
  auto const good = Contract{Collective::reduce, 16, 0, 800, 8};
  auto contract = good;
  contract.ranks = 8;
  EXPECT_NE(message_of([&] { return choose(machine, contract); }).find("ranks = 8"), std::string::npos);
  EXPECT_NE(message_of([&] { return choose(machine, good, {"", {4}, 2}); }).find("segments = 4"), std::string::npos);
  EXPECT_NE(message_of([&] { return choose(machine, good, {"", {}, 0}); }).find("window = 0"), std::string::npos);
  EXPECT_NE(message_of([&] { return choose(machine, good, {"osmosis", {}, 2}); }).find("binomial"), std::string::npos);
}

TEST(Choose, GoesRoundAlgorithmsThatCannotServe) {
  auto const machine = with_a_dead_link();
  auto const choice = choose(machine, {Collective::broadcast, 16, 0, 1 << 24, 1});
  EXPECT_EQ(choice.best.algorithm->name, "packed");
  EXPECT_NE(explain(choice).find("rectangular  cannot: machine broken has dead links"), std::string::npos)
      << explain(choice);
  auto const message = message_of([&] {
    return choose(machine, {Collective::broadcast, 16, 0, 1 << 24, 1}, {"rectangular", {}, 2});
  });
  EXPECT_NE(message.find("dead links"), std::string::npos) << message;
}

TEST(Choose, ShowsTheLowerBoundBesideTheTime) {
  auto const machine = Machine::parse("torus:3x3x3");
  constexpr std::int64_t bytes = 6 << 20;
  auto choice = choose(machine, {Collective::broadcast, 27, 4, bytes, 1});
  EXPECT_EQ(explain(choice).find("lower bound"), std::string::npos) << "it was not asked for";
  EXPECT_FALSE(nlohmann::json::parse(to_json(choice)).contains("bound_s"));
  choice.bound = lower_bound(machine, choice.contract);
  // m / (2d b): Chan06, lower bounds.
  auto const seconds = bytes / (6 * machine.axis(0).bandwidth.value());
  auto const json = nlohmann::json::parse(to_json(choice));
  EXPECT_NEAR(json["bound_s"].get<double>(), seconds, 1e-9 * seconds);
  EXPECT_NEAR(json["of_bound"].get<double>(), seconds / choice.best.predicted.value(), 1e-9);
  auto const share = fmt::format("{} has {:.2f} of it", choice.best.algorithm->name, json["of_bound"].get<double>());
  EXPECT_NE(explain(choice).find(share), std::string::npos) << explain(choice);
}

TEST(Choose, KnowsNoBoundOfAMachineThatIsCutApart) {
  auto const line = Machine::parse("mesh:3");
  Machine const apart("apart", {line.axis(0)}, line.rates(), {},
                      {{.node = 0, .out = port(0, 1), .dead = true}, {.node = 1, .out = port(0, -1), .dead = true}});
  EXPECT_FALSE(lower_bound(apart, {Collective::broadcast, 3, 0, 8, 1}));
}

/// A machine's links so many times slower, written out: torus:4x4 at laptop's rates.
Machine slower(double times) {
  auto const fast = Machine::parse("torus:4x4");
  std::vector<Axis> axes = {fast.axis(0), fast.axis(1)};
  for (auto& axis : axes) axis.bandwidth = BytesPerSecond(axis.bandwidth.value() / times);
  return Machine("slower", axes, fast.rates());
}

/// What an algorithm takes at best, over what the best one does.
double loss_of(Machine const& machine, Contract const& contract, std::string const& algorithm) {
  return choose(machine, contract, {.algorithm = algorithm}).best.predicted.value() /
         choose(machine, contract).best.predicted.value();
}

TEST(AlgorithmForAnyRates, LosesLessAtWorstThanAnyOther) {
  auto const machine = Machine::parse("torus:4x4");
  for (auto const what : {Collective::reduce, Collective::allreduce, Collective::reduce_scatter}) {
    for (std::int64_t const bytes : {8, 4096, 65536, 4 << 20}) {
      Contract const contract{what, 16, 0, bytes, 8};
      auto const worst = [&](std::string const& algorithm) {
        double most = 0;
        for (double const times : {1, 10, 100, 1000}) {
          most = std::max(most, loss_of(slower(times), contract, algorithm));
        }
        return most;
      };
      auto const safest = algorithm_for_any_rates(machine, contract);
      for (auto const& c : choose(machine, contract).candidates) {
        if (c.priced()) EXPECT_LE(worst(safest), worst(std::string(c.algorithm->name)) * 1.0001) << c.algorithm->name;
      }
    }
  }
}

TEST(AlgorithmForAnyRates, KeepsToAllLinksForLongVectorsWhereAssumedRatesDoNot) {
  Contract const contract{Collective::allreduce, 16, 0, 4 << 20, 8};
  EXPECT_EQ(choose(Machine::parse("torus:4x4"), contract).best.algorithm->name, "bucket");
  EXPECT_EQ(algorithm_for_any_rates(Machine::parse("torus:4x4"), contract), "rectangular");
  EXPECT_THROW((void)algorithm_for_any_rates(Machine::parse("torus:4"), contract), Error);
}

TEST(Choose, WritesJsonWithEveryCandidate) {
  auto const machine = with_a_dead_link();
  auto const choice = choose(machine, {Collective::reduce, 16, 7, 64000, 8});
  auto const json = nlohmann::json::parse(to_json(choice));
  EXPECT_EQ(json["collective"], "reduce");
  EXPECT_EQ(json["root"], 7);
  EXPECT_EQ(json["bytes"], 64000);
  EXPECT_EQ(json["algorithm"], "packed");
  EXPECT_EQ(json["predicted_s"], choice.best.predicted.value());
  ASSERT_EQ(json["candidates"].size(), choice.candidates.size());
  EXPECT_TRUE(json["candidates"][0].contains("reason"));
  EXPECT_FALSE(json["candidates"][0].contains("predicted_s"));
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    auto const& candidate = choice.candidates[i];
    EXPECT_EQ(json["candidates"][i].contains("reason"), !candidate.applicable());
    if (candidate.applicable()) {
      EXPECT_EQ(json["candidates"][i]["segment"], candidate.cut.segment);
    }
  }
}

TEST(Choose, TakesTreesOverAllLinksForLongMessagesAndFewHopsForShortOnes) {
  auto const machine = Machine::parse("bgp:8x8x8");
  for (auto const what : {Collective::broadcast, Collective::reduce}) {
    EXPECT_EQ(choose(machine, {what, 512, 77, 1 << 24, 8}).best.algorithm->name, "rectangular");
    EXPECT_EQ(choose(machine, {what, 512, 77, 8, 8}).best.algorithm->name, "mst2");
  }
}

}  // namespace
}  // namespace allport
