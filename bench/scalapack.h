// ScaLAPACK as the benchmarks of factorizations and solves call it.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/linalg/matrix.h"

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, char const*, int, int);
void descinit_(int*, int const*, int const*, int const*, int const*, int const*, int const*, int const*, int const*,
               int*);
void pdgetrf_(int const*, int const*, double*, int const*, int const*, int const*, int*, int*);
}

namespace allport::bench {

inline int context_of(int grid_rows, int grid_cols) {
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "C", grid_rows, grid_cols);
  return context;
}

inline std::vector<int> describe(Matrix<double> const& m, int context, int rows, int cols, int nb) {
  std::vector<int> descriptor(9);
  int const zero = 0, ld = static_cast<int>(m.ld());
  int info = 0;
  descinit_(descriptor.data(), &rows, &cols, &nb, &nb, &zero, &zero, &context, &ld, &info);
  return descriptor;
}

/// Everybody's pivots, from 0: ScaLAPACK keeps a pivot beside its row.
inline std::vector<Index> gather_pivots(Communicator const& comm, Distribution const& distribution,
                                        std::vector<int> const& local) {
  std::vector<std::int64_t> mine(static_cast<std::size_t>(distribution.rows().extent()), -1);
  for (auto const& r : distribution.rows().runs(distribution.position(comm.rank()).row)) {
    for (Index x = 0; x < r.length; ++x) {
      mine[static_cast<std::size_t>(r.global + x)] = local[static_cast<std::size_t>(r.local + x)] - 1;
    }
  }
  auto const all = comm.all_gather(mine);
  std::vector<Index> pivots(mine.size());
  for (std::size_t x = 0; x < all.size(); ++x) {
    if (all[x] >= 0) pivots[x % mine.size()] = all[x];
  }
  return pivots;
}

}  // namespace allport::bench
