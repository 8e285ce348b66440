// lu against ScaLAPACK's pdgetrf at several block sizes, and against LAPACK's dgetrf on all cores, in turns within one
// run, every result checked. Usage: mpirun -n RANKS bench_lu N ROUNDS [--blocks 32,64,128] [--no-lapack]
// [--ours BLOCK,DEALT]... (1D with panels and distribution blocks of so many columns instead of the plan's choice)
// [--grid ROWS,BLOCK,DEALT[,LAYERS,BIG[,ORDER]]]... (2D or 2.5D on so many rows and layers of ranks); prints one JSON
// object. The machine is ALLPORT_MACHINE's. Every contender starts from A in its own best distribution.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "allport/linalg/solve.h"
#include "contenders.h"
#include "scalapack.h"

extern "C" {
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
}

namespace {

using namespace allport;
using namespace allport::bench;

double residual_of(Matrix<double> const& factored, std::vector<Index> const& pivots) {
  return lu_residual<double>(filled(factored.comm(), factored.distribution()), factored, pivots);
}

Contender scalapack(Communicator const& comm, int n, int nb, int grid_rows, int grid_cols) {
  auto const a = filled(comm, cyclic(n, n, nb, grid_rows, grid_cols));
  auto const descriptor = describe(a, context_of(grid_rows, grid_cols), n, n, nb);
  auto local = std::make_shared<std::vector<int>>(static_cast<std::size_t>(a.ld() + nb));
  auto const run = [=] {
    int const one = 1;
    int info_of_run = 0;
    pdgetrf_(&n, &n, a.data(), &one, &one, descriptor.data(), local->data(), &info_of_run);
  };
  auto const residual = [=, &comm] { return residual_of(a, gather_pivots(comm, a.distribution(), *local)); };
  auto const name =
      "pdgetrf nb=" + std::to_string(nb) + " " + std::to_string(grid_rows) + "x" + std::to_string(grid_cols);
  return {name, [=] { fill(a); }, run, residual, {}};
}

Contender ours(Communicator const& comm, int n, Pivoting pivoting, LuOptions const& options, std::string const& what) {
  auto const plan = plan_lu({.m = n, .n = n, .pivoting = pivoting}, comm.machine(), options);
  auto const a = filled(comm, plan.distribution);
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
  auto const name = "allport " + what + " " + plan.chosen.algorithm + " " + std::to_string(g.rows) + "x" +
                    std::to_string(g.cols) + "x" + std::to_string(g.layers) +
                    " b=" + std::to_string(plan.chosen.block) + " of " + std::to_string(plan.chosen.nb) +
                    (g.layers > 1 ? " big " + std::to_string(plan.chosen.big) + " " + plan.chosen.order : "");
  return {name, [=] { fill(a); }, run, [=] { return residual_of(a, *pivots); }, {}};
}

/// LAPACK on rank 0 with as many threads as there are ranks; the others sleep.
Contender lapack(Communicator const& comm, int n) {
  auto const a = filled(comm, cyclic(n, n, n, 1, 1));
  auto pivots = std::make_shared<std::vector<int>>(static_cast<std::size_t>(n));
  auto const factor = [=] {
    int info = 0;
    dgetrf_(&n, &n, a.data(), &n, pivots->data(), &info);
  };
  auto const run = [=, &comm] { alone_on_rank_0(comm, [&] { with_blas_threads(comm.size(), factor); }); };
  return {"dgetrf, " + std::to_string(comm.size()) + " threads", [=] { fill(a); }, run, [] { return 0.0; }, {}};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int const n = argc > 1 ? std::atoi(argv[1]) : 2000;
    int const rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    std::vector<int> blocks{32, 64, 128};
    bool with_lapack = true;
    std::vector<LuOptions> asked;
    for (int x = 3; x < argc; ++x) {
      if (std::strcmp(argv[x], "--no-lapack") == 0) with_lapack = false;
      if (std::strcmp(argv[x], "--ours") == 0 && x + 1 < argc) {
        auto& options = asked.emplace_back();
        options.algorithm = "1d";
        char* comma = nullptr;
        options.block = std::strtoll(argv[++x], &comma, 10);
        if (*comma == ',') options.nb = std::strtoll(comma + 1, nullptr, 10);
      }
      if (std::strcmp(argv[x], "--grid") == 0 && x + 1 < argc) {
        auto& options = asked.emplace_back();
        int rows = 1;
        long block = 0;
        long dealt = 0;
        int layers = 1;
        long big = 0;
        char order[64] = "";
        std::sscanf(argv[++x], "%d,%ld,%ld,%d,%ld,%63s", &rows, &block, &dealt, &layers, &big, order);
        options.algorithm = layers > 1 ? "2.5d" : "2d";
        options.block = block;
        options.nb = dealt;
        options.big = big;
        options.order = order;
        options.grid = {rows, 0, layers};
      }
      if (std::strcmp(argv[x], "--blocks") == 0 && x + 1 < argc) {
        blocks.clear();
        for (auto* word = std::strtok(argv[++x], ","); word != nullptr; word = std::strtok(nullptr, ",")) {
          blocks.push_back(std::atoi(word));
        }
      }
    }
    Communicator const comm(MPI_COMM_WORLD);
    std::vector<Contender> contenders;
    for (int r = 1; r <= comm.size(); ++r) {
      if (comm.size() % r != 0) continue;
      auto const c = comm.size() / r;
      if (comm.size() > 4 && (r > 2 * c || c > 2 * r)) continue;
      for (auto const nb : blocks) contenders.push_back(scalapack(comm, n, nb, r, c));
    }
    for (auto& options : asked) {
      auto& g = options.grid;
      if (options.algorithm != "1d") g.cols = comm.size() / g.rows / g.layers;
    }
    for (auto const& options : asked) contenders.push_back(ours(comm, n, Pivoting::partial, options, "partial"));
    if (asked.empty()) {
      contenders.push_back(ours(comm, n, Pivoting::partial, {}, "partial"));
      contenders.push_back(ours(comm, n, Pivoting::tournament, {}, "tournament"));
    }
    if (with_lapack) contenders.push_back(lapack(comm, n));
    run_in_turns(contenders, rounds, 1.0);
    if (comm.rank() == 0) {
      std::printf("{\"n\": %d, \"ranks\": %d, \"contenders\": ", n, comm.size());
      print(contenders, 2.0 / 3.0 * n * static_cast<double>(n) * n);
      std::printf("}\n");
    }
  }
  MPI_Finalize();
  return 0;
}
