// Graphs that run: every body once, with the inputs that a walk over the same graph on one rank finds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "allport/graph/check.h"
#include "allport/tasks/carrier.h"
#include "allport/tasks/run.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

using Value = std::int64_t;

/// Unsigned, because it is meant to wrap.
Value mix(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) * 1000003 + static_cast<std::uint64_t>(b) * 7919 + 17);
}

/// A random graph, the same on all ranks: task i has parents below i, several outputs, some of them empty.
class RandomGraph : public TaskGraph {
 public:
  struct Node {
    Rank owner = 0;
    int outputs = 1;
    std::vector<std::pair<int, int>> parents;  // node, output
    std::int64_t length = 1;                   // of each output, in elements
  };

  RandomGraph(Rank ranks, int tasks, unsigned seed, std::int64_t longest) : ranks_(ranks), nodes_(std::size_t(tasks)) {
    std::mt19937 random(seed);
    auto const below = [&](std::int64_t n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    for (int t = 0; t < tasks; ++t) {
      auto& node = nodes_[std::size_t(t)];
      node.owner = below(ranks);
      node.outputs = 1 + below(2);
      node.length = below(4) == 0 ? 0 : 1 + below(longest);
      for (int p = t > 0 ? below(5) : 0; p > 0; --p) {
        auto const parent = below(std::min(t, 40)) + std::max(0, t - 40);
        node.parents.emplace_back(parent, below(nodes_[std::size_t(parent)].outputs));
      }
    }
    children_.resize(std::size_t(tasks));
    for (int t = 0; t < tasks; ++t) {
      int input = 0;
      for (auto const& [parent, output] : nodes_[std::size_t(t)].parents) {
        children_[std::size_t(parent)].push_back({task(t), input++, output, Carries::data});
      }
    }
    for (int t = 0; t < tasks; ++t) {
      auto const& node = nodes_[std::size_t(t)];
      Value sum = t;
      for (auto const& [parent, output] : node.parents) sum = mix(sum, wanted(parent, output));
      wanted_.push_back(sum);
    }
  }

  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    for (int t = 0; t < size(); ++t) {
      if (node(t).parents.empty() && node(t).owner == rank) visit(task(t));
    }
  }
  std::optional<std::int64_t> count(Rank rank) const override { return std::ranges::count(nodes_, rank, &Node::owner); }
  Rank owner(Task t) const override { return node(t.i).owner; }
  int num_parents(Task t) const override { return static_cast<int>(node(t.i).parents.size()); }
  void children(Task t, VisitEdge visit) const override {
    for (auto const& edge : children_[std::size_t(t.i)]) visit(edge);
  }
  Shape output(Task t, int) const override { return {node(t.i).length, 1, 0}; }
  double priority(Task t) const override { return t.i % 7; }
  Work work(Task t) const override { return {Kernel::own, double(t.i), 0}; }

  void run(Task t, TaskContext& context) const override {
    Value sum = t.i;
    int input = 0;
    for (auto const& [parent, output] : node(t.i).parents) {
      auto const given = context.input(input++);
      auto const* const values = reinterpret_cast<Value const*>(given.data());
      auto const length = node(parent).length;
      if (static_cast<std::int64_t>(given.size()) != 8 * length) wrong_ += 1;
      for (std::int64_t e = 0; e < length; ++e) wrong_ += values[e] != wanted(parent, output) + e ? 1 : 0;
      sum = mix(sum, wanted(parent, output));
    }
    wrong_ += sum != wanted_[std::size_t(t.i)] ? 1 : 0;
    for (int o = 0; o < node(t.i).outputs; ++o) {
      auto const out = context.output(o);
      auto* const values = reinterpret_cast<Value*>(out.data());
      for (std::int64_t e = 0; e < node(t.i).length; ++e) values[e] = wanted(t.i, o) + e;
    }
    if (t.i % 5 == 0) context.progress();
    std::scoped_lock const hold(mutex_);
    ++times_[t.i];
  }

  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] int wrong() const { return wrong_; }
  /// Every task of this rank once, and no others.
  [[nodiscard]] bool ran_all(Rank rank) const {
    for (int t = 0; t < size(); ++t) {
      auto const at = times_.find(t);
      if ((at == times_.end() ? 0 : at->second) != (node(t).owner == rank ? 1 : 0)) return false;
    }
    return true;
  }

 private:
  static Task task(int t) { return {0, 0, t, 0, 0}; }
  [[nodiscard]] Node const& node(int t) const { return nodes_[std::size_t(t)]; }
  [[nodiscard]] Value wanted(int t, int output) const { return wanted_[std::size_t(t)] + 1000 * output; }

  Rank ranks_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Edge>> children_;
  std::vector<Value> wanted_;
  mutable std::atomic<int> wrong_{0};
  mutable std::mutex mutex_;
  mutable std::map<int, int> times_;
};

TEST(TasksRun, RandomGraphsGiveWhatTheirTasksWant) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, spec);
    for (auto const way : {MulticastWay::flat, MulticastWay::chain, MulticastWay::prefix}) {
      for (int const workers : {1, 3}) {
        if (workers > 1 && spec != fitting_specs().front()) continue;
        for (std::int64_t const longest : {3, 3000}) {
          RandomGraph const graph(comm.size(), 150, unsigned(7 * longest + workers), longest);
          graph::check(graph);
          auto const report = tasks::run(graph, comm, {.workers = workers, .way = way});
          EXPECT_EQ(graph.wrong(), 0) << spec << " " << name(way);
          EXPECT_TRUE(graph.ran_all(comm.rank())) << spec << " " << name(way);
          auto const counts = graph::count(graph, *tasks::carrier(comm.machine(), way));
          EXPECT_EQ(report.count, counts[std::size_t(comm.rank())]) << spec << name(way);
        }
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

/// Every rank r adds to one sum after the other; the sum's owner goes round. a op b = 31 a + b tells their order.
class Sums : public TaskGraph {
 public:
  Sums(Rank ranks, int rounds, std::int64_t length) : ranks_(ranks), rounds_(rounds), length_(length) {}
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    for (int k = 0; k < rounds_; ++k) visit(part(rank, k));
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    return rounds_ + (rounds_ - rank + ranks_ - 1) / ranks_;
  }
  Rank owner(Task t) const override { return t.kind == 0 ? t.i : t.k % ranks_; }
  int num_parents(Task t) const override { return t.kind == 0 ? 0 : ranks_; }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind == 0) visit({{1, 0, 0, 0, t.k}, 0, 0, Carries::sum});
  }
  void contributors(Task child, int, VisitTask visit) const override {
    for (Rank r = ranks_ - 1; r >= 0; --r) visit(part(r, child.k));
  }
  Shape output(Task, int) const override { return {length_, 1, 0}; }
  void run(Task t, TaskContext& context) const override {
    if (t.kind == 0) {
      auto* const out = reinterpret_cast<Value*>(context.output(0).data());
      for (std::int64_t e = 0; e < length_; ++e) out[e] = t.i + t.k + e;
      return;
    }
    auto const* const in = reinterpret_cast<Value const*>(context.input(0).data());
    for (std::int64_t e = 0; e < length_; ++e) {
      auto sum = ranks_ - 1 + t.k + e;
      for (Rank r = ranks_ - 2; r >= 0; --r) sum = 31 * sum + r + t.k + e;
      wrong_ += in[e] != sum ? 1 : 0;
    }
    ++sums_;
  }
  [[nodiscard]] int wrong() const { return wrong_; }
  [[nodiscard]] int sums() const { return sums_; }

 private:
  static Task part(Rank r, int k) { return {0, 0, r, 0, k}; }
  Rank ranks_;
  int rounds_;
  std::int64_t length_;
  mutable std::atomic<int> wrong_{0};
  mutable std::atomic<int> sums_{0};
};

TEST(TasksRun, CombinesSumsInTheOrderOfTheirContributors) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (std::int64_t const length : {1, 2000}) {
    Sums const graph(comm.size(), 11, length);
    graph::check(graph);
    auto const combine = [](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
      for (std::int64_t e = 0; e < bytes / 8; ++e) {
        reinterpret_cast<Value*>(out)[e] =
            31 * reinterpret_cast<Value const*>(left)[e] + reinterpret_cast<Value const*>(right)[e];
      }
    };
    auto const report = tasks::run(graph, comm, {.workers = 2, .combine = combine});
    EXPECT_EQ(graph.wrong(), 0);
    EXPECT_EQ(graph.sums(), (11 - comm.rank() + comm.size() - 1) / comm.size());
    EXPECT_EQ(report.count, graph::count(graph, *graph::flat())[std::size_t(comm.rank())]);
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
      for (Rank r = 0; r < ranks_; ++r) visit({{1, 0, r, 0, t.k}, 0, 0, Carries::data});
      if (t.k + 1 < rounds_) visit({write(t.k + 1), 0, 0, Carries::sent});
    } else if (t.i == 0 && t.k + 1 < rounds_) {
      visit({write(t.k + 1), 0, 0, Carries::order});
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
  for (auto const way : {MulticastWay::flat, MulticastWay::prefix}) {
    Overwritten const graph(comm.size(), comm.rank(), 40);
    graph::check(graph);
    tasks::run(graph, comm, {.workers = 2, .way = way});
    EXPECT_EQ(graph.wrong(), 0);
  }
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
  RandomGraph const graph(comm.size(), 120, 5, 2000);
  tasks::run(graph, comm);
  EXPECT_TRUE(graph.ran_all(comm.rank()));
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

TEST(TasksRun, RecordsTasksAndMessages) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  RandomGraph const graph(comm.size(), 150, 3, 3000);
  EXPECT_TRUE(tasks::run(graph, comm, {.workers = 2}).records.empty());
  auto const report = tasks::run(graph, comm, {.workers = 2, .record = true});
  std::map<int, int> times;
  std::vector<Value> between(2 * std::size_t(comm.size()), 0);
  Traffic counted;
  for (auto const& r : report.records) {
    EXPECT_EQ(r.name, graph.name(r.task));
    EXPECT_LE(0, r.begin);
    EXPECT_LE(r.begin, r.end);
    EXPECT_LE(r.end, report.seconds);
    if (r.deed == tasks::Record::Deed::task) {
      ++times[r.task.i];
      EXPECT_EQ(r.kernel, Kernel::own);
      EXPECT_TRUE(r.worker == 0 || r.worker == 1) << r.worker;
      continue;
    }
    bool const sends = r.deed == tasks::Record::Deed::send;
    ASSERT_TRUE(r.peer >= 0 && r.peer < comm.size() && r.peer != comm.rank()) << r.peer;
    between[2 * std::size_t(r.peer) + (sends ? 0 : 1)] += 1;
    counted += sends ? Traffic{1, 0, r.bytes, 0} : Traffic{0, 1, 0, r.bytes};
  }
  for (int t = 0; t < graph.size(); ++t) {
    EXPECT_EQ(times.contains(t) ? times[t] : 0, graph.owner({0, 0, t, 0, 0}) == comm.rank() ? 1 : 0) << t;
  }
  EXPECT_EQ(counted, report.count.traffic);
  // What one rank has sent another, that one has received.
  auto const all = comm.all_gather(std::span<Value const>(between));
  auto const told = [&](Rank by, Rank of, int what) {
    return all[2 * std::size_t(by * comm.size() + of) + std::size_t(what)];
  };
  for (Rank a = 0; a < comm.size(); ++a) {
    for (Rank b = 0; b < comm.size(); ++b) EXPECT_EQ(told(a, b, 0), told(b, a, 1)) << a << " " << b;
  }
}

/// A body that waits until the program has been asked whether to stop.
class Attended : public RandomGraph {
 public:
  using RandomGraph::RandomGraph;
  void run(Task t, TaskContext& context) const override {
    if (asked_ < 2) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    RandomGraph::run(t, context);
  }
  mutable std::atomic<int> asked_{0};
};

TEST(TasksRun, AsksTheProgramWhetherToStop) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Attended const graph(comm.size(), 150, 3, 30);
  auto const stop = [&] {
    if (++graph.asked_ == 2 && comm.rank() == comm.size() - 1) throw Error(ErrorKind::schedule, "someone stops it");
  };
  auto const text = error_of([&] { tasks::run(graph, comm, {.attend = stop}); });
  EXPECT_EQ(text, "the program: someone stops it" +
                      (comm.size() > 1 ? fmt::format(" (on rank {})", comm.size() - 1) : std::string()));
}

/// Keeps an input beyond its body, as a binding to a language with its own memory does.
class Keeping : public RandomGraph {
 public:
  using RandomGraph::RandomGraph;
  void run(Task t, TaskContext& context) const override {
    RandomGraph::run(t, context);
    std::scoped_lock const hold(kept_mutex_);
    for (int input = 0; input < num_parents(t); ++input) {
      auto const bytes = context.input(input);
      if (bytes.empty()) continue;
      Value first = 0;
      std::memcpy(&first, bytes.data(), sizeof first);
      kept_.push_back({context.keep_input(input), bytes.data(), first});
    }
    EXPECT_EQ(context.keep_output(0) == nullptr, context.output(0).empty());
  }
  void look() const {
    for (auto const& one : kept_) EXPECT_EQ(std::memcmp(one.bytes, &one.first, sizeof one.first), 0);
  }

 private:
  struct Kept {
    std::shared_ptr<void> memory;
    std::byte const* bytes;
    Value first;
  };
  mutable std::mutex kept_mutex_;
  mutable std::vector<Kept> kept_;
};

TEST(TasksRun, MemoryThatABodyKeepsStays) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Keeping const graph(comm.size(), 100, 8, 2000);
  tasks::run(graph, comm, {.workers = 2});
  graph.look();
}

TEST(TasksRun, RefusesWhatCannotRun) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  RandomGraph const graph(comm.size() + 1, 10, 1, 10);
  EXPECT_NE(error_of([&] { tasks::run(graph, comm); }).find("graph.ranks()"), std::string::npos);
  RandomGraph const fits(comm.size(), 10, 1, 10);
  EXPECT_NE(error_of([&] { tasks::run(fits, comm, {.workers = 0}); }).find("workers = 0"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
