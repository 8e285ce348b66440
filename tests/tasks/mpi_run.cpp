// Runs of graphs: every body runs once, with the inputs of a serial walk over the same graph.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "allport/graph/check.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"
#include "random_graph.h"

namespace allport::testing {
namespace {

TEST(TasksRun, RandomGraphsGiveWhatTheirTasksWant) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, spec);
    for (auto const tree : {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::axes,
                            MulticastTree::binomial}) {
      for (int const workers : {1, 3}) {
        if (workers > 1 && spec != fitting_specs().front()) continue;
        for (std::int64_t const longest : {3, 3000}) {
          RandomGraph const graph(comm.size(), 150, unsigned(7 * longest + workers), longest);
          graph::check(graph);
          auto const report = tasks::run(graph, comm, {.workers = workers, .multicast = tree});
          EXPECT_EQ(graph.wrong(), 0) << spec << " " << name(tree);
          EXPECT_TRUE(graph.ran_all(comm.rank())) << spec << " " << name(tree);
          auto const counts = graph::count(graph, *tasks::transport(comm.machine(), tree));
          EXPECT_EQ(report.count, counts[std::size_t(comm.rank())]) << spec << name(tree);
        }
      }
    }
  }
}

/// The same in steps of ten tasks. The first rank is slow, so that the others would run away from it.
class Stepped : public RandomGraph {
 public:
  using RandomGraph::RandomGraph;
  std::int64_t steps() const override { return (size() + 9) / 10; }
  std::int64_t step(Task t) const override { return t.i / 10; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    for (auto t = static_cast<int>(10 * step); t < std::min<int>(size(), static_cast<int>(10 * step) + 10); ++t) {
      if (Task const task{0, 0, t, 0, 0}; owner(task) == rank) visit(task);
    }
  }
  void run(Task t, TaskContext& context) const override {
    if (owner(t) == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    RandomGraph::run(t, context);
  }
};

TEST(TasksRun, KeepsNoMoreThanItsPoolAndGivesTheSame) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 3}) {
    for (std::int64_t const ahead : {1, 2, 5, 9, 0}) {
      for (unsigned seed = 0; seed < 3; ++seed) {
        Stepped const graph(comm.size(), 200, 10 * seed + unsigned(ahead), 3000);
        graph::check(graph);
        auto const counts = graph::count(graph, *tasks::transport(comm.machine()));
        auto const pool = graph::pool(graph, ahead);
        auto const report = tasks::run(graph, comm, {.workers = workers, .ahead = ahead});
        EXPECT_EQ(graph.wrong(), 0) << ahead << " ahead, seed " << seed;
        EXPECT_TRUE(graph.ran_all(comm.rank())) << ahead << " ahead, seed " << seed;
        EXPECT_EQ(report.count, counts[std::size_t(comm.rank())]);
        EXPECT_LE(report.peak_bytes, pool[std::size_t(comm.rank())]) << ahead << " ahead, seed " << seed;
        EXPECT_GT(report.peak_bytes, 0);
      }
    }
  }
}

/// The same without count(): the run ends by a termination wave.
class Uncounted : public RandomGraph {
 public:
  using RandomGraph::RandomGraph;
  std::optional<std::int64_t> count(Rank) const override { return std::nullopt; }
};

TEST(TasksRun, EndsWhereNobodyKnowsHowManyTasksThereAre) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (unsigned seed = 0; seed < 10; ++seed) {
    Uncounted const graph(comm.size(), 100, seed, 700);
    tasks::run(graph, comm, {.workers = 1 + int(seed) % 2});
    EXPECT_EQ(graph.wrong(), 0) << seed;
    EXPECT_TRUE(graph.ran_all(comm.rank())) << seed;
  }
}

/// A tile that is written, sent to all, and overwritten when it has left and its readers here are done.
class Overwritten : public TaskGraph {
 public:
  Overwritten(Rank ranks, Rank me, int rounds) : ranks_(ranks), me_(me), rounds_(rounds), tile_(3000) {}
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (rank == 0) visit(write(0));
  }
  std::optional<std::int64_t> count(Rank rank) const override { return rounds_ + (rank == 0 ? rounds_ : 0); }
  Rank owner(Task t) const override { return t.kind == 0 ? 0 : t.i; }
  int num_parents(Task t) const override { return t.kind == 0 ? (t.k == 0 ? 0 : 2) : 1; }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind == 0) {
      for (Rank r = 0; r < ranks_; ++r) visit({{1, 0, r, 0, t.k}, 0, 0, EdgeKind::data});
      if (t.k + 1 < rounds_) visit({write(t.k + 1), 0, 0, EdgeKind::sent});
    } else if (t.i == 0 && t.k + 1 < rounds_) {
      visit({write(t.k + 1), 0, 0, EdgeKind::order});
    }
  }
  Shape output(Task, int) const override { return {static_cast<std::int64_t>(tile_.size()), 1, 0}; }
  void writes(Task t, VisitTask visit) const override {
    if (t.kind == 0) visit({});
  }
  bool in_place(Task t, int) const override { return t.kind == 0; }
  std::span<std::byte> memory(Tile) const override { return std::as_writable_bytes(std::span(tile_)); }
  void run(Task t, TaskContext& context) const override {
    if (t.kind == 0) {
      std::ranges::fill(tile_, t.k);
    } else {
      auto const* const in = reinterpret_cast<Value const*>(context.input(0).data());
      wrong_ += std::count(in, in + tile_.size(), t.k) != static_cast<std::ptrdiff_t>(tile_.size()) ? 1 : 0;
    }
  }
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  static Task write(int k) { return {0, 0, 0, 0, k}; }
  Rank ranks_;
  Rank me_;
  int rounds_;
  mutable std::vector<Value> tile_;
  mutable std::atomic<int> wrong_{0};
};

TEST(TasksRun, OverwritesATileWhenItHasLeft) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const tree : {MulticastTree::flat, MulticastTree::prefix}) {
    Overwritten const graph(comm.size(), comm.rank(), 40);
    graph::check(graph);
    tasks::run(graph, comm, {.workers = 2, .multicast = tree});
    EXPECT_EQ(graph.wrong(), 0);
  }
}

/// A block goes round the ranks from hand to hand; each rank looks at it where it has come.
class HandedRound : public TaskGraph {
 public:
  HandedRound(Rank ranks, int hands, bool asks) : ranks_(ranks), hands_(hands), asks_(asks), at_(std::size_t(hands)) {}
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (rank == 0) visit({hand, 0, 0, 0, 0});
  }
  std::optional<std::int64_t> count(Rank rank) const override { return 2 * ((hands_ - 1 - rank + ranks_) / ranks_); }
  Rank owner(Task t) const override { return t.k % ranks_; }
  int num_parents(Task t) const override { return t.kind == look || t.k > 0 ? 1 : 0; }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind == look) return;
    visit({{look, 0, 0, 0, t.k}});
    if (t.k + 1 < hands_) visit({{hand, 0, 0, 0, t.k + 1}});
  }
  Shape output(Task, int) const override { return {length, 1, 3}; }
  int forwards(Task t, int) const override { return t.kind == hand && t.k > 0 ? 0 : -1; }
  void run(Task t, TaskContext& context) const override {
    if (t.kind == look) {
      auto const in = context.input(0);
      auto const* const values = reinterpret_cast<Value const*>(in.data());
      for (std::int64_t e = 0; e < length; ++e) wrong_ += values[e] != mix(e, 5) ? 1 : 0;
      wrong_ += in.data() != at_[std::size_t(t.k)] ? 1 : 0;
    } else if (t.k > 0) {
      at_[std::size_t(t.k)] = context.input(0).data();
      if (asks_) (void)context.output(0);
    } else {
      auto const out = context.output(0);
      for (Value e = 0; e < length; ++e) reinterpret_cast<Value*>(out.data())[e] = mix(e, 5);
      at_[0] = out.data();
    }
  }
  [[nodiscard]] int wrong() const { return wrong_; }
  static constexpr std::int64_t length = 5000;

 private:
  enum Kind : std::uint16_t { hand, look };
  Rank ranks_;
  int hands_;
  bool asks_;
  mutable std::vector<std::byte const*> at_;  // on this rank, by hand
  mutable std::atomic<int> wrong_{0};
};

TEST(TasksRun, HandsOnWhatHasComeWhereItLies) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 3}) {
    HandedRound const graph(comm.size(), 41, false);
    graph::check(graph);
    auto const report = tasks::run(graph, comm, {.workers = workers});
    EXPECT_EQ(graph.wrong(), 0);
    auto const counts = graph::count(graph, *tasks::transport(comm.machine()));
    EXPECT_EQ(report.count, counts[std::size_t(comm.rank())]);
    EXPECT_LE(report.peak_bytes, graph::pool(graph, 0)[std::size_t(comm.rank())]);
    if (comm.size() == 1) {
      EXPECT_EQ(report.peak_bytes, 8 * HandedRound::length + 3);
    }
  }
  HandedRound const asks(comm.size(), 3, true);
  auto const text = error_of([&] { tasks::run(asks, comm); });
  EXPECT_NE(text.find("expected one that the body writes"), std::string::npos) << text;
}

/// Fails in one task of the last rank.
class Failing : public RandomGraph {
 public:
  using RandomGraph::RandomGraph;
  std::string name(Task t) const override { return fmt::format("R({})", t.i); }
  void run(Task t, TaskContext& context) const override {
    if (t.i == 60) throw Error::argument("a", "7", "something else");
    RandomGraph::run(t, context);
  }
};

TEST(TasksRun, TellsEveryRankWhichTaskHasFailed) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 2}) {
    Failing const graph(comm.size(), 120, 5, 2000);
    auto const owner = graph.owner({0, 0, 60, 0, 0});
    EXPECT_EQ(error_of([&] { tasks::run(graph, comm, {.workers = workers}); }),
              "task R(60): a = 7: expected something else" +
                  (comm.size() > 1 ? fmt::format(" (on rank {})", owner) : std::string()));
  }
  // And the communicator is as good as before.
  for (int again = 0; again < 3; ++again) {
    RandomGraph const graph(comm.size(), 120, 5, 2000);
    tasks::run(graph, comm);
    EXPECT_TRUE(graph.ran_all(comm.rank()));
  }
}

// Runs use the same communicators by turns: nothing of one comes to another, whoever is late, and what it ends with.
TEST(TasksRun, OneAfterTheOtherWhereRanksAreLate) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const late = [&](unsigned round) {
    if (Rank(round) % comm.size() == comm.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  for (unsigned round = 0; round < 40; ++round) {
    Stepped const graph(comm.size(), 60, round, 2000);
    late(round);
    auto const report = tasks::run(graph, comm, {.ahead = 1 + round % 3});
    EXPECT_EQ(graph.wrong(), 0);
    EXPECT_TRUE(graph.ran_all(comm.rank()));
    EXPECT_EQ(report.count, graph::count(graph, *tasks::transport(comm.machine()))[std::size_t(comm.rank())]);
    if (round % 8 == 7) {
      Failing const failing(comm.size(), 120, 5, 2000);
      EXPECT_THROW(tasks::run(failing, comm), Error);
    }
    if (round % 8 == 3) {
      bool const throws = comm.rank() == comm.size() - 1;
      auto const attend = [&] { throws ? throw std::runtime_error("enough") : void(); };
      EXPECT_NE(error_of([&] { tasks::run(graph, comm, {.attend = attend}); }).find("the program: enough"),
                std::string::npos);
    }
  }
}

/// Waits for an input that nothing leads to.
class Starving : public Uncounted {
 public:
  using Uncounted::Uncounted;
  int num_parents(Task t) const override { return Uncounted::num_parents(t) + (t.i == 50 ? 1 : 0); }
};

TEST(TasksRun, NamesTasksWhoseInputsNeverCome) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Starving const graph(comm.size(), 51, 1, 10);
  ASSERT_GT(graph.num_parents({0, 0, 50, 0, 0}), 1);
  auto const text = error_of([&] { tasks::run(graph, comm); });
  EXPECT_NE(text.find("for 1 of"), std::string::npos) << text;
}

TEST(TasksRun, RefusesWhatCannotRun) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  RandomGraph const graph(comm.size() + 1, 10, 1, 10);
  EXPECT_NE(error_of([&] { tasks::run(graph, comm); }).find("graph.ranks()"), std::string::npos);
  RandomGraph const fits(comm.size(), 10, 1, 10);
  EXPECT_NE(error_of([&] { tasks::run(fits, comm, {.workers = 0}); }).find("workers = 0"), std::string::npos);
  // On one rank alone, where the others begin.
  int const workers = comm.rank() == comm.size() - 1 ? 0 : 1;
  EXPECT_NE(error_of([&] { tasks::run(fits, comm, {.workers = workers}); }).find("workers = 0"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
