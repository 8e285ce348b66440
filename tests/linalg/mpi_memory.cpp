// One rank alone runs out of memory: an error on every rank where that can be agreed on, and else the end of the job.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>

#include <fstream>
#include <numeric>
#include <optional>
#include <vector>

#include "allport/linalg/cholesky.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr.h"
#include "allport/linalg/redistribute.h"
#include "allport/linalg/solve.h"

namespace allport {
namespace {

/// While it lives, this process gets hardly any more address space.
class Short {
 public:
  explicit Short(bool really) {
    getrlimit(RLIMIT_AS, &before_);
    if (!really) return;
    std::ifstream file("/proc/self/statm");
    std::size_t pages = 0;
    file >> pages;
    auto limit = before_;
    limit.rlim_cur = (pages + 256) * 4096;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~Short() { setrlimit(RLIMIT_AS, &before_); }
  Short(Short const&) = delete;
  Short& operator=(Short const&) = delete;

 private:
  rlimit before_{};
};

/// Rows in one piece a rank.
Matrix<double> elsewhere(Communicator const& comm, Index n) {
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return Matrix<double>::zeros(comm,
                               {AxisDistribution::balanced(n, comm.size()), AxisDistribution::balanced(n, 1), ranks});
}

/// Columns in blocks of seven from the last rank on, a distribution that no algorithm uses.
Matrix<double> column_blocks(Communicator const& comm, Index n) {
  std::vector<Rank> backwards;
  for (Rank r = comm.size() - 1; r >= 0; --r) backwards.push_back(r);
  auto made = Matrix<double>::zeros(
      comm, {AxisDistribution::balanced(n, 1), AxisDistribution::cyclic(n, comm.size(), 7), backwards});
  made.for_each([](Index i, Index j, double& x) { x = i == j ? 2 : 1; });
  return made;
}

/// What the call throws on this rank while the last one is short of memory.
template <class Call>
std::optional<ErrorKind> thrown(Communicator const& comm, Call&& call) {
  Short const shortage(comm.rank() == comm.size() - 1);
  try {
    call();
  } catch (Error const& e) {
    return e.kind();
  }
  return std::nullopt;
}

/// In a program of its own, as the next one (CMakeLists.txt): after other tests the heap has pieces as large as these,
/// which no limit takes away.
TEST(MpiMemory, DISABLED_WhereOneRankHasTooLittleAllAreTold) {
#ifdef ALLPORT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer ends a process that gets no memory";
#endif
  Communicator const comm(MPI_COMM_WORLD);
  if (comm.size() == 1 || comm.size() > 5) GTEST_SKIP() << "needs other ranks, and takes gigabytes on many";
  Index const n = 1000 * comm.size();  // a rank's part is larger than what the allocator has lying about
  auto const a = column_blocks(comm, n);
  auto const b = column_blocks(comm, n);
  auto const c = column_blocks(comm, n);
  auto const wanted = elsewhere(comm, n);
  std::vector<Index> pivots(static_cast<std::size_t>(n), 0);
  std::iota(pivots.begin(), pivots.end(), Index(0));
  auto const to_lu = plan_lu({n, n}, comm.machine());
  auto const to_multiply = plan_gemm({n, n, n}, comm.machine());
  EXPECT_EQ(thrown(comm, [&] { lu(to_lu, a, pivots); }), ErrorKind::memory);
  EXPECT_EQ(thrown(comm, [&] { gemm<double>(to_multiply, 1, a, b, 0, c); }), ErrorKind::memory);
  EXPECT_EQ(thrown(comm, [&] { cholesky(a, Uplo::lower, {.nb = 64}); }), ErrorKind::memory);
  EXPECT_EQ(thrown(comm, [&] { qr(a, {.nb = 64}, nullptr); }), ErrorKind::memory);
  // And all go on together.
  redistribute(a, wanted);
  EXPECT_EQ(norm<double>(Norm::max, wanted), 2);
}

/// The end of the program; CMake looks for the message.
TEST(MpiMemory, DISABLED_AmongWaitingRanksTheJobEnds) {
  Communicator const comm(MPI_COMM_WORLD);
  Index const n = 1000 * comm.size();
  auto const plan = plan_gemm({n, n, n}, comm.machine());
  // Where the algorithm wants them, so that its work space is the first that is asked for.
  auto const a = Matrix<double>::zeros(comm, plan.a);
  auto const b = Matrix<double>::zeros(comm, plan.b);
  auto const c = Matrix<double>::zeros(comm, plan.c);
  Short const shortage(comm.rank() == comm.size() - 1);
  gemm<double>(plan, 1, a, b, 0, c);
}

}  // namespace
}  // namespace allport
