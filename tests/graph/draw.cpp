#include "allport/graph/draw.h"

#include <gtest/gtest.h>

#include "graph/table_graph.h"

namespace allport {
namespace {

using graph_samples::diamond;
using graph_samples::TableGraph;
using graph_samples::to;

int times(std::string const& text, std::string const& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(GraphDraw, AllTasksAndEdges) {
  auto const svg = graph::draw(diamond());
  EXPECT_EQ(times(svg, "class=\"task\""), 5);
  EXPECT_EQ(times(svg, "class=\"edge\""), 6);
  EXPECT_EQ(times(svg, "stroke-dasharray=\"6 3\""), 6);  // all leave their rank
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
  TableGraph const pair({{.children = {to(1, 0, Carries::order)}}, {.children = {}}});
  EXPECT_EQ(times(graph::draw(pair), "stroke-dasharray=\"1 3\""), 1);
}

TEST(GraphDraw, RefusesWhatIsTooLargeOrNeverEnds) {
  EXPECT_THROW((void)graph::draw(diamond(), 4), Error);
  TableGraph const circle({{.children = {to(1)}}, {.children = {to(2)}}, {.children = {to(1, 1)}}});
  EXPECT_THROW((void)graph::draw(circle), Error);
}

}  // namespace
}  // namespace allport
