// Selection with a mapping other than the identity.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "allport/model/mpi_cost.h"
#include "allport/select/mpi_price.h"
#include "allport/verify/verify.h"

namespace allport {
namespace {

Mapping shuffled(Rank ranks, unsigned seed) {
  std::vector<Rank> places(static_cast<std::size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937(seed));
  return Mapping::from_list(std::move(places));
}

TEST(AtPlaces, MovesTheRootAndEveryBlock) {
  auto const p = Rank{7};
  auto const mapping = shuffled(p, 3);
  EXPECT_EQ(at_places({Collective::broadcast, p, 4, 100, 1}, mapping).root, mapping.place(4));

  std::vector<std::int64_t> bytes(static_cast<std::size_t>(p));
  std::iota(bytes.begin(), bytes.end(), 10);
  auto const scatter = with_blocks(Collective::scatter, p, 2, BlockTable::per_rank(bytes));
  auto const placed = at_places(scatter, mapping);
  for (Rank r = 0; r < p; ++r) {
    EXPECT_EQ(placed.block(placed.root, mapping.place(r)), scatter.block(2, r));
  }
  std::vector<std::int64_t> pairs(static_cast<std::size_t>(p) * static_cast<std::size_t>(p));
  std::iota(pairs.begin(), pairs.end(), 1);
  auto const all = with_blocks(Collective::alltoall, p, 0, BlockTable::per_pair(pairs, p));
  auto const moved = at_places(all, mapping);
  for (Rank s = 0; s < p; ++s) {
    for (Rank d = 0; d < p; ++d) {
      EXPECT_EQ(moved.block(mapping.place(s), mapping.place(d)), all.block(s, d)) << s << " to " << d;
    }
  }
  EXPECT_EQ(at_places(all, Mapping::identity(p)), all);
  EXPECT_THROW((void)at_places(all, Mapping::identity(6)), Error);
}

// The reference: whoever knows where the root is asks for that place.
TEST(ChooseByMapping, PricesTheRootsPlace) {
  for (auto const* spec : {"mesh:5", "mesh:4x3", "torus:3x3/ppn=2", "torus:4x5m"}) {
    auto const machine = Machine::parse(spec);
    for (unsigned seed = 0; seed < 5; ++seed) {
      auto const mapping = shuffled(machine.ranks(), seed);
      for (Rank root : {0, machine.ranks() / 2}) {
        auto const at_place = Contract{Collective::broadcast, machine.ranks(), mapping.place(root), 1 << 20, 1};
        auto const choice =
            choose(machine, {Collective::broadcast, machine.ranks(), root, 1 << 20, 1}, {.mapping = mapping});
        auto const expected = choose(machine, at_place);
        EXPECT_EQ(choice.best.predicted, expected.best.predicted);
        EXPECT_EQ(choice.best.algorithm, expected.best.algorithm);
        EXPECT_EQ(choice.contract.root, root) << "the contract is the caller's";
        auto const schedule = make_schedule(machine, choice);
        EXPECT_EQ(schedule.contract(), at_place);
        EXPECT_TRUE(verify::prove(schedule, machine).ok);
      }
    }
  }
}

TEST(ChooseByMapping, SaysWhereTheRootIs) {
  auto const machine = Machine::parse("mesh:4");
  auto choice = choose(machine, {Collective::broadcast, 4, 0, 1024, 1}, {.mapping = Mapping::from_list({2, 0, 3, 1})});
  EXPECT_NE(explain(choice).find("root 0 at place 2"), std::string::npos) << explain(choice);
  EXPECT_NE(to_json(choice).find("\"root_place\": 2"), std::string::npos);
  EXPECT_EQ(to_json(choose(machine, choice.contract)).find("root_place"), std::string::npos);
  EXPECT_THROW((void)choose(machine, choice.contract, {.mapping = Mapping::identity(5)}), Error);
}

// MPI's own goes by rank order: scattered ranks cost it links, and ours nothing.
TEST(MpiPriceByMapping, HangsOnTheWholeOrder) {
  auto const machine = Machine::parse("torus:8x8");
  auto const contract = Contract{Collective::allgather, 64, 0, 1 << 16, 1};
  auto const mapping = shuffled(64, 1);
  auto const price = mpi_price_of(machine, contract, mapping);
  EXPECT_EQ(price.time, model::mpi_allgather(machine, Bytes(1 << 16), mapping.list()));
  EXPECT_GT(price.time, 2.0 * mpi_price(machine, contract));
  EXPECT_EQ(mpi_price(machine, contract, Mapping::identity(64)), mpi_price(machine, contract));
  EXPECT_EQ(choose(machine, contract, {.mapping = mapping}).best.predicted, choose(machine, contract).best.predicted);
  EXPECT_THROW((void)mpi_price(machine, contract, Mapping::identity(63)), Error);
}

}  // namespace
}  // namespace allport
