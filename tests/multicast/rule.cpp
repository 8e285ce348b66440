// The forwarding rule, exhaustively where IDs are few and at random beyond; and the checker on rules that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "allport/multicast/check.h"
#include "multicast/every.h"

namespace allport {
namespace {

std::string faults(MulticastReport const& report) {
  std::string all;
  for (auto const& f : report.faults) all += f + "; ";
  return all;
}

/// Who gets the message, by following share() of every rank alone: an account of its own.
std::multiset<Rank> delivered(TopologyIds const& ids, Multicast const& m) {
  std::multiset<Rank> got;
  for (Rank r = 0; r < ids.ranks(); ++r) {
    auto const mine = share(ids, m, r);
    if (mine.deliver) got.insert(r);
    if (mine.from < 0) continue;
    auto const theirs = share(ids, m, mine.from);
    EXPECT_EQ(std::ranges::count(theirs.hops, r, &Hop::next), 1) << r;
  }
  return got;
}

std::vector<Rank> random_ranks(std::mt19937& random, Rank ranks, int most) {
  std::vector<Rank> some(std::uniform_int_distribution<std::size_t>(0, static_cast<std::size_t>(most))(random));
  for (auto& r : some) r = std::uniform_int_distribution<Rank>(0, ranks - 1)(random);
  return some;
}

constexpr MulticastTree all_trees[] = {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix,
                                       MulticastTree::binomial, MulticastTree::kary};

TEST(Forwarding, ReachesEverySubsetOfFewRanksExactlyOnce) {
  auto const listed = TopologyIds::listed({13, 1, 14, 0, 7, 8, 9}, 4, 1);
  for (auto const& ids : {TopologyIds::given(3, 1, 8), TopologyIds::given(2, 2, 7), TopologyIds::given(1, 3, 7), listed,
                          TopologyIds(Machine::parse("torus:3x3"), 1), TopologyIds(Machine::parse("torus:1"), 2)}) {
    for (Rank source = 0; source < ids.ranks(); ++source) {
      for (int mask = 0; mask < 1 << ids.ranks(); mask += every()) {
        std::vector<Rank> wanted;
        for (Rank r = 0; r < ids.ranks(); ++r) {
          if ((mask >> r & 1) != 0) wanted.push_back(r);
        }
        auto const set = DestinationSet::of(ids, wanted);
        for (auto const tree : all_trees) {
          bool const splits = tree == MulticastTree::prefix || tree == MulticastTree::kary;
          for (int split = 0; split <= (splits ? 2 : 0); ++split) {
            Multicast const m{source, set, tree, {split}};
            auto const report = check(ids, m);
            ASSERT_TRUE(report.ok()) << name(tree) << " from " << source << ", mask " << mask << ": " << faults(report);
            if (mask % 11 != source) continue;
            ASSERT_EQ(delivered(ids, m), std::multiset<Rank>(wanted.begin(), wanted.end())) << mask;
          }
        }
      }
    }
  }
}

TEST(Forwarding, ReachesRandomSetsOfManyRanks) {
  std::mt19937 random(5);
  std::vector<TopologyIds> const all{
      TopologyIds::given(4, 2, 256), TopologyIds::given(4, 3, 2048), TopologyIds::given(5, 4, 1 << 20),
      TopologyIds(Machine::parse("torus:5x7x3/ppn=6"), 2), TopologyIds(Machine::parse("torus:100x100x104"), 4)};
  for (auto const& ids : all) {
    for (int turn = 0; turn < 24; ++turn) {
      auto const some = random_ranks(random, ids.ranks(), turn < 20 ? 60 : 200);
      auto const source = std::uniform_int_distribution<Rank>(0, ids.ranks() - 1)(random);
      auto const set = DestinationSet::of(ids, some);
      EXPECT_EQ(static_cast<std::size_t>(set.size()), std::set<Rank>(some.begin(), some.end()).size());
      for (int split = 0; split <= 3; ++split) {
        auto const report = check(ids, {source, set, MulticastTree::prefix, {split}});
        ASSERT_TRUE(report.ok()) << ids.ranks() << " ranks, turn " << turn << ": " << faults(report);
        EXPECT_GE(report.messages, set.without(ids.position(source)).size());
        if (split == 0) EXPECT_LE(report.steps, ids.digits());
      }
      for (auto const tree : {MulticastTree::flat, MulticastTree::chain, MulticastTree::binomial}) {
        auto const report = check(ids, {source, set, tree, {}});
        ASSERT_TRUE(report.ok()) << name(tree) << ": " << faults(report);
        EXPECT_EQ(report.messages, set.without(ids.position(source)).size());
        EXPECT_EQ(report.relays, 0);
      }
    }
  }
}

TEST(Forwarding, DoesSong09sExample) {
  auto const ids = TopologyIds::parse("3x1bit");
  Multicast const m{0b001, DestinationSet::of(ids, std::vector<Rank>{0b010, 0b100, 0b101}), MulticastTree::prefix, {}};
  auto const first = share(ids, m, m.source);
  ASSERT_EQ(first.hops.size(), 2u) << "one group for each row at which destinations part";
  EXPECT_EQ(first.hops[0].set.ranks(ids), (std::vector<Rank>{0b100, 0b101}));
  EXPECT_EQ(first.hops[0].next, 0b101);
  EXPECT_EQ(first.hops[1].set.ranks(ids), (std::vector<Rank>{0b010}));
  EXPECT_EQ(first.hops[1].next, 0b010);
  auto const report = check(ids, m);
  EXPECT_TRUE(report.ok()) << faults(report);
  EXPECT_EQ(report.messages, 3);
  EXPECT_EQ(report.steps, 2);
  EXPECT_EQ(report.relays, 0);
}

TEST(Forwarding, ToAllSendsOneMessageARankAndSplitsWideRows) {
  auto const ids = TopologyIds::given(2, 5, 1 << 10);
  auto const all = DestinationSet::all(ids);
  EXPECT_EQ(all.intervals().size(), 1u);
  auto const plain = check(ids, {77, all, MulticastTree::prefix, {}});
  EXPECT_TRUE(plain.ok()) << faults(plain);
  EXPECT_EQ(plain.messages, 1023);
  EXPECT_EQ(plain.fan_out, 62) << "two rows of 31";
  EXPECT_EQ(plain.steps, 2);
  auto const halved = check(ids, {77, all, MulticastTree::prefix, {1}});
  EXPECT_TRUE(halved.ok()) << faults(halved);
  EXPECT_EQ(halved.messages, 1023);
  EXPECT_EQ(halved.fan_out, 10) << "two rows of 5 bits";
  EXPECT_LE(halved.steps, 10);
  auto const fours = check(ids, {77, all, MulticastTree::prefix, {2}});
  EXPECT_TRUE(fours.ok()) << faults(fours);
  EXPECT_LE(fours.fan_out, 2 * (3 + 3 + 1));
}

TEST(Forwarding, SpreadsTheRelaysOfManyMulticasts) {
  // Everybody multicasts to everybody: nobody forwards far more than the mean.
  TopologyIds const ids(Machine::parse("torus:8x8x4"), 2);
  std::vector<int> sent(static_cast<std::size_t>(ids.ranks()), 0);
  for (Rank source = 0; source < ids.ranks(); ++source) {
    Multicast const m{source, DestinationSet::all(ids), MulticastTree::prefix, {}};
    for (Rank r = 0; r < ids.ranks(); ++r)
      sent[static_cast<std::size_t>(r)] += static_cast<int>(share(ids, m, r).hops.size());
  }
  EXPECT_LT(*std::ranges::max_element(sent), 3 * (ids.ranks() - 1));
}

TEST(Check, CountsLinksAgainstTheirBound) {
  auto const machine = Machine::parse("torus:4x4");
  TopologyIds const ids(machine, 2);
  auto const all = DestinationSet::all(ids);
  auto const flat = check(ids, {0, all, MulticastTree::flat, {}}, &machine);
  EXPECT_EQ(flat.bound, 15);
  EXPECT_EQ(flat.links, 32) << "the sum of all ways on 4 x 4: 2 * 4 * (0 + 1 + 2 + 1)";
  EXPECT_EQ(flat.busiest, 8) << "two columns of four, x first and ties upwards";
  auto const prefix = check(ids, {0, all, MulticastTree::prefix, {}}, &machine);
  EXPECT_EQ(prefix.bound, 15);
  EXPECT_GE(prefix.links, prefix.bound);
  EXPECT_LE(prefix.links, flat.links);
  auto const far = check(ids, {0, DestinationSet::of(ids, std::vector<Rank>{10}), MulticastTree::flat, {}}, &machine);
  EXPECT_EQ(far.bound, 4) << "two links along each axis";
  EXPECT_EQ(far.links, 4);
}

TEST(Check, NamesWhatAWrongRuleBreaks) {
  auto const ids = TopologyIds::given(3, 1, 8);
  auto const all = DestinationSet::all(ids);
  auto const right = [&](Rank rank, DestinationSet const& set) { return forward(RoutingTable(ids, rank), set); };
  auto const with = [&](auto&& change) {
    auto const rule = [&](Rank rank, DestinationSet const& set) {
      auto forwarding = right(rank, set);
      change(rank, forwarding);
      return forwarding;
    };
    return faults(check_rule(ids, 0, all, {}, rule));
  };
  EXPECT_EQ(with([](Rank, Forwarding&) {}), "");
  EXPECT_NE(
      with([](Rank rank, Forwarding& forwarding) { forwarding.deliver &= rank != 5; }).find("rank 5 does not keep"),
      std::string::npos);
  EXPECT_NE(with([](Rank rank, Forwarding& forwarding) {
              if (rank == 0) forwarding.hops.pop_back();
            }).find("never gets the message"),
            std::string::npos);
  EXPECT_NE(with([](Rank rank, Forwarding& forwarding) {
              if (rank == 0) forwarding.hops.push_back(forwarding.hops.front());
            }).find("which has it"),
            std::string::npos);
  EXPECT_NE(with([](Rank rank, Forwarding& forwarding) {
              if (rank == 0) forwarding.hops.front().next = 1;  // of the near half, for the far one
            }).find("does not grow"),
            std::string::npos);
  EXPECT_NE(with([&](Rank rank, Forwarding& forwarding) {
              for (auto& hop : forwarding.hops) hop.set = rank == 0 ? hop.set : all;
            }).find("destinations that it was not given"),
            std::string::npos);
  EXPECT_NE(with([](Rank rank, Forwarding& forwarding) {
              if (rank == 0) forwarding.hops.push_back({0, {0, 1}, {}});
            }).find("a message without destinations"),
            std::string::npos);
  auto const two = DestinationSet::of(ids, std::vector<Rank>{1, 2});
  auto const keeps = [&](Rank rank, DestinationSet const& set) {
    auto forwarding = right(rank, set);
    forwarding.deliver = true;
    return forwarding;
  };
  EXPECT_NE(faults(check_rule(ids, 0, two, {}, keeps)).find("rank 0 keeps the message, and is none"),
            std::string::npos);
}

TEST(DestinationSet, KeepsIntervalsApartAndCounts) {
  DestinationSet const set({{8, 9}, {2, 5}, {4, 6}, {6, 7}, {3, 3}});
  EXPECT_EQ(set.intervals(), (std::vector<Positions>{{2, 7}, {8, 9}}));
  EXPECT_EQ(set.size(), 6);
  EXPECT_EQ(set, DestinationSet({{2, 7}, {8, 9}}));
  for (Rank p = 0; p < 11; ++p) {
    bool const in = (p >= 2 && p < 7) || p == 8;
    EXPECT_EQ(set.contains(p), in) << p;
    EXPECT_EQ(set.without(p).size(), in ? 5 : 6) << p;
    EXPECT_EQ(set.below(p), std::clamp(p - 2, 0, 5) + (p > 8 ? 1 : 0)) << p;
  }
  for (Rank i = 0; i < 6; ++i) EXPECT_EQ(set.below(set.at(i)), i);
  EXPECT_EQ(set.within({5, 9}), DestinationSet({{5, 7}, {8, 9}}));
  EXPECT_TRUE(set.within({7, 8}).empty());
  EXPECT_FALSE(set.meets({7, 8}));
  EXPECT_TRUE(DestinationSet().empty());
  EXPECT_EQ(DestinationSet().size(), 0);
  EXPECT_THROW(DestinationSet({{3, 2}}), Error);
  auto const ids = TopologyIds::given(3, 1, 8);
  EXPECT_THROW((void)DestinationSet::of(ids, std::vector<Rank>{1, 8}), Error);
  EXPECT_EQ(DestinationSet::of(ids, std::vector<Rank>{4, 1, 4, 2}).ranks(ids), (std::vector<Rank>{1, 2, 4}));
}

}  // namespace
}  // namespace allport
