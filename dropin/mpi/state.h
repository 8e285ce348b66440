// What the drop-in knows in this process: settings, lock, the machine's communicator, and what hangs on the user's
// ones.
#pragma once

#include <mpi.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "allport/comm/communicator.h"

namespace allport::dropin {

enum class Policy : std::uint8_t { automatic, always, never };  ///< ALLPORT_DROPIN

/// What was decided about one kind of call; the same on all ranks of its communicator.
struct Decision {
  bool take = false;
  std::string why_not;  ///< for the report
};

/// Hangs on a communicator of the user's as an attribute.
struct Record {
  MPI_Comm user = MPI_COMM_NULL;
  std::shared_ptr<void> twin;        ///< counts the communicator that was made for `ours`
  std::optional<Communicator> ours;  ///< none: not for us
  std::string why_not;
  int rank = 0;
  int size = 1;
  bool in_order = false;  ///< rank i is the box's position i
  std::map<std::tuple<Collective, Rank, std::int64_t, std::int64_t>, Decision> decisions;
};

struct State {
  Policy policy = Policy::automatic;
  bool begun = false;       ///< between begin() and end()
  bool active = false;      ///< calls may be taken
  bool progresses = false;  ///< operations go on after their calls, on every rank
  bool counting = false;    ///< ALLPORT_REPORT: calls are counted even where none is taken
  std::string why_inactive;
  std::string report;  ///< ALLPORT_REPORT of rank 0
  std::optional<Communicator> world;
  std::shared_ptr<EngineLock> lock;  ///< of world's family; none until there was one
  int keyval = MPI_KEYVAL_INVALID;
  std::atomic<int> flying{0};  ///< operations that nobody waits for in a blocking call; read without the lock
};

[[nodiscard]] State& state();

/// The one lock, that of our communicators' family, which a waiting thread lets go again and again. A thread that holds
/// it passes its calls straight on.
class Lock {
 public:
  Lock() : hold_(*state().lock) {}
  [[nodiscard]] static bool held() {  ///< by this thread
    auto const* const lock = state().lock.get();
    return lock != nullptr && lock->held();
  }

 private:
  EngineGuard hold_;
};

/// As Lock, but does not wait, and is not had twice by one thread.
class TryLock {
 public:
  TryLock();
  ~TryLock();
  TryLock(TryLock const&) = delete;
  TryLock& operator=(TryLock const&) = delete;
  [[nodiscard]] explicit operator bool() const { return got_; }

 private:
  bool got_;
};

/// While it lives, calls of this thread are not ours: they come from inside the MPI library or its Fortran face.
class Inside {
 public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(Inside const&) = delete;
  Inside& operator=(Inside const&) = delete;
  [[nodiscard]] static bool now() { return depth_ > 0; }

 private:
  static thread_local int depth_;
};

/// True where a call is looked at at all: one load and one test where nothing is set.
[[nodiscard]] inline bool at_work() { return (state().active || state().counting) && !Inside::now() && !Lock::held(); }

/// After the library's own MPI_Init; collective over MPI_COMM_WORLD.
void begin();
/// Before the library's own MPI_Finalize: reports, and frees all that is ours. Collective over MPI_COMM_WORLD.
void end();

/// The record of a communicator, or none.
[[nodiscard]] std::shared_ptr<Record> record_of(MPI_Comm comm);
/// Gives a new communicator its record; collective over its members, of which each calls it.
void adopt(MPI_Comm comm);

}  // namespace allport::dropin
