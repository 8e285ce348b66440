// Gangs that meet inside: members start on their own, wait for each other in their bodies, and nothing hangs.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

/// Steps of LU, without the matrix: ranks are a grid of `rows` rows; in step k the ranks of one column meet and agree
/// on a sum, which goes to all ranks; each works by it, at its own pace, and on other things that nobody waits for.
class Steps : public TaskGraph {
 public:
  Steps(Rank ranks, int rows, int steps) : ranks_(ranks), rows_(rows), steps_(steps) {}

  Rank ranks() const override { return ranks_; }
  std::string name(Task t) const override {
    static constexpr char const* names[] = {"meet", "work", "aside"};
    return fmt::format("{}({}, step {})", names[t.kind], t.i, t.k);
  }
  void entries(Rank rank, VisitTask visit) const override {
    if (in_gang(rank, 0)) visit(of(meet, rank, 0));
  }
  void exits(Rank rank, VisitTask visit) const override {
    for (int k = 0; k < steps_; ++k) visit(of(aside, rank, k));
  }
  Rank owner(Task t) const override { return t.i; }
  int num_parents(Task t) const override {
    return t.kind == work ? 1 + (t.k > 0 ? 1 : 0) : t.k > 0 || t.kind == aside ? 1 : 0;
  }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind == meet) {
      for (auto r = t.i % rows_; r < ranks_; r += rows_) visit({of(work, r, t.k), 0, 0});
    } else if (t.kind == work) {
      visit({of(aside, t.i, t.k), 0, 0, EdgeKind::order});
      if (t.k + 1 == steps_) return;
      visit({of(work, t.i, t.k + 1), 1, 0, EdgeKind::order});
      if (in_gang(t.i, t.k + 1)) visit({of(meet, t.i, t.k + 1), 0, 0, EdgeKind::order});
    }
  }
  Shape output(Task t, int) const override { return t.kind == meet ? Shape{1, 1, 0} : Shape{}; }
  std::int64_t element() const override { return sizeof(std::int64_t); }
  double priority(Task t) const override {
    return t.kind == aside ? 0 : 3.0 * (steps_ - t.k) + (t.kind == meet ? 1 : 0);
  }
  bool gang(Task t, Gang& gang) const override {
    if (t.kind != meet) return false;
    gang = Gang{};
    auto const first = t.i / rows_ * rows_;
    for (Rank r = first; r < first + rows_; ++r) gang.members.push_back(of(meet, r, t.k));
    gang.collectives = {{Collective::allreduce, 0, 8, 8, 2}};
    gang.inside = true;
    return true;
  }
  std::int64_t steps() const override { return steps_; }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const k = static_cast<int>(step);
    if (in_gang(rank, k)) visit(of(meet, rank, k));
    visit(of(work, rank, k));
    visit(of(aside, rank, k));
  }
  void run(Task t, TaskContext& context) const override {
    if (t.kind == meet) {
      std::int64_t sum = 0;
      for (int turn = 0; turn < 2; ++turn) {
        sum = t.i + 1 + t.k + turn;
        if (rows_ == 1) continue;
        context.gang().allreduce(std::as_writable_bytes(std::span(&sum, 1)), add);
      }
      *reinterpret_cast<std::int64_t*>(context.output(0).data()) = sum;
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds((t.i * 7 + t.k * 5) % 11 * 30));
    if (t.kind == work)
      wrong_ += *reinterpret_cast<std::int64_t const*>(context.input(0).data()) == sum_of(t.k) ? 0 : 1;
    ran_ += 1;
  }
  [[nodiscard]] int wrong() const { return wrong_; }
  [[nodiscard]] int ran() const { return ran_; }

 private:
  enum Kind : std::uint16_t { meet, work, aside };
  static Task of(Kind kind, Rank rank, std::int64_t k) { return {kind, 0, rank, 0, static_cast<std::int32_t>(k)}; }
  [[nodiscard]] int column(std::int64_t k) const { return static_cast<int>(k % (ranks_ / rows_)); }
  [[nodiscard]] bool in_gang(Rank rank, std::int64_t k) const { return rank / rows_ == column(k); }
  [[nodiscard]] std::int64_t sum_of(std::int64_t k) const {
    std::int64_t sum = 0;
    for (Rank r = column(k) * rows_; r < (column(k) + 1) * rows_; ++r) sum += r + 1 + k + 1;
    return sum;
  }
  static void add(std::byte const* a, std::byte const* b, std::byte* out, std::int64_t) {
    *reinterpret_cast<std::int64_t*>(out) =
        *reinterpret_cast<std::int64_t const*>(a) + *reinterpret_cast<std::int64_t const*>(b);
  }

  Rank ranks_;
  int rows_;
  int steps_;
  mutable std::atomic<int> wrong_{0};
  mutable std::atomic<int> ran_{0};
};

TEST(TasksMeetInside, AndEverythingRuns) {
  constexpr int steps = 40;
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, spec);
    for (int rows = 1; rows <= comm.size(); ++rows) {
      if (comm.size() % rows != 0) continue;
      Steps const checked(comm.size(), rows, steps);
      graph::check(checked);
      auto const counted = graph::count(checked, *tasks::transport(comm.machine()))[std::size_t(comm.rank())];
      for (int const workers : {1, 3}) {
        SCOPED_TRACE(fmt::format("{}, {} rows, {} workers", spec, rows, workers));
        Steps const graph(comm.size(), rows, steps);
        auto const report = tasks::run(graph, comm, {.workers = workers, .ahead = 3});
        EXPECT_EQ(graph.wrong(), 0);
        EXPECT_EQ(graph.ran(), 2 * steps);
        EXPECT_EQ(report.count, counted);
      }
    }
  }
}

}  // namespace
}  // namespace allport::testing
