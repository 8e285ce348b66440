// Multicasts over MPI: storms from all ranks to random groups, replayable, every message once and its bytes right.
#include "comm/multicasts.h"

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

int setting(char const* name, int otherwise) {
  auto const* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

int first_storm() { return setting("ALLPORT_TEST_FIRST_STORM", 0); }
int end_of_storms() { return first_storm() + setting("ALLPORT_TEST_STORMS", 20); }

/// Drives messages until all ranks have all.
void finish(Multicasts& all, Multicasts::Arrived arrived) {
  while (!all.finish()) {
    if (!all.poll(arrived)) std::this_thread::yield();
  }
}

/// The way of a shot; which one is the storm's affair.
Multicast multicast_of_shot(TopologyIds const& ids, Rank source, Shot const& shot, MulticastTree tree) {
  return multicast_by(tree, ids, source, DestinationSet::of(ids, shot.to));
}

struct Storm {
  std::vector<MulticastTree> trees{MulticastTree::prefix};
  bool routed = false;  ///< ranks on the way work the destinations out, instead of being told
};

/// @returns the most bytes that this rank had in transit
std::int64_t expect_storms(TopologyIds const& ids, MulticastOptions options, std::size_t longest,
                           Storm const& how = {}) {
  auto const me = world_rank();
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto storm = first_storm();
  auto const tree = [&](std::int64_t shot) {
    return how.trees[static_cast<std::size_t>(storm + shot) % how.trees.size()];
  };
  Multicasts all(comm, ids, std::move(options), [&](MessageName const& name) {
    auto const index = static_cast<std::size_t>(name[1]);
    auto const source = static_cast<Rank>(name[0]);
    return multicast_of_shot(ids, source, shots(storm, source, ids.ranks(), longest)[index], tree(name[1]));
  });
  for (; storm < end_of_storms(); ++storm) {
    Mail got;
    int twice = 0;
    auto const arrived = [&](Multicasts::Message&& m) {
      std::vector<std::byte> data(m.data.get(), m.data.get() + m.bytes);
      EXPECT_EQ(m.source, m.name[0]);
      twice += got.emplace(std::pair(m.source, m.name[2]), std::move(data)).second ? 0 : 1;
    };
    std::mt19937 delays(static_cast<unsigned>(storm + 31 * me));
    auto const mine = shots(storm, me, ids.ranks(), longest);
    std::vector<int> left(mine.size(), 0);
    auto const leaves = [&](std::int64_t token) { ++left[static_cast<std::size_t>(token)]; };
    for (std::size_t i = 0; i < mine.size(); ++i) {
      auto const& shot = mine[i];
      auto const index = static_cast<std::int64_t>(i);
      MessageName const name{me, index, static_cast<std::int64_t>(shot.tag), 0, 0};
      if (how.routed) {
        all.send(name, shot.data, index);
      } else {
        all.send(multicast_of_shot(ids, me, shot, tree(index)), name, shot.data, index);
      }
      if (delays() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(delays() % 300));
      for (auto turns = delays() % 3; turns > 0; --turns) all.poll(arrived, leaves);
    }
    while (!all.finish()) {
      if (!all.poll(arrived, leaves)) std::this_thread::yield();
    }
    EXPECT_EQ(twice, 0) << "storm " << storm;
    EXPECT_EQ(got, expected(storm, me, ids.ranks(), longest)) << "storm " << storm;
    EXPECT_EQ(left, std::vector<int>(mine.size(), 1)) << "storm " << storm;
    MPI_Barrier(MPI_COMM_WORLD);  // the next storm may begin
  }
  auto const counted = all.counted();
  std::array<std::int64_t, 4> const here{counted.messages_sent, counted.bytes_sent, counted.messages_received,
                                         counted.bytes_received};
  std::array<std::int64_t, 4> sum{};
  MPI_Allreduce(here.data(), sum.data(), 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum[0], sum[2]);
  EXPECT_EQ(sum[1], sum[3]);
  return all.peak_transit();
}

TopologyIds binary() {
  int digits = 1;
  while (1 << digits < world_size()) ++digits;
  return TopologyIds::given(digits, 1, world_size());
}

TEST(MpiMulticasts, DeliverStormsOnceAndWhole) { expect_storms(binary(), {}, 3000); }

/// Over the two links of a ring of two long messages travel in one, elsewhere in pieces.
TEST(MpiMulticasts, DeliverStormsWhereTwoLinksJoinTwoNodes) {
  std::vector<Axis> axes(1, Axis{world_size(), true, BytesPerSecond(1e9), Seconds(1e-6)});
  if (world_size() % 2 == 0) {
    axes.front().length /= 2;
    axes.push_back({2, true, BytesPerSecond(1e9), Seconds(1e-6)});
  }
  TopologyIds const ids(Machine("rings", axes, NodeRates{}), TopologyIds::default_bits(world_size()));
  auto const both = {MulticastTree::axes, MulticastTree::prefix};
  expect_storms(ids, {.segment = Bytes(700), .last_segment = Bytes(900), .shared_out = true}, 9000, {both});
}

TEST(MpiMulticasts, DeliverStormsThroughTheSmallestBuffers) {
  // A class takes one message more when it has none; what arrives in the meantime waits where it is.
  auto const longest = 9000;
  auto const peak =
      expect_storms(binary(), {.segment = Bytes(100), .intervals = 1, .sends = 1, .transit = Bytes(1)}, longest);
  EXPECT_LE(peak, binary().digits() * (longest + 200));
}

TEST(MpiMulticasts, DeliverStormsByAllWays) {
  auto const all = {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::binomial,
                    MulticastTree::kary};
  expect_storms(binary(), {.segment = Bytes(1500)}, 9000, {all});
  expect_storms(binary(), {.segment = Bytes(1500), .last_segment = Bytes(1500)}, 9000, {all});
  expect_storms(binary(), {.intervals = 1}, 300, {all});
}

TEST(MpiMulticasts, DeliverStormsWhoseDestinationsFollowFromTheirNames) {
  auto const all = {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::binomial,
                    MulticastTree::kary};
  expect_storms(binary(), {.segment = Bytes(2000), .transit = Bytes(1)}, 9000, {all, true});
}

TEST(MpiMulticasts, DeliverStormsAlongAMachinesAxes) {
  TopologyIds const ids(Machine::parse(fitting_specs().back()), 1);
  expect_storms(ids, {.segment = Bytes(1500), .intervals = 1, .transit = Bytes(1)}, 5000, {{MulticastTree::axes}});
  expect_storms(ids, {.segment = Bytes(1500)}, 5000, {{MulticastTree::axes, MulticastTree::prefix}, true});
}

TEST(MpiMulticasts, DeliverLongMessagesInSegments) {
  expect_storms(TopologyIds::given(world_size() > 16 ? 3 : 2, 2, world_size()), {.segment = Bytes(20000)}, 70'000);
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
    for (auto const tree : {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::axes,
                            MulticastTree::binomial}) {
      auto const root = world_size() / 2;
      auto const contract = multicast_contract(world_size(), root, 5000, {0, world_size() - 1, world_size() / 3});
      auto const schedule = multicast_schedule(ids, tree, {1}, contract, {700, 2});
      std::vector<std::byte> output(static_cast<std::size_t>(contract.output_bytes(me)));
      auto const byte = [](std::size_t i) { return static_cast<std::byte>(i * 7 % 251); };
      for (std::size_t i = 0; me == root && i < output.size(); ++i) output[i] = byte(i);
      comm.run(schedule, {{}, output});
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < output.size(); ++i) wrong += output[i] != byte(i) ? 1 : 0;
      EXPECT_EQ(wrong, 0U) << name(tree) << " on " << spec;
    }
  }
}

TEST(MpiMulticasts, MayBeStartedFromWithinOne) {
  // A token that every rank but the first passes to all ranks behind it: 2^(n - 2) of them reach the last.
  auto const n = std::min<Rank>(world_size(), 10);
  auto const ids = binary();
  auto const me = world_rank();
  std::int64_t got = 0;
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Multicasts all(comm, ids);
  std::vector<std::byte> const data(5);
  auto const pass = [&](std::int64_t hops) {
    std::vector<Rank> behind;
    for (Rank other = me + 1; other < n; ++other) behind.push_back(other);
    all.send({me, DestinationSet::of(ids, behind)}, {hops}, data);
  };
  if (me == 0) pass(0);
  finish(all, [&](Multicasts::Message&& message) {
    ++got;
    EXPECT_LT(message.source, me);
    EXPECT_EQ(message.bytes, 5);
    pass(message.name[0] + 1);
  });
  EXPECT_EQ(got, me == 0 || me >= n ? 0 : std::int64_t{1} << (me - 1));
}

TEST(MpiMulticasts, GoOnAfterAReceiverHasThrown) {
  auto const ids = binary();
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Multicasts all(comm, ids);
  int got = 0;
  auto const arrived = [&](Multicasts::Message&& message) {
    ++got;
    if (message.name[0] == 1) throw std::runtime_error("no");
  };
  std::vector<std::byte> const data(100);
  if (world_rank() == 0) all.send({0, DestinationSet::all(ids)}, {1}, data);
  int threw = 0;
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (threw == 0 && std::chrono::steady_clock::now() < until) {
    try {
      all.poll(arrived);
    } catch (std::runtime_error const&) {
      ++threw;
    }
  }
  EXPECT_EQ(threw, 1);
  if (world_rank() == 0) all.send({0, DestinationSet::all(ids)}, {2}, {});
  finish(all, arrived);
  EXPECT_EQ(got, 2);
}

TEST(MpiMulticasts, TellOfEveryMessageOnItsWay) {
  auto const n = world_size();
  auto const ids = binary();
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(n));
  std::vector<MessageEvent> sent;
  std::vector<MessageEvent> received;
  Multicasts all(comm, ids, {.segment = Bytes(3000), .watch = [&](MessageEvent const& p) {
                               (p.sent ? sent : received).push_back(p);
                             }});
  std::vector<std::byte> const data(10000);
  for (int i = 0; i < 3 && world_rank() == n - 1; ++i) all.send({n - 1, DestinationSet::all(ids)}, {7, i}, data);
  finish(all, [](Multicasts::Message&&) {});
  EXPECT_EQ(received.size(), world_rank() == n - 1 ? 0U : 3U);
  EXPECT_EQ(static_cast<std::int64_t>(sent.size()), all.counted().messages_sent);
  for (auto const& one : received) EXPECT_EQ(one.number, one.name[1]);
  EXPECT_EQ(all.forwarded(), world_rank() == n - 1 ? 0 : all.counted().messages_sent);
}

TEST(MpiMulticasts, OvertakeWhatWaitsWhereTheyAreUrgent) {
  auto const n = world_size();
  if (n == 1) return;
  auto const ids = binary();
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(n));
  Multicasts all(comm, ids, {.segment = Bytes(4096), .sends = 1});
  std::vector<std::byte> const data(300'000);
  std::vector<std::int64_t> order;
  Multicast const to_last{0, DestinationSet::of(ids, std::vector<Rank>{n - 1}), MulticastTree::flat, {}};
  for (std::int64_t i = 0; i < 4 && world_rank() == 0; ++i) all.send(to_last, {i}, data);
  if (world_rank() == 0) all.send(to_last, {9}, std::span(data).first(4000), -1, true);
  if (world_rank() == 0) all.send(to_last, {8}, {}, -1, true);
  finish(all, [&](Multicasts::Message&& message) {
    order.push_back(message.name[0]);
    if (message.name[0] == 9) EXPECT_EQ(message.bytes, 4000);
  });
  if (world_rank() != n - 1) return;
  // The first long one is in flight already; the next ones wait until it has left.
  auto const at = [&](std::int64_t name) { return std::ranges::find(order, name) - order.begin(); };
  ASSERT_EQ(order.size(), 6U);
  for (auto const urgent : {8, 9}) EXPECT_LT(at(urgent), at(1)) << urgent;
  for (std::int64_t i = 1; i < 4; ++i) EXPECT_LT(at(i - 1), at(i));
}

TEST(MpiMulticasts, AreMadeWhileOtherRanksNeedWhatWasStarted) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const bytes = std::int64_t{1} << 20;  // which no rank sends on its own
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  if (comm.rank() == 0) std::ranges::fill(data, std::byte{7});
  auto started = comm.start(chain_broadcast(comm.size(), 0, bytes, {10000, 2}), {{}, data});
  if (comm.rank() % 2 == 0) started.wait();
  Multicasts all(comm, binary());
  finish(all, [](Multicasts::Message&&) {});
  started.wait();
  EXPECT_EQ(std::ranges::count(data, std::byte{7}), bytes);
}

/// A message that was sent after the end of its use comes in the next use of its channel.
TEST(MpiMulticasts, CountMessagesFromBeforeAndFailOnThemWhereChecked) {
  auto const n = world_size();
  if (n == 1) return;
  for (bool const checked : {false, true}) {
    Environment const check("ALLPORT_CHECK", checked ? "1" : "0");
    Communicator const comm(MPI_COMM_WORLD, Machine::flat(n));
    auto const ids = binary();
    auto const use = [&](auto const& before_leaving) {
      Multicasts all(comm, ids);
      finish(all, [](Multicasts::Message&&) {});
      comm.barrier();
      before_leaving(all);
      all.give_back();
    };
    auto const nothing = [](Multicasts&) {};
    Multicast const to_last{0, DestinationSet::of(ids, std::vector<Rank>{n - 1}), MulticastTree::flat, {}};
    use([&](Multicasts& all) {
      if (comm.rank() != 0) return;
      all.send(to_last, {1}, {});
      while (all.poll([](Multicasts::Message&&) {}) || all.has_open_requests()) std::this_thread::yield();
    });
    use(nothing);
    // The first channel again.
    Multicasts again(comm, ids);
    comm.barrier();
    std::string trouble;
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (comm.rank() == n - 1 && again.dropped() == 0 && std::chrono::steady_clock::now() < until) {
      trouble += error_of([&] { again.poll([](Multicasts::Message&&) { ADD_FAILURE() << "delivered"; }); });
    }
    EXPECT_EQ(again.dropped(), comm.rank() == n - 1 ? 1 : 0);
    EXPECT_EQ(trouble.find("from rank 0 that was sent after the end") != std::string::npos,
              checked && comm.rank() == n - 1)
        << trouble;
    finish(again, [](Multicasts::Message&&) {});
  }
}

TEST(MpiMulticasts, RefuseWhatDoesNotFit) {
  auto const n = world_size();
  auto const me = world_rank();
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(n));
  EXPECT_NE(error_of([&] { Multicasts(comm, TopologyIds::given(5, 1, n + 1)); }).find("ids"), std::string::npos);
  EXPECT_NE(error_of([&] { Multicasts(comm, binary(), {.sends = 0}); }).find("sends"), std::string::npos);
  EXPECT_NE(error_of([&] { Multicasts(comm, binary(), {.transit = Bytes(0)}); }).find("transit"), std::string::npos);
  Multicasts all(comm, binary());
  EXPECT_NE(error_of([&] {
              all.send({me, DestinationSet({{0, n + 1}})}, {}, {});
            }).find("positions below"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              all.send({me + 1, DestinationSet::all(all.ids())}, {}, {});
            }).find("source"),
            std::string::npos);
  EXPECT_NE(error_of([&] { all.send({}, {}); }).find("route"), std::string::npos);
  finish(all, [](Multicasts::Message&&) {});
}

}  // namespace
}  // namespace allport
