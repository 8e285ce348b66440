// Every registered algorithm, proven by the verifier: delivery, no deadlock with synchronous sends, no race, links.
#include <gtest/gtest.h>

#include <algorithm>

#include "allport/collectives/registry.h"
#include "allport/verify/verify.h"
#include "collectives/machines.h"
#include "collectives/snake.h"

namespace allport {
namespace {

verify::Report proven(Machine const& machine, Algorithm const& algorithm, Rank root, std::int64_t bytes, Cut cut) {
  auto const contract = Contract{algorithm.what, machine.ranks(), root, bytes, 4};
  verify::Options options;
  // One root's trees over links of the machine keep apart; a snake that does not close is routed over its own links.
  bool const one_root = algorithm.what == Collective::broadcast || algorithm.what == Collective::reduce;
  options.disjoint = one_root && (algorithm.name == "rectangular" || algorithm.name == "packed" ||
                                  algorithm.name == "line" || (algorithm.name == "ring" && Snake(machine).closed()));
  return verify::prove(make_schedule(machine, contract, algorithm.name, cut), machine, options);
}

int longest_path(Machine const& machine) {
  int sum = 0;
  bool two = false;
  bool open = false;
  for (int a = 0; a < machine.axes(); ++a) {
    sum += machine.axis(a).length - 1;
    two = two || machine.axis(a).length == 2;
    open = open || !machine.axis(a).wraps;
  }
  return sum + (two || open ? 1 : 0);
}

void expect_proof(Machine const& machine, Rank root, std::int64_t bytes, Cut cut) {
  for (auto const* algorithm : algorithms()) {
    bool const one_root = algorithm->what == Collective::broadcast || algorithm->what == Collective::reduce;
    // Schedules of all pairs of ranks are long: small machines, and one root where there is none, show as much.
    bool const rooted = one_root || algorithm->what == Collective::scatter || algorithm->what == Collective::gather;
    if (!one_root && machine.ranks() > 64) continue;
    if (!rooted && (root != machine.ranks() / 2 || bytes > 64 * cut.segment)) continue;
    if (algorithm->what == Collective::barrier && bytes > 0) continue;
    if (algorithm->why_not(machine, {algorithm->what, machine.ranks(), root, bytes, 4})) continue;
    SCOPED_TRACE(std::string(name(algorithm->what)) + " " + std::string(algorithm->name) + " on " + machine.name() +
                 " root " + std::to_string(root) + " bytes " + std::to_string(bytes));
    auto const report = proven(machine, *algorithm, root, bytes, cut);
    ASSERT_TRUE(report.ok) << verify::to_text(report);
    if (bytes == 0) {
      if (algorithm->what != Collective::barrier) {
        EXPECT_EQ(report.counts.operations, 0);
      }
      continue;
    }
    // Slices that are scattered first take other routes than whole trees.
    if (!one_root || algorithm->name == "long" || algorithm->name == "scatter_allgather") continue;
    EXPECT_EQ(report.counts.streams, std::int64_t{report.trees} * (machine.ranks() - 1));
    EXPECT_EQ(report.counts.bytes_moved, bytes * (machine.ranks() - 1));
    auto const links = std::int64_t{report.trees} * (machine.nodes() - 1);
    if (algorithm->name == "rectangular") {
      EXPECT_EQ(report.links.used, links);
      EXPECT_TRUE(report.links.disjoint) << report.links.shared_name;
      EXPECT_TRUE(machine.ranks_per_node() > 1 || report.counts.depth <= longest_path(machine)) << report.counts.depth;
    }
    if (algorithm->name == "line" || (algorithm->name == "ring" && Snake(machine).closed())) {
      EXPECT_EQ(report.links.used, links);
      EXPECT_TRUE(report.links.disjoint) << report.links.shared_name;
    }
  }
}

class ProofOn : public testing::TestWithParam<std::string> {};

TEST_P(ProofOn, HoldsForEveryRoot) {
  auto const machine = Machine::parse(GetParam());
  for (auto const root : test::all_roots(machine)) {
    expect_proof(machine, root, 1200, {32, 2});
    if (HasFatalFailure()) return;
  }
}

TEST_P(ProofOn, HoldsForAnySizeAndCut) {
  auto const machine = Machine::parse(GetParam());
  for (std::int64_t const bytes : {0, 4, 8, 28, 64, 2000}) {
    for (auto const cut : {Cut{4, 1}, Cut{60, 3}, Cut{1 << 20, 2}}) {
      expect_proof(machine, machine.ranks() / 2, bytes, cut);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, ProofOn, testing::ValuesIn(test::small_machines()));

class ProofOnLarge : public testing::TestWithParam<std::string> {};

TEST_P(ProofOnLarge, HoldsForSomeRoots) {
  auto const machine = Machine::parse(GetParam());
  for (auto const root : test::some_roots(machine)) expect_proof(machine, root, 4000, {100, 2});
}

INSTANTIATE_TEST_SUITE_P(Large, ProofOnLarge, testing::ValuesIn(test::large_machines()));
INSTANTIATE_TEST_SUITE_P(Larger, ProofOnLarge, testing::Values("torus:8x8x8", "mesh:16x16", "torus:16x16x8/ppn=2"));

TEST(Proof, KnowsThatOnlyBinomialToRank0IsRankOrdered) {
  auto const machine = Machine::parse("torus:3x4");
  auto const& binomial = algorithm(Collective::reduce, "binomial");
  EXPECT_TRUE(proven(machine, binomial, 0, 1200, {64, 2}).rank_ordered);
  EXPECT_FALSE(proven(machine, binomial, 5, 1200, {64, 2}).rank_ordered);
}

// The verifier must be able to say no, or the proofs above say nothing.
TEST(Proof, IsRefusedToAMachineWithOtherLinks) {
  auto const torus = Machine::parse("torus:4x4");
  auto const mesh = Machine::parse("mesh:4x4");
  auto const schedule = make_schedule(torus, {Collective::broadcast, 16, 0, 1200, 1}, "rectangular", {64, 2});
  auto const report = verify::prove(schedule, mesh);
  ASSERT_FALSE(report.ok);
  EXPECT_EQ(report.findings.front().kind, verify::Kind::no_link);
}

}  // namespace
}  // namespace allport
