// Event simulation of a graph on a machine: tasks on workers (simulate.cpp) and messages (simulate_messages.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "allport/graph/simulate.h"
#include "along.h"
#include "event_queue.h"
#include "links.h"
#include "shared_memory.h"
#include "task_map.h"
#include "transit.h"

namespace allport::graph {

/// A task some of whose parents are complete.
struct Waiting {
  std::int32_t parents = 0;
  std::int32_t tasks = 0;  // on the longest path to it
  double work = 0;         // likewise, seconds
  std::int64_t cause = -1;
};

struct Ready {
  double priority = 0;
  std::uint64_t order = 0;
  Task task;
  Waiting waited;
  std::int64_t gang = -1;  // which of those whose members have all become ready

  friend bool operator<(Ready const& a, Ready const& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
  }
};

struct Running {
  Task task;
  Waiting waited;
  Rank rank = 0;
  int worker = 0;
  double begin = 0;
  double seconds = 0;  // of work
  std::int64_t span = -1;
  std::int64_t gang = -1;  // likewise
  // Of a task that shares memory: before its loop has started, and what it moves then.
  bool starts = false;
  bool shares = false;
  Tile tile{};
  double bytes = 0;
  std::int32_t version = 0;  // of its end; events of earlier ones are void
};

/// Tasks that wait for a rank's workers, and workers that wait for tasks.
struct RankQueues {
  std::priority_queue<Ready> ready;
  std::vector<int> free;  // workers
  // With in_steps: the current step, its remaining tasks, and ready tasks of later steps.
  std::int64_t step = -1;
  std::int64_t left = 0;
  std::vector<Ready> early;
};

/// The state of a rank's workers, and its last change.
struct alignas(64) Clock {
  double since = 0;
  Spent spent;
  std::int64_t in_flight = 0;  // messages to and from it
  int computing = 0;
  int in_gangs = 0;  // in gangs
};

class Simulation {
 public:
  Simulation(TaskGraph const& graph, Machine const& machine, Transport const& transport, SimulateOptions const& options)
      : graph_(graph),
        machine_(machine),
        transport_(transport),
        options_(options),
        rates_(machine, options.factor),
        links_(machine),
        memory_(options.levels.value_or(machine.levels()), graph.ranks(), machine.ranks_per_node(), options.workers),
        along_(transport, links_, machine.ranks(), options.segment),
        queues_(static_cast<std::size_t>(graph.ranks())),
        clocks_(queues_.size()),
        graph_ranks_(graph.ranks()),
        transit_(machine.ranks(), options.trace) {
    for (auto& queues : queues_) {
      for (int w = options.workers - 1; w >= 0; --w) queues.free.push_back(w);
    }
  }

  SimulateResult run();

 private:
  struct Member {
    Task task;
    Waiting waited;
    Rank rank = 0;
  };
  /// A gang whose members have all become ready.
  struct Call {
    int missing = 0;
    double seconds = 0;
    std::vector<std::size_t> members;  // that run
    std::vector<Member> waiting{};     // for what others send, where a gang exchanges
  };

  /// If only some steps are simulated: the outputs of earlier steps.
  void enter_midway();
  /// Releases tasks whose remaining parents are in earlier steps.
  void release_rest();
  [[nodiscard]] bool is_window() const { return options_.end > 0; }
  [[nodiscard]] bool is_in_window(Task task) const {
    auto const step = graph_.step(task);
    return step >= options_.first && step < options_.end;
  }
  void note_step(Task task, double seconds);
  [[nodiscard]] Clock& clock(Rank rank) { return clocks_[static_cast<std::size_t>(rank)]; }
  /// Prefetches the memory of the next events.
  void look_ahead();
  [[nodiscard]] RankQueues& queues(Rank rank) { return queues_[static_cast<std::size_t>(rank)]; }
  void at(double time, Event::Kind kind, std::size_t what, std::int32_t leg = 0) { events_.add(time, kind, what, leg); }
  std::int64_t keep(Span const& span);
  /// Accounts for the time since the last change of state.
  void pass(Clock& of) const;
  void become_ready(Task task, Rank rank, Waiting const& waited);
  void begin_tasks(Rank rank);
  /// Adds a task to its rank's queue, or defers it until its step.
  void queue(Rank rank, Ready const& task);
  /// The next step of which a rank has tasks.
  void next_step(Rank rank);
  /// The messages of a gang that exchanges have arrived: each member runs separately.
  void exchanged(std::size_t number);
  /// A member has its worker; with the last one the gang starts.
  void take_part(std::size_t slot);
  void begin(std::size_t slot, double seconds);
  /// The same for a task that shares memory: its loop starts, then it computes and moves bytes.
  void begin_sharing(std::size_t slot, Work const& work, double seconds);
  void move_bytes(std::size_t slot);
  /// Ends that memory's sharing has changed.
  void schedule_changed(Rank rank);
  void finish(std::size_t slot);
  void report_progress() const;
  void ensure_all_ran() const;
  /// Satisfies `parents` of a task's incoming edges.
  void fulfil(Task task, Rank owner, Waiting const& behind, int parents);

  void send_outputs(Task task, Waiting const& behind);
  [[nodiscard]] bool is_empty(Task task, Edge const& edge) const;
  void remember(std::size_t number, Waiting const& behind);
  /// One contribution to a sum; the first one determines the participants.
  void contribute(Task task, Consumer const& consumer, Rank me, Waiting const& behind);
  void summed(std::size_t number, std::int64_t cause);
  void start_legs(std::size_t number, Rank from, std::int64_t cause);
  /// One dependence of a leg is satisfied: its data are available from `first` on, completely at `last`.
  void release(std::size_t number, std::int32_t index, double first, double last, std::int64_t cause);
  void leave(std::size_t number, std::int32_t index);
  /// Ranks beyond the graph's, which only relay, have no workers to account for.
  void in_flight(Leg const& leg, int more);
  void arrive(std::size_t number, std::int32_t index);

  TaskGraph const& graph_;
  Machine const& machine_;
  Transport const& transport_;
  SimulateOptions const& options_;
  Rates rates_;
  Links links_;
  SharedMemory memory_;
  Along along_;
  std::vector<RankQueues> queues_;
  std::vector<Clock> clocks_;  // of ranks
  Rank graph_ranks_;
  EventQueue events_;
  double now_ = 0;
  std::uint64_t order_ = 0;
  TaskMap<Waiting> waiting_;
  TaskMap<std::vector<Member>> gangs_;  // those whose members are not all ready
  std::vector<Call> called_;
  std::vector<std::size_t> free_calls_;
  std::uint64_t all_called_ = 0;
  std::map<std::pair<Task, int>, std::size_t> sums_;
  std::vector<Waiting> waited_;  // by parcel
  Transit transit_;
  std::vector<Running> running_;
  std::vector<std::size_t> free_slots_;
  Leaving leaving_;
  Gang gang_;
  std::vector<Rank> contributors_;
  SimulateResult result_;
};

}  // namespace allport::graph
