// Redistribution between distributions of every kind, element by element, and what it sends against what it said.
#include <gtest/gtest.h>
#include <mpi.h>

#include "allport/linalg/redistribute.h"
#include "linalg/distribution_samples.h"
#include "linalg/held.h"
#include "linalg/refused.h"

namespace allport {
namespace {

using samples::expect_on_every_rank;
using samples::Held;

template <class T>
T value_at(Index i, Index j) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(i * 1009 + j + 1);
  } else {
    return T(static_cast<typename T::value_type>(i * 1009 + j + 1), static_cast<typename T::value_type>(i - j));
  }
}

template <class T>
void move_and_check(Communicator const& comm, Distribution const& from, Distribution const& to, Index spare) {
  Held<T> source(comm, from, spare);
  Held<T> target(comm, to, spare);
  source.matrix.for_each([](Index i, Index j, T& x) { x = value_at<T>(i, j); });
  auto const before = source.data;
  comm.reset_counted();
  redistribute(source.matrix, target.matrix);
  EXPECT_EQ(comm.counted(), redistribution_traffic(comm, from, to, sizeof(T)));
  EXPECT_EQ(comm.counted(), redistribution_traffic(comm.machine(), comm.mapping(), from, to, comm.rank(), sizeof(T)));
  EXPECT_EQ(redistribution_memory(comm, from, to, sizeof(T)),
            redistribution_memory(comm.machine(), comm.mapping(), from, to, comm.rank(), sizeof(T)));
  EXPECT_EQ(source.data, before);
  Index wrong = 0;
  target.matrix.for_each([&](Index i, Index j, T const& x) { wrong += x != value_at<T>(i, j); });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(target.overwritten(), 0) << "written beyond its rows";
}

TEST(MpiRedistribute, AnyLayoutToAnyOther) {
  Communicator const comm(MPI_COMM_WORLD);
  std::mt19937 random(11);
  for (int sample = 0; sample < 60; ++sample) {
    auto const rows = static_cast<Index>(random() % 40);
    auto const cols = static_cast<Index>(random() % 40);
    auto const from = samples::random_distribution(random, rows, cols, comm.size());
    auto const to = sample % 10 == 0 ? from : samples::random_distribution(random, rows, cols, comm.size());
    SCOPED_TRACE(::testing::Message() << "sample " << sample << ": " << rows << " x " << cols);
    auto const spare = static_cast<Index>(sample % 3);
    switch (sample % 4) {
      case 0:
        move_and_check<double>(comm, from, to, spare);
        break;
      case 1:
        move_and_check<float>(comm, from, to, spare);
        break;
      case 2:
        move_and_check<std::complex<float>>(comm, from, to, spare);
        break;
      default:
        move_and_check<std::complex<double>>(comm, from, to, spare);
    }
  }
}

std::vector<Rank> all_ranks(Communicator const& comm) {
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(MpiRedistribute, LargerMatricesAndBlocksOfOne) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const n = Index(700);
  auto const ranks = all_ranks(comm);
  Distribution const by_rows(AxisDistribution::balanced(n, comm.size()), AxisDistribution::cuts({0, n}), ranks);
  Distribution const by_cols(AxisDistribution::cuts({0, n}), AxisDistribution::balanced(n, comm.size()), ranks);
  Distribution const cyclic(AxisDistribution::cyclic(n, comm.size(), 1), AxisDistribution::cuts({0, n}), ranks);
  Distribution const blocks(AxisDistribution::cyclic(n, comm.size(), 32, comm.size() - 1),
                            AxisDistribution::cyclic(n, 1, 64), ranks);
  for (auto const* from : {&by_rows, &by_cols, &cyclic, &blocks}) {
    for (auto const* to : {&by_rows, &by_cols, &cyclic, &blocks}) {
      move_and_check<double>(comm, *from, *to, 0);
    }
  }
}

TEST(MpiRedistribute, FromNeighbourToNeighbourWhereLinksAreTheBottleneck) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 4) return;  // all are neighbours
  Communicator const comm(MPI_COMM_WORLD, samples::slow_ring(size));
  Index const rows = 301, cols = 280;
  auto const ranks = all_ranks(comm);
  Distribution const by_rows(AxisDistribution::cyclic(rows, size, 7), AxisDistribution::balanced(cols, 1), ranks);
  Distribution const by_cols(AxisDistribution::balanced(rows, 1), AxisDistribution::cyclic(cols, size, 3, 1), ranks);
  Distribution const last(AxisDistribution::balanced(rows, 1), AxisDistribution::balanced(cols, 1), {size - 1});
  move_and_check<double>(comm, by_rows, by_cols, 1);
  move_and_check<std::complex<float>>(comm, by_cols, by_rows, 0);
  move_and_check<float>(comm, by_rows, last, 0);
  move_and_check<std::complex<double>>(comm, last, by_cols, 2);
  // More of them, twice, than are remembered.
  for (int turn = 0; turn < 2; ++turn) {
    for (Index nb = 1; nb < 12; ++nb) {
      Distribution const narrow(AxisDistribution::balanced(rows, 1), AxisDistribution::cyclic(cols, size, nb), ranks);
      move_and_check<double>(comm, by_rows, narrow, 0);
      if (turn == 1) move_and_check<float>(comm, by_rows, narrow, 0);
    }
  }
  // What is passed on counts where it passes.
  EXPECT_NE(redistribution_traffic(comm, by_rows, by_cols, sizeof(double)),
            redistribution_traffic(by_rows, by_cols, comm.rank(), sizeof(double)));
}

TEST(MpiRedistribute, GathersToARootAndScattersFromIt) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const me = comm.rank();
  auto const root = comm.size() - 1;
  Index const rows = 37, cols = 29;
  Distribution const distribution(AxisDistribution::cyclic(rows, comm.size(), 3), AxisDistribution::balanced(cols, 1),
                                  all_ranks(comm));
  Held<double> part(comm, distribution, 1);
  std::vector<double> whole;
  if (me == root) {
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        whole.push_back(value_at<double>(i, j));
      }
    }
  }
  Matrix const on_root(comm, whole_on(root, rows, cols), whole.data());
  redistribute(on_root, part.matrix);
  Index wrong = 0;
  part.matrix.for_each([&](Index i, Index j, double& x) {
    wrong += x != value_at<double>(i, j);
    x = -x;
  });
  EXPECT_EQ(wrong, 0);
  redistribute(part.matrix, on_root);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(whole[k], -value_at<double>(static_cast<Index>(k) % rows, static_cast<Index>(k) / rows));
  }
}

TEST(MpiRedistribute, WhatIsWrongOnOneRankIsToldToAll) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const last = comm.size() - 1;
  Distribution const distribution(AxisDistribution::balanced(24, comm.size()), AxisDistribution::cuts({0, 5}),
                                  all_ranks(comm));
  Distribution const wider(AxisDistribution::balanced(24, comm.size()), AxisDistribution::cuts({0, 6}),
                           all_ranks(comm));
  Distribution const outside(AxisDistribution::cuts({0, 24}), AxisDistribution::cuts({0, 5}), {comm.size()});
  std::vector<double> a(24 * 6, 1.0), b(24 * 6, 2.0);
  auto const refused = [&](Distribution const& from, Distribution const& to, double* data, Index ld,
                           std::string const& message) {
    expect_on_every_rank([&] { redistribute(Matrix(comm, from, a.data(), 24), Matrix(comm, to, data, ld)); }, message);
  };
  bool const on_last = comm.rank() == last;
  refused(distribution, wider, b.data(), 24, "to = '24 x 6': expected 24 x 5");
  refused(distribution, outside, b.data(), 24, "to: rank in grid");
  refused(outside, distribution, b.data(), 24, "from: rank in grid");
  refused(distribution, distribution, b.data(), on_last ? 0 : 24, "to: ld on rank " + std::to_string(last) + " = 0");
  refused(distribution, distribution, on_last ? nullptr : b.data(), 24, "to: data on rank");
  refused(distribution, distribution, on_last ? a.data() : b.data(), 24, "memory of its own");
  EXPECT_EQ(b, std::vector<double>(24 * 6, 2.0)) << "nothing moves when something is wrong";
}

}  // namespace
}  // namespace allport
