// Every registered algorithm, run by the reference executor on real bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "allport/collectives/registry.h"
#include "allport/schedule/interpreter.h"
#include "collectives/machines.h"
#include "schedule/judge.h"

namespace allport {
namespace {

std::vector<std::byte> random_bytes(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (auto& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

/// Sums of Number, element by element, left + right.
template <class Number>
void add(std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
  ASSERT_EQ(bytes % static_cast<std::int64_t>(sizeof(Number)), 0) << "an element was cut";
  for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof(Number))) {
    Number l;
    Number r;
    std::memcpy(&l, left + i, sizeof l);
    std::memcpy(&r, right + i, sizeof r);
    l = static_cast<Number>(l + r);
    std::memcpy(out + i, &l, sizeof l);
  }
}

void expect_broadcast(Machine const& machine, Algorithm const& algorithm, Rank root, std::int64_t bytes, Cut cut,
                      std::uint64_t seed) {
  auto const contract = Contract{Collective::broadcast, machine.ranks(), root, bytes, 1};
  auto const schedule = make_schedule(machine, contract, algorithm.name, cut);
  auto const message = random_bytes(bytes, seed + 1);
  std::vector<RankBuffers> ranks(static_cast<std::size_t>(machine.ranks()));
  for (auto& r : ranks) r.output.assign(static_cast<std::size_t>(bytes), std::byte{0xEE});
  ranks[static_cast<std::size_t>(root)].output = message;
  interpret(schedule, ranks, {}, seed);
  for (Rank r = 0; r < machine.ranks(); ++r) {
    ASSERT_TRUE(ranks[static_cast<std::size_t>(r)].output == message) << "rank " << r << " got other bytes";
  }
}

/// The root's output of a reduction of random numbers, the same for the same machine and bytes.
template <class Number>
std::vector<std::byte> reduced(Machine const& machine, std::string_view name, Rank root, std::int64_t count, Cut cut,
                               std::uint64_t seed, std::vector<Number>* sums = nullptr) {
  auto const element = static_cast<std::int64_t>(sizeof(Number));
  auto const contract = Contract{Collective::reduce, machine.ranks(), root, count * element, element};
  auto const schedule = make_schedule(machine, contract, name, cut);
  std::mt19937_64 random(17);
  std::vector<RankBuffers> ranks(static_cast<std::size_t>(machine.ranks()));
  if (sums != nullptr) sums->assign(static_cast<std::size_t>(count), Number{});
  for (auto& r : ranks) {
    std::vector<Number> mine(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      mine[i] = static_cast<Number>(random() % 1000) / static_cast<Number>(7);
      if (sums != nullptr) (*sums)[i] = static_cast<Number>((*sums)[i] + mine[i]);
    }
    r.input.resize(mine.size() * sizeof(Number));
    if (!mine.empty()) std::memcpy(r.input.data(), mine.data(), r.input.size());
  }
  auto& output = ranks[static_cast<std::size_t>(root)].output;
  output.assign(static_cast<std::size_t>(contract.bytes), std::byte{0xEE});
  interpret(schedule, ranks, add<Number>, seed);
  return output;
}

void expect_reduce(Machine const& machine, Algorithm const& algorithm, Rank root, std::int64_t count, Cut cut,
                   std::uint64_t seed) {
  std::vector<std::int32_t> sums;
  auto const output = reduced<std::int32_t>(machine, algorithm.name, root, count, cut, seed, &sums);
  ASSERT_EQ(output.size(), sums.size() * sizeof(std::int32_t));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::int32_t got = 0;
    std::memcpy(&got, output.data() + i * sizeof got, sizeof got);
    ASSERT_EQ(got, sums[i]) << "element " << i;
  }
}

bool rooted(Collective what) {
  return what == Collective::scatter || what == Collective::gather || what == Collective::allreduce;
}

/// Every other collective, against its definition. Blocks of size / 4 bytes (elements of 8 where they are combined) ...
void expect_blocks(Machine const& machine, Algorithm const& algorithm, Rank root, std::int64_t size, Cut cut,
                   std::uint64_t seed) {
  auto const p = machine.ranks();
  bool const sums = hand::reduces(algorithm.what);
  auto const element = std::int64_t{sums ? 8 : 1};
  auto contract =
      Contract{algorithm.what, p, root, algorithm.what == Collective::barrier ? 0 : size / 4 * element, element};
  cut.segment = std::max(cut.segment, element);
  auto wrong = hand::failure(make_schedule(machine, contract, algorithm.name, cut), seed);
  ASSERT_FALSE(wrong) << *wrong;
  // ... and blocks of many lengths, some empty.
  if (algorithm.what == Collective::barrier || algorithm.what == Collective::allreduce) return;
  bool const pairs = algorithm.what == Collective::alltoall;
  std::mt19937_64 random(seed + 5);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(pairs ? p * p : p));
  for (auto& l : lengths) l = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 40) * element;
  auto const table = pairs ? BlockTable::per_pair(lengths, p) : BlockTable::per_rank(lengths);
  contract = with_blocks(algorithm.what, p, root, table, element);
  if (algorithm.why_not(machine, contract)) return;
  wrong = hand::failure(make_schedule(machine, contract, algorithm.name, cut), seed);
  ASSERT_FALSE(wrong) << *wrong << " (blocks of many lengths)";
}

/// Sizes: in bytes for a broadcast, in elements of four bytes for a reduction.
void expect_delivery(Machine const& machine, Rank root, std::int64_t size, Cut cut, std::uint64_t seed) {
  for (auto const* algorithm : library_algorithms()) {
    auto const contract = Contract{algorithm->what, machine.ranks(), root, size * 4, 4};
    if (algorithm->why_not(machine, contract)) continue;
    SCOPED_TRACE(std::string(name(algorithm->what)) + " " + std::string(algorithm->name) + " root " +
                 std::to_string(root) + " size " + std::to_string(size) + " segment " + std::to_string(cut.segment) +
                 " window " + std::to_string(cut.window) + " seed " + std::to_string(seed));
    if (algorithm->what != Collective::broadcast && algorithm->what != Collective::reduce) {
      if (!rooted(algorithm->what) && root != 0 && root != machine.ranks() / 2 && root != machine.ranks() - 1) continue;
      expect_blocks(machine, *algorithm, root, size, cut, seed);
    }
    if (algorithm->what == Collective::broadcast) expect_broadcast(machine, *algorithm, root, size, cut, seed);
    if (algorithm->what == Collective::reduce) expect_reduce(machine, *algorithm, root, size, cut, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

class DeliveryOn : public testing::TestWithParam<std::string> {};

TEST_P(DeliveryOn, ReachesFromAndToEveryRoot) {
  auto const machine = Machine::parse(GetParam());
  for (auto const root : test::all_roots(machine)) {
    expect_delivery(machine, root, 641, {32, 2}, 1);
    if (HasFatalFailure()) return;
  }
}

TEST_P(DeliveryOn, TakesAnySizeSegmentAndWindow) {
  auto const machine = Machine::parse(GetParam());
  for (std::int64_t const size : {0, 1, 2, 3, 7, 64, 1000}) {
    for (auto const cut : {Cut{4, 1}, Cut{4, 3}, Cut{60, 1}, Cut{67, 2}, Cut{100, 3}, Cut{1 << 20, 2}}) {
      expect_delivery(machine, machine.ranks() / 2, size, cut, 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(DeliveryOn, DoesNotDependOnTheInterleaving) {
  auto const machine = Machine::parse(GetParam());
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    expect_delivery(machine, machine.ranks() - 1, 403, {16, static_cast<std::int32_t>(seed % 3) + 1}, seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, DeliveryOn, testing::ValuesIn(test::small_machines()));

class DeliveryOnLarge : public testing::TestWithParam<std::string> {};

TEST_P(DeliveryOnLarge, ReachesFromAndToSomeRoots) {
  auto const machine = Machine::parse(GetParam());
  for (auto const root : test::some_roots(machine)) {
    expect_delivery(machine, root, 1000, {64, 2}, 3);
    expect_delivery(machine, root, 333, {100, 1}, 4);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Large, DeliveryOnLarge, testing::ValuesIn(test::large_machines()));

// Sums of doubles depend on the order of combining, so equal bits mean an equal order.
TEST(Reductions, GiveTheSameBitsForAnyCutAndInterleaving) {
  for (auto const* spec : {"torus:4x3", "mesh:3x4", "torus:3x2x2/ppn=2", "torus:7"}) {
    auto const machine = Machine::parse(spec);
    for (auto const* algorithm : library_algorithms()) {
      if (algorithm->what != Collective::reduce) continue;
      SCOPED_TRACE(std::string(spec) + " " + std::string(algorithm->name));
      auto const expected = reduced<double>(machine, algorithm->name, 5, 211, {1 << 20, 2}, 0);
      for (std::uint64_t seed = 1; seed < 6; ++seed) {
        for (auto const cut : {Cut{8, 1}, Cut{50, 2}, Cut{400, 3}}) {
          EXPECT_TRUE(reduced<double>(machine, algorithm->name, 5, 211, cut, seed) == expected);
        }
      }
    }
  }
}

// Left operand: the smaller ranks. Concatenation-like: (first of left, last of right) of linked pairs.
TEST(Reductions, BinomialToRank0IsRankOrdered) {
  struct Range {
    std::int32_t first;
    std::int32_t last;
  };
  auto const join = [](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof(Range))) {
      Range l{};
      Range r{};
      std::memcpy(&l, left + i, sizeof l);
      std::memcpy(&r, right + i, sizeof r);
      EXPECT_EQ(l.last + 1, r.first);
      l.last = r.last;
      std::memcpy(out + i, &l, sizeof l);
    }
  };
  for (Rank p = 1; p <= 19; ++p) {
    auto const machine = Machine::flat(p);
    auto const contract = Contract{Collective::reduce, p, 0, 5 * sizeof(Range), sizeof(Range)};
    std::vector<RankBuffers> ranks(static_cast<std::size_t>(p));
    for (Rank r = 0; r < p; ++r) {
      auto& input = ranks[static_cast<std::size_t>(r)].input;
      input.resize(5 * sizeof(Range));
      auto const mine = Range{r, r};
      for (std::size_t i = 0; i < 5; ++i) std::memcpy(input.data() + i * sizeof mine, &mine, sizeof mine);
    }
    ranks[0].output.resize(5 * sizeof(Range));
    interpret(make_schedule(machine, contract, "binomial", {16, 2}), ranks, join);
    Range got{};
    std::memcpy(&got, ranks[0].output.data() + 4 * sizeof got, sizeof got);
    EXPECT_EQ(got.first, 0);
    EXPECT_EQ(got.last, p - 1);
  }
}

}  // namespace
}  // namespace allport
