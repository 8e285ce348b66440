// How long the simulation of a task graph takes, and how much memory: LU or a product as a graph, without MPI. Usage:
//   bench_simulate lu N MACHINE ALGORITHM PxQxC PANEL [none | partial | tournament]
//   bench_simulate gemm N MACHINE ALGORITHM PxQxC
// or, behind `--sample WINDOWS,WARM,SPAN,TAIL`, of a sample of its steps.
// Prints one JSON object: the simulated seconds, tasks, messages, processor seconds of this process and its peak
// memory.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"
#include "allport/tasks/transport.h"
#include "arguments.h"

namespace {

using namespace allport;

/// Of this process's one thread, so that others who run do not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

GemmGrid grid_of(std::string const& text) {
  auto const factors = bench::parts(text, 'x');
  ensure(factors.size() == 3, "grid", text, "PxQxC, as 4x4x1");
  auto const factor = [&](std::size_t i) { return bench::small_number("grid", factors[i], 1); };
  return {factor(0), factor(1), factor(2)};
}

/// WINDOWS,WARM,SPAN,TAIL
graph::Sampling sampling_of(std::string const& text) {
  auto const given = bench::small_numbers("--sample", text, 0);
  ensure(given.size() == 4, "--sample", text, "WINDOWS,WARM,SPAN,TAIL");
  graph::Sampling sampling;
  sampling.windows = given[0];
  sampling.warm = given[1];
  sampling.span = given[2];
  sampling.tail = given[3];
  return sampling;
}

/// The same links: where all is fixed nothing is chosen by price, and at the papers' sizes to price takes longer than
/// to simulate. Who does not say how fast it computes is not priced.
Machine unpriced(Machine const& machine) {
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) axes.push_back(machine.axis(a));
  auto rates = machine.rates();
  rates.flops = FlopsPerSecond(0);
  return {machine.name(), axes, rates, machine.levels(), machine.exceptions(), machine.calibration()};
}

struct Simulated {
  std::unique_ptr<TaskGraph> graph;
  std::unique_ptr<graph::Transport> transport;
};

/// What the command line names.
struct Asked {
  std::string work;
  std::int64_t n = 0;
  std::string algorithm;
  GemmGrid grid;
  int panel = 0;
  Pivoting pivoting = Pivoting::tournament;
};

Pivoting pivoting_of(std::string const& text) {
  ensure(text == "none" || text == "partial" || text == "tournament", "pivoting", text, "none, partial or tournament");
  return static_cast<Pivoting>(text[0]);
}

Simulated made(Asked const& asked, Machine const& machine) {
  if (asked.work == "gemm") {
    GemmOptions options;
    options.algorithm = asked.algorithm;
    options.grid = asked.grid;
    options.order = "ijl";
    options.candidates = 1;
    auto const plan = plan_gemm({asked.n, asked.n, asked.n}, machine, options);
    return {plan_graph(plan), plan_transport(plan)};
  }
  ensure(asked.work == "lu", "graph", asked.work, "lu or gemm");
  LuOptions options;
  options.algorithm = asked.algorithm;
  options.grid = asked.grid;
  options.order = "ijl";
  options.candidates = 1;
  (options.grid.layers > 1 ? options.outer_panel : options.panel) = asked.panel;
  auto const plan = plan_lu({asked.n, asked.n, Scalar::d, asked.pivoting}, unpriced(machine), options);
  return {plan_graph(plan), plan_transport(plan)};
}

int run(int argc, char** argv) {
  bench::Arguments given(argc, argv, {}, {"--sample"});
  if (argc < 6) {
    std::fprintf(stderr,
                 "usage: bench_simulate [--sample W,W,S,T] lu | gemm N MACHINE ALGORITHM PxQxC [PANEL [PIVOTING]]\n");
    return 2;
  }
  bool const sampled = given.has("--sample");
  auto const sampling = sampled ? sampling_of(given.value("--sample", "")) : graph::Sampling{};
  Asked asked;
  asked.work = given.word("");
  asked.n = given.long_number("N", 0, 1);
  auto const machine = Machine::parse(given.word(""));
  asked.algorithm = given.word("");
  asked.grid = grid_of(given.word(""));
  asked.panel = given.number("PANEL", 0, 0);
  asked.pivoting = pivoting_of(given.word("tournament"));
  given.end();
  auto const begin = now();
  auto const [graph, transport] = made(asked, machine);
  auto const planned = now();
  graph::SimulateOptions options;
  options.segment = tasks::default_segment(machine).value();
  auto const found = sampled ? graph::simulate_sampled(*graph, machine, *transport, options, sampling)
                             : graph::Sampled{graph::simulate(*graph, machine, *transport, options), 0, 0, {}};
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

}  // namespace

int main(int argc, char** argv) {
  return bench::alone("bench_simulate", [&] { return run(argc, argv); });
}
