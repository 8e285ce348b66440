// Balancers: nobody lost, better than before, few moves; and against all assignments where these can be tried.
#include "allport/tasks/balance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "allport/base/error.h"

namespace allport::tasks {
namespace {

double best_of_all(std::vector<double> const& loads, std::vector<double> const& speeds) {
  auto const owners = speeds.size();
  double best = INFINITY;
  auto const count = static_cast<std::size_t>(std::pow(owners, loads.size()));
  for (std::size_t code = 0; code < count; ++code) {
    std::vector<int> assigned;
    for (auto c = code; assigned.size() < loads.size(); c /= owners) assigned.push_back(int(c % owners));
    best = std::min(best, imbalance(loads, assigned, speeds));
  }
  return best;
}

TEST(Balance, GreedyIsWithinAThirdOfTheBestAndNeitherIsWorseThanBefore) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> loads(1 + random() % 8);
    for (auto& load : loads) load = double(random() % 10);
    std::vector<double> const speeds(1 + random() % 3, 1.0);
    std::vector<int> owners;
    for (std::size_t o = 0; o < loads.size(); ++o) owners.push_back(int(random() % speeds.size()));
    auto const best = best_of_all(loads, speeds);
    auto const greedy = balanced(loads, owners, speeds, {.balancer = Balancer::greedy});
    // Graham's bound for the heaviest first.
    EXPECT_LE(imbalance(loads, greedy, speeds), best * (4.0 / 3) + 1e-12);
    EXPECT_LE(imbalance(loads, greedy, speeds), imbalance(loads, owners, speeds) + 1e-12);
    auto const refined = balanced(loads, owners, speeds, {.balancer = Balancer::refine});
    EXPECT_LE(imbalance(loads, refined, speeds), imbalance(loads, owners, speeds) + 1e-12);
    EXPECT_EQ(balanced(loads, owners, speeds, {.balancer = Balancer::none}), owners);
  }
}

TEST(Balance, GreedyLeavesWhatItWouldWorsen) {
  // Heaviest first: 3, 2, 2 beside 3, 2.
  std::vector<double> const loads{3, 3, 2, 2, 2};
  std::vector<int> const owners{0, 0, 1, 1, 1};
  EXPECT_EQ(balanced(loads, owners, {1, 1}, {.balancer = Balancer::greedy}), owners);
}

TEST(Balance, RefineMovesNoMoreThanItMust) {
  std::vector<double> const loads(16, 1.0);
  std::vector<int> owners(16, 0);
  for (std::size_t o = 0; o < 16; ++o) owners[o] = int(o / 4);
  std::vector<double> const speeds(4, 1.0);
  EXPECT_EQ(balanced(loads, owners, speeds), owners) << "nothing is to be gained";
  owners[15] = 0;  // 5, 4, 4, 3
  auto const next = balanced(loads, owners, speeds);
  int moved = 0;
  for (std::size_t o = 0; o < 16; ++o) moved += next[o] != owners[o] ? 1 : 0;
  EXPECT_EQ(moved, 1);
  EXPECT_DOUBLE_EQ(imbalance(loads, next, speeds), 1.0);
}

TEST(Balance, FasterOwnersGetMore) {
  std::vector<double> const loads(12, 1.0);
  std::vector<int> const owners(12, 0);
  for (auto const balancer : {Balancer::greedy, Balancer::refine}) {
    auto const next = balanced(loads, owners, {1.0, 3.0}, {.balancer = balancer});
    EXPECT_EQ(std::ranges::count(next, 1), 9) << name(balancer);
  }
}

TEST(Balance, EdgesAndErrors) {
  EXPECT_TRUE(balanced({}, {}, {1.0}).empty());
  EXPECT_EQ(imbalance({}, {}, {1.0}), 1.0);
  auto const nothing =
      balanced(std::vector<double>(5, 0.0), std::vector<int>(5, 0), {1, 1}, {.balancer = Balancer::greedy});
  EXPECT_EQ(std::ranges::count(nothing, 1), 2) << "blocks without load are dealt round";
  EXPECT_THROW((void)balanced({1.0}, {}, {1.0}), Error);
  EXPECT_THROW((void)balanced({1.0}, {1}, {1.0}), Error);
  EXPECT_THROW((void)balanced({-1.0}, {0}, {1.0}), Error);
  EXPECT_THROW((void)balanced({1.0}, {0}, {0.0}), Error);
  EXPECT_THROW((void)balanced({1.0}, {0}, {1.0}, {.tolerance = 0.5}), Error);
  EXPECT_EQ(parse_balancer("greedy"), Balancer::greedy);
  EXPECT_THROW((void)parse_balancer("best"), Error);
}

}  // namespace
}  // namespace allport::tasks
