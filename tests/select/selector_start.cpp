// The Selector for short consecutive calls, whose first iterations are not representative.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "allport/base/error.h"
#include "allport/select/selector.h"
#include "selector_program.h"

namespace allport {
namespace {

/// Short calls: whoever runs first opens connections, and finds queues that are empty.
TEST(Selector, TriesOnceMoreWhatTheFirstIterationsMisjudged) {
  SelectorOptions const options{.iterations = 7, .blind = 1, .confirm = 32, .starts_up = 9, .allowance = Seconds(1000)};
  TunedProgram program(tuned_configurations({2, 1}), options, 17);
  program.run(9, {9, 0});
  program.run(7, {2, 0});
  program.run(8, {0, 3});
  EXPECT_EQ(program.rank(0).best(), 0U) << "the standard's first nine do not count";
  EXPECT_EQ(program.agreements(), 1);
  EXPECT_FALSE(program.rank(0).settled());
  auto const early = program.rank(0).remembered();
  EXPECT_EQ(memory_from_json(to_json({{"here", early}})).at("here"), early);
  EXPECT_TRUE(early.provisional);
  program.run(98, {2, 1});
  EXPECT_EQ(program.rank(0).best(), 1U);
  EXPECT_TRUE(program.rank(0).settled());
  EXPECT_EQ(program.agreements(), 2);
  EXPECT_FALSE(program.rank(0).remembered().provisional);
  TunedProgram later(tuned_configurations({2, 1}), options, 19, 1);
  later.rank(0).resume(early);
  EXPECT_FALSE(later.rank(0).settled()) << "what the first iterations of an earlier run misjudged is no verdict";
  later.run(120, {2, 1});
  EXPECT_EQ(later.rank(0).best(), 1U);
  EXPECT_TRUE(later.rank(0).settled());
  TunedProgram clear(tuned_configurations({2, 1}), options, 18);
  clear.run(24, {10, 1});
  EXPECT_TRUE(clear.rank(0).settled()) << "so much is no start-up";
  EXPECT_EQ(clear.rank(0).best(), 1U);
}

/// What is on the way yet when an iteration returns is on the clock of the next ones, which soon take twice as long.
TEST(Selector, JudgesTheStandardByIterationsInWhichQueuesAreFull) {
  SelectorOptions options{.iterations = 7, .blind = 1, .confirm = 32, .starts_up = 9, .allowance = Seconds(1000)};
  for (int const starts_up : {0, 9}) {
    options.starts_up = starts_up;
    TunedProgram program(tuned_configurations({1, 0.9}), options, 22);
    program.run(8, {0.5, 0.6}, 0);
    program.run(16, {1, 0.6}, 0);
    EXPECT_EQ(program.rank(0).best(), starts_up > 0 ? 1U : 0U);
  }
}

/// Who runs second finds full queues and ranks out of step, and seems near where it is much quicker.
TEST(Selector, LooksOnceMoreAtWhatIsNotFarFromTheStandard) {
  SelectorOptions const options{.iterations = 4,
                                .blind = 1,
                                .confirm = 32,
                                .starts_up = 5,
                                .doubt = 1.3,
                                .clearly = 0.9,
                                .allowance = Seconds(1000)};
  TunedProgram program(tuned_configurations({1, 0.9}), options, 33);
  EXPECT_TRUE(program.rank(0).explores());
  program.run(9, {1, 0}, 0);
  program.run(5, {0, 1.2}, 0);
  EXPECT_EQ(program.rank(0).best(), 0U);
  EXPECT_EQ(program.rank(0).current(), 1U) << "it goes on";
  program.run(4, {0, 0.6}, 0);
  EXPECT_EQ(program.agreements(), 2);
  EXPECT_EQ(program.rank(0).best(), 1U);
  TunedProgram far(tuned_configurations({1, 0.9}), options, 34);
  far.run(14, {1, 1.4}, 0);
  EXPECT_EQ(far.rank(0).current(), 0U);
  TunedProgram dearer(tuned_configurations({1, 0.9}), options, 35);
  dearer.run(60, {1, 1.2}, 0);
  EXPECT_EQ(dearer.rank(0).best(), 0U);
  EXPECT_EQ(std::ranges::count(dearer.ran(), 1U), 5 + 4) << "once, and later beside the standard";
  TunedProgram alone(tuned_configurations({1, 9}), options, 36);
  EXPECT_FALSE(alone.rank(0).explores());
}

/// Links that save up what few calls send, and queues, make a row's first calls quick; a model of the links knows it.
TEST(Selector, BelievesNoShorterTimeThanLastsUntilItHasRunForLonger) {
  SelectorOptions const options{
      .iterations = 4, .blind = 1, .confirm = 32, .starts_up = 5, .clearly = 0.9, .allowance = Seconds(1000)};
  auto configurations = tuned_configurations({1, 0.9});
  configurations[0].lasting = Seconds(1);
  for (double const later : {1.0, 0.4}) {
    TunedProgram program(configurations, options, 37);
    program.run(14, {0.4, 0.6}, 0);
    EXPECT_EQ(program.rank(0).best(), 1U);
    EXPECT_DOUBLE_EQ(program.rank(0).seconds(0)->value(), 1.0) << "what lasts, not what was seen";
    program.run(32 + 33 + 33, {later, 0.6}, 0);
    EXPECT_EQ(program.rank(0).best(), later > 0.6 ? 1U : 0U) << "what a long row has shown is believed";
    EXPECT_DOUBLE_EQ(program.rank(0).seconds(0)->value(), later);
  }
  configurations[0].lasting = Seconds(-1);
  EXPECT_THROW(Selector(configurations, options), Error);
}

/// Between trials nobody needs times: whoever has short iterations leaves its clock alone.
TEST(Selector, NeedsNoTimesWhereNothingIsTried) {
  SelectorOptions const options{.iterations = 4,
                                .blind = 1,
                                .confirm = 20,
                                .starts_up = 5,
                                .overlap = true,
                                .clearly = 0.9,
                                .allowance = Seconds(1000)};
  std::vector<double> const seconds{1.0, 0.5};
  auto const run = [&](bool skips) {
    Selector selector(tuned_configurations({1, 0.9}), options);
    std::vector<std::size_t> ran;
    for (int i = 0; i < 120;) {
      if (auto const rest = selector.untimed(); skips && rest > 0) {
        ran.insert(ran.end(), static_cast<std::size_t>(rest), selector.current());
        i += rest;
        selector.skip(rest);
        EXPECT_EQ(selector.untimed(), 0);
        continue;
      }
      ran.push_back(selector.current());
      // What is told of a rest makes no difference.
      selector.record(Seconds((selector.untimed() > 0 ? 7 : 1) * seconds[ran.back()]));
      ++i;
      if (!selector.due()) continue;
      selector.decide([](std::span<double>) {});
      EXPECT_NEAR(selector.spent().value(), -0.5 * static_cast<double>(std::ranges::count(ran, 1U)), 1e-2);
    }
    EXPECT_EQ(selector.best(), 1U);
    EXPECT_NEAR(selector.seconds(0)->value(), 1.0, 1e-9);
    EXPECT_NEAR(selector.seconds(1)->value(), 0.5, 1e-9);
    return ran;
  };
  auto const ran = run(true);
  EXPECT_EQ(ran, run(false));
  EXPECT_EQ(std::ranges::count(std::span(ran).subspan(14, 20), 1U), 20) << "what won runs for a while";
  Selector fresh(tuned_configurations({1, 0.9}), options);
  EXPECT_EQ(fresh.untimed(), 0);
  EXPECT_THROW(fresh.skip(1), Error);
}

/// Three ranks of which each waits in every third iteration for the others, who have run ahead.
TEST(Selector, LearnsFromIterationsThatOverlapByTheMeanOfRanks) {
  std::vector<double> const seconds{1.0, 0.8};
  SelectorOptions const options{.iterations = 8, .blind = 1, .overlap = true};
  std::vector<Selector> ranks(3, Selector(tuned_configurations({1, 0.9}), options));
  for (std::size_t i = 0; !ranks[0].due(); ++i) {
    auto const now = ranks[0].current();
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      auto const interrupted = i == 13 ? 50.0 : 0.0;
      ranks[r].record(Seconds((i % 3 == r ? 2.0 : 0.5) * seconds[now] + interrupted));
    }
  }
  std::vector<double> sums;
  for (auto const& rank : ranks) {
    auto copy = rank;
    copy.decide([&](std::span<double> mine) {
      sums.resize(mine.size(), 0.0);
      for (std::size_t i = 0; i < mine.size(); ++i) sums[i] += mine[i] / 3;
    });
  }
  ranks[0].decide([&](std::span<double> mine) { std::ranges::copy(sums, mine.begin()); });
  EXPECT_NEAR(ranks[0].seconds(0)->value(), 1.0, 1e-9);
  EXPECT_NEAR(ranks[0].seconds(1)->value(), 0.8, 1e-9) << "one interruption is not in the middle half";
  EXPECT_EQ(ranks[0].best(), 1U);
}

/// Of short calls a model says the same of both sides: one agreement tells which is quicker, not two.
TEST(Selector, TriesBlindlyWhatTheModelCannotTellFromTheStandard) {
  SelectorOptions options{
      .iterations = 3, .blind = 1, .confirm = 32, .starts_up = 1, .allowance = Seconds(1000), .agreement = Seconds(1)};
  TunedProgram certain(tuned_configurations({1, 1, 1.5}), options, 23);
  certain.run(4, {3, 1, 1}, 0);
  EXPECT_EQ(certain.agreements(), 1) << "nothing is expected to win";
  options.blind_to = 2;
  TunedProgram doubtful(tuned_configurations({1, 1, 1.5}), options, 24);
  doubtful.run(50, {3, 1, 1}, 0);
  EXPECT_EQ(doubtful.agreements(), 1);
  EXPECT_EQ(doubtful.rank(0).best(), 1U);
  TunedProgram hopeless(tuned_configurations({1, 2.5}), options, 25);
  hopeless.run(50, {1, 2.5}, 0);
  EXPECT_EQ(std::ranges::count(hopeless.ran(), 1U), 0);
}

TEST(Selector, LeavesTheStandardForNoDoubtfulGainWhereTimesAreToBeConfirmed) {
  SelectorOptions const options{
      .iterations = 3, .blind = 1, .confirm = 32, .starts_up = 1, .clearly = 0.9, .allowance = Seconds(1000)};
  TunedProgram program(tuned_configurations({2, 1}), options, 20);
  program.run(8, {2, 1}, 0);
  EXPECT_EQ(program.rank(0).best(), 1U);
  program.run(98, {1, 0.95}, 0);
  EXPECT_EQ(program.rank(0).best(), 0U) << "0.95 of it is within what such times scatter by";
  EXPECT_TRUE(program.rank(0).settled());
}

TEST(Selector, ConfirmsAnewAfterTimesHaveDrifted) {
  SelectorOptions const options{.iterations = 3, .blind = 1, .confirm = 32, .starts_up = 1, .allowance = Seconds(1000)};
  TunedProgram program(tuned_configurations({2, 1}), options, 21);
  program.run(106, {2, 1}, 0);
  EXPECT_TRUE(program.rank(0).settled());
  EXPECT_EQ(program.rank(0).best(), 1U);
  program.run(40, {2, 1.5}, 0);
  EXPECT_TRUE(program.rank(0).remembered().provisional || !program.rank(0).settled());
  program.run(300, {1.5, 1.5}, 0);
  EXPECT_EQ(program.rank(0).best(), 0U);
  EXPECT_TRUE(program.rank(0).settled());
  EXPECT_FALSE(program.rank(0).remembered().provisional);
}

}  // namespace
}  // namespace allport
