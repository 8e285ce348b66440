// Errors in gangs, and the ranks that they are reported on.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "allport/tasks/run.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

/// On every rank one task that waits for so many parents, of which there are `edges`; they are a gang.
class Together : public TaskGraph {
 public:
  using Body = std::function<void(int me, GangContext&)>;
  Together(Rank ranks, Body body, Rank starves = -1) : ranks_(ranks), body_(std::move(body)), starves_(starves) {}
  Rank ranks() const override { return ranks_; }
  std::string name(Task t) const override { return fmt::format("{}({})", t.kind == 0 ? "before" : "G", t.i); }
  void entries(Rank rank, VisitTask visit) const override { visit({0, 0, rank, 0, 0}); }
  Rank owner(Task t) const override { return t.i; }
  int num_parents(Task t) const override { return t.kind == 0 ? 0 : t.i == starves_ ? 2 : 1; }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind == 0) visit({{1, 0, t.i, 0, 0}, 0, 0, EdgeKind::order});
  }
  Shape output(Task, int) const override { return {}; }
  bool gang(Task t, Gang& gang) const override {
    if (t.kind == 0) return false;
    gang = Gang{};
    for (Rank r = 0; r < ranks_; ++r) gang.members.push_back({1, 0, r, 0, 0});
    return true;
  }
  void run(Task t, TaskContext& context) const override {
    if (t.kind == 1) body_(t.i, context.gang());
  }

 private:
  Rank ranks_;
  Body body_;
  Rank starves_;
};

void first(std::byte const* left, std::byte const*, std::byte* out, std::int64_t) { *out = *left; }

void meet(GangContext& gang) {
  std::byte one{1};
  gang.allreduce({&one, 1}, first);
}

std::string on(Communicator const& comm, Rank rank) {
  return comm.size() > 1 ? fmt::format(" (on rank {})", rank) : std::string();
}

TEST(TasksGangErrors, TellEveryRankWhichMemberHasFailed) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const last = comm.size() - 1;
  for (int const workers : {1, 2}) {
    for (int const meetings : {0, 3}) {
      Together const graph(comm.size(), [&](int me, GangContext& gang) {
        for (int m = 0; m < meetings; ++m) meet(gang);
        if (me == last) throw Error::argument("pivot", "0", "another");
        meet(gang);
      });
      EXPECT_EQ(error_of([&] { tasks::run(graph, comm, {.workers = workers}); }),
                fmt::format("task G({}): pivot = 0: expected another", last) + on(comm, last));
    }
  }
  // And the communicator is as good as before.
  Together const graph(comm.size(), [](int, GangContext& gang) { meet(gang); });
  EXPECT_EQ(error_of([&] { tasks::run(graph, comm); }), "");
}

TEST(TasksGangErrors, SayWhereMemoryIsShort) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const last = comm.size() - 1;
  Together const graph(comm.size(), [&](int me, GangContext& gang) {
    if (me == last) throw std::bad_alloc();
    meet(gang);
  });
  try {
    tasks::run(graph, comm);
    FAIL() << "nothing was thrown";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_EQ(error.what(), fmt::format("task G({}): out of memory", last) + on(comm, last));
  }
}

TEST(TasksGangErrors, AreTheFirstMembersOwnWhereOthersWrapWhatTheyAreTold) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const last = comm.size() - 1;
  Together const graph(comm.size(), [&](int me, GangContext& gang) {
    if (me == last) throw Error::argument("pivot", "0", "another");
    try {
      meet(gang);
    } catch (std::exception const&) {
      throw Error::argument("gang", "broken", "a whole one");
    }
  });
  EXPECT_EQ(error_of([&] { tasks::run(graph, comm); }),
            fmt::format("task G({}): pivot = 0: expected another", last) + on(comm, last));
}

TEST(TasksGangErrors, EndAMemberThatWaitsWhenTheProgramStops) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) return;
  // Member 0 waits for what member 1 never sends, and the program is asked from there.
  Together const graph(comm.size(), [&](int me, GangContext& gang) {
    if (me == 0) (void)gang.receive(1);
  });
  int asked = 0;
  auto const stop = [&] {
    if (comm.rank() == 0 && ++asked == 3) throw Error(ErrorKind::schedule, "someone stops it");
  };
  EXPECT_EQ(error_of([&] { tasks::run(graph, comm, {.attend = stop}); }), "the program: someone stops it (on rank 0)");
}

TEST(TasksGangErrors, NameMembersWhoseInputsNeverCome) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const last = comm.size() - 1;
  Together const graph(
      comm.size(), [](int, GangContext& gang) { meet(gang); }, last);
  auto const text = error_of([&] { tasks::run(graph, comm); });
  auto const has = [&](std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  };
  if (comm.size() == 1) return has("G(0) for 1 of 2 inputs");
  has("G(0) for its gang");
  has(fmt::format("waiting to begin: the gang of G(0) for G({}) on rank {}", last, last));
}

TEST(TasksGangErrors, NameMessagesThatNobodyTakes) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) return;
  Together const graph(comm.size(), [&](int me, GangContext& gang) {
    std::byte const some[10]{};
    if (me == 0) gang.send(1, some);
  });
  auto const text = error_of([&] { tasks::run(graph, comm); });
  EXPECT_EQ(text, "nobody took message 0 of G(0) on rank 0 (on rank 1)");
}

TEST(TasksGangErrors, SayWhatBodiesDoWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const n = comm.size();
  auto const text_of = [&](Together::Body body) {
    Together const graph(n, std::move(body));
    return error_of([&] { tasks::run(graph, comm); });
  };
  auto const expect = [](std::string const& text, std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(text_of([](int me, GangContext& gang) { gang.send(me, {}); }), "another member, in 0..");
  expect(text_of([n](int, GangContext& gang) { (void)gang.receive(n); }), fmt::format("from = {}", n));
  expect(text_of([](int, GangContext& gang) { gang.broadcast(-1, {}); }), "root = -1: expected a member");
  if (n == 1) return;
  expect(text_of([](int me, GangContext& gang) {
           std::vector<std::byte> some(me == 0 ? 8 : 9);
           gang.broadcast(0, some);
         }),
         "data = 9: expected 8 bytes, as member 0 has in the same collective");
}

/// A task in no gang asks for it.
class Alone : public Together {
 public:
  using Together::Together;
  bool gang(Task, Gang&) const override { return false; }
};

TEST(TasksGangErrors, SayWhereThereIsNoGang) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Alone const graph(comm.size(), [](int, GangContext& gang) { meet(gang); });
  auto const text = error_of([&] { tasks::run(graph, comm); });
  EXPECT_NE(text.find("a task that TaskGraph::gang() says is a member of one"), std::string::npos) << text;
}

TEST(TasksGangErrors, StallsAreToldWithWhoWaitsForWhom) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) return;
  auto const last = comm.size() - 1;
  double busy = 0;
  auto const report_of = [&](Together const& graph) {
    ::testing::internal::CaptureStderr();
    busy = tasks::run(graph, comm, {.stall_seconds = 0.2}).busy_seconds;
    return ::testing::internal::GetCapturedStderr();
  };
  auto const sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(700)); };
  // Every other member waits for the last one, which computes.
  Together const late(comm.size(), [&](int me, GangContext& gang) {
    if (me == last) sleep();
    std::byte one{1};
    gang.broadcast(last, {&one, 1});
  });
  auto const waits = report_of(late);
  auto const wanted = fmt::format("G({}) waits in its gang for collective 0 of G(", comm.rank());
  if (comm.rank() != last) {
    EXPECT_NE(waits.find(wanted), std::string::npos) << waits;
    EXPECT_LT(busy, 0.5) << "waiting is no work";
  } else {
    EXPECT_GE(busy, 0.7);
  }
  // And for one that is not ready yet: rank 0 knows for whom.
  class Early : public Together {
   public:
    using Together::Together;
    void run(Task t, TaskContext& context) const override {
      if (t.kind == 0 && t.i == ranks() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(700));
      Together::run(t, context);
    }
  };
  auto const begins = report_of(Early(comm.size(), [](int, GangContext& gang) { meet(gang); }));
  if (comm.rank() != last) {
    EXPECT_NE(begins.find(fmt::format("G({}) for its gang", comm.rank())), std::string::npos) << begins;
  }
  if (comm.rank() == 0) {
    auto const whom = fmt::format("waiting to begin: the gang of G(0) for G({}) on rank {}", last, last);
    EXPECT_NE(begins.find(whom), std::string::npos) << begins;
  }
}

/// A test of its own in CMakeLists.txt, which looks at what the launcher says.
TEST(TasksGangErrors, DISABLED_AMemberDies) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Together const graph(comm.size(), [&](int me, GangContext& gang) {
    meet(gang);
    if (me == comm.size() - 1) std::raise(SIGKILL);
    meet(gang);
  });
  tasks::run(graph, comm);
}

}  // namespace
}  // namespace allport::testing
