// Teams of leaders and members: their positions, that all run, and that teams change without starting or losing a
// thread.
#include "allport/loops/teams.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "allport/base/error.h"

namespace allport::loops {
namespace {

/// `domains` NUMA domains of `cores` cores each, of `smt` hardware threads.
Cores computer(int domains, int cores, int smt = 1) {
  Cores all{.all = {}, .source = "the caller"};
  for (int d = 0; d < domains; ++d) {
    for (int c = 0; c < cores; ++c) {
      Core core{{}, d};
      for (int s = 0; s < smt; ++s) core.processors.push_back((d * cores + c) + s * domains * cores);
      all.all.push_back(core);
    }
  }
  return all;
}

int domains_of(Cores const& cores, std::vector<int> const& team) {
  std::set<int> found;
  for (auto const c : team) found.insert(cores.all[std::size_t(c)].domain);
  return int(found.size());
}

TEST(Cores, TeamsLieInsideDomainsWhereTheseHaveRoom) {
  for (auto const& [domains, each] : {std::pair{2, 14}, {2, 22}, {4, 3}, {1, 5}}) {
    auto const cores = computer(domains, each);
    for (auto const shape : shapes_of(domains * each)) {
      auto const size = 1 + shape.members;
      auto const teams = place_teams(cores, shape.leaders, size);
      ASSERT_EQ(int(teams.size()), shape.leaders);
      std::set<int> used;
      int whole = 0;
      for (auto const& team : teams) {
        ASSERT_EQ(int(team.size()), size);
        used.insert(team.begin(), team.end());
        whole += domains_of(cores, team) == 1 ? 1 : 0;
      }
      EXPECT_EQ(int(used.size()), domains * each) << "a core serves two threads";
      EXPECT_EQ(whole, std::min(shape.leaders, domains * (each / size))) << each << " by " << size;
    }
  }
}

TEST(Cores, FewerThreadsThanCoresLeaveSomeIdle) {
  auto const teams = place_teams(computer(2, 4), 2, 3);
  EXPECT_EQ(teams, (std::vector<std::vector<int>>{{0, 1, 2}, {4, 5, 6}}));
  EXPECT_THROW(place_teams(computer(2, 4), 3, 3), Error);
  EXPECT_THROW(place_teams(computer(2, 4), 0, 3), Error);
}

TEST(Cores, HardwareThreadsOfACoreStandTogether) {
  auto const threads = hardware_threads(computer(2, 2, 2));
  ASSERT_EQ(threads.size(), 8);
  EXPECT_EQ(threads.all[0], (Core{{0}, 0}));
  EXPECT_EQ(threads.all[1], (Core{{4}, 0}));
  EXPECT_EQ(threads.all[7], (Core{{7}, 1}));
  EXPECT_TRUE(threads.smt);
  EXPECT_TRUE(share_of(threads, 1, 2).smt);
  EXPECT_FALSE(hardware_threads(computer(2, 2)).smt);
}

TEST(Cores, SharersGetAsMuchOfThemAndTheWholeWhereThereIsTooLittle) {
  auto const cores = computer(2, 4);
  std::set<int> seen;
  for (int i = 0; i < 3; ++i) {
    auto const part = share_of(cores, i, 3);
    EXPECT_EQ(part.size(), 2);
    EXPECT_FALSE(part.shared);
    for (auto const& core : part.all) EXPECT_TRUE(seen.insert(core.processors.front()).second);
  }
  EXPECT_TRUE(share_of(cores, 8, 9).shared);
  EXPECT_EQ(share_of(cores, 8, 9).size(), 8);
  EXPECT_THROW((void)share_of(cores, 3, 3), Error);
}

/// Linux's files of a computer, in a folder of this test's own.
class SysFolder {
 public:
  SysFolder() : root_(::testing::TempDir() + "allport_sys_" + std::to_string(::getpid())) {}
  ~SysFolder() { std::filesystem::remove_all(root_); }
  void write(std::string const& path, std::string const& line) const {
    auto const file = std::filesystem::path(root_ + "/sys/devices/system/" + path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << line << "\n";
  }
  [[nodiscard]] std::string const& root() const { return root_; }

 private:
  std::string root_;
};

TEST(Cores, AreReadFromLinuxsFiles) {
  SysFolder const sys;
  for (int p = 0; p < 8; ++p) {
    sys.write("cpu/cpu" + std::to_string(p) + "/topology/thread_siblings_list",
              std::to_string(p % 4) + "," + std::to_string(p % 4 + 4));
  }
  sys.write("node/online", "0-1");
  sys.write("node/node0/cpulist", "2-3,6-7");
  sys.write("node/node1/cpulist", "0-1,4-5");
  auto const all = cores_by_sys(sys.root(), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(all.all, (std::vector<Core>{{{2, 6}, 0}, {{3, 7}, 0}, {{0, 4}, 1}, {{1, 5}, 1}}));
  // The launcher's cpuset cuts a core.
  auto const some = cores_by_sys(sys.root(), {1, 4, 6});
  EXPECT_EQ(some.all, (std::vector<Core>{{{6}, 0}, {{1}, 1}, {{4}, 1}}));
  EXPECT_EQ(cores_by_sys("/nowhere", {3, 5}).all, (std::vector<Core>{{{3}, 0}, {{5}, 0}}));
  EXPECT_THROW(cores_by_sys("/", {}), Error);
}

TEST(Cores, UsableOnesAreThoseOfTheCpuset) {
  auto const mine = pinned_to();
  auto const count = [](Cores const& cores) {
    std::vector<int> all;
    for (auto const& core : cores.all) all.insert(all.end(), core.processors.begin(), core.processors.end());
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(count(usable_cores()), mine);
  auto by_domain = cores_by_sys("", mine).all;
  EXPECT_EQ(usable_cores().all.size(), by_domain.size()) << "hwloc and /sys differ";
  // A smaller cpuset is what there is, for whoever is started within it.
  std::thread([&] {
    EXPECT_TRUE(pin_thread({mine.front()}));
    EXPECT_EQ(pinned_to(), std::vector<int>{mine.front()});
    EXPECT_EQ(processors(), 1);
    EXPECT_EQ(count(usable_cores()), mine) << "a pinned thread is no cpuset";
  }).join();
}

TEST(Teams, EveryMasterRunsEveryIterationOfItsLoopInAnyShape) {
  Teams teams(computer(1, 2), {.threads = 12});
  EXPECT_FALSE(teams.pinned());
  EXPECT_EQ(teams.leaders(), 1);
  EXPECT_EQ(teams.members(), 11);
  std::set<std::thread::id> threads;
  std::mutex mutex;
  for (int round = 0; round < 3; ++round) {
    for (auto const shape : shapes_of(12)) {
      teams.configure(shape.leaders, shape.members);
      ASSERT_EQ(teams.leaders(), shape.leaders);
      ASSERT_EQ(teams.members(), shape.members);
      std::vector<std::atomic<int>> count(std::size_t(shape.leaders) * 100);
      teams.run([&](int leader, Team& team) {
        EXPECT_EQ(team.size(), 1 + shape.members);
        {
          std::scoped_lock const hold(mutex);
          threads.insert(std::this_thread::get_id());
        }
        team.parallel_for(Range{0, 100}, [&](std::int64_t i) { ++count[std::size_t(leader * 100 + i)]; },
                          {LoopSchedule::dynamic, 1});
      });
      for (auto const& c : count) ASSERT_EQ(c, 1);
    }
  }
  EXPECT_EQ(threads.size(), 12U) << "threads were started anew";
}

TEST(Teams, FewerThreadsThanThereAreAndOneAlone) {
  Teams teams(computer(1, 2), {.threads = 5});
  for (auto const& [leaders, members] : {std::pair{2, 0}, {1, 1}, {1, 0}, {2, 1}}) {
    teams.configure(leaders, members);
    std::atomic<int> sum{0};
    teams.run([&](int, Team& team) {
      sum += int(team.parallel_reduce(
          Range{0, 50}, std::int64_t{0}, [](std::int64_t i) { return i; }, std::plus<>()));
    });
    EXPECT_EQ(sum, leaders * 1225);
  }
  Teams one(computer(1, 1), {});
  int ran = 0;
  one.run([&](int leader, Team& team) { ran += 1 + leader + team.size(); });
  EXPECT_EQ(ran, 2);
}

TEST(Teams, WhatTheLowestMasterThrewReachesTheCaller) {
  Teams teams(computer(1, 2), {.threads = 4});
  teams.configure(4, 0);
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> finished{0};
    try {
      teams.run([&](int leader, Team&) {
        if (leader % 2 == 1) throw std::runtime_error("master " + std::to_string(leader));
        ++finished;
      });
      FAIL() << "nothing was thrown";
    } catch (std::runtime_error const& error) {
      EXPECT_STREQ(error.what(), "master 1");
    }
    EXPECT_EQ(finished, 2);
  }
  EXPECT_THROW(teams.configure(5, 0), Error);
  EXPECT_THROW(teams.configure(2, 2), Error);
  EXPECT_THROW(teams.configure(0, 0), Error);
  EXPECT_THROW(teams.configure(1, -1), Error);
  EXPECT_THROW(Teams(Cores{}), Error);
  EXPECT_EQ(teams.leaders(), 4) << "what is refused changes nothing";
}

TEST(Teams, ArePinnedInsideTheCpusetAndGiveItBack) {
  auto const before = pinned_to();
  auto const cores = usable_cores();
  {
    Teams teams(cores);
    ASSERT_TRUE(teams.pinned());
    for (auto const shape : shapes_of(cores.size())) {
      teams.configure(shape.leaders, shape.members);
      teams.run([&](int leader, Team&) {
        auto const core = teams.cores_of(leader).front();
        EXPECT_EQ(pinned_to(), cores.all[std::size_t(core)].processors);
      });
    }
    teams.configure(1, cores.size() - 1);
    std::thread([&] {
      teams.pin(0, cores.size() - 1);
      EXPECT_EQ(pinned_to(), cores.all[std::size_t(teams.cores_of(0).back())].processors);
      // Where it has been elsewhere since, by another configuration, it is brought back.
      pin_thread(before);
      teams.pin(0, 0);
      EXPECT_EQ(pinned_to(), cores.all[std::size_t(teams.cores_of(0).front())].processors);
      EXPECT_NO_THROW(teams.pin(0, 0));
    }).join();
    teams.pin(0, 0);
    {
      Teams others(cores);
      others.configure(cores.size(), 0);
    }
    pin_thread(before);
    teams.configure(1, cores.size() - 1);
    teams.pin(0, 0);
    EXPECT_EQ(pinned_to(), cores.all[std::size_t(teams.cores_of(0).front())].processors);
    EXPECT_THROW(teams.pin(1, 0), Error);
    EXPECT_THROW(teams.pin(0, cores.size()), Error);
  }
  EXPECT_EQ(pinned_to(), before);
  auto shared = cores;
  shared.shared = true;
  EXPECT_FALSE(Teams(shared).pinned());
  EXPECT_FALSE(Teams(cores, {.threads = cores.size() + 1}).pinned());
}

TEST(Teams, CountsOfOtherLibrariesAreSetAndRestored) {
  int threads = 7;
  ThreadCount const count{[&] { return threads; }, [&](int wanted) { threads = wanted; }};
  {
    Teams teams(computer(1, 2), {.threads = 4, .bodies = Bodies::openmp, .counts = {count}});
    EXPECT_EQ(threads, 4);
    teams.configure(2, 1);
    EXPECT_EQ(threads, 1) << "one number for a process with two masters";
    teams.configure(1, 2);
    EXPECT_EQ(threads, 3);
  }
  EXPECT_EQ(threads, 7);
  {
    Teams const teams(computer(1, 2), {.threads = 4, .counts = {count}});
    EXPECT_EQ(threads, 1) << "the cores are the drones'";
  }
  EXPECT_EQ(threads, 7);
}

}  // namespace
}  // namespace allport::loops
