// The collectives that move blocks: proven with blocks of many lengths, and as close to the bound as they claim to be.
#include <gtest/gtest.h>

#include <random>

#include "allport/verify/verify.h"
#include "verify/samples.h"

namespace allport::verify {
namespace {

double gap(std::string const& spec, Collective what, std::string_view algorithm, Rank root = 0) {
  auto const m = Machine::parse(spec);
  bool const sums = what == Collective::reduce_scatter || what == Collective::allreduce;
  Contract const c{what, m.ranks(), root, 24 * 8 * 64, sums ? 8 : 1};
  auto const report = prove(make_schedule(m, c, algorithm, {1 << 12, 2}), m);
  EXPECT_TRUE(report.ok) << spec << "\n" << to_text(report);
  return report.time.gap;
}

TEST(BlockCollectives, ReachTheBandwidthBoundOnAnyTorus) {
  for (auto const* spec : {"torus:4x4", "torus:3x3x3", "torus:3x5", "torus:2x3x4", "torus:8", "torus:2x2"}) {
    SCOPED_TRACE(spec);
    EXPECT_NEAR(gap(spec, Collective::allgather, "rectangular"), 1.0, 1e-9);
    EXPECT_NEAR(gap(spec, Collective::reduce_scatter, "rectangular"), 1.0, 1e-9);
    EXPECT_NEAR(gap(spec, Collective::scatter, "rectangular", 1), 1.0, 1e-9);
    EXPECT_NEAR(gap(spec, Collective::gather, "rectangular", 1), 1.0, 1e-9);
  }
}

TEST(BlockCollectives, AllreduceUpAndDownTheTreesLoadsALinkTwice) {
  // (P - 1)/P of the message twice over 2d links is the bound; the trees carry all of it.
  EXPECT_NEAR(gap("torus:4x4", Collective::allreduce, "rectangular"), 16.0 / 15.0, 1e-9);
  EXPECT_NEAR(gap("torus:3x3x3", Collective::allreduce, "rectangular"), 27.0 / 26.0, 1e-9);
}

TEST(BlockCollectives, RotatedBucketsReachTheBoundWhereAxesAreEqual) {
  for (auto const* spec : {"torus:4x4", "torus:3x3x3", "torus:5x5"}) {
    EXPECT_NEAR(gap(spec, Collective::allgather, "rotated"), 1.0, 1e-9) << spec;
    EXPECT_NEAR(gap(spec, Collective::reduce_scatter, "rotated"), 1.0, 1e-9) << spec;
  }
  EXPECT_LT(gap("mesh:4x4", Collective::allgather, "rotated"), 1.3);
  EXPECT_LT(gap("mesh:3x3x3", Collective::allgather, "rotated"), 1.3);
}

TEST(BlockCollectives, AllToAllReachesTheBoundWhereAxesAreEqual) {
  for (auto const* spec : {"torus:4x4", "torus:3x3x3", "torus:5x5", "torus:8", "mesh:4x4", "mesh:5"}) {
    EXPECT_NEAR(gap(spec, Collective::alltoall, "axes"), 1.0, 1e-9) << spec;
  }
  EXPECT_GT(gap("torus:4x4", Collective::alltoall, "pairs"), 1.4);  // the router sends all ties upwards
}

TEST(BlockCollectives, OfManyLengthsAreProven) {
  std::mt19937_64 random(7);
  for (auto const& m : samples::machines()) {
    auto const p = m.ranks();
    for (auto const* a : algorithms()) {
      bool const pairs = a->what == Collective::alltoall;
      bool const blocks = pairs || a->what == Collective::scatter || a->what == Collective::gather ||
                          a->what == Collective::allgather || a->what == Collective::reduce_scatter;
      if (!blocks) continue;
      std::vector<std::int64_t> lengths(static_cast<std::size_t>(pairs ? p * p : p));
      for (auto& l : lengths) l = random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % 100) * 8;
      auto const table = pairs ? BlockTable::per_pair(lengths, p) : BlockTable::per_rank(lengths);
      auto const c = with_blocks(a->what, p, p / 2, table, 8);
      if (a->why_not(m, c)) continue;
      auto const report = prove(make_schedule(m, c, a->name, {128, 2}), m);
      EXPECT_TRUE(report.ok) << m.name() << " " << name(a->what) << " " << a->name << "\n" << to_text(report);
    }
  }
}

/// A dissemination barrier that leaves out rounds from `rounds` on.
Schedule short_barrier(Rank ranks, int rounds) {
  Contract const c{Collective::barrier, ranks, 0, 0, 1};
  auto const whole = make_schedule(Machine::flat(ranks), c, "dissemination");
  return {"short", c, {}, 1, [whole, rounds](Rank rank, Program& into) {
            whole.program(rank, into);
            into.ops.resize(std::min<std::size_t>(into.ops.size(), static_cast<std::size_t>(2 * rounds)));
          }};
}

TEST(Barrier, LetsNobodyGoBeforeAllHaveCome) {
  for (Rank p = 1; p <= 33; ++p) {
    int rounds = 0;
    while ((1 << rounds) < p) ++rounds;
    auto const report = prove(short_barrier(p, rounds), Machine::flat(p));
    EXPECT_TRUE(report.ok) << to_text(report);
    if (p == 1) continue;
    auto const bad = prove(short_barrier(p, rounds - 1), Machine::flat(p));
    ASSERT_FALSE(bad.ok) << p;
    EXPECT_EQ(bad.findings[0].kind, Kind::missing);
    EXPECT_NE(bad.findings[0].message.find("may leave the barrier before"), std::string::npos);
  }
}

// A round that does not wait for the one before passes on nothing.
TEST(Barrier, NeedsItsRoundsInOrder) {
  Contract const c{Collective::barrier, 8, 0, 0, 1};
  auto const whole = make_schedule(Machine::flat(8), c, "dissemination");
  for (std::size_t op : {3u, 5u}) {
    Schedule const loose{"loose", c, {}, 1, [whole, op](Rank rank, Program& into) {
                           whole.program(rank, into);
                           if (rank == 3) into.ops[op].after.clear();
                         }};
    EXPECT_FALSE(prove(loose, Machine::flat(8)).ok);
  }
}

}  // namespace
}  // namespace allport::verify
