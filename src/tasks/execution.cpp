#include "execution.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "allport/tasks/transport.h"

namespace allport::tasks {

namespace {

constexpr int polls_before_sleep = 100;
/// Eager limit of MPI libraries on slow links (Open MPI: 64 KiB over TCP).
constexpr Bytes sent_at_once{32 * 1024};
/// If links are nearly as fast as memory, a sleep is longer than most waits.
constexpr int polls_of_fast_links = 1000;
/// MPI transfers data through shared memory only while both ends poll. Before and during long work a rank polls until
/// this many consecutive polls made no progress: its peer is then busy otherwise.
constexpr int polls_in_vain = 200;
constexpr int most_polls = 1 << 16;
constexpr double long_task = 5e7;  // flops: a millisecond
constexpr auto between_attends = std::chrono::milliseconds(50);
constexpr auto between_polls = std::chrono::microseconds(10);  // of the network, where there are tasks to run

}  // namespace

Execution::Execution(TaskGraph const& graph, Communicator const& comm, RunOptions const& options)
    : graph_(graph),
      comm_(comm),
      options_(options),
      me_(comm.rank()),
      tree_(options.multicast.value_or(default_tree(comm.machine()))),
      workers_(std::max(options.workers, 1)),
      window_(graph, comm.rank(), options.ahead),
      multicasts_(comm, TopologyIds(comm.machine(), TopologyIds::default_bits(comm.size())), multicast_options(),
                  [this](MessageName const& name) { return route(task_of(name), static_cast<int>(name[3])); }),
      trees_(multicasts_.ids(), tree_),
      only_caller_calls_mpi_(!Multicasts::any_thread()),
      fast_links_(moves_while_polled(comm.machine())),
      timed_(comm.size() > 1 || options.record),
      frontier_(graph),
      order_(graph),
      count_(comm.rank() < graph.ranks() ? graph.count(comm.rank()) : 0),
      next_warning_(options.stall_seconds),
      has_tasks_(!count_ || *count_ > 0) {}

MulticastOptions Execution::multicast_options() {
  MulticastOptions options;
  options.segment = options_.segment.value_or(default_segment(comm_.machine()));
  options.shared_out = !moves_while_polled(comm_.machine());
  options.last_segment = options.shared_out ? std::max(options.segment, sent_at_once) : options.segment;
  options.allocate = [this](MessageName const& name, std::int64_t bytes) { return memory_for(name, bytes); };
  options.watch = [this](MessageEvent const& event) { record_message(event); };
  return options;
}

RunReport Execution::run(std::string const& trouble) {
  if (options_.record) comm_.barrier();
  begin_ = Clock::now();
  if (trouble.empty()) {
    enter();
  } else {
    std::scoped_lock const hold(mutex_);
    fail(trouble, ErrorKind::argument);
  }
  std::vector<std::jthread> threads;
  try {
    for (int w = 1; w < options_.workers; ++w) threads.emplace_back([this, w] { work(w); });
  } catch (std::system_error const& error) {
    fail(error, fmt::format("worker {} of {}", threads.size() + 1, options_.workers));
  }
  work(0);
  threads.clear();
  multicasts_.give_back();
  if (multicasts_.any_wrong()) comm_.ensure_all_well(failure_, failure_kind_);
  // An exception of the program after the other ranks have finished.
  if (!failure_.empty()) throw Error(failure_kind_, failure_);
  report_.count.tasks = executed_;
  report_.count.traffic = known_traffic();
  report_.control_messages = multicasts_.control_messages();
  report_.forwarded = multicasts_.forwarded();
  report_.dropped = multicasts_.dropped();
  report_.peak_bytes = pool_->peak();
  report_.peak_transit = multicasts_.peak_transit();
  report_.seconds = since_begin(Clock::now());
  return std::move(report_);
}

void Execution::enter() {
  try {
    std::scoped_lock const hold(mutex_);
    frontier_.let_run_before(window_.limit());
    if (me_ < graph_.ranks()) graph_.entries(me_, [&](Task task) { frontier_.enter(task); });
  } catch (std::exception const& error) {
    fail(error, "the graph's entries");
  }
}

void Execution::work(int index) {
  Worker worker(index, comm_.machine());
  bool const caller = index == 0;
  bool const may_communicate = caller || !only_caller_calls_mpi_;
  int polls = 0;
  while (!over_) {
    if (caller && (options_.attend || options_.progress)) attend();
    bool moved = false;
    // A single rank receives no messages.
    bool const late = !worker.has_work() || (timed_ && worker.now - worker.looked > between_polls);
    if (may_communicate && (late || hurry_.load(std::memory_order_relaxed))) {
      moved = look(caller);
      worker.looked = worker.now = Clock::now();
    }
    if (!worker.has_work()) take(worker);
    if (worker.has_work()) {
      set_idle(worker, false);
      execute_one(worker);
      moved = true;
    } else if (options_.workers > 1) {
      set_idle(worker, true);
      moved = help(worker) || moved;
    }
    polls = moved ? 0 : polls + 1;
    back_off(worker, polls);
  }
}

void Execution::back_off(Worker& worker, int polls) const {
  if (polls == 0) return worker.backoff.moved();
  // With slow links, ranks that share cores poll rarely: ranks that forward or compute need the cores. Not if another
  // worker may become busy at any time.
  if (!fast_links_ && options_.workers == 1 && !options_.awake) return worker.backoff.idle();
  yield_core(polls);
}

void Execution::yield_core(int polls) const {
  // MPI transfers long messages through shared memory a little with every poll, and nothing while ranks sleep.
  if (polls < (fast_links_ ? polls_of_fast_links : polls_before_sleep) ||
      (fast_links_ && has_open_requests_.load(std::memory_order_relaxed))) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Execution::set_idle(Worker& worker, bool idle) {
  if (worker.idle == idle) return;
  worker.idle = idle;
  workers_.idle += idle ? 1 : -1;
}

bool Execution::help(Worker& worker) {
  auto const begin = Clock::now();
  if (!workers_.board.help(worker.index, 1)) return false;
  worker.now = Clock::now();
  std::scoped_lock const hold(mutex_);
  report_.busy_seconds += std::chrono::duration<double>(worker.now - begin).count();
  return true;
}

void Execution::attend() {
  auto const now = Clock::now();
  bool const last = !end_reported_ && !has_tasks_.load(std::memory_order_relaxed);
  if (now - attended_ < between_attends && !last) return;
  attended_ = now;
  end_reported_ = last || end_reported_;
  try {
    if (options_.attend) options_.attend();
    report_progress();
  } catch (std::exception const& error) {
    fail(error, "the program");
  }
}

void Execution::report_progress() {
  if (!options_.progress || !count_) return;
  auto const done = [this] {
    std::scoped_lock const hold(mutex_);
    return executed_;
  }();
  options_.progress(done, *count_);
}

void Execution::take(Worker& worker) {
  {
    std::scoped_lock const hold(mutex_);
    take_with_lock(worker);
  }
  worker.now = Clock::now();
}

void Execution::take_with_lock(Worker& worker) {
  if (stopped_) return;
  if (!complete_.empty()) {
    worker.sum = std::move(complete_.front());
    complete_.pop_front();
    ++running_;
    return;
  }
  worker.next = frontier_.pop();
  if (worker.next) ++running_;
}

void Execution::execute_one(Worker& worker) {
  if (worker.sum) return combine_one(worker);
  auto ready = std::move(*worker.next);
  worker.next.reset();
  worker.abandoned = false;
  worker.waited = {};
  try {
    execute(ready, worker);
  } catch (std::exception const& error) {
    if (!worker.abandoned) fail(error, fmt::format("task {}", graph_.name(ready.task)));
    std::scoped_lock const hold(mutex_);
    --running_;
  }
}

void Execution::poll_soon() {
  bool const caller = std::this_thread::get_id() == caller_;
  int vain = 0;
  for (int polls = 0; polls < most_polls && vain < polls_in_vain; ++polls) {
    vain = look(caller) ? 0 : vain + 1;
    if (vain > 0 && !(fast_links_ && has_open_requests_.load(std::memory_order_relaxed))) return;
  }
}

Traffic Execution::known_traffic() const {
  auto known = multicasts_.counted();
  known.messages_sent -= unforeseen_.messages_sent;
  known.messages_received -= unforeseen_.messages_received;
  known.bytes_sent -= unforeseen_.bytes_sent;
  known.bytes_received -= unforeseen_.bytes_received;
  return known;
}

void Execution::execute(Ready& ready, Worker& worker) {
  auto const step = step_of(ready.task);
  add_up(ready.inputs);
  auto const progress = [this] { poll_soon(); };
  if (fast_links_ && timed_ && graph_.work(ready.task).flops > long_task) poll_soon();
  auto const endpoint = ready.in_gang ? endpoint_of(ready, worker) : nullptr;
  if (ready.exchanges && !ready.has_sent && !exchange(ready, *endpoint, worker)) return;
  Context context(graph_, *pool_, workers_, ready, step, progress, endpoint.get());
  if (options_.record) worker.now = Clock::now();
  auto const begin = worker.now;
  graph_.run(ready.task, context);
  if (timed_) worker.now = Clock::now();
  auto const work = graph_.work(ready.task);
  if (options_.record) record_task(ready.task, worker, begin);
  find_children(ready.task, context, worker);
  // The task's inputs are released before it counts as done.
  context.forget();
  ready.inputs.clear();
  std::scoped_lock const hold(mutex_);
  fulfil_children(ready.task, worker);
  if (ready.ordered) announce_done(endpoint->gang());
  if (frontier_.has_new_members()) hurry_.store(true, std::memory_order_relaxed);
  report_.count.flops += work.flops;
  ++executed_;
  if (count_ && executed_ == *count_) has_tasks_.store(false, std::memory_order_relaxed);
  --running_;
  if (window_.bounds()) {
    window_.done(step);
    announce_step();
  }
  take_next(worker, begin);
}

void Execution::take_next(Worker& worker, Clock::time_point begin) {
  take_with_lock(worker);
  if (!timed_ && !worker.has_work()) worker.now = Clock::now();
  report_.busy_seconds += std::chrono::duration<double>(worker.now - begin - worker.waited).count();
}

void Execution::record_task(Task task, Worker const& worker, Clock::time_point begin) {
  Record record{Record::Activity::task, graph_.work(task).kernel, worker.index, -1, 0, task, graph_.name(task), 0,
                since_begin(begin),     since_begin(worker.now)};
  std::scoped_lock const hold(mutex_);
  report_.records.push_back(std::move(record));
}

void Execution::find_children(Task task, Context& context, Worker& worker) const {
  worker.edges.clear();
  worker.outputs.clear();
  worker.places.clear();
  graph_.children(task, [&](Edge const& edge) {
    auto const to = graph_.owner(edge.child);
    bool const given = edge.kind == EdgeKind::data || edge.kind == EdgeKind::sum;
    worker.edges.push_back({edge, to, given ? context.made(edge.output) : Block{}, 0});
    auto& block = worker.edges.back().block;
    bool waits = given && to == me_;
    if (edge.kind == EdgeKind::sum) {
      worker.edges.back().place = worker.places.size();
      worker.places.push_back(place_of(task, edge, to));
      if (to != me_ && !worker.places.back().place.parts.empty()) {
        waits = true;
        // A task that overwrites the tile waits until it has been sent, but must not wait for other contributions.
        bool const borrowed = graph_.in_place(task, edge.output) || graph_.forwards(task, edge.output) >= 0;
        if (borrowed) block = pool_->copy(block, step_of(edge.child));
      }
    }
    if (waits && window_.bounds()) pool_->used_until(block, graph_.step(edge.child));
    if (edge.kind == EdgeKind::data && to != me_) worker.outputs.emplace_back(edge.output, worker.edges.back().block);
  });
  auto const number = [](std::pair<int, Block> const& output) { return output.first; };
  std::ranges::sort(worker.outputs, {}, number);
  worker.outputs.erase(std::ranges::unique(worker.outputs, {}, number).begin(), worker.outputs.end());
}

void Execution::fulfil_children(Task task, Worker& worker) {
  for (auto& [output, block] : worker.outputs) {
    queue(name_of(output_of, task, output), std::nullopt, {std::move(block), task, output});
  }
  for (auto& leads : worker.edges) {
    auto& [edge, to, block, place] = leads;
    if (edge.kind == EdgeKind::sum) contribute(task, leads, std::move(worker.places[place]));
    if (edge.kind == EdgeKind::order) frontier_.fulfil(edge.child, std::nullopt);
    if (edge.kind == EdgeKind::data && to == me_) {
      frontier_.fulfil(edge.child, Given{edge.input, 0, std::move(block)});
    }
  }
  for (auto const& [edge, to, block, place] : worker.edges) {
    if (edge.kind == EdgeKind::sent && !leaves(task, edge.output)) frontier_.fulfil(edge.child, std::nullopt);
  }
  worker.edges.clear();
  worker.outputs.clear();
}

bool Execution::idle() {
  std::scoped_lock const hold(mutex_);
  if (running_ > 0 || unsent_ > 0 || !outgoing_.empty()) return false;
  if (announces_failure_) return multicasts_.may_be_over();
  if (stopped_) return true;
  if (!complete_.empty() || (options_.progress && count_ && !end_reported_)) return false;
  if (count_ ? executed_ < *count_ : !frontier_.empty()) return false;
  // The sent output may have been the last of its step: an idle rank sends only in response to messages.
  if (window_.bounds()) announce_step();
  return outgoing_.empty();
}

void Execution::watch(bool moved) {
  std::scoped_lock const hold(mutex_);
  auto const now = Clock::now();
  auto const stuck = static_cast<int>(awaiting_.size());
  if (moved || running_ > stuck || ((frontier_.has_ready() || !complete_.empty()) && stuck < options_.workers)) {
    moved_ = now;
    next_warning_ = options_.stall_seconds;
    return;
  }
  auto const still = std::chrono::duration<double>(now - moved_).count();
  if (options_.stall_seconds <= 0 || still < next_warning_) return;
  next_warning_ = 2 * still;
  auto const waits = frontier_.waiting_text(8);
  auto const others = others_text();
  fmt::print(stderr, "allport: rank {} has waited {:.1f} s, without progress: {} of {} tasks are done{}{}{}{}\n", me_,
             still, executed_, count_ ? fmt::format("{}", *count_) : "an unknown number of",
             waits.empty() ? "" : ", waiting: ", waits, others.empty() ? "" : "; ", others);
}

void Execution::fail(std::exception const& error, std::string const& where) {
  auto kind = ErrorKind::schedule;
  if (auto const* const known = dynamic_cast<Error const*>(&error)) kind = known->kind();
  bool const no_memory = dynamic_cast<std::bad_alloc const*>(&error) != nullptr;
  if (no_memory) kind = ErrorKind::memory;
  std::scoped_lock const hold(mutex_);
  fail(fmt::format("{}: {}", where, no_memory ? "out of memory" : error.what()), kind);
}

void Execution::fail(std::string const& what, ErrorKind kind) {
  if (!failure_.empty()) return;
  failure_ = what;
  failure_kind_ = kind;
  if (std::exchange(stopped_, true)) return;
  announces_failure_ = comm_.size() > 1;
  hurry_.store(true, std::memory_order_relaxed);
}

void Execution::announce_failure() {
  // The program may throw at any time. If the other ranks may have finished, the message would not be received: it is
  // delayed until the sum is known, and if that was the last one, only this rank fails.
  if (!announces_failure_ || multicasts_.may_be_over()) return;
  announces_failure_ = false;
  auto const here = multicasts_.ids().position(comm_.position(me_));
  Multicast all{comm_.position(me_), DestinationSet::all(multicasts_.ids()).without(here)};
  queue(name_of(failure, {}, 0), std::move(all), {});
}

}  // namespace allport::tasks
