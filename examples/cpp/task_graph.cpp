// A task graph of its own: heat along a rod, in blocks, with bodies that any number of ranks and threads run.
// Run: mpirun -n 4 ./task_graph_cpp [MACHINE]
#include <allport/graph.h>
#include <allport/tasks.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

using namespace allport;

constexpr int blocks = 12, cells = 100, rounds = 50;
double start(int x) { return x % 7 + 0.01 * x; }
double heated(double left, double here, double right) { return here + 0.25 * (left - 2 * here + right); }

/// Task {0, 0, i, 0, k}: block i after k rounds, from itself and one cell of each neighbour a round before. Input and
/// output 0 are the block's last cell, for who is right of it, 1 is all of it, 2 its first cell.
struct Heat : TaskGraph {
  explicit Heat(Rank ranks) : size(ranks), done(blocks) {}
  Rank ranks() const override { return size; }
  Rank owner(Task t) const override { return t.i * size / blocks; }
  void entries(Rank rank, VisitTask visit) const override {
    for (int i = 0; i < blocks; ++i) {
      if (owner({0, 0, i}) == rank) visit({0, 0, i});
    }
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    std::int64_t own = 0;
    entries(rank, [&](Task) { own += rounds + 1; });
    return own;
  }
  int num_parents(Task t) const override { return t.k == 0 ? 0 : 1 + (t.i > 0) + (t.i < blocks - 1); }
  void children(Task t, VisitEdge visit) const override {
    for (int to = std::max(t.i - 1, 0); to < std::min(t.i + 2, t.k < rounds ? blocks : 0); ++to) {
      visit({{0, 0, to, 0, t.k + 1}, t.i - to + 1, t.i - to + 1});
    }
  }
  Shape output(Task, int index) const override { return {index == 1 ? cells : 1, 1}; }
  void run(Task t, TaskContext& context) const override {
    auto const given = [&](int input) { return reinterpret_cast<double const*>(context.input(input).data()); };
    auto const made = [&](int output) { return reinterpret_cast<double*>(context.output(output).data()); };
    double* const u = made(1);
    double const left = t.k > 0 && t.i > 0 ? *given(0) : 0, right = t.k > 0 && t.i < blocks - 1 ? *given(2) : 0;
    for (int x = 0; x < cells; ++x) {
      u[x] = t.k == 0 ? start(t.i * cells + x)
                      : heated(x > 0 ? given(1)[x - 1] : left, given(1)[x], x < cells - 1 ? given(1)[x + 1] : right);
    }
    *made(0) = u[cells - 1];
    *made(2) = u[0];
    if (t.k == rounds) done[static_cast<std::size_t>(t.i)].assign(u, u + cells);
  }
  Rank size;
  mutable std::vector<std::vector<double>> done;  // by block, on its rank
};

int main(int argc, char** argv) try {
  MPI_Init(&argc, &argv);
  auto const comm = argc > 1 ? Communicator(MPI_COMM_WORLD, argv[1]) : Communicator(MPI_COMM_WORLD);
  Heat const graph(comm.size());
  graph::check(graph);
  auto const report = tasks::run(graph, comm, {.workers = 2});

  std::vector<double> rod(blocks * cells + 2, 0.0), before;  // the same in one piece
  for (int x = 0; x < blocks * cells; ++x) rod[static_cast<std::size_t>(x) + 1] = start(x);
  for (int k = 0; k < rounds; ++k) {
    before = rod;
    for (std::size_t x = 1; x + 1 < rod.size(); ++x) rod[x] = heated(before[x - 1], before[x], before[x + 1]);
  }
  bool good = true;
  for (std::size_t i = 0; i < graph.done.size(); ++i) {
    good = good && std::equal(graph.done[i].begin(), graph.done[i].end(), rod.begin() + 1 + std::ptrdiff_t(i) * cells);
  }
  comm.ensure_all_well(good ? "" : "the rod is not as warm as it should be");
  if (comm.rank() == 0) std::printf("rank 0 ran %ld of the tasks\n", static_cast<long>(report.count.tasks));
  return MPI_Finalize();
} catch (Error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return MPI_Abort(MPI_COMM_WORLD, 1);
}
