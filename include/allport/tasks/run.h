// Runs a task graph on the ranks of a communicator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/graph/count.h"
#include "allport/graph/pool.h"
#include "allport/graph/task_graph.h"
#include "allport/multicast/forward.h"

namespace allport::tasks {

struct RunOptions {
  /// Named where a rank has too little memory for what comes and the job ends.
  std::string_view call = "tasks::run";
  /// Threads that run bodies, the calling one among them.
  int workers = 1;
  /// How an output travels that several ranks need; none: usual_way(). Where there are two ranks or fewer, all ways are
  /// one.
  std::optional<MulticastTree> multicast{};
  /// In so long pieces an output is handed on by ranks on its way; none: usual_segment().
  std::optional<Bytes> segment{};
  /// So many steps of the graph, the slowest rank's among them, run at a time, where it says which task is in which; 0:
  /// no bound. graph::pool() tells what memory that takes.
  std::int64_t ahead = graph::usual_ahead;
  /// What is sent is so short that ranks wait for it as for a collective call of a few bytes: they offer their cores to
  /// each other, where they would sleep between looks if links are slow and cores are shared.
  bool awake = false;
  /// Adds what contributes to a sum; needed by graphs with edges that carry sums. Associative; it need not commute.
  Combine combine{};
  /// Seconds in which nothing moves and no body runs before a rank says what it waits for; 0: never.
  double stall_seconds = 10;
  /// Keeps what every task and every message did: RunReport::records.
  bool record = false;
  /// Called by the calling thread some twenty times a second, between tasks. What it throws ends the run on every rank,
  /// as what a body throws does: so that a program can look whether it is to stop.
  std::function<void()> attend{};
  /// As attend, and at the end: (tasks that this rank has run, tasks that it has in all), where the graph's count()
  /// knows those.
  std::function<void(std::int64_t done, std::int64_t all)> progress{};
};

/// What one rank saw of a task or of a message. Seconds from a moment at which all ranks met.
struct Record {
  enum class Deed : std::uint8_t { task, send, receive };
  Deed deed = Deed::task;
  Kernel kernel = Kernel::none;
  int worker = 0;           ///< that ran the task; 0 is the calling thread
  Rank peer = -1;           ///< whom a message goes to, or comes from
  std::int64_t number = 0;  ///< a message: which one from that rank to this one, or from this one to that
  /// A message: whose output it has; a contribution to a sum: its consumer; within a gang: its first member.
  Task task;
  std::string name;
  std::int64_t bytes = 0;
  double begin = 0;  ///< a message that is received: when it was there
  double end = 0;    ///< a message that is sent: as begin
};

/// What a rank has done.
struct RunReport {
  /// Tasks, flops by work(), and payload messages with their bytes: what count() foretells for the same way. What
  /// bodies of gangs have sent by GangContext::send() is no part of `traffic`, nor who hands it on: what this rank's
  /// have sent stands beside what was expected.
  graph::Count count;
  std::int64_t control_messages = 0;
  std::int64_t forwarded = 0;  ///< of the messages sent, those that came from another rank
  /// Messages of an earlier run that came in this one and were not delivered: 0, or that run has sent after its end. An
  /// Error with ALLPORT_CHECK.
  std::int64_t dropped = 0;
  /// Of outputs that were kept at one time, beside tiles: never more than graph::pool() says. What members of gangs
  /// tell each other is no part of it.
  std::int64_t peak_bytes = 0;
  std::int64_t peak_transit = 0;  ///< bytes that were only handed on, at one time
  double seconds = 0;
  /// In bodies and from one to the next, over all workers, without looking after messages, waiting for tasks or for
  /// other members of gangs.
  double busy_seconds = 0;
  std::vector<Record> records;  ///< with RunOptions::record, as they came; messages without data are none

  /// One more run after those before.
  void add(RunReport next);
};

/// Called by all ranks of `comm` with equal graphs; ranks that have no part in the graph forward. No rank ever holds
/// more of the graph than the tasks that have got some of their inputs and not all.
///
/// Bodies run on several threads when options.workers > 1. MPI is called by one thread at a time, and by the calling
/// thread alone where MPI was started with MPI_THREAD_FUNNELED or less.
///
/// A gang begins when all its members are ready and none of their ranks is in another one; rank 0 says when. A member
/// that waits for another keeps its worker, and looks after messages.
///
/// A rank that gets no memory for what others send it, or for its own notes, ends the job with a message: they would
/// wait for ever.
///
/// @throws Error on every rank when a body throws on any, naming its task and rank; of kind memory after std::bad_alloc
RunReport run(TaskGraph const& graph, Communicator const& comm, RunOptions const& options = {});

}  // namespace allport::tasks
