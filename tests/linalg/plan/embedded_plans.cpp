// Plans whose grids share the machine's axes, and plans for ranks that are not at the places of their numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/linalg/graphs.h"
#include "mapping/embedding.h"

namespace allport {
namespace {

GemmOptions summa(GemmGrid grid, std::string order) {
  GemmOptions options;
  options.algorithm = "summa";
  options.grid = grid;
  options.order = std::move(order);
  return options;
}

/// The graph's traffic, rank by rank.
template <class Plan>
std::vector<Traffic> counted(Plan const& plan, TaskGraph const& made) {
  std::vector<Traffic> all;
  for (auto const& count : graph::count(made, *plan_transport(plan))) all.push_back(count.traffic);
  return all;
}

TEST(EmbeddedPlans, AnEightByEightGridOnAFourCubeIsEmbedded) {
  auto const machine = Machine::parse("torus:4x4x4");
  GemmProblem const problem{8192, 8192, 8192};
  auto const chosen = plan_gemm(problem, machine, summa({8, 8, 1}, "")).chosen;
  EXPECT_TRUE(Embedding::is_one(chosen.order)) << chosen.order;
  for (auto const* order : {"ijl", "jil"}) {
    auto const plain = plan_gemm(problem, machine, summa({8, 8, 1}, order)).chosen;
    EXPECT_LE(chosen.total.value(), 1.02 * plain.total.value()) << order;
  }
  LuOptions options;
  options.grid = {8, 8, 1};
  options.algorithm = "2d";
  auto const lu = plan_lu({4096, 4096}, machine, options).chosen;
  for (auto const* order : {"ijl", "jil"}) {
    options.order = order;
    EXPECT_LE(lu.total.value(), 1.02 * plan_lu({4096, 4096}, machine, options).chosen.total.value()) << order;
  }
  EXPECT_TRUE(Embedding::is_one(lu.order)) << lu.order;
  // Where a plain order has boxes, it stays.
  EXPECT_FALSE(Embedding::is_one(plan_gemm(problem, Machine::parse("torus:8x8"), summa({8, 8, 1}, "")).chosen.order));
  EXPECT_FALSE(Embedding::is_one(plan_gemm(problem, machine, summa({4, 16, 1}, "")).chosen.order));
}

TEST(EmbeddedPlans, CountAsTheirGraphsDo) {
  auto const machine = Machine::parse("torus:4x4");
  std::vector<Rank> places(16);
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, std::mt19937(5));
  for (auto const& mapping : {Mapping::identity(16), Mapping::from_list(places)}) {
    for (auto const* order : {"j2i2,i2j2", "i4,j4", "jil"}) {
      auto options = summa({4, 4, 1}, order);
      options.mapping = mapping;
      auto const plan = plan_gemm({90, 70, 110}, machine, options);
      EXPECT_EQ(plan.chosen.order, order);
      EXPECT_EQ(counted(plan, *plan_graph(plan)), plan.traffic) << order;
      LuOptions lu;
      lu.grid = {4, 4, 1};
      lu.order = order;
      lu.panel = 16;
      lu.mapping = mapping;
      auto const factor = plan_lu({130, 130}, machine, lu);
      EXPECT_EQ(counted(factor, *plan_graph(factor)), factor.traffic) << order;
    }
  }
}

TEST(EmbeddedPlans, RowsGoAlongTheMachineWhereverRanksAre) {
  auto const machine = Machine::parse("torus:4x4");
  std::vector<Rank> places(16);
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, std::mt19937(6));
  auto options = summa({4, 4, 1}, "i4,j4");
  auto const plain = plan_gemm({512, 512, 512}, machine, options);
  options.mapping = Mapping::from_list(places);
  auto const mapped = plan_gemm({512, 512, 512}, machine, options);
  EXPECT_EQ(mapped.chosen.total, plain.chosen.total);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(options.mapping->place(mapped.c.rank_at(i, j)), plain.c.rank_at(i, j));
  }
  // In the plain order the same ranks are all over the machine, and the plan knows.
  options.order = "ijl";
  EXPECT_GT(plan_gemm({512, 512, 512}, machine, options).chosen.communicate, mapped.chosen.communicate);
}

// A candidate in a table equals the plan of its options alone, but for its price if its graph was not priced.
TEST(LargePlans, SayOfCandidatesWhatTheyAreAlone) {
  auto const machine = Machine::parse("torus:18x16x16");
  GemmProblem const problem{8192, 8191, 8190};
  auto const plan = plan_gemm(problem, machine);
  ASSERT_GT(plan.candidates.size(), 20U);
  for (std::size_t const c : {0, 11, 20}) {
    auto const& candidate = plan.candidates[c];
    auto options = summa(candidate.grid, candidate.order);
    options.algorithm = candidate.algorithm;
    options.panel = candidate.panel;
    auto const alone = plan_gemm(problem, machine, options);
    if (c == 0) {
      EXPECT_EQ(alone.chosen.total, candidate.total);
    }
    EXPECT_EQ(alone.chosen.words, candidate.words) << c;
    EXPECT_EQ(alone.chosen.messages, candidate.messages) << c;
    EXPECT_EQ(alone.chosen.memory, candidate.memory) << c;
    EXPECT_NEAR(alone.chosen.total.value(), candidate.total.value(), 0.1 * alone.chosen.total.value()) << c;
  }
}

TEST(EmbeddedPlans, WhatCannotBeIsTold) {
  auto const machine = Machine::parse("torus:4x4");
  for (auto const* order : {"i4,j2", "i4", "i4,j4,l1", "x4,j4", "i5,j4"}) {
    EXPECT_THROW((void)plan_gemm({64, 64, 64}, machine, summa({0, 0, 0}, order)), Error) << order;
  }
  EXPECT_THROW((void)plan_gemm({64, 64, 64}, machine, summa({2, 8, 1}, "i4,j4")), Error) << "another grid";
  GemmOptions options;
  options.mapping = Mapping::identity(15);
  EXPECT_THROW((void)plan_gemm({64, 64, 64}, machine, options), Error);
  LuOptions lu;
  lu.order = "i4,j4";
  EXPECT_EQ(plan_lu({64, 64}, machine, lu).chosen.grid, (GemmGrid{4, 4, 1}));
}

}  // namespace
}  // namespace allport
