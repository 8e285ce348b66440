#include <gtest/gtest.h>

#include "allport/collectives/registry.h"
#include "allport/model/multicast_cost.h"
#include "collectives/machines.h"

namespace allport {
namespace {

class PricesOn : public testing::TestWithParam<std::string> {};

TEST_P(PricesOn, AreNeverBelowTheLinksOfTheRoot) {
  auto const machine = Machine::parse(GetParam());
  auto const root = machine.ranks() / 2;
  auto const all_links = model::link_sum(machine, machine.node_of(root));
  for (auto const* a : library_algorithms()) {
    if (a->what == Collective::barrier) continue;  // moves no bytes
    for (std::int64_t const bytes : {8, 1000, 1 << 20, 1 << 28}) {
      for (auto const cut : {Cut{1000, 1}, Cut{8192, 2}, Cut{1 << 22, 3}}) {
        auto const price = a->price(machine, {a->what, machine.ranks(), root, bytes, 8}, cut);
        auto const bound = machine.nodes() > 1 ? Bytes(bytes) / all_links : Seconds(0.0);
        EXPECT_GE(price, bound) << name(a->what) << " " << a->name << " of " << bytes;
        EXPECT_LT(price.value(), 1e6);
        auto const twice = a->price(machine, {a->what, machine.ranks(), root, 2 * bytes, 8}, cut);
        EXPECT_GE(twice, price) << name(a->what) << " " << a->name << " of " << bytes;
      }
    }
    EXPECT_EQ(a->price(machine, {a->what, machine.ranks(), root, 0, 8}, {}).value(), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, PricesOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, PricesOn, testing::ValuesIn(test::large_machines()));

/// Price of a 1 GiB broadcast over the time that `links` links need for it.
double over_links(std::string const& spec, std::string_view name, int links) {
  auto const machine = Machine::parse(spec);
  auto const bytes = Bytes(std::int64_t{1} << 30);
  auto const price = algorithm(Collective::broadcast, name)
                         .price(machine, {Collective::broadcast, machine.ranks(), 0, bytes.value(), 1}, {1 << 16, 2});
  return price.value() / (bytes / (static_cast<double>(links) * machine.axis(0).bandwidth)).value();
}

// What the trees are for: 2d links' bandwidth on a torus, d on a mesh, 2 on a ring, 1 on a line.
TEST(Prices, ReachTheBandwidthOfTheTreesLinks) {
  EXPECT_NEAR(over_links("bgp:8x8x8", "rectangular", 6), 1.0, 0.05);
  EXPECT_NEAR(over_links("bgp:8x8", "rectangular", 4), 1.0, 0.05);
  EXPECT_NEAR(over_links("bgp:8x8m", "rectangular", 2), 1.0, 0.05);
  EXPECT_NEAR(over_links("bgp:8x8", "ring", 2), 1.0, 0.05);
  EXPECT_NEAR(over_links("bgp:8x8", "line", 1), 1.0, 0.05);
  EXPECT_GT(over_links("bgp:8x8x8", "binomial", 1), 2.0);
}

// The routed closing edge of an open line shares its links with the snake.
TEST(Prices, ChargeARingThatDoesNotClose) {
  EXPECT_NEAR(over_links("mesh:9", "ring", 1), 1.0, 0.05);
  EXPECT_NEAR(over_links("torus:9", "ring", 2), 1.0, 0.05);
}

// A round ends when the one whose partner is farthest has heard of it.
TEST(Prices, OfABarrierAreTheLatenciesToItsFarthestPartners) {
  for (auto const* spec : {"torus:8", "mesh:5", "torus:3x5", "mesh:3x4", "torus:2x3x4", "bgp:8x8x8", "gemini:3x2x4",
                           "torus:4x5x3m/ppn=2", "torus:3x3/ppn=3", "mesh:2x3/ppn=3", "torus:5x1"}) {
    auto const machine = Machine::parse(spec);
    auto expected = 0.0;
    for (std::int64_t step = 1; step < machine.ranks(); step *= 2) {
      auto farthest = 0.0;
      for (Rank r = 0; r < machine.ranks(); ++r) {
        auto const to = static_cast<Rank>((r + step) % machine.ranks());
        auto latency = 0.0;
        machine.route(machine.node_of(r), machine.node_of(to),
                      [&](LinkId link) { latency += machine.latency(link).value(); });
        if (machine.node_of(r) == machine.node_of(to)) {
          auto const parted = machine.levels().parting(r, to);
          latency = machine.levels()[parted].latency.value();
        }
        farthest = std::max(farthest, latency);
      }
      expected += 2.0 * machine.rates().overhead.value() + farthest;
    }
    auto const price = algorithm(Collective::barrier, "dissemination")
                           .price(machine, {Collective::barrier, machine.ranks(), 0, 0, 1}, {});
    EXPECT_NEAR(price.value(), expected, 1e-12) << spec;
  }
}

}  // namespace
}  // namespace allport
