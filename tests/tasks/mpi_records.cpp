// Data that a run stores: records, and memory that bodies keep; and how a program ends a run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "allport/tasks/run.h"
#include "comm/world.h"
#include "random_graph.h"

namespace allport::testing {
namespace {

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
    if (r.activity == tasks::Record::Activity::task) {
      ++times[r.task.i];
      EXPECT_EQ(r.kernel, Kernel::own);
      EXPECT_TRUE(r.worker == 0 || r.worker == 1) << r.worker;
      continue;
    }
    bool const sends = r.activity == tasks::Record::Activity::send;
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

TEST(TasksRun, TellsHowFarItIs) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Attended const graph(comm.size(), 150, 3, 30);
  std::vector<std::int64_t> seen;
  auto const all = graph.count(comm.rank());
  auto const report = tasks::run(graph, comm, {.workers = 2, .progress = [&](std::int64_t done, std::int64_t of) {
                                                 EXPECT_EQ(of, all.value_or(-1));
                                                 seen.push_back(done);
                                                 ++graph.asked_;
                                               }});
  EXPECT_EQ(seen.empty(), !all.has_value()) << "at the beginning, and at the end";
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  if (!seen.empty()) EXPECT_EQ(seen.back(), report.count.tasks) << "at the end all";
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
    EXPECT_EQ(context.keep_output(0) == nullptr, output(t, 0).bytes(8) == 0);
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

}  // namespace
}  // namespace allport::testing
