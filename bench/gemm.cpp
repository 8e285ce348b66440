// gemm against ScaLAPACK's pdgemm at several block sizes and against the ranks' own dgemm (the peak), in turns within
// one run. Usage: mpirun -n RANKS bench_gemm N ROUNDS [ALGORITHM,... [BLOCK]]; prints one JSON object. An algorithm may
// be followed by its grid and its panel: summa/4x4x1/128. The machine is ALLPORT_MACHINE's, else one computer. Every
// contender starts from matrices in its own best distribution; "allport_cyclic" starts from blocks of BLOCK (128) on
// the most nearly square grid, as ScaLAPACK's, and pays for what it moves.
#include <mpi.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "allport/linalg/gemm.h"
#include "under_mpi.h"

extern "C" {
void Cblacs_pinfo(int*, int*);
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, char const*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);
int numroc_(int const*, int const*, int const*, int const*, int const*);
void descinit_(int*, int const*, int const*, int const*, int const*, int const*, int const*, int const*, int const*,
               int*);
void pdgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*, int const*,
             int const*, int const*, double const*, int const*, int const*, int const*, double const*, double*,
             int const*, int const*, int const*);
void dgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*, int const*,
            double const*, int const*, double const*, double*, int const*);
}

namespace {

using namespace allport;

/// Entries in -0.5..0.5 that any rank can compute.
double entry(int which, Index i, Index j) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(j) * 0xC2B2AE3D27D4EB4Fu +
           static_cast<std::uint64_t>(which);
  x = (x ^ (x >> 31)) * 0xD6E8FEB86659FD93u;
  return static_cast<double>(x >> 11) / 9007199254740992.0 - 0.5;
}

/// Matrix `which` in that distribution; of zeros where it is to be computed (-1).
Matrix<double> make(Communicator const& comm, Distribution const& distribution, int which) {
  auto const made = Matrix<double>::zeros(comm, distribution);
  if (which >= 0) made.for_each([&](Index i, Index j, double& x) { x = entry(which, i, j); });
  return made;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Contender {
  std::string name;
  std::function<void()> run;
  std::function<double()> error;  ///< largest wrong entry of a sample of C on this rank
  std::vector<double> seconds;
};

/// Largest deviation over a sample of local entries from the definition.
double sample_error(Matrix<double> const& c) {
  auto const at = c.distribution().position(c.comm().rank());
  if (at.row < 0) return 0;
  double worst = 0;
  for (auto const& r : c.distribution().rows().runs(at.row)) {
    for (auto const& q : c.distribution().cols().runs(at.col)) {
      Index const i = r.length / 2, j = q.length / 3;
      double sum = 0;
      for (Index x = 0; x < c.cols(); ++x) sum += entry(0, r.global + i, x) * entry(1, x, q.global + j);
      worst = std::max(worst, std::abs(sum - c.data()[r.local + i + (q.local + j) * c.ld()]));
    }
  }
  return worst;
}

Distribution cyclic(int n, int nb, int grid_rows, int grid_cols) {
  std::vector<Rank> ranks;
  for (int c = 0; c < grid_cols; ++c) {
    for (int r = 0; r < grid_rows; ++r) ranks.push_back(r * grid_cols + c);  // BLACS "R"
  }
  return {AxisDistribution::cyclic(n, grid_rows, nb), AxisDistribution::cyclic(n, grid_cols, nb), std::move(ranks)};
}

Contender scalapack(Communicator const& comm, int n, int nb, int grid_rows, int grid_cols) {
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", grid_rows, grid_cols);
  auto const distribution = cyclic(n, nb, grid_rows, grid_cols);
  auto const a = make(comm, distribution, 0), b = make(comm, distribution, 1), c = make(comm, distribution, -1);
  auto descriptor = std::make_shared<std::vector<int>>(9);
  int const zero = 0, ld = static_cast<int>(a.ld());
  int info = 0;
  descinit_(descriptor->data(), &n, &n, &nb, &nb, &zero, &zero, &context, &ld, &info);
  auto const run = [=] {
    int const one = 1;
    double const alpha = 1, beta = 0;
    auto const* d = descriptor->data();
    pdgemm_("N", "N", &n, &n, &n, &alpha, a.data(), &one, &one, d, b.data(), &one, &one, d, &beta, c.data(), &one, &one,
            d);
  };
  auto const name =
      "pdgemm nb=" + std::to_string(nb) + " " + std::to_string(grid_rows) + "x" + std::to_string(grid_cols);
  return {name, run, [=] { return sample_error(c); }, {}};
}

/// NAME[/PxQxC[/PANEL]], of which 0 is the plan's
GemmOptions asked(std::string const& text) {
  GemmOptions options;
  auto const slash = text.find('/');
  options.algorithm = text.substr(0, slash);
  if (slash == std::string::npos) return options;
  auto const given = bench::parts(text, '/');
  auto const grid = bench::parts(given[1], 'x');
  ensure(given.size() <= 3 && grid.size() == 3, "ALGORITHM", text, "NAME, NAME/PxQxC or NAME/PxQxC/PANEL");
  auto const factor = [&](std::size_t i) { return bench::small_number("ALGORITHM's grid", grid[i], 1); };
  options.grid = {factor(0), factor(1), factor(2)};
  if (given.size() == 3) options.panel = bench::small_number("ALGORITHM's PANEL", given[2], 0);
  return options;
}

Contender ours(Communicator const& comm, int n, std::string const& algorithm, int nb, bool from_cyclic) {
  auto options = asked(algorithm);
  int rows = 1;
  for (int r = 2; r * r <= comm.size(); ++r) rows = comm.size() % r == 0 ? r : rows;
  auto const foreign = cyclic(n, nb, rows, comm.size() / rows);
  if (from_cyclic) options.given = GemmGiven{foreign, foreign, foreign, false};
  auto const plan = plan_gemm({.m = n, .n = n, .k = n}, comm.machine(), options);
  auto const a = make(comm, from_cyclic ? foreign : plan.a, 0), b = make(comm, from_cyclic ? foreign : plan.b, 1),
             c = make(comm, from_cyclic ? foreign : plan.c, -1);
  auto const run = [=] {
    auto const report = gemm(plan, 1.0, a, b, 0.0, c);
    if (std::getenv("ALLPORT_BENCH_VERBOSE") != nullptr && c.comm().rank() == 0) {
      std::fprintf(stderr, "total %.3f compute %.3f wait %.3f redistribute %.3f\n", report.total.value(),
                   report.compute.value(), report.communicate.value(), report.redistribute.value());
    }
  };
  auto const& g = plan.chosen.grid;
  auto const name = std::string(from_cyclic ? "allport_cyclic " : "allport ") + plan.chosen.algorithm + " " +
                    std::to_string(g.rows) + "x" + std::to_string(g.cols) + "x" + std::to_string(g.layers) + "/" +
                    std::to_string(plan.chosen.panel);
  return {name, run, [=] { return sample_error(c); }, {}};
}

/// Each rank multiplies its share of the work on its own: no communication at all.
Contender peak(int n, int ranks) {
  auto const cols = n / ranks;
  auto a = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n) * n, 0.25);
  auto b = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n) * cols, 0.5);
  auto c = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n) * cols, 0.0);
  auto const run = [=] {
    double const one = 1, zero = 0;
    dgemm_("N", "N", &n, &cols, &n, &one, a->data(), &n, b->data(), &n, &zero, c->data(), &n);
  };
  return {"peak", run, [] { return 0.0; }, {}};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::under_mpi("bench_gemm", &argc, &argv, MPI_THREAD_SINGLE, [&] {
    bench::Arguments given(argc, argv);
    auto const n = given.number("N", 2000);
    auto const rounds = given.number("ROUNDS", 5);
    auto const algorithms = bench::parts(given.word(""), ',');
    auto const only = given.number("BLOCK", 0);
    given.end();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool const named = std::getenv("ALLPORT_MACHINE") != nullptr;  // a lab's, for example
    auto const comm = named ? Communicator(MPI_COMM_WORLD)
                            : Communicator(MPI_COMM_WORLD, Machine::parse("laptop:" + std::to_string(size)));
    std::vector<Contender> all;
    all.push_back(peak(n, comm.size()));
    for (auto const& algorithm : algorithms) {  // none named: one, whichever is chosen
      for (bool const from_cyclic : {false, true}) {
        all.push_back(ours(comm, n, algorithm, only > 0 ? only : 128, from_cyclic));
      }
    }
    for (int rows = 1; rows <= comm.size(); ++rows) {
      auto const cols = comm.size() / rows;
      if (comm.size() % rows != 0 || (comm.size() > 4 && (rows > 2 * cols || cols > 2 * rows))) continue;
      auto const blocks = only > 0 ? std::vector<int>{only} : std::vector<int>{64, 128, 256, 512};
      for (int const nb : blocks) all.push_back(scalapack(comm, n, nb, rows, cols));
    }
    double worst_error = 0;
    for (int round = -1; round < rounds; ++round) {  // round -1 warms up and is checked
      for (auto& contender : all) {
        MPI_Barrier(MPI_COMM_WORLD);
        auto const begin = now();
        contender.run();
        MPI_Barrier(MPI_COMM_WORLD);
        if (round >= 0) {
          contender.seconds.push_back(now() - begin);
          continue;
        }
        double mine = contender.error(), worst = 0;
        MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        worst_error = std::max(worst_error, worst);
      }
    }
    if (comm.rank() == 0) {
      std::printf("{\"n\": %d, \"ranks\": %d, \"largest_error\": %.3g, \"seconds\": {", n, comm.size(), worst_error);
      for (std::size_t k = 0; k < all.size(); ++k) {
        std::printf("%s\"%s\": [", k == 0 ? "" : ", ", all[k].name.c_str());
        for (std::size_t t = 0; t < all[k].seconds.size(); ++t) {
          std::printf("%s%.6f", t == 0 ? "" : ", ", all[k].seconds[t]);
        }
        std::printf("]");
      }
      std::printf("}}\n");
    }
  });
}
