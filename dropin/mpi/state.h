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
#include <utility>

#include "allport/comm/communicator.h"
#include "allport/mapping/mapping.h"
#include "allport/select/selector.h"
#include "base/recent.h"
#include "call.h"
#include "contexts.h"
#include "interpose/report.h"
#include "interpose/settings.h"
#include "neighbours.h"
#include "site.h"

namespace allport::dropin {

using interpose::now;
using interpose::Policy;

/// Hangs on a communicator of the user's as an attribute.
struct Record : std::enable_shared_from_this<Record> {
  MPI_Comm user = MPI_COMM_NULL;
  std::atomic<bool> freed{false};    ///< by the program, and `user` is nobody's any more
  std::shared_ptr<Context> context;  ///< in which the messages of `ours` travel; none: by a communicator of their own
  std::shared_ptr<void> shadow;      ///< counts that communicator
  std::optional<Communicator> ours;  ///< none: not for us
  std::string why_not;
  int rank = 0;
  int size = 1;
  std::optional<Mapping> mapping;  ///< rank -> place in the box (or line) that ours is; none: not for us
  std::vector<Rank> places;        ///< of ranks that form no box, in the machine
  Sites sites;
  std::shared_ptr<Neighbourhood> neighbourhood;  ///< none: no topology
  Memory known;  ///< what was found on these ranks before the communicator was made; equal on all of them
  /// Lower bounds that a report has asked for, by collective, root's position and bytes.
  Recent<std::tuple<Collective, Rank, std::int64_t>, Seconds> bounds{64};

  /// Rank i is at the box's place i.
  [[nodiscard]] bool in_order() const { return mapping && mapping->is_identity(); }
};

/// Where the machine's numbers come from, for the report.
struct Rates {
  std::string source;    ///< "given", "measured at start", "assumed"
  double seconds = 0.0;  ///< that measuring took
};

struct State {
  Policy policy = Policy::automatic;  ///< ALLPORT_DROPIN
  bool begun = false;                 ///< between begin() and end()
  bool active = false;                ///< calls may be taken
  bool progresses = false;            ///< operations go on after their calls, on every rank
  /// All ranks share one computer and nobody measured what they do there: the machine's links are not between them, and
  /// nothing is taken but what is asked for, or what tuning that is asked for shows.
  bool without_links = false;
  /// Nobody named a machine: it is a ring of the computers, and only what is tried on it is taken.
  bool guessed = false;
  bool counting = false;  ///< ALLPORT_REPORT: calls are counted even where none is taken
  bool reorders = true;   ///< ALLPORT_REORDER: topologies get the order of ranks that suits them
  std::string orders;     ///< what was chosen there, a line each, where it is counted. Under the Lock
  /// What communicators that this process is rank 0 of are on the machine, how many each, where it is counted. Under
  /// the Lock.
  std::map<std::string, int> placements;
  std::string why_inactive;
  std::string report_to;  ///< ALLPORT_REPORT of rank 0
  TuningMode tuning_mode = TuningMode::automatic;
  bool explains = false;     ///< ALLPORT_EXPLAIN: tuning reports what it does
  std::string remembers_in;  ///< ALLPORT_SELECT_FILE
  Memory memory;             ///< what tuning found, by site, in this run and before. Under the Lock
  interpose::Report calls;
  std::optional<Communicator> world;
  std::shared_ptr<EngineLock> lock;  ///< of world's family; none until there was one
  Rates rates;
  int keyval = MPI_KEYVAL_INVALID;
  std::atomic<unsigned> epoch{1};  ///< how often a record went; see LastRecord
  std::atomic<int> flying{0};      ///< operations that nobody waits for in a blocking call; read without the lock
};

[[nodiscard]] State& state();

/// Why nothing is taken where State::without_links.
inline constexpr auto no_links_measured =
    "the ranks share one computer, and no rates of the machine were measured there";

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

/// The communicator that a thread used last. Void once any communicator has been freed.
struct LastRecord {
  MPI_Comm comm{};  ///< any, before the first: its epoch is none
  Record* record = nullptr;
  unsigned epoch = 0;
};
inline constinit thread_local LastRecord last_record;

/// While it lives, calls of this thread are not ours: they come from inside the MPI library or its Fortran face.
class Inside {
 public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(Inside const&) = delete;
  Inside& operator=(Inside const&) = delete;
  [[nodiscard]] static bool now() { return depth_ > 0; }

 private:
  inline static constinit thread_local int depth_ = 0;
};

/// Whether calls are looked at: some may be taken, or they are counted. Between begin() and end().
inline constinit std::atomic<bool> watching{false};

/// True where a call is looked at at all: one load and one test where nothing is set.
[[nodiscard]] inline bool at_work() {
  return watching.load(std::memory_order_relaxed) && !Inside::now() && !Lock::held();
}

/// After the library's own MPI_Init; collective over MPI_COMM_WORLD.
void begin();
/// Before the library's own MPI_Finalize: reports, and frees all that is ours. Collective over MPI_COMM_WORLD.
void end();

[[nodiscard]] Record* look_up_record(MPI_Comm comm);
/// The record of a communicator, or null; for a thread's calls in a row on one without asking MPI each time.
[[nodiscard]] inline Record* record_of(MPI_Comm comm) {
  auto const& last = last_record;
  bool const same = last.comm == comm && last.epoch == state().epoch.load(std::memory_order_acquire);
  return same ? last.record : look_up_record(comm);
}
/// Gives a new communicator its record; collective over its members, of which each calls it.
void adopt(MPI_Comm comm);

}  // namespace allport::dropin
