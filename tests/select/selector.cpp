// The Selector with a simulated clock: its choices, the cost of tuning, and the agreement of ranks.
#include "allport/select/selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "allport/base/error.h"
#include "selector_program.h"

namespace allport {
namespace {

TEST(Selector, RunsTheStandardFirstAndThenWhatTheModelExpects) {
  TunedProgram program(tuned_configurations({3, 1, 2, 9}), {.standard = 2}, 1, 1);
  EXPECT_EQ(program.rank(0).current(), 2U);
  program.run(3, {30, 10, 20, 90}, 0);
  EXPECT_EQ(program.rank(0).current(), 1U);
  program.run(3, {30, 10, 20, 90}, 0);
  EXPECT_EQ(program.rank(0).best(), 1U);
  program.run(400, {30, 10, 20, 90}, 0);
  EXPECT_EQ(program.rank(0).seconds(1), Seconds(10));
  EXPECT_FALSE(program.rank(0).seconds(3)) << "hopeless by the model, which erred alike on all";
  EXPECT_TRUE(program.rank(0).settled());
  EXPECT_EQ(program.ran().back(), 1U);
}

/// Two ranks that leave an iteration at different moments, though nobody waits in between: who left the first one early
/// would have the rest of it on its clock.
TEST(Selector, SaysBeforeWhichIterationRanksAreToMeet) {
  Selector selector(tuned_configurations({2, 1}), {.standard = 0, .iterations = 2, .blind = 1});
  std::vector<bool> begins;
  while (!selector.due()) {
    begins.push_back(selector.begins());
    selector.record(Seconds(selector.current() == 1 ? 1 : 2));
  }
  EXPECT_EQ(begins, (std::vector<bool>{false, true, false, false, true, false})) << "each drops its first";
  selector.decide([](std::span<double>) {});
  EXPECT_TRUE(selector.begins()) << "they have met, and the same configuration ran before: nothing is dropped";
  Selector single(tuned_configurations({2}), {.iterations = 1});
  EXPECT_FALSE(single.begins());
}

TEST(Selector, KeepsTheStandardWhereNothingIsBetter) {
  TunedProgram program(tuned_configurations({1, 1, 1}), {.standard = 1}, 2);
  program.run(500, {1.2, 1, 1.3});
  EXPECT_EQ(program.rank(0).best(), 1U);
  EXPECT_LE(program.taken(), 500 * 1.05);
}

TEST(Selector, PutsOffTrialsThatTheRunCannotPayYet) {
  TunedProgram program(tuned_configurations({1.0, 1.9}), {.standard = 0}, 3);
  program.run(15, {1.0, 0.5}, 0);
  EXPECT_EQ(std::ranges::count(program.ran(), 1U), 0) << "0.9 is more than a twentieth of 15";
  program.run(45, {1.0, 0.5}, 0);
  EXPECT_EQ(program.rank(0).best(), 1U);
}

TEST(Selector, EndsATrialAfterOneIterationThatIsHopeless) {
  TunedProgram program(tuned_configurations({1.0, 0.9}), {.standard = 0}, 4);
  program.run(200, {1.0, 50}, 0);
  EXPECT_EQ(std::ranges::count(program.ran(), 1U), 1);
}

TEST(Selector, TriesBlindlyOnlyWhatIsExpectedToWin) {
  SelectorOptions const options{.blind = 1, .agreement = Seconds(1)};
  TunedProgram wins(tuned_configurations({1e-3, 5e-4, 8e-4}), options, 5);
  wins.run(50, {1e-3, 5e-4, 8e-4});
  EXPECT_EQ(wins.agreements(), 1) << "an agreement is dear beside such iterations";
  EXPECT_EQ(wins.rank(0).best(), 1U);
  TunedProgram loses(tuned_configurations({1e-3, 2e-3}), options, 6);
  loses.run(50, {1e-3, 2e-3});
  EXPECT_EQ(std::ranges::count(loses.ran(), 1U), 0);
  EXPECT_EQ(loses.agreements(), 1);
}

/// Ranks that share their cores agree in milliseconds where a model says microseconds.
TEST(Selector, AgreesLessOftenWhereAgreeingTakesLongerThanWasSaid) {
  SelectorOptions const options{.agreement = Seconds(1e-6)};
  Selector selector(tuned_configurations({1e-4, 1.5e-4, 1.6e-4, 1.7e-4}), options);
  int agreements = 0;
  for (int i = 0; i < 5000; ++i) {
    selector.record(Seconds(std::array{1e-4, 1.5e-4, 1.6e-4, 1.7e-4}[selector.current()]));
    if (!selector.due()) continue;
    ++agreements;
    selector.decide([](std::span<double>) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  }
  EXPECT_LE(agreements, 20) << "2 ms each of 0.5 s, of which a twentieth may be spent";
}

/// A program's first iterations are slow, and the standard runs in them: whoever comes next seems to win.
TEST(Selector, ConfirmsWhatTookTheStandardsPlaceBeforeItGoesOn) {
  for (int const confirm : {0, 3}) {
    TunedProgram program(tuned_configurations({1, 0.9, 0.9}), {.confirm = confirm}, 26);
    program.run(3, {3, 0, 0}, 0);
    program.run(60, {1, 1.2, 1.3}, 0);
    EXPECT_EQ(program.rank(0).best(), confirm > 0 ? 0U : 1U);
    if (confirm > 0) EXPECT_LE(program.taken(), 9 + 1.08 * 60);
  }
}

/// One iteration tells most of what three do.
TEST(Selector, ProbesBeforeItCouldPayForAWholeTrial) {
  TunedProgram program(tuned_configurations({0, 0, 0, 0}), {.confirm = 3}, 27);
  program.run(70, {1, 1.4, 0.6, 1.3}, 0);
  EXPECT_EQ(program.rank(0).best(), 2U);
  EXPECT_EQ(std::ranges::count(program.ran().end() - 20, program.ran().end(), 2U), 20);
  EXPECT_LE(program.taken(), 70);
}

/// A fifth of the iterations take twice as long, for what else runs on the computer.
TEST(Selector, LearnsFromIterationsThatNothingDisturbed) {
  std::vector<double> const seconds{1, 1.3, 1.6};
  std::mt19937 random(29);
  for (unsigned seed = 0; seed < 100; ++seed) {
    TunedProgram program(tuned_configurations({0, 0, 0}), {.confirm = 3, .undisturbed = true}, seed);
    for (int i = 0; i < 300; ++i) {
      auto const factor = random() % 5 == 0 ? 2.0 : 1.0;
      program.run(1, {factor * seconds[0], factor * seconds[1], factor * seconds[2]});
    }
    EXPECT_EQ(program.rank(0).best(), 0U) << "seed " << seed;
    double lost = 0;
    for (auto const ran : program.ran()) lost += seconds[ran] - 1;
    EXPECT_LE(lost, 0.04 * 300) << "seed " << seed;
  }
}

/// In which everything is quick, and the other one is tried: that is watched while it waits to be confirmed.
TEST(Selector, LeavesWhatALullMadeSeemQuick) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    TunedProgram program(tuned_configurations({0, 0}), {.confirm = 3, .undisturbed = true}, seed);
    program.run(41 + static_cast<int>(seed) % 4, {1, 1.5});
    program.run(8, {0.6, 0.9});
    program.run(400, {1, 1.5});
    EXPECT_EQ(program.rank(0).best(), 0U) << "seed " << seed;
    EXPECT_LE(std::ranges::count(program.ran().end() - 200, program.ran().end(), 1U), 20) << "seed " << seed;
  }
}

TEST(Selector, TriesNothingTwiceThatIsSurelyDearerThanTheStandard) {
  TunedProgram program(tuned_configurations({0, 0}), {.confirm = 3}, 30);
  program.run(300, {1, 1.4}, 0);
  EXPECT_TRUE(program.rank(0).settled());
  EXPECT_EQ(std::ranges::count(program.ran(), 1U), 1 + 3) << "one iteration, and a trial when that could be paid";
  TunedProgram near(tuned_configurations({0, 0}), {.confirm = 3}, 31);
  near.run(300, {1, 1.1}, 0);
  EXPECT_EQ(std::ranges::count(near.ran(), 1U), 3 + 4) << "once more, beside the standard";
  TunedProgram disturbed(tuned_configurations({0, 0}), {.confirm = 3, .undisturbed = true}, 32);
  disturbed.run(300, {1, 1.1}, 0);
  EXPECT_EQ(std::ranges::count(disturbed.ran(), 1U), 3 + 6);
  auto const last = std::find(disturbed.ran().rbegin(), disturbed.ran().rend(), 1U);
  EXPECT_EQ(std::vector(last, last + 10), (std::vector<std::size_t>{1, 1, 0, 0, 1, 1, 0, 0, 1, 1})) << "by turns";
}

/// What its first iteration shows is beyond the budget waits, and is tried when it can be paid.
TEST(Selector, PutsOffTheRestOfATrialThatItCannotPayYet) {
  TunedProgram program(tuned_configurations({0, 0}), {}, 28);
  program.run(30, {1, 3}, 0);
  EXPECT_EQ(std::ranges::count(program.ran(), 1U), 1);
  EXPECT_FALSE(program.rank(0).seconds(1)) << "one iteration with start-up in it is no time";
  program.run(250, {1, 0.8}, 0);
  EXPECT_EQ(program.rank(0).best(), 1U) << "its first iteration was slow, and no others are";
}

TEST(Selector, ExploresAgainWhenTimesDrift) {
  TunedProgram program(tuned_configurations({1, 1, 1}), {}, 7);
  program.run(300, {1.0, 0.7, 1.2});
  EXPECT_EQ(program.rank(0).best(), 1U);
  program.run(600, {1.0, 1.4, 0.6});
  EXPECT_EQ(program.rank(0).best(), 2U);
}

TEST(Selector, DoesNotExploreAgainForOneSlowIteration) {
  TunedProgram program(tuned_configurations({1, 1}), {}, 8);
  program.run(200, {1.0, 0.7}, 0);
  program.run(1, {5.0, 5.0}, 0);
  program.run(100, {1.0, 0.7}, 0);
  EXPECT_EQ(std::ranges::count(program.ran().end() - 100, program.ran().end(), 1U), 100);
}

TEST(Selector, BeginsWithWhatItRemembers) {
  TunedProgram first(tuned_configurations({1, 1, 1}), {}, 9);
  first.run(300, {1.0, 0.9, 0.6});
  auto const remembered = first.rank(0).remembered();
  EXPECT_EQ(remembered.best, "c2");
  Selector second(tuned_configurations({1, 1, 1}));
  second.resume(remembered);
  EXPECT_EQ(second.current(), 2U);
  EXPECT_TRUE(second.settled());
  Selector other({{"x"}, {"y"}});
  other.resume(remembered);
  EXPECT_EQ(other.current(), 0U) << "of other configurations nothing is remembered";
  second.record(Seconds(1));
  EXPECT_THROW(second.resume(remembered), Error);
}

/// Random times, models that err by a factor of two either way or say nothing, runs of all lengths.
TEST(Selector, LosesAtMostATwentiethAndOneTrialWhateverTheTimes) {
  std::mt19937 random(10);
  auto const log_uniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
  };
  int near = 0;
  int long_runs = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    auto const n = 1 + random() % 16;
    std::vector<double> seconds(n);
    for (auto& s : seconds) s = log_uniform(1, 5);
    std::vector<double> predicted(n);
    bool const has_model = random() % 3 != 0;
    for (std::size_t i = 0; i < n && has_model; ++i) predicted[i] = 7 * seconds[i] * log_uniform(0.7, 1.4);
    auto const standard = random() % n;
    auto const iterations = static_cast<int>(log_uniform(5, 3000));
    TunedProgram program(tuned_configurations(predicted), {.standard = standard}, seed,
                         1 + static_cast<int>(random() % 4));
    program.run(iterations, seconds);
    auto const slowest = *std::ranges::max_element(seconds);
    auto const best = *std::ranges::min_element(seconds);
    auto const one_trial = std::max(3 * (slowest - seconds[standard]), 0.0);
    EXPECT_LE(program.taken(), 1.06 * iterations * seconds[standard] + one_trial) << "seed " << seed;
    if (iterations < 400) continue;
    ++long_runs;
    near += seconds[program.rank(0).best()] <= 1.05 * best;
  }
  EXPECT_GT(long_runs, 50);
  EXPECT_GE(near, 0.9 * long_runs);
}

TEST(Selector, TellsWhatItDidAndWhatItLeft) {
  std::vector<std::string> told;
  SelectorOptions const options{.report = [&](std::string const& text) { told.push_back(text); }};
  TunedProgram program(tuned_configurations({1, 0.5, 8}), options, 11, 1);
  program.run(100, {1, 0.5, 8}, 0);
  ASSERT_FALSE(told.empty());
  EXPECT_NE(told.front().find("c1 is tried, expected to take 500 ms"), std::string::npos) << told.front();
  EXPECT_EQ(program.rank(0).explain(),
            "  c0       1 s  x2.00  (standard)\n"
            "* c1    500 ms  x1.00\n"
            "  c2  not tried: expected to take 8 s\n");
}

TEST(Selector, RefusesWhatItCannotChooseFrom) {
  EXPECT_THROW(Selector({}), Error);
  EXPECT_THROW(Selector({{"a"}, {"a"}}), Error);
  EXPECT_THROW(Selector({{"a"}}, {.standard = 1}), Error);
  EXPECT_THROW(Selector({{"a", Seconds(-1)}}), Error);
  EXPECT_THROW(Selector({{"a"}}, {.iterations = 0}), Error);
  EXPECT_THROW(Selector({{"a"}}, {.loss = -1}), Error);
  EXPECT_THROW(Selector({{"a"}}, {.blind_to = 0.5}), Error);
}

}  // namespace
}  // namespace allport
