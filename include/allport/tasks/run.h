// Runs a task graph on the ranks of a communicator.
#pragma once

#include <cstdint>

#include "allport/comm/communicator.h"
#include "allport/graph/count.h"
#include "allport/graph/task_graph.h"
#include "allport/multicast/forward.h"

namespace allport::tasks {

struct RunOptions {
  /// Threads that run bodies, the calling one among them.
  int workers = 1;
  /// How an output travels that several ranks need. Where there are two ranks or fewer, all ways are one.
  MulticastWay way = MulticastWay::prefix;
  /// Adds what contributes to a sum; needed by graphs with edges that carry sums.
  Combine combine{};
  /// Seconds in which nothing moves and no body runs before a rank says what it waits for; 0: never.
  double stall_seconds = 10;
};

/// What a rank has done.
struct RunReport {
  /// Tasks, flops by work(), and payload messages with their bytes: what count() foretells for the same way.
  graph::Count count;
  std::int64_t control_messages = 0;
  std::int64_t forwarded = 0;   ///< of the messages sent, those of other ranks' outputs
  std::int64_t peak_bytes = 0;  ///< of outputs that were kept at one time, beside tiles
  double seconds = 0;
  double busy_seconds = 0;  ///< in bodies, over all workers
};

/// Called by all ranks of `comm` with equal graphs; ranks that have no part in the graph forward. No rank ever holds
/// more of the graph than the tasks that have got some of their inputs and not all.
///
/// Bodies run on several threads when options.workers > 1. MPI is called by one thread at a time, and by the calling
/// thread alone where MPI was started with MPI_THREAD_FUNNELED or less.
///
/// @throws Error on every rank when a body throws on any, naming its task and rank; Error(unsupported) for graphs with
///         gangs
RunReport run(TaskGraph const& graph, Communicator const& comm, RunOptions const& options = {});

}  // namespace allport::tasks
