// Redistribution between distributions of every kind, element by element, and what it sends against what it said.
#include <gtest/gtest.h>

#include "allport/linalg/gather.h"
#include "allport/linalg/redistribute.h"
#include "linalg/distribution_samples.h"

namespace allport {
namespace {

template <class T>
T value_at(Index i, Index j) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(i * 1009 + j + 1);
  } else {
    return T(static_cast<typename T::value_type>(i * 1009 + j + 1), static_cast<typename T::value_type>(i - j));
  }
}

// A rank's part with rows to spare below it, which must stay as they were.
template <class T>
struct Held {
  Held(Distribution const& distribution, Rank rank, Index spare)
      : rows(distribution.local_rows(rank)),
        cols(distribution.local_cols(rank)),
        ld(std::max<Index>(1, rows) + spare),
        data(static_cast<std::size_t>(ld * std::max<Index>(1, cols)), T(-7)) {}

  // Calls visit(global row, global column, element) for every element held.
  template <class Visit>
  void for_elements(Distribution const& distribution, Rank rank, Visit&& visit) {
    auto const at = distribution.position(rank);
    if (at.row < 0) {
      return;
    }
    for (auto const& c : distribution.cols().runs(at.col)) {
      for (auto const& r : distribution.rows().runs(at.row)) {
        for (Index j = 0; j < c.length; ++j) {
          for (Index i = 0; i < r.length; ++i) {
            visit(r.global + i, c.global + j, data[static_cast<std::size_t>(r.local + i + (c.local + j) * ld)]);
          }
        }
      }
    }
  }

  Part<T> part() { return {data.data(), ld}; }
  Part<T const> part() const { return {data.data(), ld}; }

  Index rows, cols, ld;
  std::vector<T> data;
};

template <class T>
void move_and_check(Communicator const& comm, Distribution const& from, Distribution const& to, Index spare) {
  auto const me = comm.rank();
  Held<T> source(from, me, spare);
  Held<T> target(to, me, spare);
  source.for_elements(from, me, [](Index i, Index j, T& x) { x = value_at<T>(i, j); });
  auto const before = source.data;
  comm.reset_counted();
  redistribute<T>(comm, from, std::as_const(source).part(), to, target.part());
  EXPECT_EQ(comm.counted(), redistribution_traffic(from, to, me, sizeof(T)));
  EXPECT_EQ(source.data, before);
  Index wrong = 0;
  target.for_elements(to, me, [&](Index i, Index j, T const& x) { wrong += x != value_at<T>(i, j); });
  EXPECT_EQ(wrong, 0);
  for (Index j = 0; j < target.cols; ++j) {
    for (Index i = target.rows; i < target.ld; ++i) {
      EXPECT_EQ(target.data[static_cast<std::size_t>(i + j * target.ld)], T(-7)) << "written beyond its rows";
    }
  }
}

TEST(MpiRedistribute, AnyLayoutToAnyOther) {
  Communicator const comm(MPI_COMM_WORLD);
  std::mt19937 random(11);
  for (int trial = 0; trial < 60; ++trial) {
    auto const rows = static_cast<Index>(random() % 40);
    auto const cols = static_cast<Index>(random() % 40);
    auto const from = samples::random_distribution(random, rows, cols, comm.size());
    auto const to = trial % 10 == 0 ? from : samples::random_distribution(random, rows, cols, comm.size());
    SCOPED_TRACE(testing::Message() << "trial " << trial << ": " << rows << " x " << cols);
    auto const spare = static_cast<Index>(trial % 3);
    switch (trial % 4) {
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

TEST(MpiRedistribute, GathersToARootAndScattersFromIt) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const me = comm.rank();
  auto const root = comm.size() - 1;
  Index const rows = 37, cols = 29;
  Distribution const distribution(AxisDistribution::cyclic(rows, comm.size(), 3), AxisDistribution::balanced(cols, 1),
                                  all_ranks(comm));
  Held<double> part(distribution, me, 1);
  std::vector<double> whole;
  if (me == root) {
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        whole.push_back(value_at<double>(i, j));
      }
    }
  }
  scatter_from_root<double>(comm, root, {whole.data(), rows}, distribution, part.part());
  Index wrong = 0;
  part.for_elements(distribution, me, [&](Index i, Index j, double& x) {
    wrong += x != value_at<double>(i, j);
    x = -x;
  });
  EXPECT_EQ(wrong, 0);
  gather_to_root<double>(comm, distribution, std::as_const(part).part(), root, {whole.data(), rows});
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(whole[k], -value_at<double>(static_cast<Index>(k) % rows, static_cast<Index>(k) / rows));
  }
}

void expect_on_every_rank(auto&& call, std::string const& part_of_message) {
  try {
    call();
    ADD_FAILURE() << "expected an error with " << part_of_message;
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find(part_of_message), std::string::npos) << e.what();
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
  Part<double const> const from{a.data(), 24};
  Part<double> const to{b.data(), 24};
  expect_on_every_rank([&] { redistribute<double>(comm, distribution, from, wider, to); }, "to: columns = 6");
  expect_on_every_rank([&] { redistribute<double>(comm, distribution, from, outside, to); }, "to: rank in grid");
  expect_on_every_rank([&] { redistribute<double>(comm, outside, from, distribution, to); }, "from: rank in grid");
  auto const bad_ld = Part<double>{b.data(), comm.rank() == last ? 0 : 24};
  expect_on_every_rank([&] { redistribute<double>(comm, distribution, from, distribution, bad_ld); },
                       "to: ld on rank " + std::to_string(last) + " = 0");
  auto const no_data = Part<double>{comm.rank() == last ? nullptr : b.data(), 24};
  expect_on_every_rank([&] { redistribute<double>(comm, distribution, from, distribution, no_data); },
                       "to: data on rank");
  auto const same = Part<double>{comm.rank() == last ? a.data() : b.data(), 24};
  expect_on_every_rank([&] { redistribute<double>(comm, distribution, from, distribution, same); },
                       "memory of its own");
  EXPECT_EQ(b, std::vector<double>(24 * 6, 2.0)) << "nothing moves when something is wrong";
}

}  // namespace
}  // namespace allport
