// The graph of tile Cholesky against the loops that it comes from.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/graph/draw.h"
#include "allport/linalg/graphs.h"
#include "linalg/plan/longest_paths.h"

namespace allport {
namespace {

struct CholeskyCase {
  Index n;
  Index nb;
  int rows;
  int cols;
  Uplo uplo = Uplo::lower;
  Scalar type = Scalar::d;
  int source = 0;
  Index tiles_of_block = 1;
};

std::ostream& operator<<(std::ostream& out, CholeskyCase const& c) {
  return out << "n " << c.n << " nb " << c.nb << " on " << c.rows << " x " << c.cols << " "
             << static_cast<char>(c.uplo);
}

Distribution distribution_of(CholeskyCase const& c) {
  auto const block = c.nb * c.tiles_of_block;
  return {AxisDistribution::cyclic(c.n, c.rows, block, c.source % c.rows),
          AxisDistribution::cyclic(c.n, c.cols, block, c.source % c.cols), ProcessGrid::row_major(c.rows, c.cols)};
}

std::vector<CholeskyCase> cholesky_cases() {
  std::vector<CholeskyCase> cases{{0, 4, 1, 1}, {1, 4, 1, 1}, {4, 4, 2, 3}, {40, 7, 1, 1}};
  for (auto const& [rows, cols] : {std::pair(1, 5), {5, 1}, {2, 3}, {3, 3}, {4, 3}, {1, 16}}) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      cases.push_back({83, 9, rows, cols, uplo, Scalar::d, 1});
      cases.push_back({64, 8, rows, cols, uplo, Scalar::z});
      cases.push_back({83, 5, rows, cols, uplo, Scalar::d, 1, 3});
    }
  }
  return cases;
}

/// Right-looking elimination of tile rows and columns, each tile's kernel on its owner: what it reads comes over once.
std::vector<graph::Count> by_loops(CholeskyCase const& c) {
  auto const d = distribution_of(c);
  std::vector<graph::Count> counts(d.grid().size());
  auto const extent = [&](Index t) { return static_cast<double>(std::min(c.nb, c.n - t * c.nb)); };
  auto const owner = [&](Index i, Index j) {
    auto const [row, col] = c.uplo == Uplo::lower ? std::pair(i, j) : std::pair(j, i);
    return d.rank_at(d.rows().owner(row * c.nb), d.cols().owner(col * c.nb));
  };
  std::set<std::tuple<Index, Index, Rank>> sent;
  auto const read = [&](Index i, Index j, Rank by) {
    if (owner(i, j) == by || !sent.insert({i, j, by}).second) return;
    auto const bytes = static_cast<std::int64_t>(extent(i) * extent(j)) * bytes_of(c.type);
    counts[static_cast<std::size_t>(owner(i, j))].traffic += {1, 0, bytes, 0};
    counts[static_cast<std::size_t>(by)].traffic += {0, 1, 0, bytes};
  };
  auto const tiles = (c.n + c.nb - 1) / c.nb;
  for (Index k = 0; k < tiles; ++k) {
    for (Index j = k; j < tiles; ++j) {
      for (Index i = j; i < tiles; ++i) {
        auto const me = owner(i, j);
        auto& mine = counts[static_cast<std::size_t>(me)];
        mine.tasks += 1;
        if (i == k) {  // columns one by one, sqrt and divisions and updates
          for (auto left = extent(k); left > 0; --left) mine.flops += left * left;
        } else if (j == k) {
          read(k, k, me);
          mine.flops += extent(i) * extent(k) * extent(k);
        } else {
          read(i, k, me);
          read(j, k, me);
          mine.flops += 2 * extent(k) * (i == j ? extent(i) * (extent(i) + 1) / 2 : extent(i) * extent(j));
        }
      }
    }
  }
  return counts;
}

TEST(CholeskyGraph, HoldsTogether) {
  for (auto const& c : cholesky_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const made = cholesky_graph(distribution_of(c), c.uplo, c.type, c.nb);
    auto const report = graph::check(*made);
    auto const nt = (c.n + c.nb - 1) / c.nb;
    EXPECT_EQ(report.tasks, nt + nt * (nt - 1) / 2 + (nt * nt * nt - nt) / 6);
    EXPECT_EQ(report.longest, std::max<Index>(0, 3 * nt - 2));
    EXPECT_FALSE(report.unreached_unknown);
  }
}

TEST(CholeskyGraph, CountsAsTheLoopsDo) {
  for (auto const& c : cholesky_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const made = cholesky_graph(distribution_of(c), c.uplo, c.type, c.nb);
    EXPECT_EQ(graph::count(*made, *graph::flat()), by_loops(c));
    double flops = 0;
    for (auto const& count : graph::count(*made, *graph::chain())) flops += count.flops;
    auto const n = static_cast<double>(c.n);
    EXPECT_EQ(flops, n * (n + 1) * (2 * n + 1) / 6);  // LAPACK working note 41: n^3/3 + n^2/2 + n/6
  }
}

TEST(CholeskyGraph, PriorityIsTheLongestWayToTheEnd) {
  auto const made = cholesky_graph(distribution_of({56, 8, 2, 2}));
  EXPECT_EQ(expect_longest_paths(*made), 7U + 21U + 56U);
}

TEST(CholeskyGraph, TwentyTasksOnFourTiles) {
  auto const made = cholesky_graph(distribution_of({4, 1, 1, 1}));
  std::map<char, int> kinds;
  for (std::int64_t s = 0; s < made->steps(); ++s) {
    made->tasks(0, s, [&](Task task) { ++kinds[made->name(task)[0]]; });
  }
  EXPECT_EQ(kinds, (std::map<char, int>{{'P', 4}, {'T', 6}, {'G', 10}}));  // Song09, slide 4
}

TEST(CholeskyGraph, IsDrawnTaskByTask) {
  auto const made = cholesky_graph(distribution_of({4, 1, 2, 2}));
  auto const svg = graph::draw(*made);
  auto const times = [&](std::string const& part) {
    std::int64_t count = 0;
    for (auto at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times("class=\"task\""), 20);
  EXPECT_EQ(times("class=\"edge\""), graph::check(*made).edges);
  for (std::int64_t s = 0; s < made->steps(); ++s) {
    for (Rank r = 0; r < 4; ++r) {
      made->tasks(r, s, [&](Task task) {
        EXPECT_EQ(times("<title>" + made->name(task) + " on rank " + std::to_string(r) + ":"), 1) << made->name(task);
      });
    }
  }
}

TEST(CholeskyGraph, MoreThanAMillionTasksAlongRandomPaths) {
  auto const made = cholesky_graph(distribution_of({20000, 100, 5, 7}));
  graph::CheckOptions options;
  options.paths = 20;
  auto const report = graph::check(*made, options);
  EXPECT_FALSE(report.exhaustive);
  EXPECT_GT(report.tasks, 20 * 200);
}

TEST(CholeskyGraph, RefusesDistributionsWhoseBlocksAreNoTiles) {
  auto const with = [](AxisDistribution rows, AxisDistribution cols) {
    return cholesky_graph({std::move(rows), std::move(cols), ProcessGrid::row_major(2, 2)});
  };
  auto const plain = AxisDistribution::cyclic(20, 2, 4);
  EXPECT_THROW((void)with(plain, AxisDistribution::cyclic(21, 2, 4)), Error);
  EXPECT_THROW((void)with(plain, AxisDistribution::cyclic(20, 2, 5)), Error);
  EXPECT_THROW((void)with(plain, AxisDistribution::cyclic(20, 2, 4, 0, 3)), Error);
  EXPECT_THROW((void)with(AxisDistribution::balanced(20, 2), AxisDistribution::balanced(20, 2)), Error);
}

}  // namespace
}  // namespace allport
