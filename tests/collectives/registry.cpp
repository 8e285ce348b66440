#include "allport/collectives/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "allport/collectives/packing.h"
#include "allport/collectives/trees.h"
#include "collectives/machines.h"
#include "collectives/message_of.h"

namespace allport {
namespace {

using test::message_of;

TEST(Registry, HasNamesThatAreUniquePerCollective) {
  std::set<std::pair<Collective, std::string_view>> seen;
  for (auto const* a : library_algorithms()) {
    EXPECT_TRUE(seen.insert({a->what, a->name}).second) << a->name;
    EXPECT_FALSE(a->summary.empty());
    EXPECT_EQ(&algorithm(a->what, a->name), a);
  }
  for (auto const* wanted : {"binomial", "line", "ring", "rectangular"}) {
    EXPECT_TRUE(seen.contains({Collective::broadcast, wanted}));
    EXPECT_TRUE(seen.contains({Collective::reduce, wanted}));
  }
}

// What is listed first is taken where prices are equal, so the order is part of every choice.
TEST(Registry, KeepsItsOrder) {
  using Names = std::vector<std::string>;
  std::map<Collective, Names> const expected = {
      {Collective::broadcast,
       {"rectangular", "ring", "line", "binomial", "packed", "mst", "mst2", "long", "scatter_allgather"}},
      {Collective::reduce, {"rectangular", "ring", "line", "binomial", "packed", "mst", "mst2"}},
      {Collective::scatter, {"rectangular", "mst", "mst2", "packed"}},
      {Collective::gather, {"rectangular", "mst", "mst2", "packed"}},
      {Collective::allgather, {"rectangular", "rotated", "bucket", "packed"}},
      {Collective::reduce_scatter, {"rectangular", "rotated", "bucket", "packed"}},
      {Collective::allreduce, {"rectangular", "line", "binomial", "bucket", "packed"}},
      {Collective::alltoall, {"axes", "pairs"}},
      {Collective::barrier, {"dissemination"}},
  };
  std::map<Collective, Names> listed;
  for (auto const* a : library_algorithms()) listed[a->what].push_back(a->name);
  EXPECT_EQ(listed, expected);
  EXPECT_TRUE(std::ranges::is_sorted(library_algorithms(), {}, &Algorithm::what)) << "collective by collective";
}

TEST(Registry, NamesWhatIsWrongAndWhatToDo) {
  auto const machine = Machine::parse("torus:4x4");
  auto const good = Contract{Collective::reduce, 16, 3, 800, 8};
  auto const unknown = message_of([&] { return make_schedule(machine, good, "telepathy"); });
  EXPECT_NE(unknown.find("telepathy"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("rectangular, ring, line, binomial"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("reduce"), std::string::npos) << unknown;

  auto contract = good;
  contract.ranks = 15;
  auto const ranks = message_of([&] { return make_schedule(machine, contract, "ring"); });
  EXPECT_NE(ranks.find("15"), std::string::npos) << ranks;
  EXPECT_NE(ranks.find("16"), std::string::npos) << ranks;

  contract = good;
  contract.root = 16;
  EXPECT_NE(message_of([&] { return make_schedule(machine, contract, "ring"); }).find("root"), std::string::npos);

  auto const segment = message_of([&] { return make_schedule(machine, good, "ring", {7, 2}); });
  EXPECT_NE(segment.find("segment"), std::string::npos) << segment;
  EXPECT_NE(segment.find("8 bytes"), std::string::npos) << segment;
  auto const window = message_of([&] { return make_schedule(machine, good, "ring", {64, 0}); });
  EXPECT_NE(window.find("window"), std::string::npos) << window;
  EXPECT_NO_THROW(make_schedule(machine, good, "ring", {8, 1}));
}

TEST(Registry, SaysWhyAnAlgorithmCannotServe) {
  auto const sound = Machine::parse("torus:4x4");
  std::vector<Axis> axes = {sound.axis(0), sound.axis(1)};
  auto const broken = Machine("broken", axes, sound.rates(), 1, {{.node = 5, .out = port(0, 1), .dead = true}});
  auto const contract = Contract{Collective::broadcast, 16, 0, 800, 1};
  auto const reason = message_of([&] { return make_schedule(broken, contract, "rectangular"); });
  EXPECT_NE(reason.find("dead links"), std::string::npos) << reason;
  EXPECT_NO_THROW(make_schedule(broken, contract, "binomial"));
}

TEST(Programs, AreEmptyWithoutBytes) {
  for (auto const* spec : {"torus:1", "torus:4x3", "mesh:5/ppn=2"}) {
    auto const machine = Machine::parse(spec);
    for (auto const* a : library_algorithms()) {
      if (a->why_not(machine, {a->what, machine.ranks(), 0, 0, 1})) continue;
      if (a->what == Collective::barrier) continue;  // its tokens are not data
      auto const schedule = make_schedule(machine, {a->what, machine.ranks(), 0, 0, 1}, a->name);
      for (Rank r = 0; r < machine.ranks(); ++r) EXPECT_TRUE(schedule.program(r).ops.empty());
    }
  }
}

/// Trees of a long message where links all live.
int trees_of(Machine const& machine, std::string const& algorithm) {
  if (algorithm == "rectangular" || algorithm == "rotated") return rectangular_tree_count(machine);
  if (algorithm == "packed") return packing(machine, 0)->report.trees;
  if (algorithm == "ring") return machine.nodes() > 1 ? 2 : 1;
  if (algorithm != "axes") return 1;
  int axes = 0;
  bool ties = false;  // half-way round a ring either way is as short: half of the slices each
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) ++axes;
    ties = ties || (axis.length > 1 && axis.wraps && axis.length % 2 == 0);
  }
  return std::max(1, axes * (ties ? 2 : 1));
}

TEST(Programs, UseAllTreesAndFewerForShortMessages) {
  for (auto const& spec : test::large_machines()) {
    auto const machine = Machine::parse(spec);
    for (auto const* a : library_algorithms()) {
      auto const trees = [&](std::int64_t bytes) {
        return make_schedule(machine, {a->what, machine.ranks(), 0, bytes, 8}, a->name).trees();
      };
      if (a->what == Collective::barrier || a->why_not(machine, {a->what, machine.ranks(), 0, 64, 8})) continue;
      EXPECT_EQ(trees(1 << 20), trees_of(machine, a->name)) << spec << " " << a->name;
      EXPECT_EQ(trees(64), 1) << name(a->what) << " " << a->name;
    }
  }
}

// A verifier generates the programs of 262,144 nodes.
TEST(Programs, AreMadeQuickly) {
#ifdef ALLPORT_TEST_SANITIZED
  GTEST_SKIP() << "times under the sanitizers say nothing";
#endif
  auto const machine = Machine::parse("torus:32x32x32");
  for (auto const* a : library_algorithms()) {
    auto const bytes = a->what == Collective::barrier ? 0 : 1 << 20;
    Contract const contract{a->what, machine.ranks(), 12345, bytes, 8};
    if (a->why_not(machine, contract)) continue;
    auto const schedule = make_schedule(machine, contract, a->name);
    Program program;
    std::size_t ops = 0;
    auto const start = std::chrono::steady_clock::now();
    for (Rank r = 0; r < machine.ranks() && ops < 2'000'000; ++r) {
      schedule.program(r, program);
      ops += program.ops.size();
    }
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    auto const each = 1e9 * seconds / static_cast<double>(ops);
    RecordProperty(std::string(name(a->what)) + "_" + std::string(a->name) + "_ns_per_op", std::to_string(each));
    EXPECT_LT(each, 20000.0) << a->name;  // an order of magnitude above a debug build with sanitizers
  }
}

}  // namespace
}  // namespace allport
