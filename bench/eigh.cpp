// eigh against ScaLAPACK's pdsyevd and pdsyevr at several block sizes, and against LAPACK's dsyevd on all cores of one
// rank, in turns within one run, every result checked. Usage: mpirun -n RANKS bench_eigh N ROUNDS [--panel 32,64]
// [--blocks 32,64] [--values-only] [--no-lapack] [--no-scalapack] [--no-pdsyevr]; prints one JSON object. The machine
// is ALLPORT_MACHINE's. --panel: columns of a panel of ours. --blocks: ScaLAPACK's block sizes.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "allport/linalg/eigh.h"
#include "allport/linalg/redistribute.h"
#include "contenders.h"
#include "scalapack.h"
#include "under_mpi.h"

extern "C" {
void pdsyevd_(char const*, char const*, int const*, double*, int const*, int const*, int const*, double*, double*,
              int const*, int const*, int const*, double*, int const*, int*, int const*, int*);
void pdsyevr_(char const*, char const*, char const*, int const*, double*, int const*, int const*, int const*,
              double const*, double const*, int const*, int const*, int*, int*, double*, double*, int const*,
              int const*, int const*, double*, int const*, int*, int const*, int*);
void dsyevd_(char const*, char const*, int const*, double*, int const*, double*, double*, int const*, int*, int const*,
             int*);
}

namespace {

using namespace allport;
using namespace allport::bench;

void fill_symmetric(Matrix<double> const& a) {
  a.for_each([](Index i, Index j, double& x) { x = entry(std::max(i, j), std::min(i, j)); });
}

/// What a contender found.
struct Found {
  std::vector<double> values;
  std::optional<Matrix<double>> vectors;
};

/// The largest of ||A v - w v|| / (n eps ||A||) and |v^T v - 1| / (n eps) over some columns, or without vectors the
/// difference of the values' sum to A's trace.
double residual_of(Communicator const& comm, Index n, Found const& found) {
  double worst = 0;
  auto const unit = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  if (!found.vectors) {
    double sum = 0, trace = 0;
    for (Index i = 0; i < n; ++i) {
      sum += found.values[static_cast<std::size_t>(i)];
      trace += entry(i, i);
    }
    return std::abs(sum - trace) / (unit * static_cast<double>(n));
  }
  auto const whole = Matrix<double>::allocate(comm, whole_on(0, n, n));
  redistribute(Matrix<double const>(*found.vectors), whole);
  if (comm.rank() == 0) {
    auto const norm = std::sqrt(static_cast<double>(n)) / 2;
    for (Index j = 0; j < n; j += std::max<Index>(n / 7, 1)) {
      auto const* const v = whole.data() + j * n;
      double square = 0, length = 0;
      for (Index i = 0; i < n; ++i) {
        double sum = 0;
        for (Index l = 0; l < n; ++l) sum += entry(std::max(i, l), std::min(i, l)) * v[l];
        sum -= found.values[static_cast<std::size_t>(j)] * v[i];
        square += sum * sum;
        length += v[i] * v[i];
      }
      worst = std::max({worst, std::sqrt(square) / (unit * norm), std::abs(length - 1) / unit});
    }
  }
  MPI_Bcast(&worst, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return worst;
}

Contender ours(Communicator const& comm, int n, int panel, bool vectors) {
  auto const a = Matrix<double>::allocate(comm, cyclic(n, n, 64, 1, comm.size()));
  auto const found = std::make_shared<Found>();
  auto const run = [=, &comm] {
    auto made = eigh<double>(a, Uplo::lower, {.vectors = vectors, .check = false, .panel = panel});
    if (std::getenv("ALLPORT_BENCH_VERBOSE") != nullptr) {
      std::fprintf(stderr, "rank %d: tridiagonal %.3f, values %.3f, vectors %.3f s\n", comm.rank(),
                   made.report.tridiagonal, made.report.values, made.report.vectors);
    }
    found->values = std::move(made.values);
    found->vectors = std::move(made.vectors);
  };
  return {fmt::format("allport panel={}", panel),
          [=] { fill_symmetric(a); },
          run,
          [=, &comm] { return residual_of(comm, n, *found); },
          {}};
}

Contender scalapack(Communicator const& comm, bool relative, int n, int nb, int rows, int cols, bool vectors) {
  auto const d = cyclic(n, n, nb, rows, cols);
  auto const a = Matrix<double>::allocate(comm, d), z = Matrix<double>::allocate(comm, d);
  auto const descriptor = describe(a, context_of(rows, cols), n, n, nb);
  auto const found = std::make_shared<Found>();
  auto const run = [=] {
    found->values.assign(static_cast<std::size_t>(n), 0);
    int const one = 1, asked = -1;
    int info = 0, m = 0, nz = 0;
    double const zero = 0;
    char const* const what = vectors ? "V" : "N";
    double words = 0;
    int integers = 0;
    std::vector<double> work(1);
    std::vector<int> ints(1);
    auto const call = [&](double* w, int const* lw, int* i, int const* li) {
      if (relative) {
        pdsyevr_(what, "A", "L", &n, a.data(), &one, &one, descriptor.data(), &zero, &zero, &one, &n, &m, &nz,
                 found->values.data(), z.data(), &one, &one, descriptor.data(), w, lw, i, li, &info);
      } else {
        pdsyevd_(what, "L", &n, a.data(), &one, &one, descriptor.data(), found->values.data(), z.data(), &one, &one,
                 descriptor.data(), w, lw, i, li, &info);
      }
    };
    call(&words, &asked, &integers, &asked);
    work.resize(static_cast<std::size_t>(words) + 10 * static_cast<std::size_t>(n));
    ints.resize(static_cast<std::size_t>(integers) + 10 * static_cast<std::size_t>(n));
    int const length = static_cast<int>(work.size()), int_length = static_cast<int>(ints.size());
    call(work.data(), &length, ints.data(), &int_length);
    if (vectors) found->vectors = z;
  };
  return {fmt::format("{} nb={} {}x{}", relative ? "pdsyevr" : "pdsyevd", nb, rows, cols),
          [=] { fill_symmetric(a); },
          run,
          [=, &comm] { return residual_of(comm, n, *found); },
          {}};
}

Contender lapack(Communicator const& comm, int n, int threads, bool vectors) {
  auto const a = Matrix<double>::allocate(comm, whole_on(0, n, n));
  auto const run = [=, &comm] {
    alone_on_rank_0(comm, [&] {
      with_blas_threads(threads, [&] {
        std::vector<double> values(static_cast<std::size_t>(n)), work(static_cast<std::size_t>(1 + 6 * n + 2 * n * n));
        std::vector<int> ints(static_cast<std::size_t>(3 + 5 * n));
        int const length = static_cast<int>(work.size()), int_length = static_cast<int>(ints.size());
        int info = 0;
        dsyevd_(vectors ? "V" : "N", "L", &n, a.data(), &n, values.data(), work.data(), &length, ints.data(),
                &int_length, &info);
      });
    });
  };
  return {fmt::format("dsyevd, {} threads", threads), [=] { fill_symmetric(a); }, run, [] { return 0.0; }, {}};
}

}  // namespace

int main(int argc, char** argv) {
  return under_mpi("bench_eigh", &argc, &argv, MPI_THREAD_SERIALIZED, [&] {
    Arguments given(argc, argv, {"--values-only", "--no-lapack", "--no-scalapack", "--no-pdsyevr"},
                    {"--panel", "--blocks"});
    auto const n = given.number("N", 1000);
    auto const rounds = given.number("ROUNDS", 5);
    given.end();
    auto const panels = small_numbers("--panel", given.value("--panel", "32"), 1);
    auto const blocks = small_numbers("--blocks", given.value("--blocks", "32,64"), 1);
    bool const vectors = !given.has("--values-only");
    Communicator const comm(MPI_COMM_WORLD);
    std::vector<Contender> contenders;
    for (auto const panel : panels) contenders.push_back(ours(comm, n, panel, vectors));
    int rows = 1;
    while ((rows + 1) * (rows + 1) <= comm.size()) ++rows;
    while (comm.size() % rows != 0) --rows;
    for (auto const nb : blocks) {
      if (given.has("--no-scalapack")) continue;
      contenders.push_back(scalapack(comm, false, n, nb, rows, comm.size() / rows, vectors));
      if (given.has("--no-pdsyevr")) continue;
      contenders.push_back(scalapack(comm, true, n, nb, rows, comm.size() / rows, vectors));
    }
    if (!given.has("--no-lapack")) contenders.push_back(lapack(comm, n, comm.size(), vectors));
    run_in_turns(contenders, rounds, 10.0);
    if (comm.rank() == 0) {
      std::printf("{\"n\": %d, \"ranks\": %d, \"contenders\": ", n, comm.size());
      print(contenders, 4.0 / 3.0 * n * static_cast<double>(n) * n);
      std::printf("}\n");
    }
  });
}
