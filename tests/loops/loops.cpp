// Loops by a team against plain nested loops: every iteration once, in any schedule, nested, with bodies that throw.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "allport/loops/team.h"

namespace allport::loops {
namespace {

constexpr LoopSchedule schedules[] = {LoopSchedule::static_, LoopSchedule::dynamic, LoopSchedule::guided};

/// How often each iteration has run.
class Tally {
 public:
  explicit Tally(std::size_t size) : times_(size) {}
  void add(std::int64_t i) { ++times_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool all(int count) const {
    for (auto const& t : times_) {
      if (t != count) return false;
    }
    return true;
  }

 private:
  std::vector<std::atomic<int>> times_;
};

TEST(Chunks, CoverAllIterationsOnceInOrder) {
  for (auto const schedule : schedules) {
    for (std::int64_t const iterations : {0, 1, 2, 7, 64, 1000, 1001}) {
      for (int const threads : {1, 2, 3, 16}) {
        for (std::int64_t const chunk : {0, 1, 3, 16, 512, 5000}) {
          Chunks const chunks(iterations, threads, {schedule, chunk});
          std::int64_t next = 0;
          if (chunks.guided()) {
            while (next < iterations) {
              auto const range = chunks.after(next);
              ASSERT_EQ(range.begin, next);
              ASSERT_GE(range.size(), std::min(std::max<std::int64_t>(chunk, 1), iterations - next));
              next = range.end;
            }
          } else {
            for (std::int64_t c = 0; c < chunks.count(); ++c) {
              ASSERT_EQ(chunks[c].begin, next);
              ASSERT_GT(chunks[c].size(), 0);
              if (chunk > 0) {
                ASSERT_LE(chunks[c].size(), chunk);
              }
              next = chunks[c].end;
            }
          }
          EXPECT_EQ(next, iterations);
        }
      }
    }
  }
  Chunks const blocks(10, 4, {LoopSchedule::static_, 0});
  EXPECT_EQ(blocks.count(), 4) << "iterations over threads: 3, 3, 2, 2";
  EXPECT_EQ(blocks[0].size(), 3);
  EXPECT_EQ(blocks[3].size(), 2);
  EXPECT_THROW(Chunks(10, 4, {LoopSchedule::dynamic, -1}), Error);
}

class TeamOf : public testing::TestWithParam<int> {
 protected:
  Team team_{GetParam()};
};

TEST_P(TeamOf, RunsEveryIterationOnce) {
  for (auto const schedule : schedules) {
    for (std::int64_t const iterations : {0, 1, 2, 3, 17, 1000}) {
      for (std::int64_t const chunk : {0, 1, 16, 512}) {
        Tally tally(static_cast<std::size_t>(iterations));
        team_.parallel_for(Range{5, 5 + iterations}, [&](std::int64_t i) { tally.add(i - 5); }, {schedule, chunk});
        EXPECT_TRUE(tally.all(1)) << iterations << " in chunks of " << chunk;
        team_.parallel_for(Range{0, iterations},
                           [&](Range part) {
                             for (auto i = part.begin; i < part.end; ++i) tally.add(i);
                           },
                           {schedule, chunk});
        EXPECT_TRUE(tally.all(2));
      }
    }
  }
  team_.parallel_for(Range{3, 1}, [](std::int64_t) { FAIL() << "an empty range"; });
}

TEST_P(TeamOf, RunsTwoAndThreeRangesWhateverIsCollapsed) {
  for (auto const schedule : schedules) {
    for (int const collapse : {0, 1, 2, 3}) {
      for (auto const& extents : {std::array{3, 4, 5}, std::array{1, 1, 9}, std::array{7, 1, 2}, std::array{2, 0, 3}}) {
        auto const [a, b, c] = extents;
        Tally tally(static_cast<std::size_t>(a * b * c));
        team_.parallel_for(
            {{-1, a - 1}, {0, b}, {10, 10 + c}},
            [&](std::int64_t i, std::int64_t j, std::int64_t k) { tally.add(((i + 1) * b + j) * c + k - 10); },
            {schedule, 2, collapse});
        EXPECT_TRUE(tally.all(1)) << a << " x " << b << " x " << c << ", collapse " << collapse;
      }
    }
    Tally plane(6 * 7);
    team_.parallel_for({{0, 6}, {0, 7}}, [&](std::int64_t i, std::int64_t j) { plane.add(i * 7 + j); }, {schedule});
    EXPECT_TRUE(plane.all(1));
  }
  EXPECT_THROW(team_.parallel_for({{0, 2}, {0, 2}}, [](std::int64_t, std::int64_t) {}, {.collapse = 3}), Error);
  constexpr auto much = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(team_.parallel_for({{0, much}, {0, much}}, [](std::int64_t, std::int64_t) {}), Error);
}

TEST_P(TeamOf, ReducesToTheSameBitsWhateverTheScheduleAndTheThreads) {
  auto const term = [](std::int64_t i) { return 1.0 / (1.0 + static_cast<double>(i * i % 977)); };
  for (std::int64_t const iterations : {0, 1, 2, 511, 512, 513, 100'000}) {
    Team alone(0);
    auto const sum = [&](Team& team, LoopOptions const& options) {
      return team.parallel_reduce(Range{0, iterations}, 0.0, term, std::plus<>(), options);
    };
    auto const expected = sum(alone, {});
    long double exact = 0;
    for (std::int64_t i = 0; i < iterations; ++i) exact += term(i);
    EXPECT_NEAR(expected, static_cast<double>(exact), 1e-12 * static_cast<double>(iterations + 1));
    for (auto const schedule : schedules) {
      for (std::int64_t const chunk : {0, 1, 100}) EXPECT_EQ(sum(team_, {schedule, chunk}), expected);
    }
  }
  auto const grid = team_.parallel_reduce(
      {{0, 30}, {0, 20}}, std::int64_t{0}, [](std::int64_t i, std::int64_t j) { return i * j; }, std::plus<>());
  EXPECT_EQ(grid, 30 * 29 / 2 * (20 * 19 / 2));
  // What does not commute is combined in order.
  auto const text = team_.parallel_reduce(Range{0, 26}, std::string(),
                                          [](std::int64_t i) { return std::string(1, static_cast<char>('a' + i)); },
                                          std::plus<>(), {LoopSchedule::dynamic, 1});
  EXPECT_EQ(text, "abcdefghijklmnopqrstuvwxyz");
}

TEST_P(TeamOf, ThrowsWhatTheLoopOnOneThreadWouldHaveThrown) {
  for (auto const schedule : schedules) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::atomic<int> after{0};
      try {
        team_.parallel_for(Range{0, 10'000},
                           [&](std::int64_t i) {
                             if (i >= 300) ++after;
                             if (i == 300 || i == 5'000 || i == 9'999) throw std::runtime_error(std::to_string(i));
                           },
                           {schedule, 1});
        FAIL() << "nothing was thrown";
      } catch (std::runtime_error const& e) {
        EXPECT_STREQ(e.what(), "300");
      }
      EXPECT_LE(after, 9'700);
      Tally tally(100);  // and the team goes on
      team_.parallel_for(Range{0, 100}, [&](std::int64_t i) { tally.add(i); }, {schedule, 1});
      EXPECT_TRUE(tally.all(1));
    }
  }
}

TEST_P(TeamOf, RunsLoopsWithinLoops) {
  for (auto const schedule : schedules) {
    Tally tally(8 * 9 * 10);
    team_.parallel_for(
        Range{0, 8},
        [&](std::int64_t i) {
          team_.parallel_for(
              Range{0, 9},
              [&](std::int64_t j) {
                team_.parallel_for(Range{0, 10}, [&](std::int64_t k) { tally.add((i * 9 + j) * 10 + k); }, {schedule});
              },
              {schedule, 1});
        },
        {schedule, 1});
    EXPECT_TRUE(tally.all(1));
  }
  // What an inner loop throws passes through the outer one.
  auto const inner = [&](std::int64_t i) {
    team_.parallel_for(Range{0, 50}, [&](std::int64_t j) {
      if (i == 2 && j == 7) throw std::logic_error("2, 7");
    });
  };
  EXPECT_THROW(team_.parallel_for(Range{0, 4}, inner), std::logic_error);
}

TEST_P(TeamOf, ServesSeveralCallersAtOnce) {
  constexpr int callers = 4;
  std::vector<Tally> tallies;
  for (int c = 0; c < callers; ++c) tallies.emplace_back(500);
  std::vector<std::jthread> threads;
  for (int c = 0; c < callers; ++c) {
    threads.emplace_back([&, c] {
      for (int turn = 0; turn < 20; ++turn) {
        team_.parallel_for(Range{0, 500}, [&](std::int64_t i) { tallies[static_cast<std::size_t>(c)].add(i); },
                           {schedules[turn % 3], 7});
      }
    });
  }
  threads.clear();
  for (auto const& tally : tallies) EXPECT_TRUE(tally.all(20));
}

/// A body that holds a lock and opens a loop: who waits for that loop must not run another chunk that wants the lock.
TEST_P(TeamOf, NeverRunsAnUnrelatedChunkOnAWaitingBodysStack) {
  std::mutex mutex;
  std::atomic<int> done{0};
  team_.parallel_for(Range{0, 40},
                     [&](std::int64_t) {
                       std::scoped_lock const hold(mutex);
                       team_.parallel_for(Range{0, 16}, [&](std::int64_t) { ++done; }, {LoopSchedule::dynamic, 1});
                     },
                     {LoopSchedule::dynamic, 1});
  EXPECT_EQ(done, 40 * 16);
}

INSTANTIATE_TEST_SUITE_P(Drones, TeamOf, testing::Values(0, 1, 2, 5));

/// Without being asked, a caller of one chunk runs it itself.
TEST(Team, RunsOneChunkInline) {
  Team team(3);
  auto const me = std::this_thread::get_id();
  for (auto const schedule : schedules) {
    team.parallel_for(Range{0, 1}, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), me); }, {schedule});
    team.parallel_for(Range{0, 100}, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), me); }, {schedule, 512});
  }
}

/// Two chunks that wait for each other end only where a member comes.
TEST(Team, HasItsDronesCome) {
  Team team(1);
  for (int turn = 0; turn < 50; ++turn) {
    if (turn == 25) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // they sleep by now
    std::atomic<int> here{0};
    team.parallel_for(Range{0, 2},
                      [&](std::int64_t) {
                        ++here;
                        while (here < 2) std::this_thread::yield();
                      },
                      {LoopSchedule::dynamic, 1});
  }
}

TEST(Team, GivesAThreadTheSameStaticChunksAgain) {
  Team team(1);
  std::vector<std::thread::id> first(2);
  std::vector<std::thread::id> second(2);
  for (auto* const ids : {&first, &second}) {
    std::atomic<int> here{0};
    team.parallel_for(Range{0, 2}, [&](std::int64_t i) {
      (*ids)[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      ++here;
      while (here < 2) std::this_thread::yield();
    });
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[0], std::this_thread::get_id());
}

TEST(Team, RefusesFewerThanNoDrones) { EXPECT_THROW(Team(-1), Error); }

}  // namespace
}  // namespace allport::loops
