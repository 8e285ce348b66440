// Common parts of the benchmarks of factorizations and solves: matrices that any rank can fill, and contenders that run
// in turns, are checked once and printed as JSON.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "allport/linalg/matrix.h"

namespace allport::bench {

/// Pseudo-random entries in -0.5..0.5, by a hash of the indices that any rank can compute.
inline double entry(Index i, Index j) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(j) * 0xC2B2AE3D27D4EB4Fu;
  x = (x ^ (x >> 31)) * 0xD6E8FEB86659FD93u;
  return static_cast<double>(x >> 11) / 9007199254740992.0 - 0.5;
}

/// @param diagonal  added to the diagonal
inline void fill(Matrix<double> const& a, double diagonal = 0) {
  a.for_each([&](Index i, Index j, double& x) { x = entry(i, j) + (i == j ? diagonal : 0); });
}
inline Matrix<double> filled(Communicator const& comm, Distribution const& distribution, double diagonal = 0) {
  auto const made = Matrix<double>::allocate(comm, distribution);
  fill(made, diagonal);
  return made;
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Contender {
  std::string name;
  std::function<void()> prepare;
  std::function<void()> run;
  std::function<double()> residual;
  std::vector<double> seconds;
};

/// ScaLAPACK's distribution on a grid that BLACS made in column order.
inline Distribution cyclic(int rows, int cols, int nb, int grid_rows, int grid_cols) {
  std::vector<Rank> ranks;
  for (int c = 0; c < grid_cols; ++c) {
    for (int r = 0; r < grid_rows; ++r) ranks.push_back(r + c * grid_rows);  // BLACS "C"
  }
  return {AxisDistribution::cyclic(rows, grid_rows, nb), AxisDistribution::cyclic(cols, grid_cols, nb),
          std::move(ranks)};
}

inline double slowest(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// Calls on rank 0 while the other ranks sleep instead of polling, so that its threads get their cores.
template <class Call>
void alone_on_rank_0(Communicator const& comm, Call const& call) {
  if (comm.rank() == 0) {
    call();
    for (int r = 1; r < comm.size(); ++r) MPI_Send(nullptr, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD);
    return;
  }
  int done = 0;
  while (done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Calls with `threads` threads of OpenBLAS, if that library is loaded.
template <class Call>
void with_blas_threads(int threads, Call const& call) {
  using SetThreads = void (*)(int);
  auto const set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(threads);
  call();
  if (set != nullptr) set(1);
}

/// Runs all contenders in each round, one after the other. In the first round a residual above `limit` ends the
/// program.
inline void run_in_turns(std::vector<Contender>& contenders, int rounds, double limit) {
  for (int round = 0; round < rounds; ++round) {
    for (auto& one : contenders) {
      one.prepare();
      MPI_Barrier(MPI_COMM_WORLD);
      auto const begin = now();
      one.run();
      one.seconds.push_back(slowest(now() - begin));
      if (round > 0) continue;
      auto const residual = one.residual();
      if (!(residual <= limit)) {
        std::fprintf(stderr, "%s: residual %g\n", one.name.c_str(), residual);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
  }
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The contenders as a JSON list.
inline void print(std::vector<Contender> const& contenders, double flops) {
  std::printf("[");
  for (std::size_t x = 0; x < contenders.size(); ++x) {
    auto const& one = contenders[x];
    std::printf("%s{\"name\": \"%s\", \"seconds\": [", x > 0 ? ", " : "", one.name.c_str());
    for (std::size_t s = 0; s < one.seconds.size(); ++s) std::printf("%s%.5f", s > 0 ? ", " : "", one.seconds[s]);
    std::printf("], \"gflops_median\": %.3f, \"gflops_best\": %.3f}", flops / median(one.seconds) / 1e9,
                flops / *std::ranges::min_element(one.seconds) / 1e9);
  }
  std::printf("]");
}

}  // namespace allport::bench
