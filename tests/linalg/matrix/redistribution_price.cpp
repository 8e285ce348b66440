// What a redistribution over a machine's links is priced at, against the schedule that carries it out, and LU's row of
// ranks that is chosen by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "allport/linalg/lu.h"
#include "allport/select/select.h"
#include "linalg/matrix/redistribute_plan.h"

namespace allport {
namespace {

constexpr double rate = 5e6;  // bytes per second of a link
constexpr Index n = 2048;

/// Links of 40 Mbit/s.
Machine slow(std::vector<std::pair<int, bool>> const& axes, int per_node = 1) {
  std::string text = "name = \"slow\"\nflops = \"10 GF\"\nmemory_bandwidth = \"5 GB/s\"\noverhead = \"160 us\"\n";
  text += "ranks_per_node = " + std::to_string(per_node) + "\naxes = [\n";
  for (auto const& [length, wraps] : axes) {
    text += "{ length = " + std::to_string(length) +
            ", bandwidth = \"5 MB/s\", latency = \"60 us\", wraps = " + (wraps ? "true" : "false") + " },\n";
  }
  return Machine::from_toml(text + "]\n", "slow.toml");
}

Distribution on_grid(int rows, int cols, Index nb) {
  return {AxisDistribution::cyclic(n, rows, nb), AxisDistribution::cyclic(n, cols, nb),
          ProcessGrid::row_major(rows, cols)};
}

Distribution on_row(std::vector<Rank> const& ranks, Index nb) {
  auto const p = static_cast<int>(ranks.size());
  return {AxisDistribution::cyclic(n, 1, n), AxisDistribution::cyclic(n, p, nb), ranks};
}

std::vector<Rank> ascending(Rank ranks) {
  std::vector<Rank> all;
  for (Rank r = 0; r < ranks; ++r) all.push_back(r);
  return all;
}

/// What the links of this all-to-all by axes say: twice the busiest's seconds, less the mean of the axis that has most.
double by_schedule(Machine const& machine, Distribution const& from, Distribution const& to) {
  auto const ranks = machine.ranks();
  std::vector<std::int64_t> pairs;
  for (Rank s = 0; s < ranks; ++s) {
    auto const side = detail::side_of(from, to, s, true);
    std::vector<std::int64_t> line(static_cast<std::size_t>(ranks), 0);
    for (auto const& message : side.messages) line[static_cast<std::size_t>(message.peer)] = message.elements * 8;
    pairs.insert(pairs.end(), line.begin(), line.end());
  }
  auto const contract = with_blocks(Collective::alltoall, ranks, 0, BlockTable::per_pair(std::move(pairs), ranks));
  auto const schedule = make_schedule(machine, choose(machine, contract, {.algorithm = "axes"}));
  std::vector<std::int64_t> carried(static_cast<std::size_t>(machine.link_ids()), 0);
  for (Rank r = 0; r < ranks; ++r) {
    for (auto const& op : schedule.program(r).ops) {
      if (op.kind != OpKind::send || op.port < 0) continue;
      carried[static_cast<std::size_t>(machine.link(machine.node_of(r), op.port))] += op.length;
    }
  }
  auto const busiest = static_cast<double>(std::ranges::max(carried)) / rate;
  double mean = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    double sum = 0;
    int links = 0;
    for (Node node = 0; node < machine.nodes(); ++node) {
      for (auto const sign : {1, -1}) {
        if (!machine.neighbour(node, port(a, sign))) continue;
        sum += static_cast<double>(carried[static_cast<std::size_t>(machine.link(node, port(a, sign)))]) / rate;
        ++links;
      }
    }
    if (links > 0) mean = std::max(mean, sum / links);
  }
  return 2 * busiest - mean;
}

TEST(RedistributionPrice, IsThatOfTheScheduleThatRuns) {
  struct Case {
    Machine machine;
    int rows, cols;
    Index nb, wide;
  };
  for (auto const& [machine, rows, cols, nb, wide] :
       {Case{slow({{4, true}, {4, true}}), 4, 4, 32, 128}, Case{slow({{4, true}, {4, true}}), 4, 4, 64, 128},
        Case{slow({{4, true}, {4, true}}), 4, 4, 128, 128}, Case{slow({{4, true}, {4, true}}), 2, 8, 64, 64},
        Case{slow({{8, false}}), 2, 4, 64, 256}, Case{slow({{8, true}}), 4, 2, 128, 128},
        Case{slow({{2, true}, {4, false}, {2, true}}), 4, 4, 64, 128},
        Case{slow({{4, true}, {2, true}}, 2), 4, 4, 64, 128}}) {
    auto const from = on_grid(rows, cols, nb);
    auto const to = on_row(ascending(machine.ranks()), wide);
    for (auto const& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
      auto const price = detail::relayed_seconds(machine, {}, a, b, 8);
      ASSERT_TRUE(price);
      EXPECT_NEAR(price->value(), by_schedule(machine, a, b), 1e-3 * price->value())
          << machine.axes() << " axes, " << rows << "x" << cols << " " << nb << " of " << wide;
    }
  }
}

TEST(RedistributionPrice, KnowsWhereRanksAre) {
  auto const machine = slow({{4, true}, {4, true}});
  std::vector<Rank> places;  // process rows along the other axis
  for (Rank r = 0; r < 16; ++r) places.push_back(r % 4 * 4 + r / 4);
  auto const mapping = Mapping::from_list(places);
  auto const seconds = [&](std::optional<Mapping> const& at, Distribution const& from, Distribution const& to) {
    return detail::relayed_seconds(machine, at, from, to, 8).value().value();
  };
  // Over two axes of equal links it is the same in either order.
  auto const wide = on_grid(4, 4, 64), blocks = on_grid(4, 4, 128), to = on_row(ascending(16), 128);
  EXPECT_DOUBLE_EQ(seconds({}, wide, to), seconds(mapping, wide, to));
  // Process columns that are squares use half of the links.
  places = {0, 2, 8, 10, 5, 7, 13, 15, 1, 3, 9, 11, 4, 6, 12, 14};
  EXPECT_GT(seconds(Mapping::from_list(places), blocks, to), seconds({}, blocks, to));
}

TEST(RedistributionPrice, IsUnknownWhereMessagesGoStraight) {
  auto const from = on_grid(4, 4, 64), to = on_row(ascending(16), 128);
  EXPECT_FALSE(detail::relayed_seconds(Machine::flat(16), {}, from, to, 8));
  EXPECT_FALSE(detail::relayed_seconds(slow({{4, true}, {4, true}}), {}, from, from, 8));
  Distribution const small(AxisDistribution::cyclic(16, 4, 4), AxisDistribution::cyclic(16, 4, 4), ascending(16));
  Distribution const row(AxisDistribution::cyclic(16, 1, 16), AxisDistribution::cyclic(16, 16, 1), ascending(16));
  EXPECT_FALSE(detail::relayed_seconds(slow({{4, true}, {4, true}}), {}, small, row, 8));
}

TEST(RedistributionPrice, LusRowOfRanksHasTheColumnsOfItsProcessColumns) {
  auto const machine = slow({{4, true}, {4, true}});
  auto const least = n * n * 8 / 16 / 2 / rate;  // half of a part: a process column's ring need not carry more
  for (Index const nb : {32, 64, 128}) {
    LuOptions options;
    options.given = on_grid(4, 4, nb);
    auto const plan = plan_lu({.m = n, .n = n, .pivoting = Pivoting::partial}, machine, options);
    ASSERT_EQ(plan.chosen.algorithm, "1d") << nb;
    auto const moving = detail::relayed_seconds(machine, {}, *options.given, plan.distribution, 8);
    ASSERT_TRUE(moving);
    EXPECT_NEAR(moving->value(), least, 1e-9) << nb;
  }
  // In blocks twice as wide as the caller's a rank's columns are those of two process columns, and its own is one.
  LuOptions options;
  options.given = on_grid(4, 4, 64);
  options.algorithm = "1d";
  options.grid = {1, 16, 1};
  options.order = "given";
  options.panel = 32;
  options.nb = 128;
  auto const plan = plan_lu({.m = n, .n = n}, machine, options);
  EXPECT_EQ(plan.distribution.grid().ranks(),
            (std::vector<Rank>{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}));
  auto const row_after_row = on_row(ascending(16), 128);
  EXPECT_NEAR(detail::relayed_seconds(machine, {}, *options.given, row_after_row, 8)->value(), 2 * least, 1e-9);
}

}  // namespace
}  // namespace allport
