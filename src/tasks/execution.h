// The executor on one rank: workers that run bodies, and the messages between ranks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "allport/tasks/run.h"
#include "comm/backoff.h"
#include "comm/multicasts.h"
#include "context.h"
#include "frontier.h"
#include "gang_endpoint.h"
#include "gang_order.h"
#include "graph/sum_tree.h"
#include "multicast/known_trees.h"
#include "pool.h"
#include "window.h"

namespace allport::tasks {

/// Ends the job: this rank cannot allocate memory for messages that other ranks wait for.
[[noreturn]] inline void give_up(Communicator const& comm, RunOptions const& options) {
  comm.give_up(options.call, "ran out of memory while other ranks wait for this one; the job ends");
}

class Execution {
 public:
  Execution(TaskGraph const& graph, Communicator const& comm, RunOptions const& options);
  /// @param trouble  not empty: this rank cannot run the graph; every rank gets this error
  RunReport run(std::string const& trouble);

 private:
  using Clock = std::chrono::steady_clock;

  enum What : std::int64_t {
    output_of,
    contribution_to,
    failure,
    step_up,
    step_down,
    gang_ready,       ///< to the rank that says in which order gangs begin
    gang_begins,      ///< from there
    gang_done,        ///< to there
    gang_expected,    ///< between members, by send()
    gang_collective,  ///< likewise, of collectives
  };

  /// A message that its worker could not send itself.
  struct Outgoing {
    MessageName name{};
    std::optional<Multicast> to{};  ///< none: who gets it follows from the name
    std::int64_t leaving = -1;
  };
  /// Partial sums for one rank, sent one after the other in the order in which they were computed: simultaneous sends
  /// to a rank share the link and end together, so a rank that forwards sums would wait for the last of many.
  struct SumsTo {
    std::deque<std::pair<Outgoing, std::span<std::byte>>> waiting{};
    std::int64_t bytes = 0;  ///< in flight
  };
  static constexpr std::int64_t sums_in_flight = 128 * 1024;  ///< bytes to one rank, beside one sum
  /// An output until it has been sent.
  struct Leaving {
    Block block{};
    Task task{};
    int output = -1;
  };

  /// A contribution's position in the tree of its sum.
  struct Place {
    graph::SumPlace place{};
    int at = 0;
    Rank to = -1;  ///< whose task or partial sum takes it; -1: the consumer is here
  };
  /// The received parts on a rank that combines a partial sum and sends it. Complete when the rank's own contribution
  /// and all parts are available.
  struct Partial {
    std::vector<Given> parts{};
    std::optional<Place> own{};  ///< of the rank's own contribution; unknown until that is available
    [[nodiscard]] bool complete() const { return own && parts.size() == own->place.parts.size() + 1; }
  };
  /// A sum: its consumer, and which input.
  using SumName = std::pair<Task, int>;

  /// An outgoing edge of a task that has run, and its data.
  struct Leads {
    Edge edge;
    Rank to = 0;
    Block block{};
    std::size_t place = 0;  ///< among the worker's, for a sum
  };
  struct Worker {
    Worker(int number, Machine const& machine) : index(number), backoff(machine) {}
    int index;
    engine::Backoff backoff;
    std::optional<Ready> next{};
    std::optional<std::pair<SumName, Partial>> sum{};
    /// End of its last body, or of its last activity since; without timed_, the time at which it got the first of
    /// several consecutive tasks.
    Clock::time_point now = Clock::now();
    Clock::time_point looked{};  ///< last poll
    bool idle = false;           ///< counted as idle
    bool abandoned = false;      ///< its body got an error because the run has failed on another rank
    Clock::duration waited{};    ///< by its body, for other members of its gang
    std::vector<Leads> edges{};  ///< memory for find_children()
    std::vector<std::pair<int, Block>> outputs{};
    std::vector<Place> places{};
    [[nodiscard]] bool has_work() const { return next || sum; }
  };

  void enter();
  void work(int worker);
  /// Called after `polls` consecutive polls without progress.
  void back_off(Worker& worker, int polls) const;
  void yield_core(int polls) const;
  void take(Worker& worker);
  /// Runs chunks of other workers' parallel_for(). True if there were any.
  [[nodiscard]] bool help(Worker& worker);
  void set_idle(Worker& worker, bool idle);
  void take_with_lock(Worker& worker);
  void execute_one(Worker& worker);
  void execute(Ready& ready, Worker& worker);
  /// After a body that began then. With mutex_ held.
  void take_next(Worker& worker, Clock::time_point begin);
  void record_task(Task task, Worker const& worker, Clock::time_point begin);
  void attend();
  void report_progress();
  [[nodiscard]] double since_begin(Clock::time_point when) const {
    return std::chrono::duration<double>(when - begin_).count();
  }
  void record_message(MessageEvent const& event);
  /// Payload that graph::count() predicts.
  [[nodiscard]] Traffic known_traffic() const;
  /// Collects the outgoing edges of a task in the worker's memory.
  void find_children(Task task, Context& context, Worker& worker) const;
  /// With mutex_ held.
  void fulfil_children(Task task, Worker& worker);
  [[nodiscard]] Place place_of(Task task, Edge const& edge, Rank to) const;
  /// With mutex_ held.
  void contribute(Task task, Leads& edge, Place&& place);
  /// A received contribution or partial sum, for a consumer on this rank or for a partial sum here. With mutex_ held.
  void arrived_of_sum(MessageName const& name, Block const& block);
  /// Combines a partial sum and sends it.
  void combine_one(Worker& worker);
  [[nodiscard]] static MessageName name_of(SumName const& sum, int contribution, int contained);
  void complete(SumName sum);
  /// Incomplete sums on this rank, as text. With mutex_ held.
  [[nodiscard]] std::string sums_text() const;
  /// Combines the contributions to each sum into one input, and sorts the inputs.
  void add_up(std::vector<Given>& inputs) const;
  [[nodiscard]] Block sum(std::span<Given const> parts) const;

  [[nodiscard]] MulticastOptions multicast_options();
  [[nodiscard]] static Task task_of(MessageName const& name);
  [[nodiscard]] static MessageName name_of(What what, Task t, std::int64_t index, std::int64_t contribution = 0);
  /// The ranks that an output goes to.
  [[nodiscard]] Multicast route(Task task, int output) const;
  [[nodiscard]] Multicast straight_to(Rank rank) const;
  /// Of what does not follow from its name. What a body sends, rows that change places, is long, and where a ring has
  /// two shortest routes the network takes one and the same: so it goes by either, there and back by opposite ones.
  [[nodiscard]] Multicast multicast_for(Outgoing const& one, std::size_t bytes) const;
  /// With mutex_ held.
  void give_children_here(Task task, int output, Block const& block);
  void fulfil_sent(Task task, int output);
  void queue(MessageName const& name, std::optional<Multicast> to, Leaving leaving);
  [[nodiscard]] bool leaves(Task task, int output) const;

  /// Memory for a message to this rank.
  [[nodiscard]] std::shared_ptr<std::byte[]> memory_for(MessageName const& name, std::int64_t bytes);
  /// The communication endpoint of a gang member.
  [[nodiscard]] std::unique_ptr<GangEndpoint> endpoint_of(Ready const& ready, Worker& worker);
  [[nodiscard]] Block await(GangMessage const& what, Task member, Worker& worker);
  /// Runs exchange() of a member. True if all its expected messages have arrived; else it becomes ready when they have.
  [[nodiscard]] bool exchange(Ready& ready, GangEndpoint& endpoint, Worker& worker);
  [[nodiscard]] static MessageName name_of(GangMessage const& what);
  /// The protocol that orders gangs. With mutex_ held.
  void announce_ready();
  void announce_done(Task gang);
  void begin_gangs();
  void arrived_of_gang(MessageName const& name, Block const& block);
  /// Members that wait for their gang or in it, as text. With mutex_ held.
  [[nodiscard]] std::string gangs_text() const;
  /// Of gangs and of sums. With mutex_ held.
  [[nodiscard]] std::string others_text() const;
  /// Tasks and messages left over when no rank can proceed, as text. With mutex_ held.
  [[nodiscard]] std::string left_over_text() const;

  /// Sends this rank's lowest step, and releases tasks within the new limit. With mutex_ held.
  void announce_step();
  [[nodiscard]] std::int64_t step_of(Task task) const { return window_.bounds() ? graph_.step(task) : 0; }
  /// Progresses communication unless another thread does or this thread may not. True if anything progressed.
  bool look(bool caller);
  void poll_soon();
  /// Sends queued messages and receives. True if anything progressed. Called by one thread at a time.
  void send_sums();
  void sum_left(std::int64_t leaving);
  bool communicate();
  void arrived(Multicasts::Message&& message);
  void left(std::int64_t leaving);
  /// Whether this rank will send only in response to received messages. May send its lowest step.
  [[nodiscard]] bool idle();
  void watch(bool moved);
  void fail(std::exception const& error, std::string const& where);
  /// With mutex_ held.
  void fail(std::string const& what, ErrorKind kind);
  /// Sends an error to the other ranks, unless they may have finished. With network_ and mutex_ held.
  void announce_failure();
  /// Whether an error has occurred on this rank.
  [[nodiscard]] bool is_wrong();

  TaskGraph const& graph_;
  Communicator const& comm_;
  RunOptions const& options_;
  Rank const me_;
  MulticastTree const tree_;
  Workers workers_;
  Window window_;  ///< with mutex_, but for what never changes
  std::shared_ptr<Pool> pool_ = std::make_shared<Pool>(window_.bounds());
  Multicasts multicasts_;
  mutable KnownTrees trees_;  ///< with network_
  bool const only_caller_calls_mpi_;
  bool const fast_links_;
  /// Whether the clock is read at each body's end: the network is looked at in time, or tasks are recorded.
  bool const timed_;
  std::thread::id const caller_ = std::this_thread::get_id();

  std::map<Rank, SumsTo> sums_to_;  ///< by position; with network_, as sums_leaving_: which one, and how long it is
  std::map<std::int64_t, std::pair<Rank, std::int64_t>> sums_leaving_;
  std::mutex mutex_;  ///< of all below, down to the next mutex
  Frontier frontier_;
  std::vector<Outgoing> outgoing_;
  std::vector<Leaving> leaving_;
  std::vector<std::size_t> free_leaving_;
  std::int64_t executed_ = 0;
  std::int64_t unsent_ = 0;  ///< of leaving_, what has not left
  int running_ = 0;
  std::map<SumName, Partial> partials_;
  std::deque<std::pair<SumName, Partial>> complete_;  ///< of partials_, what can be combined
  GangOrder order_;                                   ///< of use on who orders gangs
  std::map<GangMessage, Block> mail_;                 ///< that has come and no member has asked for yet
  /// Workers whose bodies wait for a message from another member: which member of which gang, and for what.
  struct Awaiting {
    Task member{};
    GangMessage what{};
  };
  std::map<int, Awaiting> awaiting_;
  /// A member that has sent, until the first message has come from each of those that it expects one from.
  struct Exchanging {
    Ready ready;
    std::vector<int> missing;
  };
  std::map<Task, Exchanging> exchanging_;  ///< by their gangs' first members
  Traffic unforeseen_;                     ///< of traffic, what only bodies know, and who forwards it
  bool stopped_ = false;                   ///< here or elsewhere something has failed
  bool announces_failure_ = false;         ///< to the other ranks, as soon as it may
  std::string failure_;                    ///< what has failed here
  ErrorKind failure_kind_ = ErrorKind::schedule;
  RunReport report_;

  std::mutex network_;
  std::atomic<bool> over_{false};
  std::atomic<bool> has_open_requests_{false};  ///< parts of messages are in flight from here or to here
  std::atomic<bool> hurry_{false};              ///< something is to be sent
  std::optional<std::int64_t> const count_;
  Clock::time_point moved_ = Clock::now();
  double next_warning_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point attended_{};
  std::atomic<bool> has_tasks_;            ///< of count_, what has not run yet
  std::atomic<bool> end_reported_{false};  ///< the program has been notified of the last one
};

}  // namespace allport::tasks
