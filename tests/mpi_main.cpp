// main() of the tests that run on several ranks: a failure on any rank fails the program on every rank.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/// The other ranks speak only when something fails, in one piece and with their rank.
class FailuresOnly : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

  // GoogleTest holds its lock while it tells of a failure, so the test's name is noted before.
  void OnTestStart(::testing::TestInfo const& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestPartResult(::testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    auto const text = "[rank " + std::to_string(rank_) + "] " + test_ + " " +
                      (result.file_name() != nullptr ? result.file_name() : "?") + ":" +
                      std::to_string(result.line_number()) + ": " + result.message() + "\n";
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  int rank_;
  std::string test_ = "?";
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  // ALLPORT_TEST_MPI_THREADS=single: as programs that call MPI_Init.
  auto const* const told = std::getenv("ALLPORT_TEST_MPI_THREADS");
  auto const level = told != nullptr && std::strcmp(told, "single") == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  int failed = RUN_ALL_TESTS();
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
