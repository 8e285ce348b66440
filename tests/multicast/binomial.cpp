// The binomial tree, whatever the number of its members: how many ranks each sends to, and how far away the last is.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "allport/multicast/check.h"
#include "allport/multicast/schedule.h"

namespace allport {
namespace {

/// ceil(log2 members), counted.
int rounds_of(Rank members) {
  int rounds = 0;
  for (Rank reached = 1; reached < members; reached *= 2) ++rounds;
  return rounds;
}

/// Every second rank or so of these IDs, `members` with the source.
std::vector<Rank> destinations(TopologyIds const& ids, Rank source, Rank members) {
  std::vector<Rank> to;
  for (Rank step = 1; std::ssize(to) + 1 < members; ++step) to.push_back((source + 2 * step + 1) % ids.ranks());
  return to;
}

/// Children of each member by its place in the order: as many as its place ends in zero bits, of those that there are.
std::vector<int> children_by_place(Rank members) {
  std::vector<int> all;
  for (Rank place = 0; place < members; ++place) {
    int children = 0;
    for (Rank bit = 1; place + bit < members && place % (2 * bit) == 0; bit *= 2) ++children;
    all.push_back(children);
  }
  return all;
}

TEST(Binomial, MembersSendAsTheTreeSaysWhateverTheirNumber) {
  for (auto const& ids : {TopologyIds::given(2, 3, 37), TopologyIds(Machine::parse("torus:6x7"), 2),
                          TopologyIds(Machine::parse("bgp:4x8x2"), TopologyIds::default_bits(64))}) {
    for (Rank const members : {16, 13, 8, 7, 3, 2, 1}) {
      for (Rank source = 0; source < ids.ranks(); ++source) {
        auto const to = destinations(ids, source, members);
        Multicast const m{source, DestinationSet::of(ids, to), MulticastTree::binomial, {}};
        ASSERT_EQ(m.set.size() + 1, members) << "ranks repeat, or the source is one";
        auto const report = check(ids, m);
        ASSERT_TRUE(report.ok()) << members << " from " << source << ": " << report.faults.front();
        EXPECT_EQ(report.messages, members - 1);
        EXPECT_EQ(report.relays, 0);
        EXPECT_EQ(report.fan_out, rounds_of(members)) << "the source's";
        EXPECT_EQ(static_cast<int>(share(ids, m, source).hops.size()), rounds_of(members));
        // Members by place: in the order of IDs, from the source on and round.
        std::vector<Rank> order{source};
        for (Rank p = 1; p < ids.ranks(); ++p) {
          auto const rank = ids.rank_at((ids.position(source) + p) % ids.ranks());
          if (std::ranges::count(to, rank) > 0) order.push_back(rank);
        }
        std::vector<int> sent;
        for (auto const rank : order) sent.push_back(static_cast<int>(share(ids, m, rank).hops.size()));
        EXPECT_EQ(sent, children_by_place(members)) << members << " from " << source;
      }
    }
  }
}

TEST(Binomial, AllHaveItAfterSoManyRounds) {
  auto const ids = TopologyIds::given(3, 2, 50);
  for (Rank const members : {50, 32, 16, 13, 7, 2, 1}) {
    auto const to = destinations(ids, 0, std::min<Rank>(members, 25));
    auto const set = members > 25 ? DestinationSet({{0, members}}) : DestinationSet::of(ids, to);
    Multicast const m{0, set, MulticastTree::binomial, {}};
    // A rank sends one message a round, from the round after that in which it has it.
    std::map<Rank, int> has{{0, 0}};
    std::map<Rank, int> hops{{0, 0}};
    std::map<Rank, int> next{{0, 0}};
    for (auto const& [from, receiver] : messages(ids, m)) {
      auto& round = next[from];
      round = std::max(round, has.at(from)) + 1;
      has[receiver] = round;
      hops[receiver] = hops.at(from) + 1;
    }
    EXPECT_EQ(std::ssize(has), members);
    auto const last = [](std::map<Rank, int> const& of) {
      int most = 0;
      for (auto const& [rank, value] : of) most = std::max(most, value);
      return most;
    };
    EXPECT_EQ(last(has), rounds_of(members)) << members;
    EXPECT_EQ(last(hops), std::bit_width(static_cast<unsigned>(members)) - 1) << members << ": floor(log2)";
    EXPECT_EQ(check(ids, m).steps, last(hops));
  }
}

/// By prefix, digits of two bits make a rank forward to three at a level; this way bits of digits do not matter.
TEST(Binomial, IsNotWhatPrefixesMakeOfWideDigits) {
  auto const ids = TopologyIds(Machine::parse("torus:4x4"), TopologyIds::default_bits(16));
  auto const all = DestinationSet::all(ids);
  EXPECT_EQ(check(ids, {0, all, MulticastTree::prefix, {}}).fan_out, 6);
  EXPECT_EQ(check(ids, {0, all, MulticastTree::binomial, {}}).fan_out, 4);
  EXPECT_EQ(check(ids, {0, all, MulticastTree::binomial, {}}).steps, 4);
}

/// Who is handed a part knows nothing but that part.
TEST(Binomial, APartIsEnoughToGoOn) {
  auto const ids = TopologyIds::given(2, 3, 60);
  Multicast const m{41, DestinationSet({{3, 20}, {22, 23}, {30, 57}}), MulticastTree::binomial, {}};
  std::vector<Hop> reached{{41, {}, m.set}};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    auto const here = reached[i].next;
    auto const forwarding = forwarding_of(ids, {m.source, reached[i].set, m.tree, {}}, here);
    EXPECT_EQ(forwarding.hops, share(ids, m, here).hops) << here;
    for (auto const& hop : forwarding.hops) reached.push_back(hop);
  }
  EXPECT_EQ(std::ssize(reached), 1 + m.set.without(ids.position(41)).size());
}

TEST(Binomial, IsNamed) {
  EXPECT_EQ(parse_multicast_tree("binomial"), MulticastTree::binomial);
  EXPECT_EQ(name(MulticastTree::binomial), "binomial");
  try {
    (void)parse_multicast_tree("star");
    FAIL();
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find("flat, chain, prefix, axes, binomial"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace allport
