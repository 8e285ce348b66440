// Orders: each is a permutation of the job's places with its intended properties.
#include "allport/mapping/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "allport/mapping/score.h"
#include "allport/pattern/on_grids.h"

using namespace allport;

namespace {

std::vector<std::int64_t> cells(CartGrid const& grid) { return std::vector<std::int64_t>(grid.lengths.size(), 16); }

Pattern faces(CartGrid const& grid) { return halo(grid, 2 * grid.axes() + 1, cells(grid), 8); }

Pattern random_messages(Rank ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Message> messages;
  for (int i = 0; i < 4 * ranks; ++i) {
    messages.push_back({static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                        static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                        static_cast<std::int64_t>(1 + random() % 100)});
  }
  return Pattern::of_messages("random", ranks, messages);
}

/// Places that hold each of the job's once.
bool is_order_of(std::vector<Rank> places, std::vector<Rank> allocation) {
  std::ranges::sort(places);
  std::ranges::sort(allocation);
  return places == allocation;
}

TEST(Orders, UseEveryPlaceOfTheJobOnce) {
  std::mt19937 random(3);
  for (auto const* spec : {"torus:1", "torus:2", "torus:7", "torus:4x4", "mesh:3x5", "torus:2x1x3", "torus:4x2x8",
                           "torus:3x3/ppn=4", "gemini:4x4x2", "torus:2x2x2x2"}) {
    auto const machine = Machine::parse(spec);
    for (auto const ranks : {machine.ranks(), (machine.ranks() + 1) / 2, Rank{1}}) {
      std::vector<Rank> allocation(static_cast<std::size_t>(machine.ranks()));
      std::iota(allocation.begin(), allocation.end(), 0);
      std::shuffle(allocation.begin(), allocation.end(), random);
      allocation.resize(static_cast<std::size_t>(ranks));
      for (auto const& pattern : {random_messages(ranks, 1), faces(CartGrid{{ranks}}), faces(CartGrid{{1, ranks}})}) {
        for (auto const& given : {allocation, std::vector<Rank>{}}) {
          auto const task = MappingTask(machine, pattern, given);
          for (auto const& o : orders()) {
            auto const made = o.make(task);
            EXPECT_NE(made.places.empty(), made.why_not.empty()) << o.name << " on " << spec;
            if (made.why_not.empty()) {
              EXPECT_TRUE(is_order_of(made.places, task.allocation())) << o.name << " on " << spec;
            }
            EXPECT_EQ(made.places, o.make(task).places) << o.name << " is not the same twice";
          }
        }
      }
    }
  }
}

TEST(Orders, CountAsTheyAreCalled) {
  auto const task = MappingTask(Machine::parse("torus:3x2"), random_messages(6, 2));
  auto const places = [&](char const* name) { return order(name).make(task).places; };
  EXPECT_EQ(places("given"), (std::vector<Rank>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places("x-fastest"), (std::vector<Rank>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places("y-fastest"), (std::vector<Rank>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places("row-major"), (std::vector<Rank>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places("zigzag"), (std::vector<Rank>{0, 1, 2, 5, 4, 3}));
}

TEST(Orders, SnakesAndCurvesStepToNeighbours) {
  for (auto const& [name, spec] : std::vector<std::pair<char const*, char const*>>{
           {"zigzag", "mesh:4x3x5"}, {"hilbert", "mesh:8x8"}, {"hilbert", "mesh:4x4x4"}, {"blocks", "mesh:4x2x8"}}) {
    auto const machine = Machine::parse(spec);
    auto const task = MappingTask(machine, random_messages(machine.ranks(), 4));
    auto const places = order(name).make(task).places;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      EXPECT_EQ(machine.hops(places[i], places[i + 1]), 1) << name << " on " << spec << " at " << i;
    }
  }
}

TEST(Orders, MatchedAGridThatIsTheMachine) {
  // MPI's grids count the last axis fastest, machines the first: rank order is a transposition, matched is none.
  for (auto const* spec : {"torus:4x6", "torus:4x2x8", "torus:5x3"}) {
    auto const machine = Machine::parse(spec);
    CartGrid grid;
    for (int a = 0; a < machine.axes(); ++a) grid.lengths.push_back(machine.axis(a).length);
    auto const task = MappingTask(machine, faces(grid));
    auto const made = order("matched").make(task);
    ASSERT_EQ(made.why_not, "") << spec;
    EXPECT_EQ(score(machine, task.pattern(), made.places).dilation, 1) << spec;
  }
  // Lines of 16 go to and fro through 4 x 4 of the nodes.
  auto const machine = Machine::parse("torus:4x4x4");
  auto const task = MappingTask(machine, faces(CartGrid{{16, 4}}));
  EXPECT_EQ(score(machine, task.pattern(), order("matched").make(task).places).dilation, 1);
  EXPECT_FALSE(order("matched").make(MappingTask(machine, faces(CartGrid{{5, 12}}))).why_not.empty());
}

TEST(Orders, PairedHostsAreBesideEachOtherAlongTheSlowestAxis) {
  auto const machine = Machine::parse("gemini:4x4x2");
  auto const& levels = machine.levels();
  ASSERT_GT(levels.size(), 0);
  auto const task = MappingTask(machine, random_messages(machine.ranks(), 5));
  auto const places = order("paired").make(task).places;
  EXPECT_TRUE(is_order_of(places, task.allocation()));
  EXPECT_FALSE(order("paired").make(MappingTask(Machine::parse("torus:4x4"), random_messages(16, 5))).why_not.empty());
}

TEST(Orders, ScotchIsThereOrSaysWhyNot) {
  auto const machine = Machine::parse("torus:8x8");
  auto const task = MappingTask(machine, faces(CartGrid{{8, 8}}));
  auto const made = order("scotch").make(task);
  if (!made.why_not.empty()) {
    EXPECT_NE(made.why_not.find("Scotch"), std::string::npos) << made.why_not;
    GTEST_SKIP() << made.why_not;
  }
  std::vector<Rank> shuffled = task.allocation();
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  EXPECT_LT(score(machine, task.pattern(), made.places).hop_bytes,
            0.6 * score(machine, task.pattern(), shuffled).hop_bytes);
}

TEST(Orders, OfScotchGoByBoxesOnLargeMachines) {
  // 48 x 40 x 20 nodes, whose ranks are numbered at random; and most of them, for which Scotch is not asked.
  auto const machine = Machine::parse("torus:48x40x20");
  auto const halo = faces(CartGrid{{48, 40, 20}});
  std::vector<Rank> number(static_cast<std::size_t>(machine.ranks()));
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(1));
  std::vector<Message> messages;
  for (Rank r = 0; r < machine.ranks(); ++r) {
    for (auto const& f : halo.flows().of(r)) {
      messages.push_back({number[static_cast<std::size_t>(r)], number[static_cast<std::size_t>(f.peer)], f.bytes});
    }
  }
  auto const task = MappingTask(machine, Pattern::of_messages("halo", machine.ranks(), messages));
  auto const made = order("scotch").make(task);
  if (made.why_not.find("without Scotch") != std::string::npos) GTEST_SKIP() << made.why_not;
  ASSERT_EQ(made.why_not, "");
  auto sorted = made.places;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, task.allocation());
  // At random a message takes 27 hops of this torus, 12 + 10 + 5.
  EXPECT_LT(score(machine, task.pattern(), made.places).hop_bytes,
            0.15 * score(machine, task.pattern(), task.allocation()).hop_bytes);

  std::vector<Rank> part(task.allocation().begin(), task.allocation().begin() + 33'000);
  auto const refused = order("scotch").make(MappingTask(machine, random_messages(33'000, 3), part)).why_not;
  EXPECT_NE(refused.find("more than 32768 nodes"), std::string::npos) << refused;
}

TEST(Orders, RefuseWhatIsNone) {
  auto const machine = Machine::parse("torus:4");
  EXPECT_THROW((void)order("best"), Error);
  EXPECT_THROW((void)MappingTask(machine, random_messages(5, 1)), Error);
  EXPECT_THROW((void)MappingTask(machine, random_messages(2, 1), {0}), Error);
  EXPECT_THROW((void)MappingTask(machine, random_messages(2, 1), {0, 0}), Error);
  EXPECT_THROW((void)MappingTask(machine, random_messages(2, 1), {0, 4}), Error);
}

}  // namespace
