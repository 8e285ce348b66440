// The Selector of loops with times that are given, not measured: same choices on all ranks, by the slowest. They are
// long, for what an agreement really takes counts beside them.
#include "allport/loops/loop_selector.h"

#include <unistd.h>

#include <cstdio>
#include <set>

#include "comm/world.h"

namespace allport::testing {
namespace {

using namespace allport::loops;

Cores four_cores() { return {.all = {{{0}, 0}, {{1}, 0}, {{2}, 1}, {{3}, 1}}, .shared = true, .source = "the caller"}; }

/// Rank r is r + 1 times as slow as these, so that the last rank's word counts.
Seconds fake(LoopConfiguration const& c, Rank rank) {
  double const by_masters = c.shape.leaders == 2 ? 1 : c.shape.leaders == 4 ? 1.4 : 1.2;
  double const by_loop = c.loop.schedule == LoopSchedule::dynamic ? 0.9 : 1;
  return Seconds(by_masters * by_loop * (rank + 1));
}

TEST(LoopsLoopSelector, FindsTheQuickestAndRemembersIt) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(four_cores());
  auto const all = loop_configurations(4, {{}, {LoopSchedule::dynamic, 16}});
  ASSERT_EQ(all.size(), 5U);
  std::string const path =
      "/tmp/allport_loops_" + std::to_string(comm.all_gather(std::vector<std::int64_t>{::getpid()})[0]);
  Environment const file("ALLPORT_SELECT_FILE", path.c_str());
  auto const run = [&](LoopSelector& selector, int steps) {
    std::set<std::string> tried;
    for (int s = 0; s < steps; ++s) {
      auto const now = selector.apply();
      EXPECT_EQ(teams.leaders(), now.shape.leaders);
      EXPECT_EQ(teams.members(), now.shape.members);
      tried.insert(name(now));
      selector.record(fake(now, comm.rank()));
    }
    return tried;
  };
  {
    LoopSelector selector(comm, teams, all, {.site = "test"});
    EXPECT_EQ(run(selector, 2000).size(), all.size()) << selector.selector().explain();
    EXPECT_EQ(name(selector.best()), "2 x (1 + 1), dynamic by 16");
    EXPECT_NEAR(selector.selector().seconds(0)->value(), 1.4 * comm.size(), 1e-9) << "the slowest rank's";
  }
  comm.barrier();
  {
    LoopSelector selector(comm, teams, all, {.site = "test"});
    EXPECT_EQ(name(selector.apply()), "2 x (1 + 1), dynamic by 16") << "nothing was remembered";
    EXPECT_EQ(run(selector, 50).size(), 1U);
  }
  Environment const off("ALLPORT_SELECT", "off");
  LoopSelector fixed(comm, teams, all, {.standard = 2, .site = "test"});
  EXPECT_EQ(run(fixed, 50), (std::set<std::string>{name(all[2])}));
  comm.barrier();
  if (comm.rank() == 0) std::remove(path.c_str());
}

TEST(LoopsLoopSelector, AModelKeepsWhatIsHopelessFromBeingTried) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(four_cores());
  // Forks that cost ten times the work: only one thread a team is worth its time.
  model::SpreadTerms const terms{.cores = 4, .objects = 16, .grain = Seconds(1e-4), .fork = Seconds(1e-3)};
  LoopSelector selector(comm, teams, loop_configurations(4), {.terms = terms});
  for (int s = 0; s < 500; ++s) {
    EXPECT_EQ(selector.apply().shape.members, 0);
    selector.record(Seconds(4e-4));
  }
  EXPECT_EQ(selector.best().shape.leaders, 4);
}

TEST(LoopsLoopSelector, WhatIsRememberedSaysHowTheProgramWasStarted) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::string const path =
      "/tmp/allport_starts_" + std::to_string(comm.all_gather(std::vector<std::int64_t>{::getpid()})[0]);
  Environment const file("ALLPORT_SELECT_FILE", path.c_str());
  // Half of the threads do all that memory lets them: more take as long, or longer.
  auto const run = [&](int threads, double seconds) {
    Teams teams(four_cores(), {.threads = threads});
    auto const all = loop_configurations(threads, {{}}, Threads::fewer_too);
    LoopSelector selector(comm, teams, all, {.site = "plate"});
    for (int s = 0; s < 3000; ++s) {
      auto const now = selector.apply().shape;
      selector.record(Seconds(seconds * (now.leaders * (1 + now.members) == (threads + 1) / 2 ? 1 : 1.2)));
    }
  };
  run(4, 1.0);
  comm.barrier();
  run(2, 2.0);
  comm.barrier();
  auto const advice = loop_advice(load_memory(path));
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].site, "plate");
  ASSERT_EQ(advice[0].runs.size(), 2U);
  auto const& best = advice[0].runs[0];
  EXPECT_EQ(best.launch, (Launch{1, comm.size(), 4, false}));
  EXPECT_NEAR(best.seconds.value(), 1.0, 1e-9);
  EXPECT_EQ(best.busy, 2);
  EXPECT_NE(advice[0].change.find("2 of a rank's 4 threads"), std::string::npos) << advice[0].change;
  comm.barrier();
  if (comm.rank() == 0) std::remove(path.c_str());
}

TEST(LoopsLoopSelector, FewerThreadsAreAmongTheConfigurationsWhereTheyAreAskedFor) {
  std::set<int> busy;
  for (auto const& c : loop_configurations(8, {{}}, Threads::fewer_too))
    busy.insert(c.shape.leaders * (1 + c.shape.members));
  EXPECT_EQ(busy, (std::set<int>{4, 6, 8}));
  EXPECT_EQ(loop_configurations(1, {{}}, Threads::fewer_too).size(), 1U);
  EXPECT_EQ(loop_configurations(2, {{}}, Threads::fewer_too).size(), 3U);
}

TEST(LoopsLoopSelector, SizesOfBlocksAreTriedWithEachShape) {
  auto const all = loop_configurations(2, {{}}, Threads::all, {{8, 8}, {16, 4}});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(name(all[0]), "2 x (1 + 0), static, blocks of 8 x 8");
  EXPECT_EQ(name(all[3]), "1 x (1 + 1), static, blocks of 16 x 4");
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(four_cores(), {.threads = 2});
  LoopSelector selector(comm, teams, all);
  for (int s = 0; s < 500; ++s) {
    auto const& now = selector.apply();
    selector.record(Seconds((now.block[0] == 16 ? 1.0 : 1.5) + 0.1 * now.shape.leaders));
  }
  EXPECT_EQ(name(selector.best()), "1 x (1 + 1), static, blocks of 16 x 4");
}

TEST(LoopsLoopSelector, RefusesWhatDoesNotFitOnEveryRank) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(four_cores());
  EXPECT_THROW(LoopSelector(comm, teams, {{{4, 1}}}), Error);
  EXPECT_THROW(LoopSelector(comm, teams, {}), Error);
  EXPECT_THROW(LoopSelector(comm, teams, loop_configurations(4), {.standard = 3}), Error);
  EXPECT_THROW((void)loop_configurations(0), Error);
  EXPECT_THROW((void)loop_configurations(2, {}), Error);
  if (comm.size() == 1) return;
  EXPECT_THROW(LoopSelector(comm, teams, loop_configurations(comm.rank() == 1 ? 2 : 4)), Error);
}

}  // namespace
}  // namespace allport::testing
