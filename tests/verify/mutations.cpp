// Every seeded fault is caught, with the right kind and rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "allport/verify/verify.h"
#include "schedule/judge.h"
#include "verify/samples.h"
#include "verify/spoil.h"

namespace allport::verify {
namespace {

using spoil::find_op;
using spoil::Pick;

/// A spoiled schedule and what the first finding must say.
struct Fault {
  Schedule schedule;
  std::set<Kind> kinds;
  std::set<Rank> ranks;
  Machine machine;
};

/// Sows one fault; nothing where the schedule has no place for it.
using Sow = std::optional<Fault> (*)(samples::Sample const&, std::mt19937_64&);

constexpr int seeds = 6;

/// @param real the interpreter must fail as well (a race only may)
void expect_caught(Sow sow, bool real, int at_least) {
  int sown = 0;
  for (auto const& m : samples::machines()) {
    for (Rank root : {0, m.ranks() / 2}) {
      for (auto const& [bytes, segment] : {std::pair<std::int64_t, std::int64_t>{4096, 136}, {960, 4096}}) {
        for (auto const& sample : samples::registered(m, root, bytes, segment, 2)) {
          for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            std::mt19937_64 random(seed * 7919 + static_cast<std::uint64_t>(root));
            auto const fault = sow(sample, random);
            if (!fault) continue;
            ++sown;
            auto const report = prove(fault->schedule, fault->machine, {.disjoint = sample.schedule.trees() > 1});
            ASSERT_FALSE(report.ok) << sample.text() << " seed " << seed;
            auto const& first = report.findings.front();
            ASSERT_TRUE(fault->kinds.contains(first.kind)) << sample.text() << "\n" << to_text(report);
            ASSERT_TRUE(fault->ranks.contains(first.rank)) << sample.text() << "\n" << to_text(report);
            ASSERT_TRUE(!real || hand::failure(fault->schedule, seed).has_value()) << sample.text();
          }
        }
      }
    }
  }
  EXPECT_GE(sown, at_least);
  ::testing::Test::RecordProperty("sown", sown);
}

bool broadcasts(samples::Sample const& s) { return s.schedule.contract().what == Collective::broadcast; }

bool is_receive(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::receive; }
bool is_send(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::send; }

/// A schedule with the programs of `changed` taken from `all`.
Fault fault(samples::Sample const& s, std::vector<Program> const& all, std::set<Rank> const& changed,
            std::set<Kind> kinds, std::set<Rank> ranks) {
  std::map<Rank, Program> programs;
  for (auto const r : changed) programs[r] = all[static_cast<std::size_t>(r)];
  return {spoil::replaced(s.schedule, programs), std::move(kinds), std::move(ranks), s.machine};
}

Op& at(std::vector<Program>& all, Pick p) {
  return all[static_cast<std::size_t>(p.rank)].ops[static_cast<std::size_t>(p.op)];
}

TEST(Mutations, LostStream) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        if (!broadcasts(s)) return {};
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_receive);
        if (p.rank < 0) return {};
        auto const op = at(all, p);
        spoil::remove_op(all[static_cast<std::size_t>(p.rank)], p.op);
        auto& parent = all[static_cast<std::size_t>(op.peer)];
        spoil::remove_op(parent, find_op(parent, OpKind::send, p.rank, op.channel));
        return fault(s, all, {p.rank, op.peer}, {Kind::missing}, {p.rank});
      },
      true, 300);
}

TEST(Mutations, LostSend) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_send);
        if (p.rank < 0) return {};
        auto const to = at(all, p).peer;
        spoil::remove_op(all[static_cast<std::size_t>(p.rank)], p.op);
        // In a reduction, the combine that no longer waits for the send may also overrun its ring.
        return fault(s, all, {p.rank}, {Kind::unmatched}, {to});
      },
      true, 500);
}

TEST(Mutations, LostReceive) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_receive);
        if (p.rank < 0) return {};
        auto const from = at(all, p).peer;
        spoil::remove_op(all[static_cast<std::size_t>(p.rank)], p.op);
        return fault(s, all, {p.rank}, {Kind::unmatched}, {from});
      },
      true, 500);
}

TEST(Mutations, LostInBothEndsOfAReduction) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        if (broadcasts(s)) return {};
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_receive);
        if (p.rank < 0) return {};
        auto const op = at(all, p);
        spoil::remove_op(all[static_cast<std::size_t>(p.rank)], p.op);
        auto& child = all[static_cast<std::size_t>(op.peer)];
        spoil::remove_op(child, find_op(child, OpKind::send, p.rank, op.channel));
        // The parent combines what never came. The child's ring may overflow where its sums used to wait for the send.
        return fault(s, all, {p.rank, op.peer}, {Kind::missing, Kind::ring_overflow}, {p.rank, op.peer});
      },
      true, 200);
}

TEST(Mutations, Doubled) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        if (!broadcasts(s)) return {};
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_receive);
        if (p.rank < 0) return {};
        // The same stream again on another channel of the same tree, after all that the rank does with the first one.
        auto again = at(all, p);
        again.channel += s.schedule.trees();
        auto& mine = all[static_cast<std::size_t>(p.rank)];
        for (std::size_t i = 0; i < mine.ops.size(); ++i) {
          auto const& op = mine.ops[i];
          if (op.channel + s.schedule.trees() != again.channel) continue;
          if (again.after.size() < Dependences::capacity) again.after.add(static_cast<int>(i), Dependence::whole);
        }
        if (mine.ops.size() > 6 && again.after.size() == Dependences::capacity) return {};
        auto& parent = all[static_cast<std::size_t>(again.peer)];
        auto send = parent.ops[static_cast<std::size_t>(
            find_op(parent, OpKind::send, p.rank, again.channel - s.schedule.trees()))];
        send.channel = again.channel;
        mine.ops.push_back(again);
        parent.ops.push_back(send);
        return fault(s, all, {p.rank, again.peer}, {Kind::doubled}, {p.rank});
      },
      false, 300);
}

TEST(Mutations, WrongPlaceOfAReceive) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_receive);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        auto const shift = static_cast<std::int64_t>(1 + random() % 8) * s.schedule.contract().element;
        op.into.offset += op.into.offset >= shift && random() % 2 == 0 ? -shift : shift;
        return fault(s, all, {p.rank}, {Kind::program, Kind::race, Kind::ring_overflow, Kind::missing, Kind::wrong},
                     {p.rank});
      },
      false, 500);
}

TEST(Mutations, WrongPlaceOfASend) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_send);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        auto const shift = static_cast<std::int64_t>(1 + random() % 8) * s.schedule.contract().element;
        op.from.offset += op.from.offset >= shift && random() % 2 == 0 ? -shift : shift;
        return fault(s, all, {p.rank}, {Kind::program, Kind::race, Kind::ring_overflow, Kind::missing, Kind::wrong},
                     {p.rank});
      },
      false, 500);
}

TEST(Mutations, WrongIntervalOnOneEnd) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_send);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        auto const to = op.peer;
        auto const shift = s.schedule.contract().element;
        auto const sign = op.piece.bytes.begin >= shift ? -1 : 1;
        op.piece.bytes.begin += sign * shift;
        op.piece.bytes.end += sign * shift;
        return fault(s, all, {p.rank}, {Kind::mismatch, Kind::program}, {to, p.rank});
      },
      false, 500);
}

TEST(Mutations, WrongIntervalOnBothEnds) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const shift = s.schedule.contract().element;
        auto const p = spoil::pick(all, random, [&](Rank, std::int32_t, Op const& op) {
          return op.kind == OpKind::send && op.piece.bytes.begin >= shift;
        });
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        auto& receiver = all[static_cast<std::size_t>(op.peer)];
        auto& other = receiver.ops[static_cast<std::size_t>(find_op(receiver, OpKind::receive, p.rank, op.channel))];
        op.piece.bytes = other.piece.bytes = {op.piece.bytes.begin - shift, op.piece.bytes.end - shift};
        return fault(s, all, {p.rank, op.peer}, {Kind::wrong}, {p.rank});
      },
      false, 200);
}

TEST(Mutations, LostDependenceOfASend) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, [](Rank, std::int32_t, Op const& op) {
          return (op.kind == OpKind::send || op.kind == OpKind::combine) && !op.after.empty();
        });
        if (p.rank < 0) return {};
        at(all, p).after.erase(0);  // the data flow; ring dependences come later
        return fault(s, all, {p.rank}, {Kind::race, Kind::ring_overflow}, {p.rank});
      },
      false, 300);
}

TEST(Mutations, RingWithoutRoom) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, [](Rank, std::int32_t, Op const& op) {
          return op.into.ring > 0 && op.segments() > op.into.ring &&
                 std::any_of(op.after.begin(), op.after.end(), [](Dependence d) { return d.lag > 0; });
        });
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        for (std::size_t i = 0; i < op.after.size(); ++i) {
          auto& d = *(op.after.begin() + i);
          if (d.lag <= 0) continue;
          if (random() % 2 == 0) {
            ++d.lag;  // one segment more in flight than the ring has slots
          } else {
            op.after.erase(i);
          }
          break;
        }
        return fault(s, all, {p.rank}, {Kind::ring_overflow}, {p.rank});
      },
      false, 60);
}

TEST(Mutations, CycleWithinARank) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, [](Rank, std::int32_t, Op const& op) {
          return std::any_of(op.after.begin(), op.after.end(), [](Dependence d) { return d.lag == 0; });
        });
        if (p.rank < 0) return {};
        auto const d = *std::ranges::find(at(all, p).after, 0, &Dependence::lag);
        at(all, {p.rank, d.op}).after.add(p.op, 0);
        return fault(s, all, {p.rank}, {Kind::deadlock}, {p.rank});
      },
      true, 300);
}

// Two neighbours that send to each other in two trees: each holds its send back until it has received.
TEST(Mutations, CycleAcrossRanks) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const back = [&](Rank r, Op const& op) {
          auto const& peer = all[static_cast<std::size_t>(op.peer)];
          for (std::size_t i = 0; i < peer.ops.size(); ++i) {
            auto const& other = peer.ops[i];
            if (other.kind == OpKind::send && other.peer == r) return static_cast<std::int32_t>(i);
          }
          return -1;
        };
        auto const p = spoil::pick(all, random, [&](Rank r, std::int32_t, Op const& op) {
          return op.kind == OpKind::send && back(r, op) >= 0;
        });
        if (p.rank < 0) return {};
        auto& send = at(all, p);
        auto const peer = send.peer;
        auto& other = at(all, {peer, back(p.rank, send)});
        send.after.add(find_op(all[static_cast<std::size_t>(p.rank)], OpKind::receive, peer, other.channel),
                       Dependence::whole);
        other.after.add(find_op(all[static_cast<std::size_t>(peer)], OpKind::receive, p.rank, send.channel),
                        Dependence::whole);
        return fault(s, all, {p.rank, peer}, {Kind::deadlock}, {p.rank, peer});
      },
      true, 100);
}

TEST(Mutations, OtherSegmentsAtOneEnd) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, [](Rank, std::int32_t, Op const& op) {
          return op.kind == OpKind::receive && op.segment % 16 == 0;
        });
        if (p.rank < 0) return {};
        at(all, p).segment /= 2;
        return fault(s, all, {p.rank}, {Kind::mismatch, Kind::program}, {p.rank});
      },
      true, 50);
}

TEST(Mutations, WrongPeer) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, is_send);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        auto const meant = op.peer;
        auto const ranks = s.schedule.ranks();
        op.peer = static_cast<Rank>((op.peer + 1 + random() % static_cast<std::uint64_t>(ranks)) % ranks);
        if (op.peer == meant) return {};
        if (op.peer != p.rank &&
            find_op(all[static_cast<std::size_t>(op.peer)], OpKind::receive, p.rank, op.channel) >= 0)
          return {};
        if (op.peer == p.rank) return fault(s, all, {p.rank}, {Kind::program}, {p.rank});
        return fault(s, all, {p.rank}, {Kind::unmatched}, {meant});
      },
      true, 300);
}

TEST(Mutations, ForeignPort) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(
            all, random, [](Rank, std::int32_t, Op const& op) { return op.kind == OpKind::send && op.port >= 0; });
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        op.port = static_cast<std::int8_t>((op.port + 1 + random() % 3) % (2 * s.machine.axes() + 1));
        if (op.port < 2 * s.machine.axes() &&
            s.machine.neighbour(s.machine.node_of(p.rank), op.port) == s.machine.node_of(op.peer)) {
          return {};
        }
        return fault(s, all, {p.rank}, {Kind::no_link}, {p.rank});
      },
      false, 200);
}

// Where two links join a pair of nodes, tree and port can be told apart: taking the other link meets another tree.
TEST(Mutations, TwoTreesOverOneLink) {
  int sown = 0;
  for (auto const* spec : {"torus:2x2", "torus:2x4", "torus:2x2x2", "torus:3x2x4"}) {
    auto const m = Machine::parse(spec);
    Contract const c{Collective::broadcast, m.ranks(), 0, 4096, 1};
    samples::Sample const s{m, make_schedule(m, c, "rectangular", {200, 2})};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::mt19937_64 random(seed);
      auto all = spoil::programs(s.schedule);
      auto const used = [&](Rank r, int port) {
        return std::ranges::any_of(all[static_cast<std::size_t>(r)].ops,
                                   [&](Op const& op) { return op.kind == OpKind::send && op.port == port; });
      };
      auto const p = spoil::pick(all, random, [&](Rank r, std::int32_t, Op const& op) {
        return op.kind == OpKind::send && m.axis(axis_of(op.port)).length == 2 && used(r, op.port ^ 1);
      });
      ASSERT_GE(p.rank, 0);
      auto& op = at(all, p);
      op.port ^= 1;
      auto const link = m.link_name(m.link(p.rank, op.port));
      auto const f = fault(s, all, {p.rank}, {}, {});
      auto const report = prove(f.schedule, m, {.disjoint = true});
      ASSERT_FALSE(report.ok);
      EXPECT_EQ(report.findings.front().kind, Kind::shared_link);
      EXPECT_EQ(report.findings.front().rank, p.rank);
      EXPECT_NE(report.findings.front().message.find(link), std::string::npos) << report.findings.front().message;
      EXPECT_EQ(report.links.shared_name, link);
      EXPECT_TRUE(report.links.shared_trees[0] == op.channel || report.links.shared_trees[1] == op.channel);
      auto const tolerant = prove(f.schedule, m);
      EXPECT_TRUE(tolerant.ok);
      EXPECT_FALSE(tolerant.links.disjoint);
      ++sown;
    }
  }
  EXPECT_EQ(sown, 80);
}

TEST(Mutations, DeadLink) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, [&](Rank r, std::int32_t, Op const& op) {
          return op.kind == OpKind::send && s.machine.node_of(r) != s.machine.node_of(op.peer);
        });
        if (p.rank < 0) return {};
        auto const& op = at(all, p);
        std::vector<LinkId> crossed;
        if (op.port >= 0) {
          crossed.push_back(s.machine.link(s.machine.node_of(p.rank), op.port));
        } else {
          s.machine.route(s.machine.node_of(p.rank), s.machine.node_of(op.peer),
                          [&](LinkId l) { crossed.push_back(l); });
        }
        auto const dead = crossed[random() % crossed.size()];
        std::vector<Axis> axes;
        for (int a = 0; a < s.machine.axes(); ++a) axes.push_back(s.machine.axis(a));
        LinkException e;
        e.node = s.machine.link_source(dead);
        e.out = s.machine.link_port(dead);
        e.dead = true;
        Machine const broken(s.machine.name(), axes, s.machine.rates(), s.machine.ranks_per_node(), {e});
        // The lowest rank whose messages cross it.
        std::set<Rank> crossing;
        for (std::size_t r = 0; r < all.size(); ++r) {
          for (auto const& o : all[r].ops) {
            if (o.kind != OpKind::send) continue;
            auto const from = s.machine.node_of(static_cast<Rank>(r));
            if (o.port >= 0 && s.machine.link(from, o.port) == dead) crossing.insert(static_cast<Rank>(r));
            if (o.port >= 0) continue;
            s.machine.route(from, s.machine.node_of(o.peer), [&](LinkId l) {
              if (l == dead) crossing.insert(static_cast<Rank>(r));
            });
          }
        }
        return Fault{s.schedule, {Kind::dead_link}, {*crossing.begin()}, broken};
      },
      false, 500);
}

bool sums_a_child(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::combine; }

TEST(Mutations, OwnContributionTwice) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, sums_a_child);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        op.from = {Buffer::input, 0, op.piece.bytes.begin};
        return fault(s, all, {p.rank}, {Kind::contribution}, {p.rank});
      },
      true, 200);
}

TEST(Mutations, ChildTwice) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, sums_a_child);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        op.with = op.from;
        return fault(s, all, {p.rank}, {Kind::contribution}, {p.rank});
      },
      true, 200);
}

TEST(Mutations, ContributionLeftOut) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, sums_a_child);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        // Drops what was summed so far (the rank's own input, and earlier children), or the child.
        bool const child = random() % 2 == 0;
        std::set<Rank> culprits{p.rank};
        if (child) op.from = op.with;
        op.kind = OpKind::copy;
        op.with = {};
        if (child && op.from == op.into) return {};  // a copy onto itself: nothing written, also left out, but by name
        return fault(s, all, {p.rank}, {Kind::contribution}, culprits);
      },
      true, 150);
}

}  // namespace
}  // namespace allport::verify
