// Scores against every message's route, refinement against all permutations.
#include "allport/mapping/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "allport/pattern/on_grids.h"

using namespace allport;

namespace {

std::vector<Rank> in_order(Rank n) {
  std::vector<Rank> places(static_cast<std::size_t>(n));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

std::vector<Message> random_messages(Rank ranks, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Message> messages;
  for (int i = 0; i < count; ++i) {
    messages.push_back({static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                        static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                        static_cast<std::int64_t>(1 + random() % 1000)});
  }
  return messages;
}

TEST(Score, CountsHopsAndBytes) {
  for (auto const* spec : {"torus:5", "mesh:3x4", "torus:3x3/ppn=2", "gemini:4x4x2", "torus:2x2x2"}) {
    auto const machine = Machine::parse(spec);
    auto const messages = random_messages(machine.ranks(), 200, 11);
    auto places = in_order(machine.ranks());
    std::shuffle(places.begin(), places.end(), std::mt19937(5));
    auto const found = score(machine, Pattern::of_messages("random", machine.ranks(), messages), places);
    std::vector<std::int64_t> loads(static_cast<std::size_t>(machine.link_ids()));
    std::int64_t hop_bytes = 0, between = 0, all = 0;
    int dilation = 0;
    for (auto const& m : messages) {
      if (m.from == m.to) continue;
      auto const from = machine.node_of(places[static_cast<std::size_t>(m.from)]);
      auto const to = machine.node_of(places[static_cast<std::size_t>(m.to)]);
      int hops = 0;
      machine.route(from, to, [&](LinkId l) {
        loads[static_cast<std::size_t>(l)] += m.bytes;
        ++hops;
      });
      hop_bytes += hops * m.bytes;
      between += from != to ? m.bytes : 0;
      all += m.bytes;
      dilation = std::max(dilation, hops);
    }
    double busiest = 0.0;
    for (LinkId l = 0; l < machine.link_ids(); ++l) {
      if (loads[static_cast<std::size_t>(l)] > 0) {
        busiest =
            std::max(busiest, static_cast<double>(loads[static_cast<std::size_t>(l)]) / machine.bandwidth(l).value());
      }
    }
    EXPECT_DOUBLE_EQ(found.hop_bytes, static_cast<double>(hop_bytes)) << spec;
    EXPECT_DOUBLE_EQ(found.mean_dilation, static_cast<double>(hop_bytes) / static_cast<double>(all)) << spec;
    EXPECT_EQ(found.bytes_between_nodes, between) << spec;
    EXPECT_EQ(found.dilation, dilation) << spec;
    EXPECT_DOUBLE_EQ(found.busiest.seconds, busiest) << spec;
    EXPECT_GE(found.predicted.value(), busiest) << spec;
    EXPECT_EQ(found.bytes_over_dead, 0) << spec;
  }
}

TEST(Score, OfNothing) {
  auto const found = score(Machine::parse("torus:4"), Pattern::of_messages("none", 4, {}), in_order(4));
  EXPECT_EQ(found.predicted.value(), 0.0);
  EXPECT_EQ(found.mean_dilation, 0.0);
  EXPECT_EQ(found.busiest.link, -1);
}

TEST(Refine, NeverLoadsTheBusiestLinkMore) {
  for (auto const* spec :
       {"torus:1", "torus:2", "torus:6", "mesh:4x3", "torus:4x4", "torus:3x3/ppn=2", "torus:4x2x3"}) {
    auto const machine = Machine::parse(spec);
    for (unsigned seed = 0; seed < 4; ++seed) {
      auto const pattern =
          Pattern::of_messages("random", machine.ranks(), random_messages(machine.ranks(), 3 * machine.ranks(), seed));
      auto places = in_order(machine.ranks());
      std::shuffle(places.begin(), places.end(), std::mt19937(seed));
      auto const refined = refine(machine, pattern, places);
      EXPECT_EQ(refined, refine(machine, pattern, places)) << "the same on every rank";
      EXPECT_LE(score(machine, pattern, refined).busiest.seconds, score(machine, pattern, places).busiest.seconds);
      auto sorted = refined;
      std::ranges::sort(sorted);
      EXPECT_EQ(sorted, in_order(machine.ranks())) << spec;
    }
  }
}

TEST(Refine, ComesNearTheBestOfAllPermutations) {
  auto const machine = Machine::parse("mesh:3x2");
  double sum = 0.0, best_sum = 0.0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    auto const pattern = Pattern::of_messages("random", 6, random_messages(6, 8, seed));
    auto places = in_order(6);
    auto least = score(machine, pattern, places).busiest.seconds;
    do {
      least = std::min(least, score(machine, pattern, places).busiest.seconds);
    } while (std::ranges::next_permutation(places).found);
    auto const here = score(machine, pattern, refine(machine, pattern, in_order(6))).busiest.seconds;
    EXPECT_GE(here, least * (1 - 1e-12));
    sum += here;
    best_sum += least;
  }
  EXPECT_LE(sum, 1.15 * best_sum);
}

TEST(Refine, UntanglesAShuffledHalo) {
  auto const machine = Machine::parse("torus:4x4");
  auto const pattern = halo(CartGrid{{4, 4}}, 5, std::vector<std::int64_t>{8, 8}, 8);
  auto places = in_order(16);
  std::shuffle(places.begin(), places.end(), std::mt19937(2));
  EXPECT_LE(score(machine, pattern, refine(machine, pattern, places)).busiest.seconds,
            0.7 * score(machine, pattern, places).busiest.seconds);
}

TEST(Refine, GoesNoFurtherThanItIsAllowed) {
  for (auto const* spec : {"gemini:4x4x2", "mesh:5x5", "torus:2x3x4"}) {
    auto const machine = Machine::parse(spec);
    auto const pattern =
        Pattern::of_messages("random", machine.ranks(), random_messages(machine.ranks(), 4 * machine.ranks(), 3));
    auto const before = score(machine, pattern, in_order(machine.ranks()));
    for (double const share : {1.0, 0.9}) {
      RefineOptions options;
      options.most_hop_bytes = share * before.hop_bytes;
      auto const after = score(machine, pattern, refine(machine, pattern, in_order(machine.ranks()), options));
      EXPECT_LE(after.hop_bytes, options.most_hop_bytes) << spec;
    }
    RefineOptions none;
    none.effort = 0;
    EXPECT_EQ(refine(machine, pattern, in_order(machine.ranks()), none), in_order(machine.ranks())) << spec;
  }
}

TEST(Refine, TakesWorseSwapsToComeFurther) {
  auto const machine = Machine::parse("torus:6x6");
  double descended = 0.0, annealed = 0.0;
  RefineOptions cold;
  cold.heat = 0.0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    auto const pattern = Pattern::of_messages("random", 36, random_messages(36, 144, seed));
    descended += score(machine, pattern, refine(machine, pattern, in_order(36), cold)).busiest.seconds;
    annealed += score(machine, pattern, refine(machine, pattern, in_order(36))).busiest.seconds;
  }
  EXPECT_LT(annealed, 0.95 * descended);
}

TEST(Refine, LeavesDeadLinksAlone) {
  auto const machine = Machine::from_toml(R"(
name = "broken"
axes = [ { length = 3, wraps = false, bandwidth = "1 GB/s", latency = "1 us" },
         { length = 3, wraps = false, bandwidth = "1 GB/s", latency = "1 us" } ]
link = [ { from = [0, 0], axis = "x", direction = "+", dead = true } ]
)");
  auto const pattern = Pattern::of_messages("two", 9, {{0, 1, 1000}, {4, 5, 1000}});
  EXPECT_GT(score(machine, pattern, in_order(9)).bytes_over_dead, 0);
  EXPECT_EQ(score(machine, pattern, refine(machine, pattern, in_order(9))).bytes_over_dead, 0);
}

TEST(Refine, RefusesPlacesAndOptionsThatAreNone) {
  auto const machine = Machine::parse("torus:4");
  auto const pattern = Pattern::of_messages("one", 2, {{0, 1, 8}});
  EXPECT_THROW((void)refine(machine, pattern, {0, 1}, {.effort = -1}), Error);
  EXPECT_THROW((void)refine(machine, pattern, {0, 1}, {.heat = -0.1}), Error);
  EXPECT_THROW((void)refine(machine, pattern, {0, 1}, {.most_hop_bytes = -1.0}), Error);
  EXPECT_THROW((void)refine(machine, Pattern::of_messages("one", 2, {{0, 1, 8}}), {0, 0}), Error);
}

}  // namespace
