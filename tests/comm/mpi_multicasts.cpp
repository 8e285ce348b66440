// Multicasts over MPI: storms from all ranks to random groups, replayable, every message once and its bytes right.
#include "allport/comm/multicasts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>

#include "allport/multicast/schedule.h"
#include "world.h"

namespace allport {
namespace {

using namespace testing;

/// What a rank sends in a storm: a function of the storm and the rank alone, so that all know what they must get.
struct Shot {
  std::uint64_t tag = 0;
  std::vector<Rank> to;
  std::vector<std::byte> data;
};

std::vector<Shot> shots(int storm, Rank source, Rank ranks, std::size_t longest) {
  std::mt19937 random(static_cast<unsigned>(storm * 1009 + source));
  auto const draw = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  std::vector<Shot> all(10);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].tag = i * 7;
    all[i].to.resize(draw(static_cast<std::size_t>(ranks)));
    for (auto& r : all[i].to) r = static_cast<Rank>(draw(static_cast<std::size_t>(ranks - 1)));
    all[i].data.resize(i == 0 ? 0 : draw(longest));
    for (auto& b : all[i].data) b = static_cast<std::byte>(random());
  }
  return all;
}

/// (source, tag) -> bytes that rank `me` must get.
using Mail = std::map<std::pair<Rank, std::uint64_t>, std::vector<std::byte>>;

Mail expected(int storm, Rank me, Rank ranks, std::size_t longest) {
  Mail mail;
  for (Rank source = 0; source < ranks; ++source) {
    for (auto& shot : shots(storm, source, ranks, longest)) {
      if (std::ranges::find(shot.to, me) != shot.to.end()) mail[{source, shot.tag}] = std::move(shot.data);
    }
  }
  return mail;
}

int storms() {
  auto const* text = std::getenv("ALLPORT_TEST_STORMS");  // of each kind; the long suite asks for thousands
  return text == nullptr ? 6 : std::atoi(text);
}

void expect_storms(TopologyIds const& ids, MulticastOptions options, std::size_t longest) {
  auto const me = world_rank();
  Mail got;
  int twice = 0;
  Multicasts all(
      MPI_COMM_WORLD, ids,
      [&](Rank source, std::uint64_t tag, std::span<std::byte const> data) {
        twice += got.emplace(std::pair(source, tag), std::vector(data.begin(), data.end())).second ? 0 : 1;
      },
      options);
  for (int storm = 0; storm < storms(); ++storm) {
    got.clear();
    std::mt19937 delays(static_cast<unsigned>(storm + 31 * me));
    for (auto& shot : shots(storm, me, ids.ranks(), longest)) {
      all.send(DestinationSet::of(ids, shot.to), shot.tag, std::move(shot.data));
      if (delays() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(delays() % 300));
      for (auto turns = delays() % 3; turns > 0; --turns) all.progress();
    }
    all.finish();
    ASSERT_EQ(twice, 0) << "storm " << storm;
    ASSERT_EQ(got, expected(storm, me, ids.ranks(), longest)) << "storm " << storm;
    MPI_Barrier(MPI_COMM_WORLD);  // got is cleared, and the next storm may begin
  }
  std::array<std::int64_t, 2> const mine{all.counted().sent, all.counted().received};
  std::array<std::int64_t, 2> sum{};
  MPI_Allreduce(mine.data(), sum.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum[0], sum[1]);
}

TopologyIds binary() {
  int digits = 1;
  while (1 << digits < world_size()) ++digits;
  return TopologyIds::given(digits, 1, world_size());
}

TEST(MpiMulticasts, DeliverStormsOnceAndWhole) { expect_storms(binary(), {}, 3000); }

TEST(MpiMulticasts, DeliverStormsThroughTheSmallestBuffers) {
  expect_storms(binary(), {.receives = 1, .segment = Bytes(100), .intervals = 1, .sends = 1}, 1000);
}

TEST(MpiMulticasts, DeliverLongMessagesInSegments) {
  expect_storms(TopologyIds::given(2, 2, world_size()), {.receives = 2, .segment = Bytes(20000)}, 70'000);
}

TEST(MpiMulticasts, GoByAMachinesIds) {
  expect_storms(TopologyIds(Machine::parse(fitting_specs().back()), 1), {}, 5000);
}

TEST(MpiMulticasts, AsSchedulesRunOnACommunicator) {
  for (auto const& spec : fitting_specs()) {
    auto const machine = Machine::parse(spec);
    Communicator const comm(MPI_COMM_WORLD, machine);
    auto const me = comm.position(comm.rank());
    TopologyIds const ids(machine, 1);
    for (auto const way : {MulticastWay::flat, MulticastWay::chain, MulticastWay::prefix}) {
      auto const root = world_size() / 2;
      auto const contract = multicast_contract(world_size(), root, 5000, {0, world_size() - 1, world_size() / 3});
      auto const schedule = multicast_schedule(ids, way, {1}, contract, {700, 2});
      std::vector<std::byte> output(static_cast<std::size_t>(contract.output_bytes(me)));
      auto const byte = [](std::size_t i) { return static_cast<std::byte>(i * 7 % 251); };
      for (std::size_t i = 0; me == root && i < output.size(); ++i) output[i] = byte(i);
      comm.run(schedule, {{}, output});
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < output.size(); ++i) wrong += output[i] != byte(i) ? 1 : 0;
      EXPECT_EQ(wrong, 0U) << name(way) << " on " << spec;
    }
  }
}

TEST(MpiMulticasts, MayBeStartedFromWithinOne) {
  // A token that every rank but the first passes to all ranks behind it: 2^(n - 2) of them reach the last.
  auto const n = std::min<Rank>(world_size(), 10);
  auto const ids = binary();
  std::int64_t got = 0;
  Multicasts* self = nullptr;
  auto const behind = [&](Rank r) {
    std::vector<Rank> ranks;
    for (Rank other = r + 1; other < n; ++other) ranks.push_back(other);
    return DestinationSet::of(ids, ranks);
  };
  Multicasts all(MPI_COMM_WORLD, ids, [&](Rank source, std::uint64_t tag, std::span<std::byte const> data) {
    ++got;
    EXPECT_LT(source, world_rank());
    EXPECT_EQ(data.size(), 5U);
    self->send(behind(world_rank()), tag + 1, std::vector<std::byte>(5));
  });
  self = &all;
  if (world_rank() == 0) all.send(behind(0), 0, std::vector<std::byte>(5));
  all.finish();
  auto const me = world_rank();
  EXPECT_EQ(got, me == 0 || me >= n ? 0 : std::int64_t{1} << (me - 1));
}

TEST(MpiMulticasts, GoOnAfterDeliverHasThrown) {
  auto const ids = binary();
  int got = 0;
  Multicasts all(MPI_COMM_WORLD, ids, [&](Rank, std::uint64_t tag, std::span<std::byte const>) {
    ++got;
    if (tag == 1) throw std::runtime_error("no");
  });
  if (world_rank() == 0) all.send(DestinationSet::all(ids), 1, std::vector<std::byte>(100));
  int threw = 0;
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (threw == 0 && std::chrono::steady_clock::now() < until) {
    try {
      all.progress();
    } catch (std::runtime_error const&) {
      ++threw;
    }
  }
  EXPECT_EQ(threw, 1);
  if (world_rank() == 0) all.send(DestinationSet::all(ids), 2, {});
  all.finish();
  EXPECT_EQ(got, 2);
}

TEST(MpiMulticasts, RefuseWhatDoesNotFit) {
  auto const n = world_size();
  auto const nothing = [](Rank, std::uint64_t, std::span<std::byte const>) {};
  EXPECT_NE(error_of([&] { Multicasts(MPI_COMM_WORLD, TopologyIds::given(5, 1, n + 1), nothing); }).find("ids"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Multicasts(MPI_COMM_WORLD, binary(), nothing, {.receives = 0}); }).find("receives"),
            std::string::npos);
  Multicasts all(MPI_COMM_WORLD, binary(), nothing);
  EXPECT_NE(error_of([&] {
              all.send(DestinationSet({{0, n + 1}}), 0, {});
            }).find("positions below"),
            std::string::npos);
  all.finish();
}

}  // namespace
}  // namespace allport
