// cholesky against ScaLAPACK's pdpotrf at several block sizes and grids, and against LAPACK's dpotrf on all cores of
// one rank, in turns within one run, every result checked. Usage: mpirun -n RANKS bench_cholesky N ROUNDS
// [--nb 192,256] [--blocks 32,64,128] [--workers W] [--tree flat,prefix] [--dropin LIBRARY] [--grid 2x2] [--no-lapack]
// [--no-scalapack] [--dgemm]; prints one JSON object. The machine is ALLPORT_MACHINE's. --nb 0: chosen, from blocks of
// 256; 64/128: tiles of 64 in blocks of 128. --workers: threads that run our tasks on each rank, and LAPACK's threads a
// rank. --dropin: pdpotrf by that library, too, where ScaLAPACK's lies. --dgemm: dgemm on every rank, too.
#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "allport/linalg/cholesky.h"
#include "allport/linalg/redistribute.h"
#include "contenders.h"
#include "scalapack.h"
#include "under_mpi.h"

extern "C" {
void pdpotrf_(char const*, int const*, double*, int const*, int const*, int const*, int*);
void dpotrf_(char const*, int const*, double*, int const*, int*);
void dgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*, int const*,
            double const*, int const*, double const*, double*, int const*);
}

namespace {

using namespace allport;
using namespace allport::bench;

constexpr int usual_blocks = 256;  // where our tile size is chosen, --nb 0

/// Symmetric, with a diagonal that outweighs its rows.
double entry_of(Index n, Index i, Index j) {
  return entry(std::max(i, j), std::min(i, j)) + (i == j ? static_cast<double>(n) : 0);
}

void fill_positive(Matrix<double> const& a) {
  a.for_each([n = a.rows()](Index i, Index j, double& x) { x = entry_of(n, i, j); });
}

Matrix<double> positive(Communicator const& comm, Distribution const& distribution) {
  auto made = Matrix<double>::allocate(comm, distribution);
  fill_positive(made);
  return made;
}

/// |A x - L (L^T x)| / (n eps |A| |x|) in the largest element, for one vector x.
double residual_of(Matrix<double> const& factored) {
  auto const n = factored.rows();
  auto const whole = Matrix<double>::allocate(factored.comm(), whole_on(0, n, n));
  redistribute(factored, whole);
  double worst = 0;
  if (factored.comm().rank() == 0) {
    auto const size = static_cast<std::size_t>(n);
    std::vector<double> x(size);
    std::vector<double> lower(size, 0);  // L^T x
    std::vector<double> twice(size, 0);  // L L^T x
    std::vector<double> straight(size, 0);
    for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = entry(i, n + i);
    auto const* const l = whole.data();
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) lower[static_cast<std::size_t>(j)] += l[i + j * n] * x[static_cast<std::size_t>(i)];
    }
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (i >= j) twice[static_cast<std::size_t>(i)] += l[i + j * n] * lower[static_cast<std::size_t>(j)];
        straight[static_cast<std::size_t>(i)] += entry_of(n, i, j) * x[static_cast<std::size_t>(j)];
      }
    }
    for (std::size_t i = 0; i < size; ++i) worst = std::max(worst, std::abs(twice[i] - straight[i]));
    worst /= 2.0 * static_cast<double>(n) * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  }
  MPI_Bcast(&worst, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return worst;
}

using Factor = decltype(&pdpotrf_);

/// The drop-in's routine, beside ScaLAPACK's own.
Factor factor_of(char const* library) {
  auto* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  auto* const found = handle == nullptr ? nullptr : dlsym(handle, "pdpotrf_");
  ensure(found != nullptr, "--dropin", library, "a library that has pdpotrf_");
  return reinterpret_cast<Factor>(found);
}

Contender scalapack(Communicator const& comm, std::string const& whose, Factor factor, int n, int nb, int grid_rows,
                    int grid_cols) {
  auto const a = positive(comm, cyclic(n, n, nb, grid_rows, grid_cols));
  auto const descriptor = describe(a, context_of(grid_rows, grid_cols), n, n, nb);
  auto const run = [=] {
    int const one = 1;
    int info_of_run = 0;
    factor("L", &n, a.data(), &one, &one, descriptor.data(), &info_of_run);
  };
  auto const name = fmt::format("{} nb={} {}x{}", whose, nb, grid_rows, grid_cols);
  return {name, [=] { fill_positive(a); }, run, [=] { return residual_of(a); }, {}};
}

/// @param tile  a number; or two, of which the second is the blocks'
Contender ours(Communicator const& comm, int n, std::string const& tile, int grid_rows, int grid_cols,
               CholeskyOptions options) {
  auto const slash = tile.find('/');
  options.nb = std::stoi(tile);
  auto const nb = slash == std::string::npos ? static_cast<int>(options.nb) : std::stoi(tile.substr(slash + 1));
  auto const a = positive(comm, cyclic(n, n, nb > 0 ? nb : usual_blocks, grid_rows, grid_cols));
  auto const run = [=, &comm] {
    auto const report = cholesky(a, Uplo::lower, options);
    if (std::getenv("ALLPORT_BENCH_VERBOSE") != nullptr) {
      std::fprintf(stderr, "rank %d: nb %lld, %.3f s, busy %.3f, %lld tasks, %lld messages, at most %.1f MB of tiles\n",
                   comm.rank(), static_cast<long long>(report.nb), report.run.seconds, report.run.busy_seconds,
                   static_cast<long long>(report.run.count.tasks),
                   static_cast<long long>(report.run.count.traffic.messages_sent),
                   static_cast<double>(report.run.peak_bytes) / 1e6);
    }
  };
  auto const name = fmt::format("allport nb={} {}x{} {} workers={}", tile, grid_rows, grid_cols,
                                allport::name(*options.tree), options.workers);
  return {name, [=] { fill_positive(a); }, run, [=] { return residual_of(a); }, {}};
}

/// LAPACK on rank 0 with `threads` threads; the others sleep.
Contender lapack(Communicator const& comm, int n, int threads) {
  auto const a = positive(comm, cyclic(n, n, n, 1, 1));
  auto const factor = [=] {
    int info = 0;
    dpotrf_("L", &n, a.data(), &n, &info);
  };
  auto const run = [=, &comm] { alone_on_rank_0(comm, [&] { with_blas_threads(threads, factor); }); };
  return {fmt::format("dpotrf, {} threads", threads), [=] { fill_positive(a); }, run, [] { return 0.0; }, {}};
}

/// C += A B of n x n on every rank at once, with one thread: what a rank's kernels cannot pass.
Contender dgemm(int n) {
  auto const size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  auto const a = std::make_shared<std::vector<double>>(size, 0.5);
  auto const c = std::make_shared<std::vector<double>>(size, 0.0);
  auto const run = [=] {
    double const one = 1;
    dgemm_("N", "N", &n, &n, &n, &one, a->data(), &n, a->data(), &n, &one, c->data(), &n);
  };
  return {fmt::format("dgemm {} on each", n), [] {}, [=] { with_blas_threads(1, run); }, [] { return 0.0; }, {}};
}

}  // namespace

int main(int argc, char** argv) {
  return under_mpi("bench_cholesky", &argc, &argv, MPI_THREAD_SERIALIZED, [&] {
    Arguments given(argc, argv, {"--no-lapack", "--no-scalapack", "--dgemm"},
                    {"--workers", "--nb", "--blocks", "--tree", "--dropin", "--grid"});
    auto const n = given.number("N", 2000);
    auto const rounds = given.number("ROUNDS", 5);
    given.end();
    auto const tiles = parts(given.value("--nb", "192,256"), ',');
    for (auto const& tile : tiles) {
      for (auto const& part : parts(tile, '/')) (void)small_number("--nb", part, 0);
    }
    auto const blocks = small_numbers("--blocks", given.value("--blocks", "32,64,128"), 1);
    std::vector<MulticastTree> trees;
    for (auto const& name : parts(given.value("--tree", "prefix"), ',')) trees.push_back(parse_multicast_tree(name));
    auto const workers = small_number("--workers", given.value("--workers", "1"), 1);
    bool const with_lapack = !given.has("--no-lapack");
    bool const with_scalapack = !given.has("--no-scalapack");
    bool const with_dgemm = given.has("--dgemm");
    auto const dropin = given.has("--dropin") ? factor_of(given.value("--dropin", "").c_str()) : nullptr;
    auto const grid = given.value("--grid", "");
    Communicator const comm(MPI_COMM_WORLD);
    std::vector<Contender> contenders;
    for (int r = 1; r <= comm.size(); ++r) {
      if (comm.size() % r != 0) continue;
      auto const c = comm.size() / r;
      if (comm.size() > 4 && r > 1 && (r > 2 * c || c > 2 * r)) continue;
      if (!grid.empty() && grid != fmt::format("{}x{}", r, c)) continue;
      for (auto const nb : blocks) {
        if (with_scalapack) contenders.push_back(scalapack(comm, "pdpotrf", pdpotrf_, n, nb, r, c));
        if (dropin != nullptr) contenders.push_back(scalapack(comm, "drop-in", dropin, n, nb, r, c));
      }
      for (auto const& nb : tiles) {
        for (auto const tree : trees) {
          contenders.push_back(ours(comm, n, nb, r, c, {.workers = workers, .tree = tree}));
        }
      }
    }
    if (with_lapack) contenders.push_back(lapack(comm, n, comm.size() * workers));
    if (with_dgemm) contenders.push_back(dgemm(std::min(n, 2000)));
    run_in_turns(contenders, rounds, 1.0);
    if (comm.rank() == 0) {
      std::printf("{\"n\": %d, \"ranks\": %d, \"contenders\": ", n, comm.size());
      print(contenders, 1.0 / 3.0 * n * static_cast<double>(n) * n);
      std::printf("}\n");
    }
  });
}
