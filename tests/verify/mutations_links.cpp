// Every seeded fault in the use of links is caught, with the right kind and rank.
#include "verify/faults.h"

namespace allport::verify {
namespace {

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

}  // namespace
}  // namespace allport::verify
