// Matrix files into distributions of every kind and back.
#include "allport/linalg/load.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <filesystem>
#include <fstream>

#include "allport/io/matrix_file.h"
#include "linalg/distribution_samples.h"
#include "linalg/held.h"
#include "linalg/refused.h"

namespace allport {
namespace {

// One folder for all ranks, made and removed by rank 0.
class SharedFolder {
 public:
  explicit SharedFolder(Communicator const& comm) : comm_(comm) {
    auto pattern = (std::filesystem::temp_directory_path() / "allport-XXXXXX").string();
    if (comm.rank() == 0 && ::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    MPI_Bcast(pattern.data(), static_cast<int>(pattern.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = pattern;
  }
  SharedFolder(SharedFolder const&) = delete;
  SharedFolder& operator=(SharedFolder const&) = delete;
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (comm_.rank() == 0) {
      std::filesystem::remove_all(path_);
    }
  }

  std::string path(std::string const& name) const { return path_ + "/" + name; }
  std::string file(std::string const& name, std::string const& bytes) const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (comm_.rank() == 0) {
      std::ofstream(path(name), std::ios::binary) << bytes;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return path(name);
  }
  std::vector<std::string> names() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(path_)) {
      all.push_back(entry.path().filename());
    }
    std::ranges::sort(all);
    MPI_Barrier(MPI_COMM_WORLD);
    return all;
  }

 private:
  Communicator const& comm_;
  std::string path_;
};

double at(Index i, Index j) { return static_cast<double>(i * 1009 + j + 1); }

using samples::expect_on_every_rank;
using samples::Held;

// Calls visit(global row, global column, element) for every element that a rank holds, found by asking for owners.
template <class T, class Visit>
void for_elements(Matrix<T> const& matrix, Visit&& visit) {
  auto const& distribution = matrix.distribution();
  auto const mine = distribution.position(matrix.comm().rank());
  Index q = 0;
  for (Index j = 0; j < distribution.cols().extent(); ++j) {
    if (distribution.cols().owner(j) != mine.col) {
      continue;
    }
    Index p = 0;
    for (Index i = 0; i < distribution.rows().extent(); ++i) {
      if (distribution.rows().owner(i) == mine.row) {
        visit(i, j, matrix.data()[p + q * matrix.ld()]);
        ++p;
      }
    }
    ++q;
  }
}

template <class T>
Index wrong_elements(Held<T> const& held, auto&& value) {
  Index wrong = held.overwritten();
  for_elements(held.matrix, [&](Index i, Index j, T& x) { wrong += x != static_cast<T>(value(i, j)); });
  return wrong;
}

TEST(MpiLoad, NpyIntoAnyLayout) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  std::mt19937 random(23);
  for (int sample = 0; sample < 16; ++sample) {
    bool const fortran = sample % 2 == 1;
    bool const transposed = sample % 4 >= 2;
    auto const m = static_cast<Index>(random() % 50), n = static_cast<Index>(random() % 50);
    std::string bytes = "{'descr': '<f8', 'fortran_order': " + std::string(fortran ? "True" : "False") +
                        ", 'shape': (" + std::to_string(m) + ", " + std::to_string(n) + ")}\n";
    bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(bytes.size()) + '\0' + bytes;
    for (Index k = 0; k < m * n; ++k) {
      auto const x = fortran ? at(k % m, k / m) : at(k / n, k % n);
      bytes.append(reinterpret_cast<char const*>(&x), sizeof x);
    }
    auto const path = folder.file("a.npy", bytes);
    auto const distribution = transposed ? samples::random_distribution(random, n, m, comm.size())
                                         : samples::random_distribution(random, m, n, comm.size());
    auto const value = [&](Index i, Index j) { return transposed ? at(j, i) : at(i, j); };
    Held<double> held(comm, distribution, 1);
    load_npy(path, held.matrix, transposed);
    EXPECT_EQ(wrong_elements(held, value), 0) << sample;
    Held<std::complex<float>> other(comm, distribution, 1);
    load_npy(path, other.matrix, transposed);
    EXPECT_EQ(
        wrong_elements(other, [&](Index i, Index j) { return std::complex<float>(static_cast<float>(value(i, j))); }),
        0);
  }
}

template <class T>
void save_and_check(Communicator const& comm, SharedFolder const& folder, Distribution const& distribution,
                    bool fortran, bool transposed) {
  auto const path = folder.path("saved.npy");
  Held<T> held(comm, distribution, 1);
  for_elements(held.matrix, [](Index i, Index j, T& x) { x = static_cast<T>(at(i, j)); });
  save_npy<T>(path, held.matrix, fortran, transposed);
  auto const header = io::read_npy_header(path);
  EXPECT_EQ(header.rows, transposed ? distribution.cols().extent() : distribution.rows().extent());
  EXPECT_EQ(header.fortran_order, fortran);
  std::vector<T> whole(static_cast<std::size_t>(header.rows * header.cols));
  io::read_npy_box<T>(path, header, {0, header.rows}, {0, header.cols}, whole.data(), std::max<Index>(1, header.rows));
  Index wrong = 0;
  for (Index j = 0; j < header.cols; ++j) {
    for (Index i = 0; i < header.rows; ++i) {
      wrong += whole[static_cast<std::size_t>(i + j * header.rows)] != static_cast<T>(transposed ? at(j, i) : at(i, j));
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"saved.npy"}) << "nothing is left aside";
}

TEST(MpiLoad, NpyFromAnyLayout) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  std::mt19937 random(29);
  for (int sample = 0; sample < 12; ++sample) {
    auto const distribution = samples::random_distribution(random, static_cast<Index>(random() % 60),
                                                           static_cast<Index>(random() % 60), comm.size());
    if (sample % 3 == 0) {
      save_and_check<float>(comm, folder, distribution, sample % 2 == 1, sample % 4 >= 2);
    } else {
      save_and_check<std::complex<double>>(comm, folder, distribution, sample % 2 == 1, sample % 4 >= 2);
    }
  }
}

TEST(MpiLoad, LongRunsAreWrittenWhereTheyAre) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  auto const n = Index(9000) * comm.size();
  Distribution const long_rows(AxisDistribution::cyclic(n, comm.size(), 9000), AxisDistribution::cuts({0, 5}), ranks);
  Distribution const long_cols(AxisDistribution::cuts({0, 5}), AxisDistribution::cyclic(n, comm.size(), 9000), ranks);
  for (bool const transposed : {false, true}) {
    for (bool const fortran : {false, true}) {
      save_and_check<double>(comm, folder, long_rows, fortran, transposed);
      save_and_check<double>(comm, folder, long_cols, fortran, transposed);
    }
  }
}

Distribution row_blocks(Communicator const& comm, Index rows, Index cols) {
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return {AxisDistribution::balanced(rows, comm.size()), AxisDistribution::cuts({0, cols}), ranks};
}

TEST(MpiLoad, NpyErrorsReachEveryRankAndLeaveTheOldFile) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  auto const distribution = row_blocks(comm, 32, 4);
  Held<double> held(comm, distribution, 1);
  expect_on_every_rank([&] { load_npy(folder.path("absent.npy"), held.matrix); }, "absent.npy", ErrorKind::io);
  save_npy<double>(folder.path("a.npy"), held.matrix);
  Held<double> const wide(comm, row_blocks(comm, 4, 32), 1);
  expect_on_every_rank([&] { load_npy(folder.path("a.npy"), wide.matrix); },
                       "distribution = '4 x 32': expected the 32 x 4 elements");
  auto const last = comm.size() - 1;
  Matrix const bad(comm, distribution, held.data.data(), comm.rank() == last ? 0 : held.matrix.ld());
  expect_on_every_rank([&] { load_npy(folder.path("a.npy"), bad); }, "ld on rank " + std::to_string(last));
  expect_on_every_rank([&] { save_npy<double>(folder.path("a.npy"), bad); }, "ld on rank");
  expect_on_every_rank([&] { save_npy<double>(folder.path("no/such/b.npy"), held.matrix); }, "no/such", ErrorKind::io);
  // A folder cannot be replaced by the file: what was written aside is removed.
  if (comm.rank() == 0) {
    std::filesystem::create_directories(folder.path("c.npy/in"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_on_every_rank([&] { save_npy<double>(folder.path("c.npy"), held.matrix); }, "cannot take its name",
                       ErrorKind::io);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npy", "c.npy"}));
  EXPECT_EQ(io::read_npy_header(folder.path("a.npy")).rows, 32);
}

TEST(MpiLoad, MtxEntriesReachTheirOwnersAndAddUp) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  std::mt19937 random(31);
  for (int sample = 0; sample < 10; ++sample) {
    bool const symmetric = sample % 2 == 1;
    auto const m = 1 + static_cast<Index>(random() % 40);
    auto const n = symmetric ? m : 1 + static_cast<Index>(random() % 40);
    auto const entries = static_cast<int>(random() % 300);
    std::vector<double> whole(static_cast<std::size_t>(m * n), 0.0);
    auto text = "%%MatrixMarket matrix coordinate real " + std::string(symmetric ? "symmetric" : "general") + "\n" +
                std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(entries) + "\n";
    for (int k = 0; k < entries; ++k) {
      auto i = static_cast<Index>(random()) % m, j = static_cast<Index>(random()) % n;
      if (symmetric && i < j) {
        std::swap(i, j);
      }
      auto const x = static_cast<double>(random() % 1000) / 8;
      text += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " + std::to_string(x) + "\n";
      whole[static_cast<std::size_t>(i + j * m)] += x;
      if (symmetric && i != j) {
        whole[static_cast<std::size_t>(j + i * m)] += x;
      }
    }
    auto const path = folder.file("a.mtx", text);
    auto const distribution = samples::random_distribution(random, m, n, comm.size());
    Held<double> held(comm, distribution, 1);
    load_mtx(path, held.matrix);
    EXPECT_EQ(wrong_elements(held, [&](Index i, Index j) { return whole[static_cast<std::size_t>(i + j * m)]; }), 0);
  }
}

TEST(MpiLoad, MtxArraysFindTheirPlaces) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  Index const m = 33, n = 21;
  std::string text = "%%MatrixMarket matrix array integer general\n% columns one after another\n33 21\n";
  for (Index k = 0; k < m * n; ++k) {
    text += std::to_string(static_cast<long>(at(k % m, k / m))) + (k % 7 == 0 ? "\n% a comment\n\n" : "\n");
  }
  auto const path = folder.file("a.mtx", text);
  auto const shape = shape_of_file(comm, path);
  EXPECT_EQ(shape.rows, m);
  EXPECT_EQ(shape.cols, n);
  EXPECT_EQ(shape.scalar, Scalar::d);
  auto const distribution = row_blocks(comm, m, n);
  Held<float> held(comm, distribution, 1);
  load_mtx(path, held.matrix);
  EXPECT_EQ(wrong_elements(held, at), 0);
}

TEST(MpiLoad, MtxErrorsReachEveryRank) {
  Communicator const comm(MPI_COMM_WORLD);
  SharedFolder const folder(comm);
  auto const distribution = row_blocks(comm, 3, 3);
  Held<double> held(comm, distribution, 1);
  auto const head = std::string("%%MatrixMarket matrix coordinate real general\n3 3 4\n");
  expect_on_every_rank([&] { load_mtx(folder.file("few.mtx", head + "1 1 1\n2 2 2\n3 3 3\n"), held.matrix); },
                       "3 entries: expected the 4", ErrorKind::io);
  expect_on_every_rank([&] { load_mtx(folder.file("bad.mtx", head + "1 1 1\n2 2 2\n3 3 3\n3 4 1\n"), held.matrix); },
                       "\"3 4 1\"", ErrorKind::io);
  expect_on_every_rank([&] { load_mtx(folder.path("absent.mtx"), held.matrix); }, "absent.mtx", ErrorKind::io);
  Held<double> const narrow(comm, row_blocks(comm, 3, 2), 1);
  expect_on_every_rank([&] { load_mtx(folder.file("a.mtx", head), narrow.matrix); }, "distribution = '3 x 2'");
  expect_on_every_rank([&] { (void)shape_of_file(comm, folder.path("absent.npy")); }, "absent.npy", ErrorKind::io);
  EXPECT_TRUE(std::ranges::all_of(held.data, [](double x) { return x == -7; })) << "written to in spite of errors";
}

}  // namespace
}  // namespace allport
