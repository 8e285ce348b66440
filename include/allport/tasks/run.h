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
  /// The caller's name in the error message if a rank runs out of memory and the job ends.
  std::string_view call = "tasks::run";
  /// Threads that run bodies, including the calling one.
  int workers = 1;
  /// Multicast tree of outputs that several ranks need; none: default_tree(). No effect with two ranks or fewer.
  std::optional<MulticastTree> multicast{};
  /// Segment in which ranks forward an output; none: default_segment().
  std::optional<Bytes> segment{};
  /// Number of steps of the graph that run at a time, starting with the slowest rank's, if the graph gives the step of
  /// its tasks; 0: no bound. graph::pool() computes the memory that this needs.
  std::int64_t ahead = graph::default_ahead;
  /// Messages are as short as those of a collective of a few bytes: waiting ranks yield their cores to each other
  /// instead of sleeping between polls.
  bool awake = false;
  /// Combines contributions to sums; required by graphs with edges of kind sum. Associative; it need not commute.
  Combine combine{};
  /// Seconds without progress and without a running body after which a rank reports what it waits for; 0: never.
  double stall_seconds = 10;
  /// Records every task and every message: RunReport::records.
  bool record = false;
  /// Called by the calling thread about twenty times per second, between tasks, e.g. to check for a request to stop. An
  /// exception from it ends the run on every rank, as one from a body does.
  std::function<void()> attend{};
  /// Called as attend, and at the end, with the number of tasks that this rank has run and its total, if the graph's
  /// count() gives it.
  std::function<void(std::int64_t done, std::int64_t all)> progress{};
};

/// A task or a message as seen by one rank. Times are seconds since a barrier of all ranks.
struct Record {
  enum class Activity : std::uint8_t { task, send, receive };
  Activity activity = Activity::task;
  Kernel kernel = Kernel::none;
  int worker = 0;           ///< that ran the task; 0 is the calling thread
  Rank peer = -1;           ///< the other end of a message
  std::int64_t number = 0;  ///< of a message: its sequence number between the two ranks
  /// Of a message: the task whose output it contains; of a contribution to a sum: the consumer; within a gang: the
  /// first member.
  Task task;
  std::string name;
  std::int64_t bytes = 0;
  double begin = 0;  ///< of a received message: time of arrival
  double end = 0;    ///< of a sent message: equal to begin
};

/// Statistics of a run on one rank.
struct RunReport {
  /// Tasks, flops by work(), and payload messages with their bytes: equal to graph::count() with the same tree.
  /// Messages of GangContext::send() are not part of `traffic`; those sent by this rank are in expected_messages and
  /// expected_bytes.
  graph::Count count;
  std::int64_t control_messages = 0;
  std::int64_t forwarded = 0;  ///< messages sent that this rank forwarded
  /// Messages of an earlier run that arrived in this one and were not delivered: 0, unless that run sent after its end.
  /// An Error with ALLPORT_CHECK.
  std::int64_t dropped = 0;
  /// Maximum bytes of outputs stored at a time, without tiles: at most graph::pool(). Messages within gangs are not
  /// included.
  std::int64_t peak_bytes = 0;
  std::int64_t peak_transit = 0;  ///< maximum bytes stored at a time only to be forwarded
  double seconds = 0;
  /// Seconds in bodies and between consecutive ones, over all workers, without communication and without waiting for
  /// tasks or for other members of gangs.
  double busy_seconds = 0;
  std::vector<Record> records;  ///< with RunOptions::record, in order of occurrence; without messages that have no data

  /// One more run after those before.
  void add(RunReport next);
};

/// Runs the graph. Collective over `comm` with equal graphs; ranks beyond the graph's forward messages. A rank stores
/// only those tasks that have received some of their inputs but not all.
///
/// Bodies run on several threads when options.workers > 1. MPI is called by one thread at a time, and by the calling
/// thread alone where MPI was started with MPI_THREAD_FUNNELED or less.
///
/// A gang starts when all its members are ready and none of their ranks is in another gang; rank 0 orders gangs unless
/// TaskGraph::orders_gangs() names other ranks. A member that waits for another occupies its worker, which progresses
/// communication.
///
/// A rank that cannot allocate memory for incoming messages or for its own bookkeeping ends the job with a message,
/// since the other ranks would wait for ever.
///
/// @throws Error on every rank when a body throws on any, naming its task and rank; of kind memory after std::bad_alloc
RunReport run(TaskGraph const& graph, Communicator const& comm, RunOptions const& options = {});

}  // namespace allport::tasks
