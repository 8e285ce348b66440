// Ranks that form no box: whichever is cheaper of the line through their places and their own network.
#include "allport/select/scattered.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "allport/mapping/mapping.h"
#include "allport/select/select.h"

namespace allport {
namespace {

TEST(Scattered, GetTheirOwnTreesWhereTheseAreCheaper) {
  auto const machine = Machine::parse("bgp:4x4x1");
  std::vector<Rank> const places = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3};
  auto const scattered = Scattered(machine, places);
  EXPECT_EQ(scattered.line(), line_through(machine, places));
  auto const known = library_algorithms();
  auto const among = scattered.among(known);
  ASSERT_EQ(among.size(), known.size() + 7);
  for (auto const what : {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather,
                          Collective::allgather, Collective::reduce_scatter, Collective::allreduce}) {
    auto const contract = Contract{what, 13, 4, 1 << 20, combines(what) ? 8 : 1};
    auto const choice = choose(scattered.line(), contract, {.among = among});
    EXPECT_EQ(choice.best.algorithm->name, "subnetwork") << name(what);
    EXPECT_LT(choice.best.predicted, choose(scattered.line(), contract, {.among = known}).best.predicted);
    EXPECT_EQ(make_schedule(scattered.line(), choice).contract(), contract);
  }
  // Where they have no trees, the line's algorithms serve; and what is cheapest is taken, whatever it is.
  auto const pairs = choose(scattered.line(), {Collective::alltoall, 13, 0, 64, 1}, {.among = among});
  EXPECT_NE(pairs.best.algorithm->name, "subnetwork");
  auto const everyone = choose(scattered.line(), {Collective::broadcast, 13, 4, 1 << 20, 1}, {.among = among});
  for (auto const& c : everyone.candidates) {
    if (c.priced()) EXPECT_LE(everyone.best.predicted, c.predicted) << c.algorithm->name;
  }
}

// The price is above the bound of the machine that they are part of, and tells of it; the line's own bound need not be.
TEST(Scattered, TellOfTheirNetworkAndItsBound) {
  auto const machine = Machine::parse("bgp:4x4x1");
  std::optional<Scattered> ranks(Scattered(machine, {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3}));
  for (auto const what :
       {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather, Collective::allgather,
        Collective::reduce_scatter, Collective::allreduce, Collective::alltoall}) {
    for (std::int64_t const bytes : {8, 4096, 1 << 20}) {
      auto const contract = Contract{what, 13, 4, bytes, combines(what) ? 8 : 1};
      auto const bound = ranks->lower_bounds(contract);
      ASSERT_TRUE(bound) << name(what);
      for (auto const& c : ranks->choose(contract).candidates) {
        if (c.priced()) {
          EXPECT_GE(c.predicted.value(), bound->time().value() * (1 - 1e-9)) << name(what) << " " << c.algorithm->name;
        }
      }
    }
  }
  auto const choice = ranks->choose({Collective::broadcast, 13, 4, 1 << 20, 1});
  ranks.reset();  // what the choice points at stays
  EXPECT_EQ(choice.best.algorithm->name, "subnetwork");
  ASSERT_TRUE(choice.network);
  EXPECT_EQ(choice.network->nodes, 13);
  EXPECT_GE(choice.network->trees, 2);
  EXPECT_NE(explain(choice).find("they form no box"), std::string::npos);
  EXPECT_NE(to_json(choice).find("\"streams_on_a_link\": 1"), std::string::npos);
}

TEST(Scattered, CopiesKeepTheTrees) {
  auto const machine = Machine::parse("mesh:3x3");
  std::optional<Scattered> first(Scattered(machine, {0, 4, 8}));
  auto const copy = *first;
  first.reset();
  auto const contract = Contract{Collective::broadcast, 3, 1, 1000, 1};
  auto const choice = choose(copy.line(), contract, {.algorithm = "subnetwork", .among = copy.among({})});
  EXPECT_EQ(make_schedule(copy.line(), choice).ranks(), 3);
  EXPECT_THROW((void)copy.choose(contract, {.mapping = Mapping::identity(3)}), Error) << "the places are the mapping";
}

}  // namespace
}  // namespace allport
