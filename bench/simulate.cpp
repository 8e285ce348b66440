// How long the simulation of a task graph takes, and how much memory: LU or a product as a graph, without MPI. Usage:
//   bench_simulate lu N MACHINE ALGORITHM PxQxC BLOCK [none | partial | tournament]
//   bench_simulate gemm N MACHINE ALGORITHM PxQxC
// or, behind `--sample WINDOWS,WARM,SPAN,TAIL`, of a sample of its steps.
// Prints one JSON object: the simulated seconds, tasks, messages, processor seconds of this process and its peak
// memory.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"
#include "allport/tasks/carrier.h"

namespace {

using namespace allport;

/// Of this process's one thread, so that others who run do not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

GemmGrid grid_of(char const* text) {
  GemmGrid grid{0, 0, 0};
  std::sscanf(text, "%dx%dx%d", &grid.rows, &grid.cols, &grid.layers);
  return grid;
}

/// The same links: where all is fixed nothing is chosen by price, and at the decks' sizes to price takes longer than to
/// simulate. Who does not say how fast it computes is not priced.
Machine unpriced(Machine const& machine) {
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) axes.push_back(machine.axis(a));
  auto rates = machine.rates();
  rates.flops = FlopsPerSecond(0);
  return {machine.name(), axes, rates, machine.levels(), machine.exceptions(), machine.calibration()};
}

struct Simulated {
  std::unique_ptr<TaskGraph> graph;
  std::unique_ptr<graph::Carrier> carrier;
};

Simulated made(int argc, char** argv, Machine const& machine) {
  auto const n = std::atoll(argv[2]);
  if (std::strcmp(argv[1], "gemm") == 0) {
    GemmOptions options;
    options.algorithm = argv[4];
    options.grid = grid_of(argv[5]);
    options.order = "ijl";
    options.candidates = 1;
    auto const plan = plan_gemm({n, n, n}, machine, options);
    return {gemm_graph(plan), plan_carrier(plan)};
  }
  LuOptions options;
  options.algorithm = argv[4];
  options.grid = grid_of(argv[5]);
  options.order = "ijl";
  options.candidates = 1;
  auto const block = argc > 6 ? std::atoll(argv[6]) : 0;
  (options.grid.layers > 1 ? options.big : options.block) = block;
  auto const pivoting = argc > 7 ? static_cast<Pivoting>(argv[7][0]) : Pivoting::tournament;
  auto const plan = plan_lu({n, n, Scalar::d, pivoting}, unpriced(machine), options);
  return {lu_graph(plan), plan_carrier(plan)};
}

}  // namespace

int main(int argc, char** argv) {
  graph::Sampling sampling;
  bool const sampled = argc > 2 && std::strcmp(argv[1], "--sample") == 0;
  if (sampled) {
    std::sscanf(argv[2], "%d,%d,%d,%d", &sampling.windows, &sampling.warm, &sampling.span, &sampling.tail);
    argc -= 2, argv += 2;
  }
  if (argc < 6) {
    std::fprintf(stderr,
                 "usage: bench_simulate [--sample W,W,S,T] lu | gemm N MACHINE ALGORITHM PxQxC [BLOCK [PIVOTING]]\n");
    return 2;
  }
  auto const machine = Machine::parse(argv[3]);
  auto const begin = now();
  auto const [graph, carrier] = made(argc, argv, machine);
  auto const planned = now();
  graph::SimulateOptions options;
  options.segment = tasks::usual_segment(machine).value();
  auto const found = sampled ? graph::simulate_sampled(*graph, machine, *carrier, options, sampling)
                             : graph::Sampled{graph::simulate(*graph, machine, *carrier, options), 0, 0, {}};
  auto const& result = found.result;
  auto const end = now();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  double compute = 0;
  double communicate = 0;
  for (auto const& r : result.ranks) compute += r.compute, communicate += r.communicate;
  auto const all = result.seconds * static_cast<double>(result.ranks.size());
  fmt::print(
      "{{\"seconds\": {:.9}, \"longest_work\": {:.6}, \"longest_tasks\": {}, \"compute\": {:.4}, \"communicate\": "
      "{:.4}, "
      "\"tasks\": {}, \"messages\": {}, \"frontier\": {}, \"planning\": {:.2f}, \"simulating\": {:.2f}, \"mib\": "
      "{}}}\n",
      result.seconds, result.longest_work, result.longest_tasks, compute / all, communicate / all, result.tasks,
      result.hops, result.most_waiting, planned - begin, end - planned, used.ru_maxrss / 1024);
  for (auto const seconds : found.step_seconds) fmt::print(stderr, "{:.6g} s a step\n", seconds);
  return 0;
}
