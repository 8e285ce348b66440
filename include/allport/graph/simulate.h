// Simulated time of a graph on a machine: tasks occupy workers, messages occupy links.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "allport/graph/rates.h"
#include "allport/graph/transport.h"

namespace allport::graph {

struct SimulateOptions {
  int workers = 1;                   ///< of each rank
  double factor = 1.0;               ///< as in Rates
  std::int64_t segment = 64 * 1024;  ///< bytes that a relay receives before it forwards a message
  bool trace = false;                ///< record a Span for every task and message
  std::int64_t trace_limit = 2'000'000;
  /// Simulates only steps first ... end - 1; all earlier steps are complete at the start. end = 0: all steps. Messages
  /// to tasks of later steps are still simulated.
  std::int64_t first = 0;
  std::int64_t end = 0;
  /// No lookahead: a rank begins a step only after all of its tasks of earlier steps.
  bool in_steps = false;
  /// How the workers of a node share memory: worker w of its rank r is part r * workers + w. Empty: as the ranks of the
  /// machine's levels do.
  std::optional<Levels> levels{};
  /// Called repeatedly with the number of completed tasks; false ends the run with Error(unsupported).
  std::function<bool(std::int64_t)> progress{};
};

/// Time of a rank's workers by activity; the sum is seconds times workers.
struct Spent {
  double compute = 0;
  double communicate = 0;  ///< waiting while messages to or from the rank are in flight, or in a gang
  double idle = 0;         ///< waiting otherwise
};

/// A task on a worker, or a message in flight.
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
  /// If only some steps were simulated: for each, the time at which all computing tasks of it and of earlier steps were
  /// complete.
  std::vector<double> step_ends;
  std::vector<double> step_work;  ///< if only some steps were simulated: seconds of tasks of each, over all ranks
  std::int64_t tasks = 0;
  std::int64_t hops = 0;
  std::int64_t most_waiting = 0;   ///< tasks that had some of their parents, at one time: the frontier
  double longest_work = 0;         ///< seconds of work on the longest path, without any communication
  std::int64_t longest_tasks = 0;  ///< tasks on the path with most
  std::vector<Span> spans;         ///< with options.trace
  std::int64_t last = -1;          ///< the span that ended last; its causes are the critical path

  [[nodiscard]] std::vector<Span> critical_path() const;
};

/// Simulates the graph from its entries; stores only the current frontier. Deterministic.
///
/// The workers of a rank take ready tasks by priority, then in the order in which they became ready. A message costs
/// the overhead o at both ends, one message after the other on a rank. It occupies every link of its route from the
/// arrival of its head, one message after the other; a relay forwards it segment by segment. A message reserves its
/// whole route when it starts, so a queue further along the route is what has been reserved there. What the ranks of a
/// node send to others passes its cap on injection one message after the other, at no more than its rate. Ranks of one
/// node transfer data through the level at which they differ, or through memory. A gang starts when all its members
/// have a worker; its collectives and its expected data-dependent messages take the time that they would take alone,
/// and do not load links.
///
/// Where a level of the machine has a memory bandwidth, tasks that name bytes share it with those that run at the same
/// time on the same part (shared_memory.h): a task takes the time of its flops or of its bytes, whichever is more. A
/// task whose tile is in a level's cache moves no bytes. Not the members of gangs.
/// @throws Error(schedule) naming a task that still waits when nothing runs any more; not if only some steps are
///         simulated, since such tasks wait for earlier steps
/// @throws Error(argument) if the machine has fewer ranks than the graph, workers < 1, or the graph does not have the
///         given steps
[[nodiscard]] SimulateResult simulate(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                                      SimulateOptions const& options = {});

/// Sampling of steps: the steps are divided into `windows` equal parts, and in each part some steps near its middle are
/// simulated (with two parts, at the Gauss points). A window begins with warm-up steps, in which ranks drift apart as
/// far as in a long run, and ends with untimed steps, because the last steps of a window have no successors.
struct Sampling {
  int windows = 4;
  int warm = 16;  ///< warm-up steps before the timed ones
  int span = 16;  ///< timed steps
  int tail = 4;   ///< untimed steps after them
};

struct Sampled {
  SimulateResult result;             ///< seconds and shares, extrapolated from the windows to the whole graph; no spans
  std::int64_t steps = 0;            ///< of the graph
  std::int64_t simulated = 0;        ///< number of simulated steps; all, if that is no more than a sample needs
  std::vector<double> step_seconds;  ///< seconds per step in each part, measured in its window
};

/// Simulates a sample of a graph's steps and extrapolates: the time per step of each part times its number of steps,
/// plus the time of the first step and of the end of the last one.
/// @throws Error(argument) if the graph has no steps
[[nodiscard]] Sampled simulate_sampled(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                                       SimulateOptions const& options = {}, Sampling const& sampling = {});

}  // namespace allport::graph
