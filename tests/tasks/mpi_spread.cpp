// Bodies that are spread over idle workers.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "allport/tasks/run.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

/// On every rank a chain of tasks, so that all workers but one are idle: each adds up its parts.
class Spread : public TaskGraph {
 public:
  Spread(Rank ranks, int length, std::int64_t parts) : ranks_(ranks), length_(length), parts_(parts) {}
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (length_ > 0) visit({0, 0, rank, 0, 0});
  }
  std::optional<std::int64_t> count(Rank) const override { return length_; }
  Rank owner(Task t) const override { return t.i; }
  int num_parents(Task t) const override { return t.k > 0 ? 1 : 0; }
  void children(Task t, VisitEdge visit) const override {
    if (t.k + 1 < length_) visit({{0, 0, t.i, 0, t.k + 1}, 0, 0, EdgeKind::order});
  }
  Shape output(Task, int) const override { return {}; }
  void run(Task t, TaskContext& context) const override {
    std::vector<std::int64_t> made(static_cast<std::size_t>(parts_));
    most_idle_ = std::max(most_idle_.load(), context.idle());
    context.parallel_for(parts_,
                         [&](std::int64_t part) { body(t, context, part, made[static_cast<std::size_t>(part)]); });
    sum_ += std::accumulate(made.begin(), made.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t sum() const { return sum_; }
  [[nodiscard]] int most_idle() const { return most_idle_; }

 protected:
  virtual void body(Task, TaskContext&, std::int64_t part, std::int64_t& made) const { made = part + 1; }

 private:
  Rank ranks_;
  int length_;
  std::int64_t parts_;
  mutable std::atomic<std::int64_t> sum_{0};
  mutable std::atomic<int> most_idle_{0};
};

TEST(TasksSpread, RunsEveryPartOnce) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 2, 4}) {
    for (std::int64_t const parts : {0, 1, 2, 7, 100}) {
      Spread const graph(comm.size(), 30, parts);
      auto const report = tasks::run(graph, comm, {.workers = workers});
      EXPECT_EQ(graph.sum(), 30 * parts * (parts + 1) / 2);
      EXPECT_LT(graph.most_idle(), workers);
      EXPECT_EQ(report.count.tasks, 30);
    }
  }
}

/// Two parts that wait for each other.
class Meeting : public Spread {
 public:
  using Spread::Spread;

 protected:
  void body(Task t, TaskContext&, std::int64_t, std::int64_t& made) const override {
    made = ++here_;
    while (here_ < 2 * (t.k + 1)) std::this_thread::yield();
  }

 private:
  mutable std::atomic<std::int64_t> here_{0};
};

TEST(TasksSpread, HasAnIdleWorkerCome) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Meeting const graph(comm.size(), 20, 2);
  tasks::run(graph, comm, {.workers = 2});
  EXPECT_EQ(graph.sum(), 40 * 41 / 2);
}

/// Parts that are spread in their turn, and one that fails.
class Nested : public Spread {
 public:
  Nested(Rank ranks, int length, std::int64_t parts, int fails) : Spread(ranks, length, parts), fails_(fails) {}

 protected:
  void body(Task t, TaskContext& context, std::int64_t part, std::int64_t& made) const override {
    if (t.k == fails_ && part >= 3) throw Error::argument("part", std::to_string(part), "another");
    std::atomic<std::int64_t> inner{0};
    context.parallel_for(5, [&](std::int64_t i) { inner += i; });
    made = inner;
  }

 private:
  int fails_;
};

TEST(TasksSpread, SpreadsPartsInTheirTurn) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Nested const graph(comm.size(), 20, 6, -1);
  tasks::run(graph, comm, {.workers = 3});
  EXPECT_EQ(graph.sum(), 20 * 6 * 10);
}

TEST(TasksSpread, TellsEveryRankWhatAPartHasThrown) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 3}) {
    Nested const graph(comm.size(), 20, 9, 7);
    EXPECT_NE(error_of([&] { tasks::run(graph, comm, {.workers = workers}); }).find("part = 3: expected another"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace allport::testing
