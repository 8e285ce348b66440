// Prices of MPI's textbook algorithms against sums by hand over rounds that are walked link by link.
#include "allport/model/mpi_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace allport;
using namespace allport::model;

namespace {

using Messages = std::vector<std::pair<int, int>>;

constexpr double bandwidth = 5e6;
constexpr double hop = 1e-4;
constexpr double o = 2e-5;

Machine ring(int n, bool wraps = true) {
  NodeRates rates;
  rates.overhead = Seconds(o);
  return {"ring", {{n, wraps, BytesPerSecond(bandwidth), Seconds(hop)}}, rates};
}

/// Cost of messages at the same time on one axis, walked by hand: ties go up.
double walked(int n, bool wraps, Messages const& messages, double bytes) {
  std::map<std::pair<int, int>, int> load;
  int most = 0;
  int longest = 0;
  for (auto [from, to] : messages) {
    auto const up = ((to - from) % n + n) % n;
    auto const forward = wraps ? 2 * up <= n : to > from;
    int steps = 0;
    while (from != to) {
      most = std::max(most, ++load[{from, forward ? 1 : 0}]);
      from = (from + (forward ? 1 : n - 1)) % n;
      ++steps;
    }
    longest = std::max(longest, steps);
  }
  return 2 * o + longest * hop + bytes * most / bandwidth;
}

Messages exchange(int n, int bit) {
  Messages m;
  for (int r = 0; r < n; ++r) {
    if ((r ^ bit) < n) m.emplace_back(r, r ^ bit);
  }
  return m;
}

double near(double x) { return 1e-9 * std::abs(x) + 1e-15; }

TEST(MpiCost, AllgatherIsTheBetterOfRingAndDoubling) {
  for (auto const wraps : {true, false}) {
    for (auto const bytes : {0.0, 8.0, 4e3, 1e6}) {
      auto const n = 8;
      Messages next;
      for (int r = 0; r < n; ++r) next.emplace_back(r, (r + 1) % n);
      auto const by_ring = (n - 1) * walked(n, wraps, next, bytes);
      auto by_doubling = 0.0;
      for (int bit = 1; bit < n; bit *= 2) by_doubling += walked(n, wraps, exchange(n, bit), bit * bytes);
      auto const got = mpi_allgather(ring(n, wraps), Bytes(static_cast<std::int64_t>(bytes))).value();
      EXPECT_NEAR(got, std::min(by_ring, by_doubling), near(got)) << bytes << (wraps ? " ring" : " line");
      EXPECT_NEAR(mpi_reduce_scatter(ring(n, wraps), Bytes(static_cast<std::int64_t>(bytes))).value(), got, near(got))
          << "no operator, no difference";
    }
  }
}

TEST(MpiCost, BarrierTakesARoundPerBit) {
  for (auto const n : {1, 2, 3, 5, 8}) {
    auto wanted = 0.0;
    for (int bit = 1; bit < n; bit *= 2) wanted += walked(n, true, exchange(n, bit), 0);
    EXPECT_NEAR(mpi_barrier(ring(n)).value(), wanted, near(wanted)) << n;
  }
}

TEST(MpiCost, ScatterChoosesBetweenTreeAndFan) {
  auto const n = 8;
  Messages fan;
  for (int r = 1; r < n; ++r) fan.emplace_back(0, r);
  for (auto const bytes : {8.0, 5e5}) {
    auto tree = 0.0;
    for (int bit = 1; bit < n; bit *= 2) tree += walked(n, true, exchange(n, bit), bit * bytes);
    auto const linear = walked(n, true, fan, bytes) + (n - 2) * o;
    auto const got = mpi_scatter(ring(n), 0, Bytes(static_cast<std::int64_t>(bytes))).value();
    EXPECT_NEAR(got, std::min(tree, linear), near(got)) << bytes;
  }
}

TEST(MpiCost, AlltoallSumsItsDistances) {
  auto const n = 6;
  auto const bytes = 1e6;
  auto pairwise = 0.0;
  Messages all;
  for (int d = 1; d < n; ++d) {
    Messages shift;
    for (int r = 0; r < n; ++r) shift.emplace_back(r, (r + d) % n);
    pairwise += walked(n, true, shift, bytes);
    all.insert(all.end(), shift.begin(), shift.end());
  }
  auto const got = mpi_alltoall(ring(n), Bytes(1000000)).value();
  EXPECT_LE(got, pairwise);
  EXPECT_GE(got, walked(n, true, all, bytes) - 1e-2) << "no faster than all its bytes over the busiest link";
}

TEST(MpiCost, ALongBroadcastComesNearOneLinkAndAShortOneIsATree) {
  auto const m = Machine(
      "torus", {{4, true, BytesPerSecond(bandwidth), Seconds(hop)}, {4, true, BytesPerSecond(bandwidth), Seconds(hop)}},
      {});
  auto const long_one = mpi_bcast(m, 3, Bytes(4000000)).value();
  EXPECT_GT(long_one, 4e6 / bandwidth) << "one link at a time";
  EXPECT_LT(long_one, 1.5 * 4e6 / bandwidth);
  EXPECT_LT(mpi_bcast(m, 0, Bytes(8)).value(), 4 * (2 * hop + 8 / bandwidth) + 1e-12) << "a binomial tree";
  EXPECT_GE(mpi_allreduce(m, Bytes(4000000)).value(), long_one) << "moves more";
  EXPECT_EQ(mpi_reduce(m, 0, Bytes(0)).value() > 0.0, true);
}

// Ranks that are placed elsewhere send over other links: those between their places.
TEST(MpiCost, GoesByTheRanksPlaces) {
  auto const n = 8;
  std::vector<Rank> const places = {3, 6, 1, 4, 7, 2, 5, 0};
  auto const placed = [&](Messages messages) {
    for (auto& [from, to] : messages) {
      from = places[static_cast<std::size_t>(from)];
      to = places[static_cast<std::size_t>(to)];
    }
    return messages;
  };
  for (auto const bytes : {8, 100000}) {
    auto const m = Bytes(bytes);
    Messages next;
    Messages fan;
    for (int r = 0; r < n; ++r) next.emplace_back(r, (r + 1) % n);
    for (int r = 1; r < n; ++r) fan.emplace_back(0, r);
    auto doubling = 0.0;
    auto swapping = 0.0;
    for (int bit = 1; bit < n; bit *= 2) {
      doubling += walked(n, true, placed(exchange(n, bit)), bit * bytes);
      swapping += walked(n, true, placed(exchange(n, bit)), 0);
    }
    auto const by_ring = (n - 1) * walked(n, true, placed(next), bytes);
    EXPECT_NEAR(mpi_allgather(ring(n), m, places).value(), std::min(by_ring, doubling), near(doubling));
    EXPECT_NEAR(mpi_barrier(ring(n), places).value(), swapping, near(swapping));
    auto const linear = walked(n, true, placed(fan), bytes) + (n - 2) * o;
    EXPECT_NEAR(mpi_scatter(ring(n), 0, m, places).value(), std::min(doubling, linear), near(linear));
  }
  // Short: the binomial tree from rank 2, round by round.
  auto tree = 0.0;
  for (int step = 4; step > 0; step /= 2) {
    Messages round;
    for (int v = 0; v + step < n; v += 2 * step) round.emplace_back((v + 2) % n, (v + step + 2) % n);
    tree += walked(n, true, placed(round), 8);
  }
  EXPECT_NEAR(mpi_bcast(ring(n), 2, Bytes(8), places).value(), tree, near(tree));
  std::vector<Rank> const same = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(mpi_allreduce(ring(n), Bytes(100000), same), mpi_allreduce(ring(n), Bytes(100000)));
  EXPECT_GT(mpi_alltoall(ring(n), Bytes(1000), places).value(), 0.0);
  EXPECT_THROW((void)mpi_barrier(ring(n), std::span(places).first(7)), Error);
}

TEST(MpiCost, OneRankIsFreeAndLargeMachinesAreQuick) {
  auto const one = Machine::parse("torus:1");
  EXPECT_EQ(mpi_bcast(one, 0, Bytes(100)).value(), 0.0);
  EXPECT_EQ(mpi_alltoall(one, Bytes(100)).value(), 0.0);
  EXPECT_EQ(mpi_barrier(one).value(), 0.0);
  auto const large = Machine::parse("bgp:64x64x64");
  EXPECT_GT(mpi_allreduce(large, Bytes(1 << 20)).value(), 0.0);
  EXPECT_GT(mpi_alltoall(large, Bytes(8)).value(), 0.0);
  EXPECT_GT(mpi_allgather(Machine::parse("torus:2x3m/ppn=5"), Bytes(8)).value(), 0.0);
}

TEST(MpiCost, BadArgumentsAreNamed) {
  EXPECT_THROW((void)mpi_bcast(ring(4), 4, Bytes(1)), Error);
  EXPECT_THROW((void)mpi_reduce(ring(4), 0, Bytes(-1)), Error);
}

}  // namespace
