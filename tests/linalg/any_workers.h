// Factorizations whose results must not depend on which worker ran which task.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "comm/world.h"
#include "linalg/held.h"
#include "linalg/whole.h"

namespace allport::samples {

/// Which tiles idle workers share depends on timing; the result does not.
/// @param factor  factor(Held<T>&, workers) fills an m x n matrix in tiles of 250 and factors it
template <class Factor>
void same_bits_on_any_workers(Index m, Index n, Factor const& factor) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(testing::world_size()));
  if (comm.size() > 3) GTEST_SKIP() << "three ranks of several workers are enough";
  auto const grid = grids(comm.size()).front();
  Distribution const d(AxisDistribution::cyclic(m, grid.rows(), 250), AxisDistribution::cyclic(n, grid.cols(), 250),
                       grid);
  auto const with = [&]<class T>(T) {
    std::vector<std::vector<T>> results;
    for (int const workers : {2, 3, 3, 4}) {
      Held<T> held(comm, d, 0);
      factor(held, workers);
      results.push_back(std::move(held.data));
      EXPECT_TRUE(results.back() == results.front()) << workers << " workers";
    }
  };
  with(float());
  with(double());
  with(std::complex<float>());
  with(std::complex<double>());
}

}  // namespace allport::samples
