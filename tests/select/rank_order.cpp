// The chosen order against all permutations, and cases in which no other order is worth it.
#include "allport/select/rank_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "allport/pattern/on_grids.h"

using namespace allport;

namespace {

Pattern faces(CartGrid const& grid, std::int64_t cells = 512) {
  return halo(grid, 2 * grid.axes() + 1, std::vector<std::int64_t>(grid.lengths.size(), cells), 8);
}

TEST(ChooseOrder, LaysAGridOnTheTorusThatItIs) {
  // Rank order puts MPI's rows, which are last axis fastest, across the machine's columns.
  auto const machine = Machine::parse("bgp:8x4x2");
  auto const choice = choose_order({machine, faces(CartGrid{{8, 4, 2}})});
  EXPECT_FALSE(choice.declined) << choice.reason;
  EXPECT_EQ(choice.chosen().score.dilation, 1) << choice.reason;
  EXPECT_LT(choice.chosen().score.predicted.value(), 0.7 * choice.candidates.front().score.predicted.value());
  EXPECT_NE(choice.reason.find("'given' takes"), std::string::npos) << choice.reason;
}

TEST(ChooseOrder, LeavesRanksWhereTheyAreWhereThatIsAsGood) {
  auto const ring = choose_order({Machine::parse("bgp:8x1x1"), faces(CartGrid{{8}})});
  EXPECT_EQ(ring.best, 0U);
  EXPECT_FALSE(ring.declined);
  EXPECT_NE(ring.reason.find("no order is faster"), std::string::npos) << ring.reason;
  auto const task = MappingTask(Machine::parse("bgp:8x4x2"), faces(CartGrid{{8, 4, 2}}));
  OrderOptions much;
  much.least_gain = 0.99;
  auto const declined = choose_order(task, much);
  EXPECT_TRUE(declined.declined);
  EXPECT_EQ(declined.best, 0U);
  EXPECT_NE(declined.fastest, 0U);
  EXPECT_NE(declined.reason.find("stay where they are"), std::string::npos) << declined.reason;
}

TEST(ChooseOrder, IsNeverSlowerThanTheGivenOneAndNearTheBest) {
  auto const machine = Machine::parse("mesh:3x2");
  double chosen = 0.0, best = 0.0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937 random(seed);
    std::vector<Message> messages;
    for (int i = 0; i < 9; ++i) {
      messages.push_back({static_cast<Rank>(random() % 6), static_cast<Rank>(random() % 6),
                          static_cast<std::int64_t>(100'000 + random() % 1'000'000)});
    }
    auto const pattern = Pattern::of_messages("random", 6, messages);
    auto const choice = choose_order({machine, pattern});
    EXPECT_LE(choice.chosen().score.predicted, choice.candidates.front().score.predicted);
    std::vector<Rank> places(6);
    std::iota(places.begin(), places.end(), 0);
    auto least = score(machine, pattern, places).predicted;
    do {
      least = std::min(least, score(machine, pattern, places).predicted);
    } while (std::ranges::next_permutation(places).found);
    chosen += choice.candidates[choice.fastest].score.predicted.value();
    best += least.value();
  }
  EXPECT_GE(chosen, best * (1 - 1e-12));
  EXPECT_LE(chosen, 1.15 * best);
}

TEST(ChooseOrder, TakesNoOrderThatGoesMuchFurtherThanAnother) {
  for (auto const* spec : {"gemini:4x4x2", "mesh:8x4", "torus:4x2x4"}) {
    auto const machine = Machine::parse(spec);
    std::mt19937 random(3);
    std::vector<Message> messages;
    for (Rank r = 0; r < machine.ranks(); ++r) {
      for (int i = 0; i < 4; ++i) {
        messages.push_back({r, static_cast<Rank>(random() % static_cast<unsigned>(machine.ranks())), 100'000});
      }
    }
    OrderOptions options;
    options.most_hops = 0.02;
    auto const choice = choose_order({machine, Pattern::of_messages("random", machine.ranks(), messages)}, options);
    double fewest = choice.candidates.front().score.hop_bytes;
    for (auto const& c : choice.candidates) {
      if (c.why_not.empty()) fewest = std::min(fewest, c.score.hop_bytes);
    }
    EXPECT_LE(choice.candidates[choice.fastest].score.hop_bytes, 1.02 * fewest) << spec;
    EXPECT_LE(choice.candidates[choice.fastest].score.predicted, choice.candidates.front().score.predicted) << spec;
  }
}

TEST(ChooseOrder, OneRankAndNoMessages) {
  for (Rank const ranks : {1, 4}) {
    auto const choice = choose_order({Machine::parse("torus:4"), Pattern::of_messages("none", ranks, {})});
    EXPECT_EQ(choice.best, 0U);
    EXPECT_EQ(choice.chosen().score.predicted.value(), 0.0);
  }
}

TEST(ChooseOrder, RefusesOptionsThatAreNone) {
  auto const task = MappingTask(Machine::parse("torus:4"), Pattern::of_messages("none", 4, {}));
  auto const refuses = [&](OrderOptions const& options) { EXPECT_THROW((void)choose_order(task, options), Error); };
  OrderOptions o;
  o.least_gain = 1.5;
  refuses(o);
  o = {};
  o.refined = -1;
  refuses(o);
  o = {};
  o.most_hops = -0.1;
  refuses(o);
  o = {};
  o.among = {"best"};
  refuses(o);
  o.among = {"zigzag"};
  EXPECT_EQ(choose_order(task, o).candidates.size(), 2U);
}

}  // namespace
