// An exception on a rank when other ranks may have finished: this rank fails, and leaves no messages behind.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "allport/tasks/run.h"
#include "comm/world.h"
#include "random_graph.h"

namespace {

/// Holds this rank's completion of the last count of a run back, until it has thrown and looked about a while.
struct LastCount {
  static constexpr int looks_afterwards = 200;
  bool watched = false;
  bool held = false;  ///< it has come here, and so the others may leave
  bool thrown = false;
  int looks = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  std::int64_t const* sums = nullptr;
  std::array<std::int64_t, 3> before{-1, -1, 0};

  /// Whether the request is said not to be done.
  bool holds(MPI_Request const* asked) {
    if (!watched || request == MPI_REQUEST_NULL || *asked != request) return false;
    int done = 0;
    PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) return true;  // the library's own test might find it done now, unseen
    std::array<std::int64_t, 3> const now{sums[0], sums[1], sums[2]};
    held = held || (now[0] == now[1] && now == before);
    if (held && (!thrown || ++looks < looks_afterwards)) return true;
    before = now;
    request = MPI_REQUEST_NULL;
    return false;
  }
};
LastCount last_count;

}  // namespace

// In the place of the MPI library's own.
extern "C" int MPI_Iallreduce(void const* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
  auto const code = PMPI_Iallreduce(in, out, count, type, op, comm, request);
  if (last_count.watched && count == 3) {
    last_count.request = *request;
    last_count.sums = static_cast<std::int64_t const*>(out);
  }
  return code;
}

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!last_count.holds(request)) return PMPI_Test(request, flag, status);
  *flag = 0;
  return MPI_SUCCESS;
}

namespace allport::testing {
namespace {

TEST(TasksLateFailures, AreThisRanksAloneWhereTheOthersHaveLeft) {
  for (auto const* const check : {"0", "1"}) {
    Environment const checks("ALLPORT_CHECK", check);
    Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
    bool const throws = comm.rank() == comm.size() - 1;
    last_count = {};
    last_count.watched = throws;
    auto const attend = [&] {
      if (!throws || !last_count.held || last_count.thrown) return;
      last_count.thrown = true;
      throw std::runtime_error("too late");
    };
    RandomGraph const graph(comm.size(), 60, 3, 1000);
    EXPECT_EQ(error_of([&] { tasks::run(graph, comm, {.attend = attend}); }), throws ? "the program: too late" : "");
    EXPECT_EQ(last_count.held, throws);
    last_count.watched = false;
    // And the communicator is as good as before; the third run from here has the same channel.
    for (int again = 0; again < 3; ++again) {
      RandomGraph const next(comm.size(), 60, 3, 1000);
      auto const report = tasks::run(next, comm);
      EXPECT_TRUE(next.ran_all(comm.rank()));
      EXPECT_EQ(report.dropped, 0) << again;
    }
  }
}

/// Where the count in flight cannot be the last, the other ranks are told.
TEST(TasksLateFailures, EndTheRunEverywhereWhileOthersWork) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) return;
  class Slow : public RandomGraph {
   public:
    using RandomGraph::RandomGraph;
    void run(Task t, TaskContext& context) const override {
      std::this_thread::sleep_for(std::chrono::milliseconds(owner(t) == 0 ? 2 * ranks() : 0));
      RandomGraph::run(t, context);
    }
  };
  Slow const graph(comm.size(), 300, 8, 100);
  bool const throws = comm.rank() == comm.size() - 1;
  auto const begin = std::chrono::steady_clock::now();
  auto const attend = [&] {
    if (throws && std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(60))
      throw std::runtime_error("enough");
  };
  EXPECT_NE(error_of([&] { tasks::run(graph, comm, {.attend = attend}); }).find("the program: enough"),
            std::string::npos);
}

}  // namespace
}  // namespace allport::testing
