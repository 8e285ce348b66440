// Gangs that exchange: everything sent arrives, no body waits, and errors are reported.
#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <vector>

#include "allport/graph/check.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"
#include "grouped_graph.h"

namespace allport::testing {
namespace {

/// Members send others what only bodies know: to some nothing, to some a message of any length.
class Exchanging : public GroupedGraph {
 public:
  using GroupedGraph::GroupedGraph;

  bool gang(Task t, Gang& gang) const override {
    auto const& group = this->group(t.i);
    if (!group.communicates) return false;
    gang = gang_of(group);
    gang.exchanges = true;
    return true;
  }

  void exchange(Task t, TaskContext& context, FunctionRef<void(int)> expect) const override {
    auto const& group = this->group(t.i);
    auto const me = t.i - group.first;
    for (int other = 0; other < group.size(); ++other) {
      if (other == me) continue;
      auto const mine = message(group, me, other);
      if (!mine.empty()) context.gang().send(other, std::as_bytes(std::span(mine)));
      if (!message(group, other, me).empty()) expect(other);
    }
    sent_ += 1;
  }

  void run(Task t, TaskContext& context) const override {
    auto const& group = this->group(t.i);
    auto const me = t.i - group.first;
    for (int other = 0; group.communicates && group.size() > 1 && other < group.size(); ++other) {
      auto wanted = other == me ? std::vector<Value>() : message(group, other, me);
      if (wanted.empty()) continue;
      misheard_ += same_bytes(context.gang().receive(other), std::as_writable_bytes(std::span(wanted))) ? 0 : 1;
    }
    GroupedGraph::run(t, context);
  }

  [[nodiscard]] int misheard() const { return misheard_; }
  [[nodiscard]] int sent() const { return sent_; }
  /// Members on a rank that have others, and what they send.
  [[nodiscard]] graph::Count sends(Rank rank) const {
    graph::Count sum;
    for (int t = 0; t < size(); ++t) {
      auto const& group = this->group(t);
      if (!group.communicates || group.size() < 2 || owner(task(t)) != rank) continue;
      sum.tasks += 1;
      for (int other = 0; other < group.size(); ++other) {
        if (other == t - group.first) continue;
        auto const bytes = static_cast<double>(message(group, t - group.first, other).size() * sizeof(Value));
        sum.expected_bytes += bytes;
        sum.expected_messages += bytes > 0 ? 1 : 0;
      }
    }
    return sum;
  }

 private:
  static std::vector<Value> message(Group const& g, int from, int to) {
    auto const number = static_cast<std::uint64_t>(mix(mix(g.first, from), to));
    std::vector<Value> values(number % 3 == 0 ? 0 : number % 400);
    std::iota(values.begin(), values.end(), static_cast<Value>(number));
    return values;
  }

  mutable std::atomic<int> misheard_{0};
  mutable std::atomic<int> sent_{0};
};

TEST(TasksExchanges, BringWhatOthersSend) {
  run_grouped<Exchanging>([](Exchanging const& graph, tasks::RunReport const& report, graph::Count const& counted) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto const wanted = graph.sends(rank);
    EXPECT_EQ(graph.sent(), wanted.tasks);
    EXPECT_EQ(report.count.expected_bytes, wanted.expected_bytes);
    EXPECT_EQ(report.count.expected_messages, wanted.expected_messages);
    EXPECT_EQ(report.count.traffic, counted.traffic);
  });
}

/// Two gangs of all ranks, of which half of the ranks take one first and the others the other one: who waited in its
/// body for the others would wait for ever. Members hear from the rank before them.
class Crossed : public TaskGraph {
 public:
  using Body = std::function<void(Task, TaskContext&, FunctionRef<void(int)>)>;
  explicit Crossed(Rank ranks) : ranks_(ranks) {}
  Crossed(Rank ranks, Body first) : ranks_(ranks), first_(std::move(first)) {}

  Rank ranks() const override { return ranks_; }
  std::string name(Task t) const override { return fmt::format("X{}({})", t.j, t.i); }
  void entries(Rank rank, VisitTask visit) const override {
    for (int which = 0; which < 2; ++which) visit(of(rank, which));
  }
  void exits(Rank rank, VisitTask visit) const override { entries(rank, visit); }
  Rank owner(Task t) const override { return t.i; }
  int num_parents(Task) const override { return 0; }
  void children(Task, VisitEdge) const override {}
  Shape output(Task, int) const override { return {}; }
  double priority(Task t) const override { return t.j == t.i % 2 ? 1 : 0; }
  bool gang(Task t, Gang& gang) const override {
    gang = Gang{};
    for (Rank r = 0; r < ranks_; ++r) gang.members.push_back(of(r, t.j));
    gang.exchanges = true;
    return true;
  }
  void exchange(Task t, TaskContext& context, FunctionRef<void(int)> expect) const override {
    if (first_) return first_(t, context, expect);
    std::byte const one{static_cast<unsigned char>(t.j)};
    context.gang().send((t.i + 1) % ranks_, {&one, 1});
    expect(before(t.i));
  }
  void run(Task t, TaskContext& context) const override {
    if (ranks_ == 1 || first_) return;
    right_ += context.gang().receive(before(t.i)) == std::vector{static_cast<std::byte>(t.j)} ? 1 : 0;
  }
  [[nodiscard]] Rank before(Rank rank) const { return (rank + ranks_ - 1) % ranks_; }
  [[nodiscard]] int right() const { return right_; }

 private:
  static Task of(Rank rank, int which) { return {0, 0, rank, which, 0}; }
  Rank ranks_;
  Body first_;
  mutable std::atomic<int> right_{0};
};

TEST(TasksExchanges, NeedNoOrderOfTheirGangs) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int run = 0; run < 20; ++run) {
    Crossed const graph(comm.size());
    tasks::run(graph, comm, {.workers = 1 + run % 2});
    EXPECT_EQ(graph.right(), comm.size() > 1 ? 2 : 0);
  }
}

TEST(TasksExchanges, TellEveryRankWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) GTEST_SKIP() << "members of gangs of one exchange nothing";
  auto const last = comm.size() - 1;
  auto const error = [&](Crossed::Body const& body) {
    Crossed const graph(comm.size(), body);
    return error_of([&] { tasks::run(graph, comm); });
  };
  auto const on_last = fmt::format(" (on rank {})", last);
  EXPECT_EQ(error([&](Task t, TaskContext&, auto) {
              if (t.i == last && t.j == 0) throw Error::argument("pivot", "0", "another");
            }),
            fmt::format("task X0({}): pivot = 0: expected another", last) + on_last);
  EXPECT_EQ(error([&](Task t, TaskContext&, auto expect) {
              if (t.i == last && t.j == 0) expect(last);
            }),
            fmt::format("task X0({}): member = {}: expected another member, in 0..{}", last, last, last) + on_last);
  // Who expects what nobody sends is told so when nothing moves any more.
  auto const silent = error([&](Task t, TaskContext&, auto expect) {
    if (t.i == last && t.j == 1) expect(last - 1);
  });
  EXPECT_NE(silent.find(
                fmt::format("X1({}) has sent, and waits for message 0 of X1({}) on rank {}", last, last - 1, last - 1)),
            std::string::npos)
      << silent;
  // And the communicator is as good as before.
  EXPECT_EQ(error_of([&] { tasks::run(Crossed(comm.size()), comm); }), "");
}

/// A body that makes an output too early.
class TooEarly : public Crossed {
 public:
  explicit TooEarly(Rank ranks) : Crossed(ranks) {}
  Shape output(Task, int) const override { return {1, 1, 0}; }
  void exchange(Task t, TaskContext& context, FunctionRef<void(int)>) const override {
    if (t.i == 0 && t.j == 0) static_cast<void>(context.output(0));
  }
  void run(Task, TaskContext&) const override {}
};

TEST(TasksExchanges, MakeOutputsLater) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) GTEST_SKIP() << "members of gangs of one exchange nothing";
  EXPECT_EQ(error_of([&] { tasks::run(TooEarly(comm.size()), comm); }),
            "task X0(0): exchange = 'X0(0)': expected a body that writes no outputs; run() makes them (on rank 0)");
}

}  // namespace
}  // namespace allport::testing
