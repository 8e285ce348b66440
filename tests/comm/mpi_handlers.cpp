// The program's own error handler of MPI_COMM_WORLD, beside transfers of ours.
#include <array>
#include <atomic>
#include <thread>

#include "comm/error_handler.h"
#include "comm/world.h"

namespace {
std::atomic<int> handlers_set{0};  ///< how often, by whomever
}  // namespace

/// In the place of the MPI library's own.
extern "C" int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  ++handlers_set;
  return PMPI_Comm_set_errhandler(comm, handler);
}

namespace allport::testing {
namespace {

std::atomic<int> heard{0};

void hear(MPI_Comm*, int*, ...) { ++heard; }

/// A handler of the program's on MPI_COMM_WORLD, for one scope.
class Handler {
 public:
  Handler() {
    heard = 0;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    MPI_Comm_create_errhandler(&hear, &own_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own_);
  }
  ~Handler() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    MPI_Errhandler_free(&before_);
    MPI_Errhandler_free(&own_);
  }
  Handler(Handler const&) = delete;
  Handler& operator=(Handler const&) = delete;

  [[nodiscard]] MPI_Errhandler own() const { return own_; }

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  MPI_Errhandler own_ = MPI_ERRHANDLER_NULL;
};

MPI_Errhandler handler_of_world() {
  auto now = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  auto const seen = now;
  MPI_Errhandler_free(&now);
  return seen;
}

/// A broadcast from rank 0 whose ranks pass different lengths: rank 1 is told of it.
std::string broadcast_of_two_lengths(Communicator const& comm, bool short_way) {
  std::vector<std::byte> data(64);
  auto const bytes = comm.rank() == 0 ? std::int64_t{64} : std::int64_t{16};
  return error_of([&] {
    if (short_way) {
      Contract const contract{Collective::broadcast, 2, 0, bytes, 1};
      static_cast<void>(comm.run_short(contract, {{}, std::span(data).first(std::size_t(bytes))}, {}));
    } else {
      comm.run(chain_broadcast(2, 0, bytes, {bytes, 2}), {{}, std::span(data).first(std::size_t(bytes))});
    }
  });
}

TEST(MpiHandlers, EveryErrorOfAnotherThreadReachesIt) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  Handler const handler;
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const set_before = handlers_set.load();
  std::atomic<bool> over{false};
  int made = 0;
  int others = 0;
  {
    std::jthread const wrong([&] {
      while (!over || made == 0) {
        int word = 0;
        MPI_Send(&word, 1, MPI_INT, world_size(), 0, MPI_COMM_WORLD);
        ++made;
        if (handler_of_world() != handler.own()) ++others;
        std::this_thread::yield();
      }
    });
    std::array<std::byte, 8> word{};
    std::vector<std::byte> many(100000);
    for (int i = 0; i < 300; ++i) {
      Contract const contract{Collective::broadcast, comm.size(), i % comm.size(), 8, 1};
      static_cast<void>(comm.run_short(contract, {{}, word}, {}));
      if (i % 10 == 0) comm.run(chain_broadcast(comm.size(), 0, 100000, {10000, 2}), {{}, many});
    }
    over = true;
  }
  EXPECT_EQ(heard, made);
  EXPECT_EQ(others, 0);
  // An exchange that no error happened to fall into.
  EXPECT_EQ(handlers_set, set_before);
}

TEST(MpiHandlers, MessagesOfOursThatFailAreErrorsUnderEachOfThem) {
  if (world_size() != 2) GTEST_SKIP() << "two ranks: others would wait for the one that stopped";
  for (bool const short_way : {false, true}) {
    for (int which = 0; which < 3; ++which) {
      Handler const handler;
      if (which == 1) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      if (which == 2) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
      Communicator const comm(MPI_COMM_WORLD, Machine::flat(2));
      auto const text = broadcast_of_two_lengths(comm, short_way);
      EXPECT_EQ(text.find("more bytes arrived") != std::string::npos, comm.rank() == 1) << which << text;
    }
  }
}

TEST(MpiHandlers, OnlyTheDefaultIsReplaced) {
  Handler const handler;
  Communicator const first(MPI_COMM_WORLD, Machine::flat(world_size()));
  EXPECT_EQ(handler_of_world(), handler.own());
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  Communicator const second(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const wanted = stand_in_for_fatal() == MPI_ERRHANDLER_NULL ? MPI_ERRORS_ARE_FATAL : stand_in_for_fatal();
  EXPECT_EQ(handler_of_world(), wanted);
}

}  // namespace
}  // namespace allport::testing
