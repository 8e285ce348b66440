// How long a graph takes on a machine: tasks occupy workers, data occupy links.
#pragma once

#include <functional>
#include <vector>

#include "allport/graph/rates.h"
#include "allport/graph/transport.h"

namespace allport::graph {

struct SimulateOptions {
  int workers = 1;                   ///< of each rank
  double factor = 1.0;               ///< as in Rates
  std::int64_t segment = 64 * 1024;  ///< bytes that a relay has before it passes a message on
  bool trace = false;                ///< keep what every task and message did
  std::int64_t trace_limit = 2'000'000;
  /// Only the graph's steps first ... end - 1, where all of the steps before are done when it begins; end 0: all. What
  /// they give tasks of later steps still travels.
  std::int64_t first = 0;
  std::int64_t end = 0;
  /// No rank begins a task of a step before it has done all of its tasks of the steps before: as programs do that do
  /// not look ahead.
  bool in_steps = false;
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
  /// Where only some of the graph's steps were simulated: until when all tasks of each of these, and of those before,
  /// that compute were done.
  std::vector<double> step_ends;
  std::vector<double> step_work;  ///< likewise: seconds of tasks of each of these steps, on all ranks together
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
/// @throws Error(schedule) naming a task that still waits when nothing runs any more; not where only some steps are
///         simulated: what waits then has got the rest long before
/// @throws Error(argument) where the machine has fewer ranks than the graph, or workers < 1, or steps are asked for
/// that
///         the graph does not have
[[nodiscard]] SimulateResult simulate(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                                      SimulateOptions const& options = {});

/// Which steps of a graph stand for all: the steps are cut into so many equal parts, and of each some near its middle
/// are simulated, those of two parts at Gauss's points. A window begins with steps in which ranks come to be as far
/// apart as they are in the long run, and ends with some whose time is not taken, because nothing follows them.
struct Sampling {
  int windows = 4;
  int warm = 16;  ///< steps before those whose time is taken
  int span = 16;  ///< steps whose time is taken
  int tail = 4;   ///< steps behind them
};

struct Sampled {
  SimulateResult result;             ///< seconds and shares of the whole, as the windows have them; no spans
  std::int64_t steps = 0;            ///< of the graph
  std::int64_t simulated = 0;        ///< of these; all of them where that is not more than a sample has
  std::vector<double> step_seconds;  ///< in each part, as measured in its window
};

/// simulate() of a sample of a graph's steps, and what all would take: the time of a step in each part times its steps,
/// and what the first step and the end of the last one take beside.
/// @throws Error(argument) where the graph has no steps
[[nodiscard]] Sampled simulate_sampled(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                                       SimulateOptions const& options = {}, Sampling const& sampling = {});

}  // namespace allport::graph
