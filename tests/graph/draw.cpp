#include "allport/graph/draw.h"

#include <gtest/gtest.h>

#include "graph/sum_tree.h"
#include "graph/table_graph.h"

namespace allport::graph_samples {
namespace {

int times(std::string const& text, std::string const& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(GraphDraw, AllTasksAndEdges) {
  auto const svg = graph::draw(diamond());
  EXPECT_EQ(times(svg, "class=\"task\""), 5);
  EXPECT_EQ(times(svg, "class=\"edge\""), 6);
  EXPECT_EQ(times(svg, "stroke-dasharray=\"6 3\""), 6 + 1);  // all leave their rank; and the legend
  EXPECT_EQ(times(svg, "#3 on rank 2: own, 1000 flops"), 1);
  EXPECT_EQ(svg, graph::draw(diamond()));
}

TEST(GraphDraw, NamesAreText) {
  class Named final : public TableGraph {
   public:
    using TableGraph::TableGraph;
    std::string name(Task) const override { return "a<b & c>d"; }
  };
  EXPECT_EQ(times(graph::draw(Named(std::vector<TableGraph::Row>(1))), ">a&lt;b &amp; c&gt;d<"), 1);
}

TEST(GraphDraw, EdgesOfOrderAreDotted) {
  TableGraph const pair({{.children = {to(1, 0, EdgeKind::order)}}, {.children = {}}});
  EXPECT_EQ(times(graph::draw(pair), "stroke-dasharray=\"1 3\""), 1 + 1);
}

/// T(r) on rank r contributes to the sum that task n takes on rank `root`.
TableGraph sum_of(int contributions, Rank root) {
  std::vector<TableGraph::Row> rows;
  for (int r = 0; r < contributions; ++r)
    rows.push_back({.owner = r, .children = {to(contributions, 0, EdgeKind::sum)}});
  rows.push_back({.owner = root, .children = {}});
  return TableGraph(std::move(rows));
}

TEST(GraphDraw, SumsAreCombinedWhereARunCombinesThem) {
  for (int const n : {1, 2, 3, 5, 8}) {
    auto const svg = graph::draw(sum_of(n, n / 2));
    int combined = 0;
    int arrows = 0;
    for (int r = 0; r < n; ++r) {
      auto const place = graph::sum_place(SumTree::halves, n, n / 2, r);
      bool const adds = r != n / 2 && !place.parts.empty();
      combined += adds ? 1 : 0;
      arrows += adds ? 2 : 1;
    }
    EXPECT_EQ(times(svg, "class=\"sum\""), combined) << n;
    EXPECT_EQ(times(svg, "class=\"edge\""), arrows) << n;
  }
}

TEST(GraphDraw, TheCriticalPathIsOneOfTheLongest) {
  auto stepped = diamond();
  stepped.by_step = {{0}, {1, 2, 3}, {4}};
  auto const svg = graph::draw(stepped);
  EXPECT_EQ(times(svg, "stroke=\"#d00000\""), 2 + 1);  // of three tasks, and in the legend
  EXPECT_EQ(times(svg, "class=\"legend\""), 2 + 1);    // carried, to another rank
  EXPECT_EQ(times(graph::draw(diamond()), "class=\"legend\""), 2);
}

TEST(GraphDraw, RefusesWhatIsTooLargeOrNeverEnds) {
  EXPECT_THROW((void)graph::draw(diamond(), 4), Error);
  TableGraph const circle({{.children = {to(1)}}, {.children = {to(2)}}, {.children = {to(1, 1)}}});
  EXPECT_THROW((void)graph::draw(circle), Error);
}

}  // namespace
}  // namespace allport::graph_samples
