// lu against ScaLAPACK's pdgetrf at several block sizes, and against LAPACK's dgetrf on all cores, in turns within one
// run, every result checked. Usage: mpirun -n RANKS bench_lu N ROUNDS [--blocks 32,64,128] [--no-lapack]
// [--all-grids] (ScaLAPACK on long ones, too)
// [--ours PANEL,NB]... (1D with panels and distribution blocks of so many columns instead of the plan's choice)
// [--grid ROWS,PANEL,NB[,LAYERS,OUTER_PANEL[,ORDER]]]... (2D or 2.5D on so many rows and layers of ranks) [--pivoting
// partial|tournament|none] (without it those asked for are pivoted partially, and the plan's choice is run with both of
// the first; with none the matrix is diagonally dominant); prints one JSON object. The machine is ALLPORT_MACHINE's.
// Every contender starts from A in its own best distribution.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "allport/linalg/solve.h"
#include "contenders.h"
#include "scalapack.h"
#include "under_mpi.h"

extern "C" {
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
}

namespace {

using namespace allport;
using namespace allport::bench;

struct Problem {
  int n = 0;
  double diagonal = 0;  ///< what is added there
};

double residual_of(Problem const& p, Matrix<double> const& factored, std::vector<Index> const& pivots) {
  return lu_residual<double>(filled(factored.comm(), factored.distribution(), p.diagonal), factored, pivots);
}

Contender scalapack(Communicator const& comm, Problem const& p, int nb, int grid_rows, int grid_cols) {
  auto const n = p.n;
  auto const a = filled(comm, cyclic(n, n, nb, grid_rows, grid_cols), p.diagonal);
  auto const descriptor = describe(a, context_of(grid_rows, grid_cols), n, n, nb);
  auto local = std::make_shared<std::vector<int>>(static_cast<std::size_t>(a.ld() + nb));
  auto const run = [=] {
    int const one = 1;
    int info_of_run = 0;
    pdgetrf_(&n, &n, a.data(), &one, &one, descriptor.data(), local->data(), &info_of_run);
  };
  auto const residual = [=, &comm] { return residual_of(p, a, gather_pivots(comm, a.distribution(), *local)); };
  auto const name =
      "pdgetrf nb=" + std::to_string(nb) + " " + std::to_string(grid_rows) + "x" + std::to_string(grid_cols);
  return {name, [=] { fill(a, p.diagonal); }, run, residual, {}};
}

Contender ours(Communicator const& comm, Problem const& p, Pivoting pivoting, LuOptions const& options) {
  auto const plan = plan_lu({.m = p.n, .n = p.n, .pivoting = pivoting}, comm.machine(), options);
  auto const a = filled(comm, plan.distribution, p.diagonal);
  std::string const what(name(pivoting));
  auto pivots = std::make_shared<std::vector<Index>>();
  auto const run = [=, &comm] {
    auto const report = lu(plan, a, *pivots);
    if (std::getenv("ALLPORT_BENCH_VERBOSE") != nullptr && comm.rank() == 0) {
      std::fprintf(stderr, "%s: total %.3f compute %.3f panel %.3f wait %.3f (predicted %.3f)\n", what.c_str(),
                   report.total.value(), report.compute.value(), report.panel.value(), report.communicate.value(),
                   plan.chosen.total.value());
    }
  };
  auto const& g = plan.chosen.grid;
  auto const name =
      "allport " + what + " " + plan.chosen.algorithm + " " + std::to_string(g.rows) + "x" + std::to_string(g.cols) +
      "x" + std::to_string(g.layers) + " b=" + std::to_string(plan.chosen.panel) + " of " +
      std::to_string(plan.chosen.nb) +
      (g.layers > 1 ? " outer panel " + std::to_string(plan.chosen.outer_panel) + " " + plan.chosen.order : "");
  return {name, [=] { fill(a, p.diagonal); }, run, [=] { return residual_of(p, a, *pivots); }, {}};
}

/// LAPACK on rank 0 with as many threads as there are ranks; the others sleep.
Contender lapack(Communicator const& comm, Problem const& p) {
  auto const n = p.n;
  auto const a = filled(comm, cyclic(n, n, n, 1, 1), p.diagonal);
  auto pivots = std::make_shared<std::vector<int>>(static_cast<std::size_t>(n));
  auto const factor = [=] {
    int info = 0;
    dgetrf_(&n, &n, a.data(), &n, pivots->data(), &info);
  };
  auto const run = [=, &comm] { alone_on_rank_0(comm, [&] { with_blas_threads(comm.size(), factor); }); };
  return {
      "dgetrf, " + std::to_string(comm.size()) + " threads", [=] { fill(a, p.diagonal); }, run, [] { return 0.0; }, {}};
}

/// PANEL[,NB]
LuOptions ours_of(std::string const& text) {
  auto const widths = small_numbers("--ours", text, 0);
  ensure(widths.size() == 1 || widths.size() == 2, "--ours", text, "PANEL or PANEL,NB");
  LuOptions options;
  options.algorithm = "1d";
  options.panel = widths[0];
  if (widths.size() == 2) options.nb = widths[1];
  return options;
}

/// ROWS[,PANEL[,NB[,LAYERS[,OUTER_PANEL[,ORDER]]]]]
LuOptions grid_of(std::string const& text) {
  auto const given = parts(text, ',');
  ensure(given.size() <= 6, "--grid", text,
         "ROWS,PANEL,NB,LAYERS,OUTER_PANEL,ORDER, of which the last may be left out");
  auto const number = [&](std::size_t i, int least, int fallback) {
    return i < given.size() ? small_number("--grid", given[i], least) : fallback;
  };
  LuOptions options;
  auto const layers = number(3, 1, 1);
  options.algorithm = layers > 1 ? "2.5d" : "2d";
  options.grid = {number(0, 1, 1), 0, layers};
  options.panel = number(1, 0, 0);
  options.nb = number(2, 0, 0);
  options.outer_panel = number(4, 0, 0);
  if (given.size() > 5) options.order = given[5];
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return under_mpi("bench_lu", &argc, &argv, MPI_THREAD_SINGLE, [&] {
    Arguments given(argc, argv, {"--no-lapack", "--all-grids"}, {"--ours", "--grid", "--blocks", "--pivoting"});
    auto const n = given.number("N", 2000);
    auto const rounds = given.number("ROUNDS", 5);
    given.end();
    auto const blocks = small_numbers("--blocks", given.value("--blocks", "32,64,128"), 1);
    auto const pivoting = pivoting_named("--pivoting", given.value("--pivoting", "partial"));
    Problem const problem{n, pivoting == Pivoting::none ? static_cast<double>(n) : 0.0};
    bool const with_lapack = !given.has("--no-lapack");
    std::vector<LuOptions> asked;
    for (auto const& [option, value] : given.options()) {
      if (option == "--ours") asked.push_back(ours_of(value));
      if (option == "--grid") asked.push_back(grid_of(value));
    }
    Communicator const comm(MPI_COMM_WORLD);
    std::vector<Contender> contenders;
    for (int r = 1; r <= comm.size(); ++r) {
      if (comm.size() % r != 0) continue;
      auto const c = comm.size() / r;
      if (comm.size() > 4 && !given.has("--all-grids") && (r > 2 * c || c > 2 * r)) continue;
      for (auto const nb : blocks) contenders.push_back(scalapack(comm, problem, nb, r, c));
    }
    for (auto& options : asked) {
      auto& g = options.grid;
      if (options.algorithm != "1d") g.cols = comm.size() / g.rows / g.layers;
    }
    for (auto const& options : asked) contenders.push_back(ours(comm, problem, pivoting, options));
    if (asked.empty()) {
      contenders.push_back(ours(comm, problem, pivoting, {}));
      if (!given.has("--pivoting")) contenders.push_back(ours(comm, problem, Pivoting::tournament, {}));
    }
    if (with_lapack) contenders.push_back(lapack(comm, problem));
    run_in_turns(contenders, rounds, 1.0);
    if (comm.rank() == 0) {
      std::printf("{\"n\": %d, \"ranks\": %d, \"contenders\": ", n, comm.size());
      print(contenders, 2.0 / 3.0 * n * static_cast<double>(n) * n);
      std::printf("}\n");
    }
  });
}
