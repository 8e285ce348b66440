// Matrices as ranks have them: what they view, own and visit, and what is said of wrong ones.
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>

#include "allport/linalg/redistribute.h"
#include "linalg/distribution_samples.h"
#include "linalg/held.h"

namespace allport {
namespace {

template <class T>
void visit_and_compare(Communicator const& comm, Distribution const& distribution, Index spare) {
  samples::Held<T> held(comm, distribution, spare);
  auto const& a = held.matrix;
  auto const me = comm.rank();
  std::map<std::pair<Index, Index>, T const*> visited;
  a.for_each([&](Index i, Index j, T& x) {
    EXPECT_TRUE(visited.try_emplace({i, j}, &x).second) << "visited twice";
    x = T(static_cast<float>(i + 100 * j));
  });
  // Found by asking for the owner of each element of the whole matrix.
  std::size_t mine = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      if (samples::owner(distribution, i, j) != me) continue;
      ++mine;
      auto const at = distribution.rows().local(i) + distribution.cols().local(j) * a.ld();
      ASSERT_TRUE(visited.contains({i, j}));
      EXPECT_EQ((visited[{i, j}]), held.data.data() + at);
      EXPECT_EQ(held.data[static_cast<std::size_t>(at)], T(static_cast<float>(i + 100 * j)));
    }
  }
  EXPECT_EQ(visited.size(), mine);
  EXPECT_EQ(static_cast<std::size_t>(a.local_rows() * a.local_cols()), mine);
  EXPECT_EQ(held.overwritten(), 0);
}

TEST(MpiMatrix, VisitsWhatThisRankOwnsOnce) {
  Communicator const comm(MPI_COMM_WORLD);
  std::mt19937 random(3);
  for (int sample = 0; sample < 24; ++sample) {
    auto const distribution = samples::random_distribution(random, static_cast<Index>(random() % 20),
                                                           static_cast<Index>(random() % 20), comm.size());
    visit_and_compare<double>(comm, distribution, sample % 3);
    visit_and_compare<std::complex<float>>(comm, distribution, sample % 2);
  }
}

TEST(MpiMatrix, OwnsItsMemoryAndSharesIt) {
  Communicator const comm(MPI_COMM_WORLD);
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  Distribution const by_rows(AxisDistribution::cyclic(11, comm.size(), 2, comm.size() - 1),
                             AxisDistribution::cuts({0, 3}), ranks);
  auto const reading = [&] {
    auto const owned = Matrix<double>::zeros(comm, by_rows);
    owned.for_each([](Index i, Index j, double& x) { x += static_cast<double>(10 * i + j); });
    return Matrix<double const>(owned);
  }();
  EXPECT_EQ(reading.ld(), std::max<Index>(1, by_rows.local_rows(comm.rank())));
  Index seen = 0;
  reading.for_each([&](Index i, Index j, double const& x) { seen += x == static_cast<double>(10 * i + j) ? 1 : 0; });
  EXPECT_EQ(seen, reading.local_rows() * 3);
  auto const whole = Matrix<double>::allocate(comm, whole_on(0, 11, 3));
  EXPECT_EQ(whole.data() == nullptr, comm.rank() != 0) << "nothing is allocated for no elements";
  redistribute(reading, whole);
  whole.for_each([](Index i, Index j, double x) { EXPECT_EQ(x, static_cast<double>(10 * i + j)); });
}

std::string wrong_with(auto const& matrix) {
  try {
    matrix.check("A");
    return "";
  } catch (Error const& e) {
    return e.what();
  }
}

TEST(MpiMatrix, SaysWhatIsWrongAndWithWhich) {
  Communicator const comm(MPI_COMM_WORLD);
  auto const me = comm.rank();
  auto const on_me = whole_on(me, 4, 2);
  auto const text = std::to_string(me);
  std::vector<float> data(8);
  EXPECT_EQ(wrong_with(Matrix(comm, on_me, data.data())), "");
  EXPECT_EQ(wrong_with(Matrix(comm, on_me, data.data(), 3)),
            "A: ld on rank " + text + " = 3: expected at least max(1, local rows) = 4");
  EXPECT_EQ(wrong_with(Matrix<float const>(comm, on_me, nullptr, 4)),
            "A: data on rank " + text + " = 'null': expected 4 x 2 elements");
  EXPECT_NE(wrong_with(Matrix(comm, whole_on(comm.size(), 4, 2), data.data())).find("A: rank in grid"),
            std::string::npos);
  EXPECT_EQ(wrong_with(Matrix<float>(comm, whole_on(me, 0, 5), nullptr)), "") << "nothing to point at";
  EXPECT_NE(wrong_with(Matrix<float>(comm, whole_on(me, 0, 5), nullptr, 0)).find("ld"), std::string::npos);
}

TEST(MpiMatrix, ThoseOfOneCallAreOverTheSameRanks) {
  Communicator const comm(MPI_COMM_WORLD);
  Communicator const again(MPI_COMM_WORLD);
  EXPECT_TRUE(comm.is_congruent(comm));
  EXPECT_TRUE(comm.is_congruent(again));
  std::vector<double> data{1, 2, 3, 4};
  auto const moved = Matrix<double>::zeros(again, whole_on(comm.size() - 1, 2, 2));
  redistribute(Matrix(comm, whole_on(0, 2, 2), data.data()), moved);
  moved.for_each([](Index i, Index j, double x) { EXPECT_EQ(x, static_cast<double>(1 + i + 2 * j)); });

  std::vector<Rank> backwards(static_cast<std::size_t>(comm.size()));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  auto const turned = comm.sub(backwards);
  EXPECT_EQ(comm.is_congruent(turned), comm.size() == 1);
  if (comm.size() == 1) return;
  try {
    redistribute(Matrix(comm, whole_on(0, 2, 2), data.data()), Matrix<double>::zeros(turned, whole_on(0, 2, 2)));
    ADD_FAILURE() << "taken";
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find("to: communicator"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace allport
