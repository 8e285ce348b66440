#include "collectives/mst.h"

#include <gtest/gtest.h>

#include <set>

#include "allport/collectives/registry.h"
#include "collectives/machines.h"
#include "schedule/judge.h"

namespace allport {
namespace {

int rounds(std::string const& spec, MstForm form, Rank root = 0) {
  return mst_rounds(Machine::parse(spec), root, form);
}

// Chan06: rounds of the two forms, and the lower bounds that they miss by one or two.
TEST(Mst, TakesTheRoundsOfTheTable) {
  struct Row {
    char const* spec;
    int one_side;
    int both_sides;
  };
  for (auto const& row : {Row{"torus:4x4", 3, 3}, Row{"torus:8x8", 5, 4}, Row{"torus:16x16", 7, 5},
                          Row{"torus:8x8x8", 6, 5}, Row{"torus:16x16x16", 8, 6}}) {
    auto const machine = Machine::parse(row.spec);
    for (Rank const root : {0, 5, machine.ranks() - 1}) {
      EXPECT_EQ(rounds(row.spec, MstForm::one_side, root), row.one_side) << row.spec;
      EXPECT_EQ(rounds(row.spec, MstForm::both_sides, root), row.both_sides) << row.spec;
    }
  }
  EXPECT_EQ(rounds("torus:1", MstForm::one_side), 0);
  EXPECT_EQ(rounds("torus:3", MstForm::both_sides), 1);
  EXPECT_EQ(rounds("torus:3x3", MstForm::both_sides), 2);
  EXPECT_EQ(rounds("torus:1/ppn=4", MstForm::one_side), 2);
  EXPECT_GE(rounds("mesh:9", MstForm::both_sides, 0), rounds("mesh:9", MstForm::both_sides, 4));
}

/// Rounds as the tree itself has them: a rank serves its parts in steps, one per link direction, after it was served.
int rounds_of_tree(Machine const& machine, Rank root, TreeSet const& set) {
  int last = 0;
  std::set<Rank> reached;
  TreePlace place;
  TreePlace below;
  std::vector<Rank> todo = {root};
  while (!todo.empty()) {
    auto const rank = todo.back();
    todo.pop_back();
    EXPECT_TRUE(reached.insert(rank).second) << "rank " << rank << " twice";
    set.place(0, rank, place);
    for (std::size_t i = 0; i < place.children(); ++i) {
      auto const child = place.child(i);
      set.place(0, child.rank, below);
      EXPECT_EQ(below.parent.rank, rank);
      // Along one axis, or within the node.
      auto const from = machine.coord(machine.node_of(rank));
      auto const to = machine.coord(machine.node_of(child.rank));
      int differ = 0;
      for (int a = 0; a < machine.axes(); ++a)
        differ += from[static_cast<std::size_t>(a)] != to[static_cast<std::size_t>(a)] ? 1 : 0;
      EXPECT_LE(differ, 1);
      if (differ == 1) {
        EXPECT_EQ(rank % machine.ranks_per_node(), child.rank % machine.ranks_per_node());
      }
      if (child.out != any_port) {
        EXPECT_EQ(machine.neighbour(machine.node_of(rank), child.out), machine.node_of(child.rank));
      }
      todo.push_back(child.rank);
    }
    last = std::max(last, static_cast<int>(place.children()));
  }
  EXPECT_EQ(reached.size(), static_cast<std::size_t>(machine.ranks()));
  return last;
}

class MstOn : public testing::TestWithParam<std::string> {};

TEST_P(MstOn, ReachesEveryRankAlongAxes) {
  auto const machine = Machine::parse(GetParam());
  for (auto const form : {MstForm::one_side, MstForm::both_sides}) {
    for (auto const root : machine.ranks() <= 40 ? test::all_roots(machine) : test::some_roots(machine)) {
      SCOPED_TRACE(GetParam() + " root " + std::to_string(root));
      auto const most = rounds_of_tree(machine, root, mst_trees(machine, root, form));
      auto const steps = mst_rounds(machine, root, form);
      auto const directions = (form == MstForm::one_side ? 1 : 2) * machine.axes();
      EXPECT_LE(most, std::max(1, directions) * steps);
    }
  }
}

TEST_P(MstOn, ScattersAndGathersBlocksOfAnyLengths) {
  auto const machine = Machine::parse(GetParam());
  auto const p = machine.ranks();
  for (auto const what : {Collective::scatter, Collective::gather}) {
    for (auto const* name : {"mst", "mst2"}) {
      for (auto const root : test::some_roots(machine)) {
        SCOPED_TRACE(GetParam() + " " + name + " root " + std::to_string(root));
        auto contract = Contract{what, p, root, 24, 1};
        auto wrong = hand::failure(make_schedule(machine, contract, name, {7, 2}), 3);
        ASSERT_FALSE(wrong) << *wrong;
        std::vector<std::int64_t> lengths;
        for (Rank r = 0; r < p; ++r) lengths.push_back(r % 3 == 0 ? 0 : r % 11);
        contract = with_blocks(what, p, root, BlockTable::per_rank(lengths));
        wrong = hand::failure(make_schedule(machine, contract, name, {7, 2}), 3);
        ASSERT_FALSE(wrong) << *wrong;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, MstOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, MstOn, testing::ValuesIn(test::large_machines()));

// What the forms are for: fewer start-ups than a binomial tree has.
TEST(Mst, IsCheaperThanBinomialForShortMessages) {
  for (auto const* spec : {"bgp:8x8x8", "bgp:16x16x16"}) {
    auto const machine = Machine::parse(spec);
    auto const contract = Contract{Collective::broadcast, machine.ranks(), 0, 64, 1};
    auto const price = [&](char const* name) {
      return algorithm(Collective::broadcast, name).price(machine, contract, {64, 2});
    };
    EXPECT_LT(price("mst2"), price("mst"));
    EXPECT_LT(price("mst"), price("binomial"));
  }
}

}  // namespace
}  // namespace allport
