// LU on several layers: the paths between a panel and the next one, the widths of panels, and the layers that factor.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "allport/linalg/graphs.h"

namespace allport {
namespace {

LuPlan layered(Index n, GemmGrid grid, LuOptions options = {}, Pivoting pivoting = Pivoting::tournament) {
  options.algorithm = "2.5d";
  options.grid = grid;
  return plan_lu({.m = n, .n = n, .pivoting = pivoting}, Machine::flat(grid.ranks()), options);
}

bool factors(TaskGraph const& graph, Task t) { return graph.name(t).starts_with("factor("); }

/// Whether a sum over layers is on a path from a task to where panel t.k + 1 is factored; nothing where none leads
/// there.
enum class Path : char { none, plain, over_a_sum };

class Paths {
 public:
  Paths(TaskGraph const& graph, std::int64_t until) : graph_(graph), until_(until) {}

  Path from(Task t) {
    if (graph_.step(t) > until_) return Path::none;
    if (graph_.step(t) == until_ && factors(graph_, t)) return Path::plain;
    if (auto const known = known_.find(t); known != known_.end()) return known->second;
    auto path = Path::none;
    graph_.children(t, [&](Edge const& edge) {
      auto const rest = from(edge.child);
      if (rest == Path::none) return;
      path = std::max({path, rest, edge.kind == EdgeKind::sum ? Path::over_a_sum : Path::plain});
    });
    return known_[t] = path;
  }

 private:
  TaskGraph const& graph_;
  std::int64_t until_;
  std::map<Task, Path> known_;
};

TEST(LuLayersGraph, NoSumIsOnTheWayFromAPanelToTheNext) {
  for (auto const& grid : {GemmGrid{2, 3, 2}, {3, 2, 3}, {1, 2, 2}, {2, 1, 2}, {1, 1, 3}}) {
    for (auto const pivoting : {Pivoting::none, Pivoting::tournament}) {
      auto const plan = layered(96, grid, {.panel = 4}, pivoting);
      auto const graph = plan_graph(plan);
      int sums = 0;
      for (std::int64_t k = 0; k + 1 < graph->steps(); ++k) {
        Paths paths(*graph, k + 1);
        for (Rank r = 0; r < graph->ranks(); ++r) {
          graph->tasks(r, k, [&](Task t) {
            if (factors(*graph, t)) EXPECT_NE(paths.from(t), Path::over_a_sum) << graph->name(t);
            graph->children(t, [&](Edge const& edge) { sums += edge.kind == EdgeKind::sum ? 1 : 0; });
          });
        }
      }
      EXPECT_GT(sums, 0) << "layers have parts of the matrix";
    }
  }
}

TEST(LuLayersGraph, EveryRankOfEveryLayerFactorsSome) {
  for (auto const& grid : {GemmGrid{2, 2, 2}, {1, 3, 2}, {2, 4, 2}, {1, 2, 4}}) {
    auto const plan = layered(256, grid, {.panel = 4});
    auto const graph = plan_graph(plan);
    std::set<Rank> panels;
    for (Rank r = 0; r < graph->ranks(); ++r) {
      for (std::int64_t k = 0; k < graph->steps(); ++k) {
        graph->tasks(r, k, [&](Task t) {
          if (factors(*graph, t)) panels.insert(r);
        });
      }
    }
    EXPECT_EQ(std::ssize(panels), grid.ranks()) << grid.rows << "x" << grid.cols << "x" << grid.layers;
  }
}

TEST(LuLayersGraph, PanelsAreAsWideAsIsAskedFor) {
  auto const asked = layered(512, {2, 2, 3}, {.outer_panel = 50}).chosen;
  EXPECT_EQ(asked.outer_panel, 50);
  EXPECT_EQ(asked.panel, 17);
  auto const slices = layered(512, {2, 2, 3}, {.panel = 8}).chosen;
  EXPECT_EQ(slices.outer_panel, 24);
  auto const both = layered(512, {2, 2, 3}, {.panel = 8, .outer_panel = 64}).chosen;
  EXPECT_EQ(both.outer_panel, 64);
  EXPECT_EQ(both.panel, 8);
}

}  // namespace
}  // namespace allport
