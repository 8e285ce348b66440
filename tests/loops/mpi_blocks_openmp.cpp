// Blocks whose bodies are OpenMP's parallel regions, on teams that change their shape: the cells of a plain loop, the
// threads of a team in each region, each on its core.
#ifdef _OPENMP
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <vector>

#include "allport/loops/blocks.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

using namespace allport::loops;
using Word = std::uint64_t;

constexpr std::int64_t rows = 23;
constexpr std::int64_t columns = 17;

Word start_of(std::int64_t i, std::int64_t j) { return Word(i * 7919 + j * 104729 + 1); }
Word next_of(Word here, Word up, Word down, Word left, Word right) {
  return 3 * here + 5 * up + 7 * down + 11 * left + 13 * right;
}

/// The whole grid with its border, row by row.
std::vector<Word> whole(int iterations) {
  auto const at = [](std::int64_t i, std::int64_t j) { return std::size_t((i + 1) * (columns + 2) + j + 1); };
  std::vector<Word> cells(at(rows, columns) + 1);
  for (std::int64_t i = -1; i <= rows; ++i) {
    for (std::int64_t j = -1; j <= columns; ++j) cells[at(i, j)] = start_of(i, j);
  }
  for (int n = 0; n < iterations; ++n) {
    auto const old = cells;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        cells[at(i, j)] =
            next_of(old[at(i, j)], old[at(i - 1, j)], old[at(i + 1, j)], old[at(i, j - 1)], old[at(i, j + 1)]);
      }
    }
  }
  return cells;
}

/// Iterates with one region a block, over all shapes of the teams, and moves blocks between these.
void try_on(Teams& teams, Communicator const& comm, bool on_their_cores) {
  Blocks<2, Word> blocks(comm, {.grid = {rows, columns}, .block = {5, 4}}, teams);
  blocks.fill([](auto i, auto j) { return start_of(i, j); });
  int iterations = 0;
  for (auto const shape : shapes_of(teams.threads())) {
    teams.configure(shape.leaders, shape.members);
    std::atomic<int> wrong_threads{0};
    std::atomic<int> wrong_cores{0};
    blocks.iterate(3, [&](Block<2, Word> const& block, Team& team) {
      auto const leader = block.leader();
      auto const size = team.size();
#pragma omp parallel
      {
        auto const member = omp_get_thread_num();
        teams.pin(leader, member);
        if (omp_get_num_threads() != size) ++wrong_threads;
        if (on_their_cores) {
          auto const core = std::size_t(teams.cores_of(leader)[std::size_t(member)]);
          if (pinned_to() != teams.cores().all[core].processors) ++wrong_cores;
        }
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t i = 0; i < block.size(0); ++i) {
          for (std::int64_t j = 0; j < block.size(1); ++j) {
            block.out(i, j) =
                next_of(block.in(i, j), block.in(i - 1, j), block.in(i + 1, j), block.in(i, j - 1), block.in(i, j + 1));
          }
        }
      }
    });
    iterations += 3;
    EXPECT_EQ(wrong_threads, 0) << shape.leaders << " x (1 + " << shape.members << ")";
    EXPECT_EQ(wrong_cores, 0) << shape.leaders << " x (1 + " << shape.members << ")";
    auto const right = whole(iterations);
    int wrong = 0;
    blocks.each([&](Block<2, Word> const& b) {
      for (std::int64_t i = 0; i < b.size(0); ++i) {
        for (std::int64_t j = 0; j < b.size(1); ++j) {
          auto const at = (b.first(0) + i + 1) * (columns + 2) + b.first(1) + j + 1;
          wrong += b.in(i, j) != right[std::size_t(at)] ? 1 : 0;
        }
      }
    });
    EXPECT_EQ(wrong, 0);
    blocks.balance({.balancer = Balancer::greedy});
  }
}

TEST(BlocksByOpenmp, AreTheSameCellsOnTeamsOfAnyShape) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const before = omp_get_max_threads();
  {
    Cores const crowded{.all = {{{0}, 0}, {{1}, 0}}, .shared = true, .source = "the caller"};
    Teams teams(crowded, {.threads = 4, .bodies = Bodies::openmp});
    try_on(teams, comm, false);
  }
  {
    Teams teams(cores_of_rank(comm), {.bodies = Bodies::openmp});
    try_on(teams, comm, teams.pinned());
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

TEST(BlocksByOpenmp, LoopsOfOursLeaveRegionsOneThread) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Cores const cores{.all = {{{0}, 0}, {{1}, 0}}, .shared = true, .source = "the caller"};
  Teams teams(cores, {.threads = 2});
  Blocks<2, Word> blocks(comm, {.grid = {8, 8}, .block = {4, 4}}, teams);
  std::atomic<int> more{0};
  blocks.iterate(2, [&](Block<2, Word> const&, Team&) {
#pragma omp parallel
    {
      if (omp_get_num_threads() != 1) ++more;
    }
  });
  EXPECT_EQ(more, 0);
}

}  // namespace
}  // namespace allport::testing
#endif
