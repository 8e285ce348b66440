// What runs of the graphs of linear algebra keep, beside what is counted: with bodies that only ask for their outputs.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allport/graph/pool.h"
#include "allport/linalg/cholesky.h"
#include "allport/linalg/graphs.h"
#include "allport/linalg/qr.h"
#include "allport/tasks/run.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

/// A graph without its bodies' work. One rank is slow.
class Hollow : public TaskGraph {
 public:
  Hollow(std::unique_ptr<TaskGraph> inner, Rank slow) : inner_(std::move(inner)), slow_(slow), tile_(1 << 20) {}
  Rank ranks() const override { return inner_->ranks(); }
  std::int64_t element() const override { return inner_->element(); }
  std::string name(Task t) const override { return inner_->name(t); }
  void entries(Rank rank, VisitTask visit) const override { inner_->entries(rank, visit); }
  std::optional<std::int64_t> count(Rank rank) const override { return inner_->count(rank); }
  Rank owner(Task t) const override { return inner_->owner(t); }
  int num_parents(Task t) const override { return inner_->num_parents(t); }
  void children(Task t, VisitEdge visit) const override { inner_->children(t, visit); }
  void contributors(Task t, int input, VisitTask visit) const override { inner_->contributors(t, input, visit); }
  bool gang(Task t, Gang& gang) const override { return inner_->gang(t, gang); }
  Shape output(Task t, int index) const override { return inner_->output(t, index); }
  Work work(Task t) const override { return inner_->work(t); }
  double priority(Task t) const override { return inner_->priority(t); }
  void writes(Task t, VisitTask visit) const override { inner_->writes(t, visit); }
  bool in_place(Task t, int index) const override { return inner_->in_place(t, index); }
  int forwards(Task t, int index) const override { return inner_->forwards(t, index); }
  std::int64_t steps() const override { return inner_->steps(); }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override { inner_->tasks(rank, step, visit); }
  std::int64_t step(Task t) const override { return inner_->step(t); }
  std::span<std::byte> memory(Tile) const override { return tile_; }
  void run(Task t, TaskContext& context) const override {
    if (inner_->owner(t) == slow_) std::this_thread::sleep_for(std::chrono::microseconds(20));
    inner_->children(t, [&](Edge const& edge) {
      bool const given = edge.kind == EdgeKind::data || edge.kind == EdgeKind::sum;
      if (given && forwards(t, edge.output) < 0) context.output(edge.output);
    });
  }

 private:
  std::unique_ptr<TaskGraph> inner_;
  Rank slow_;
  mutable std::vector<std::byte> tile_;
};

struct Named {
  std::string name;
  std::unique_ptr<TaskGraph> graph;
};

/// Every graph of linear algebra that runs, on a grid.
std::vector<Named> graphs_on(ProcessGrid const& grid) {
  auto const tiles = [&](Index m, Index n, Index nb) {
    return Distribution(AxisDistribution::cyclic(m, grid.rows(), nb), AxisDistribution::cyclic(n, grid.cols(), nb),
                        grid);
  };
  std::vector<Named> all;
  all.push_back({"cholesky", cholesky_graph(tiles(190, 190, 10))});
  all.push_back({"cholesky, complex upper", cholesky_graph(tiles(95, 95, 8), Uplo::upper, Scalar::z)});
  all.push_back({"cholesky_solve", cholesky_solve_graph(tiles(150, 150, 10), tiles(150, 40, 10))});
  all.push_back({"qr", qr_graph(tiles(140, 120, 10))});
  all.push_back({"qr, tall", qr_graph(tiles(400, 12, 4))});
  all.push_back({"q^h c", apply_q_graph(tiles(140, 120, 10), tiles(140, 30, 10), true)});
  all.push_back({"q c", apply_q_graph(tiles(140, 120, 10), tiles(140, 30, 10), false)});
  all.push_back({"householder", householder_graph(tiles(140, 120, 10))});
  return all;
}

TEST(Pool, NoRunOfAGraphKeepsMoreThanIsCounted) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  tasks::RunOptions options;
  options.combine = [](std::byte const*, std::byte const*, std::byte*, std::int64_t) {};
  for (int rows = 1; rows <= comm.size(); ++rows) {
    if (comm.size() % rows != 0) continue;
    for (std::int64_t const ahead : {1, 3, 8, 0}) {
      for (auto& [name, made] : graphs_on(ProcessGrid::column_major(rows, comm.size() / rows))) {
        auto const pool = graph::pool(*made, ahead);
        Hollow const graph(std::move(made), static_cast<Rank>(rows % comm.size()));
        options.ahead = ahead;
        options.workers = comm.size() <= 3 ? 2 : 1;
        auto const report = tasks::run(graph, comm, options);
        EXPECT_LE(report.peak_bytes, pool[std::size_t(comm.rank())])
            << name << " on " << rows << " rows, " << ahead << " ahead";
        EXPECT_EQ(report.count.tasks, graph.count(comm.rank()));
      }
    }
  }
}

}  // namespace
}  // namespace allport::testing
