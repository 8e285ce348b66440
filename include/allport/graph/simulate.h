// How long a graph takes on a machine: tasks occupy workers, data occupy links.
#pragma once

#include <functional>
#include <vector>

#include "allport/graph/carrier.h"
#include "allport/graph/rates.h"

namespace allport::graph {

struct SimulateOptions {
  int workers = 1;                   ///< of each rank
  double factor = 1.0;               ///< as in Rates
  std::int64_t segment = 64 * 1024;  ///< bytes that a relay has before it passes a message on
  bool trace = false;                ///< keep what every task and message did
  std::int64_t trace_limit = 2'000'000;
  /// Called now and then with tasks done, and false ends the run with Error(unsupported).
  std::function<bool(std::int64_t)> progress{};
};

/// Where a rank's workers' time went; the sum is seconds times workers.
struct Spent {
  double compute = 0;
  double communicate = 0;  ///< waiting while data are on their way to or from the rank, or in a gang
  double idle = 0;         ///< waiting while nothing is
};

/// A task on a worker, or a message on its way.
struct Span {
  double begin = 0;
  double end = 0;
  std::int64_t cause = -1;  ///< the span that it waited for last
  Task task;                ///< a message: whose output; a sum: its consumer
  Rank rank = 0;
  Rank to = -1;    ///< a message: its receiver
  int worker = 0;  ///< a task
  std::int64_t bytes = 0;
};

struct SimulateResult {
  double seconds = 0;
  std::vector<Spent> ranks;
  std::vector<double> link_busy;  ///< by LinkId, seconds
  std::int64_t tasks = 0;
  std::int64_t hops = 0;
  std::int64_t most_waiting = 0;   ///< tasks that had some of their parents, at one time: the frontier
  double longest_work = 0;         ///< seconds of work on the longest path, without any communication
  std::int64_t longest_tasks = 0;  ///< tasks on the path with most
  std::vector<Span> spans;         ///< with options.trace
  std::int64_t last = -1;          ///< the span that ended last; its causes are the critical path

  [[nodiscard]] std::vector<Span> critical_path() const;
};

/// Runs the graph from its entries on; holds its frontier and never the whole. Deterministic.
///
/// A rank's workers take ready tasks by priority, then by readiness. A message takes o at either end, those that a
/// rank begins one after the other, and every link of its way from the moment when its head comes there, one message
/// after the other; a relay passes it on segment by segment. It books its whole way when it starts, and
/// a queue further down is what is booked there. Ranks of one node
/// hand data over through the level at which they part, or its memory. A gang starts when all its members have a
/// worker; its collectives take what they would alone, and so do its data-dependent messages, as expected. Links carry
/// none of either.
/// @throws Error(schedule) naming a task that still waits when nothing runs any more
/// @throws Error(argument) where the machine has fewer ranks than the graph, or workers < 1
[[nodiscard]] SimulateResult simulate(TaskGraph const& graph, Machine const& machine, Carrier const& carrier,
                                      SimulateOptions const& options = {});

}  // namespace allport::graph
