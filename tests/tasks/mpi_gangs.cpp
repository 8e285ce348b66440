// Gangs at run time: members run together, their messages arrive, and the traffic is as counted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "allport/graph/check.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"
#include "grouped_graph.h"

namespace allport::testing {
namespace {

std::span<std::byte> bytes_of(std::vector<Value>& values) { return std::as_writable_bytes(std::span(values)); }

/// 31 a + b: it tells the order in which values are combined.
void combine(std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
  for (std::int64_t e = 0; e < bytes / 8; ++e) {
    Value a = 0;
    Value b = 0;
    std::memcpy(&a, left + 8 * e, 8);
    std::memcpy(&b, right + 8 * e, 8);
    a = static_cast<Value>(31 * static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    std::memcpy(out + 8 * e, &a, 8);
  }
}

/// Bodies of gangs call a few collectives and pass a message round.
class Ganged : public GroupedGraph {
 public:
  using GroupedGraph::GroupedGraph;

  bool gang(Task t, Gang& gang) const override {
    auto const& group = this->group(t.i);
    if (!group.communicates) return false;
    gang = gang_of(group);
    for (int round = 0; round < rounds(group); ++round) {
      gang.collectives.push_back({what(group, round), root(group, round), 8 * length(group, round), 8, 1});
    }
    if (group.size() < 2 || passed(group) == 0) return true;
    gang.expected_bytes = 8.0 * passed(group);
    gang.expected_messages = 1;
    return true;
  }

  void run(Task t, TaskContext& context) const override {
    auto const& group = this->group(t.i);
    if (group.communicates) communicate(t.i - group.first, group, context.gang());
    RandomGraph::run(t, context);
  }
  [[nodiscard]] int misheard() const { return misheard_; }

 private:
  static int rounds(Group const& g) { return 1 + g.first % 4; }
  static Collective what(Group const& g, int round) {
    constexpr Collective kinds[] = {Collective::allreduce, Collective::broadcast, Collective::reduce};
    return kinds[(g.first + round) % 3];
  }
  static int root(Group const& g, int round) {
    return what(g, round) == Collective::allreduce ? 0 : (7 * g.first + round) % g.size();
  }
  static std::int64_t length(Group const& g, int round) { return (g.first * 5 + 3 * round) % 7 * (1 + g.first % 150); }
  static int passed(Group const& g) { return g.first % 5 * (1 + g.first % 300); }
  static Value own(Group const& g, int member, int round) { return mix(mix(g.first, member), round); }

  /// What is on the root, by the messages that are counted.
  Value combined(Group const& g, int round, std::int64_t e) const {
    std::vector<Rank> owners;
    std::map<Rank, Value> values;
    for (int m = 0; m < g.size(); ++m) {
      owners.push_back(node(g.first + m).owner);
      values[owners.back()] = own(g, m, round) + e;
    }
    if (g.size() > 1) {
      bool const straight = what(g, round) == Collective::allreduce && g.size() <= 4;
      auto const tree = graph::transport(straight ? "flat" : "binomial");
      tree->hops({task(g.first), 0, Collective::reduce, owners, root(g, round), 8, 8}, [&](graph::Hop const& hop) {
        auto* const to = reinterpret_cast<std::byte*>(&values[hop.to]);
        combine(to, reinterpret_cast<std::byte const*>(&values[hop.from]), to, 8);
      });
    }
    return values[owners[std::size_t(root(g, round))]];
  }

  void communicate(int me, Group const& g, GangContext& gang) const {
    misheard_ += gang.me() != me || gang.members() != g.size() ? 1 : 0;
    for (int round = 0; round < rounds(g); ++round) {
      std::vector<Value> data(std::size_t(length(g, round)));
      std::iota(data.begin(), data.end(), own(g, me, round));
      bool heard = true;
      if (what(g, round) == Collective::broadcast) {
        gang.broadcast(root(g, round), bytes_of(data));
      } else if (what(g, round) == Collective::reduce) {
        gang.reduce(root(g, round), bytes_of(data), combine);
        heard = me == root(g, round);
      } else {
        gang.allreduce(bytes_of(data), combine);
      }
      for (std::size_t e = 0; heard && e < data.size(); e += 1 + data.size() / 5) {
        auto const wanted = what(g, round) == Collective::broadcast
                                ? own(g, root(g, round), round) + static_cast<Value>(e)
                                : combined(g, round, static_cast<Value>(e));
        misheard_ += data[e] != wanted ? 1 : 0;
      }
    }
    if (g.size() > 1) pass(me, g, gang);
  }

  void pass(int me, Group const& g, GangContext& gang) const {
    std::vector<Value> data(std::size_t(passed(g)), own(g, me, -1));
    gang.send((me + 1) % g.size(), bytes_of(data));
    auto const from = (me + g.size() - 1) % g.size();
    auto const got = gang.receive(from);
    std::ranges::fill(data, own(g, from, -1));
    misheard_ += same_bytes(got, bytes_of(data)) ? 0 : 1;
  }

  mutable std::atomic<int> misheard_{0};
};

TEST(TasksGangs, MeetAndSendWhatWasCounted) {
  run_grouped<Ganged>([](Ganged const&, tasks::RunReport const& report, graph::Count const& counted) {
    EXPECT_EQ(report.count, counted);
  });
}

/// The last rank says which gang begins.
class OrderedByTheLast : public Ganged {
 public:
  using Ganged::Ganged;
  Rank orders_gangs(Rank) const override { return ranks() - 1; }
};

TEST(TasksGangs, MeetWhateverRankOrdersThem) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (unsigned seed = 0; seed < 4; ++seed) {
    OrderedByTheLast const graph(comm.size(), 200, seed, 100);
    graph::check(graph);
    tasks::run(graph, comm, {.workers = 1 + static_cast<int>(seed % 2)});
    EXPECT_EQ(graph.wrong() + graph.misheard(), 0) << "seed " << seed;
    EXPECT_TRUE(graph.ran_all(comm.rank())) << "seed " << seed;
  }
}

/// In steps, a gang within one of them. The first rank is slow.
class InSteps : public Ganged {
 public:
  using Ganged::Ganged;
  std::int64_t steps() const override { return (size() + 9) / 10; }
  std::int64_t step(Task t) const override { return group(t.i).first / 10; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    for (int t = 0; t < size(); ++t) {
      if (owner(task(t)) == rank && this->step(task(t)) == step) visit(task(t));
    }
  }
  void run(Task t, TaskContext& context) const override {
    if (owner(t) == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    Ganged::run(t, context);
  }
};

TEST(TasksGangs, RunWithinAWindowOfSteps) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 2}) {
    for (std::int64_t const ahead : {1, 2, 5, 9}) {
      InSteps const graph(comm.size(), 200, unsigned(ahead), 3000);
      graph::check(graph);
      auto const pool = graph::pool(graph, ahead);
      auto const report = tasks::run(graph, comm, {.workers = workers, .ahead = ahead});
      EXPECT_EQ(graph.wrong() + graph.misheard(), 0) << ahead << " ahead";
      EXPECT_TRUE(graph.ran_all(comm.rank())) << ahead << " ahead";
      EXPECT_LE(report.peak_bytes, pool[std::size_t(comm.rank())]) << ahead << " ahead";
      EXPECT_EQ(report.count, graph::count(graph, *tasks::transport(comm.machine()))[std::size_t(comm.rank())]);
    }
  }
}

/// Gangs of random ranks and nothing else, all at once, each rank's in another order. Where nobody counts, they end by
/// a termination wave.
class Crossing : public TaskGraph {
 public:
  Crossing(Rank ranks, int gangs, unsigned seed, bool counted) : ranks_(ranks), counted_(counted) {
    std::mt19937 random(seed);
    for (int g = 0; g < gangs; ++g) {
      std::vector<Rank> some(static_cast<std::size_t>(ranks));
      std::iota(some.begin(), some.end(), 0);
      std::ranges::shuffle(some, random);
      some.resize(1 + random() % some.size());
      gangs_.push_back(std::move(some));
    }
  }
  Rank ranks() const override { return ranks_; }
  std::string name(Task t) const override { return fmt::format("C({}, {})", t.i, t.j); }
  void entries(Rank rank, VisitTask visit) const override {
    auto const count = static_cast<int>(gangs_.size());
    for (int x = 0; x < count; ++x) {
      auto const g = (x * 7 + rank * 13) % count;
      for (int m = 0; m < members(g); ++m) {
        if (owner({0, 0, g, m, 0}) == rank) visit({0, 0, g, m, 0});
      }
    }
  }
  void exits(Rank rank, VisitTask visit) const override { entries(rank, visit); }
  std::optional<std::int64_t> count(Rank rank) const override {
    if (!counted_) return std::nullopt;
    return std::ranges::count_if(gangs_, [&](auto const& g) { return std::ranges::count(g, rank) > 0; });
  }
  Rank owner(Task t) const override { return gangs_[std::size_t(t.i)][std::size_t(t.j)]; }
  int num_parents(Task) const override { return 0; }
  void children(Task, VisitEdge) const override {}
  Shape output(Task, int) const override { return {}; }
  double priority(Task t) const override { return t.i % 3; }
  bool gang(Task t, Gang& gang) const override {
    gang = Gang{};
    for (int m = 0; m < members(t.i); ++m) gang.members.push_back({0, 0, t.i, m, 0});
    gang.collectives.push_back({Collective::allreduce, 0, 8, 8, 3});
    return true;
  }
  void run(Task t, TaskContext& context) const override {
    // Gangs of one rank are tasks as others, and several of them may run at a time.
    bool const several = members(t.i) > 1;
    if (several && ++inside_ > 1) ++wrong_;
    for (int round = 0; round < 3; ++round) {
      std::vector<Value> one{1};
      context.gang().allreduce(bytes_of(one), [](std::byte const* a, std::byte const* b, std::byte* out, std::int64_t) {
        auto const sum = *reinterpret_cast<Value const*>(a) + *reinterpret_cast<Value const*>(b);
        std::memcpy(out, &sum, 8);
      });
      wrong_ += one.front() != members(t.i) ? 1 : 0;
    }
    if (several) --inside_;
  }
  [[nodiscard]] int wrong() const { return wrong_; }
  [[nodiscard]] int members(int g) const { return static_cast<int>(gangs_[std::size_t(g)].size()); }
  /// Members that rank 0 has to hear from.
  [[nodiscard]] std::int64_t far() const {
    std::int64_t sum = 0;
    for (auto const& g : gangs_) sum += g.size() > 1 ? std::ranges::count_if(g, [](Rank r) { return r != 0; }) : 0;
    return sum;
  }

 protected:
  Rank ranks_;
  bool counted_;
  std::vector<std::vector<Rank>> gangs_;
  mutable std::atomic<int> inside_{0};
  mutable std::atomic<int> wrong_{0};
};

TEST(TasksGangs, CrossWithoutLockingUp) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 2, 4}) {
    for (bool const counted : {true, false}) {
      for (unsigned seed = 0; seed < 2; ++seed) {
        Crossing const graph(comm.size(), 60, seed, counted);
        graph::check(graph);
        auto const report = tasks::run(graph, comm, {.workers = workers});
        EXPECT_EQ(graph.wrong(), 0) << "seed " << seed;
        EXPECT_EQ(report.count, graph::count(graph, *tasks::transport(comm.machine()))[std::size_t(comm.rank())]);
        auto const control = comm.all_gather(std::span(&report.control_messages, 1));
        // Each member that is not on rank 0 tells that it is ready, is told to begin, and tells that it is done.
        EXPECT_EQ(std::accumulate(control.begin(), control.end(), std::int64_t{0}), 3 * graph.far());
      }
    }
  }
}

}  // namespace
}  // namespace allport::testing
