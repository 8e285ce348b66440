// Graphs composed of kinds of tasks.
#include "allport/graph/kinds.h"

#include <gtest/gtest.h>

#include <string>

#include "allport/graph/check.h"

namespace allport {
namespace {

struct Send;
struct Receive;

/// Rank 0 sends a block to every rank.
class OneToAll : public GraphOfKinds<OneToAll> {
 public:
  using Kinds = ListOfKinds<Receive, Send>;
  explicit OneToAll(Rank ranks) : ranks_(ranks) {}
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (rank == 0) visit({.kind = 0});
  }
  std::optional<std::int64_t> count(Rank rank) const override { return rank == 0 ? 2 : 1; }

 private:
  Rank ranks_;
};

struct Send : TaskOf<OneToAll> {
  static constexpr std::uint16_t kind = 0;
  std::string name() const { return "send"; }
  Rank owner() const { return 0; }
  int parents() const { return 0; }
  void children(VisitEdge visit) const {
    for (Rank r = 0; r < g.ranks(); ++r) visit({{.kind = 1, .i = r}});
  }
  Shape output(int /*index*/) const { return {2, 3, 0}; }
  Work work() const { return {Kernel::own, 5, 0}; }
  int priority() const { return 2; }
};

struct Receive : TaskOf<OneToAll> {
  static constexpr std::uint16_t kind = 1;
  std::string name() const { return "receive on " + std::to_string(t.i); }
  Rank owner() const { return t.i; }
  int parents() const { return 1; }
  std::optional<Shape> input(int /*index*/) const { return Shape{2, 3, 0}; }
};

/// What graphs share: a chain of tasks on rank 0.
class ChainOfTasks : public TaskGraph {
 public:
  explicit ChainOfTasks(std::int32_t length) : length_(length) {}
  Rank ranks() const override { return 1; }
  void entries(Rank /*rank*/, VisitTask visit) const override { visit(at(0)); }
  std::optional<std::int64_t> count(Rank /*rank*/) const override { return length_; }
  [[nodiscard]] std::int32_t length() const { return length_; }
  static Task at(std::int32_t k) { return {.kind = static_cast<std::uint16_t>(k % 3), .k = k}; }

 private:
  std::int32_t length_;
};

struct Numbered;
struct AfterFour;
struct Other;

/// Kinds 0 and 1 share a struct; two structs share kind 2.
class Shared : public GraphOfKinds<Shared, ChainOfTasks> {
 public:
  using Kinds = ListOfKinds<KindOf<Numbered, 0>, KindOf<Numbered, 1>, AfterFour, Other>;
  using GraphOfKinds::GraphOfKinds;
};

struct InChain : TaskOf<Shared> {
  Rank owner() const { return 0; }
  int parents() const { return t.k > 0 ? 1 : 0; }
  void children(VisitEdge visit) const {
    if (t.k + 1 < g.length()) then(visit, g.at(t.k + 1));
  }
  Work work() const { return kernel(Kernel::add, 3, 5); }
};
struct Numbered : InChain {
  std::string name() const { return "number " + std::to_string(t.kind); }
};
struct AfterFour : InChain {
  static constexpr std::uint16_t kind = 2;
  static bool is(Shared const& /*graph*/, Task task) { return task.k > 4; }
  std::string name() const { return "after four"; }
};
struct Other : InChain {
  static constexpr std::uint16_t kind = 2;
  std::string name() const { return "other"; }
};

TEST(GraphOfKinds, KindsMayShareAStructOrANumberAndGraphsABase) {
  Shared const graph(6);
  EXPECT_EQ(graph::check(graph).tasks, 6);
  EXPECT_EQ(graph.name(graph.at(0)), "number 0");
  EXPECT_EQ(graph.name(graph.at(1)), "number 1");
  EXPECT_EQ(graph.name(graph.at(2)), "other");
  EXPECT_EQ(graph.name(graph.at(5)), "after four");
  EXPECT_EQ(graph.work(graph.at(3)).flops, 3);
  EXPECT_EQ(graph.work(graph.at(3)).bytes, 40);
}

TEST(GraphOfKinds, AsksTheKindOfTheTask) {
  OneToAll const graph(3);
  graph::check(graph);
  Task const receive{.kind = 1, .i = 2};
  EXPECT_EQ(graph.name({}), "send");
  EXPECT_EQ(graph.name(receive), "receive on 2");
  EXPECT_EQ(graph.owner(receive), 2);
  EXPECT_EQ(graph.num_parents(receive), 1);
  EXPECT_EQ(graph.work({}).flops, 5);
  EXPECT_EQ(graph.priority({}), 2);
}

TEST(GraphOfKinds, WhatAKindDoesNotSayIsAsInTaskGraph) {
  OneToAll const graph(3);
  Task const receive{.kind = 1};
  Gang gang;
  EXPECT_EQ(graph.work(receive).kernel, Kernel::none);
  EXPECT_EQ(graph.priority(receive), 0);
  EXPECT_EQ(graph.output(receive, 0), Shape{});
  EXPECT_EQ(graph.parts(receive, 0), 1);
  EXPECT_EQ(graph.whole(receive, 0), receive);
  EXPECT_EQ(graph.forwards(receive, 0), -1);
  EXPECT_EQ(graph.sum_tree(receive, 0), SumTree::halves);
  EXPECT_FALSE(graph.in_place(receive, 0));
  EXPECT_FALSE(graph.gang(receive, gang));
  EXPECT_EQ(graph.input({}, 0), std::nullopt);
}

}  // namespace
}  // namespace allport
