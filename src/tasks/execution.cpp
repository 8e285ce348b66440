#include "execution.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <thread>
#include <utility>

namespace allport::tasks {

namespace {

constexpr int polls_before_sleep = 100;
constexpr auto between_looks = std::chrono::milliseconds(50);

}  // namespace

/// What a body sees.
class Execution::Context final : public TaskContext {
 public:
  Context(Execution& execution, Task task) : execution_(execution), task_(task) {}

  std::span<std::byte const> input(int index) const override { return given(index).bytes; }
  std::span<std::byte> output(int index) override { return block(index).bytes; }
  std::shared_ptr<void> keep_input(int index) const override { return given(index).memory; }
  std::shared_ptr<void> keep_output(int index) override { return block(index).memory; }
  void progress() override {
    if (!execution_.network_.try_lock()) return;
    std::scoped_lock const hold(std::adopt_lock, execution_.network_);
    static_cast<void>(execution_.talk(std::this_thread::get_id() == execution_.caller_));
  }

  void give(int index, Block block) { inputs_[index] = std::move(block); }
  /// An output that somebody waits for.
  /// @throws Error where the body has not asked for its memory, so that nothing can be in it
  Block const& made(int index) {
    auto const& graph = execution_.graph_;
    bool const nothing = graph.output(task_, index).bytes(graph.element()) == 0;
    ensure(outputs_.contains(index) || nothing || graph.in_place(task_, index), "output", index,
           fmt::format("to be filled by the body of {}", graph.name(task_)), "call context.output()",
           ErrorKind::schedule);
    return block(index);
  }
  /// An output's memory: the tile that it lies in, or its own.
  Block& block(int index) {
    auto const [at, fresh] = outputs_.try_emplace(index);
    if (!fresh) return at->second;
    auto const& graph = execution_.graph_;
    auto const bytes = graph.output(task_, index).bytes(graph.element());
    if (graph.in_place(task_, index)) {
      std::optional<Tile> tile;
      graph.writes(task_, [&](Tile t) { tile = tile.value_or(t); });
      ensure(tile.has_value(), "writes", graph.name(task_), "a tile, for a task with an output in place", "",
             ErrorKind::schedule);
      auto const memory = graph.memory(*tile);
      ensure(static_cast<std::int64_t>(memory.size()) >= bytes, "memory", memory.size(),
             fmt::format("at least the {} bytes of the output of {}", bytes, graph.name(task_)), "",
             ErrorKind::schedule);
      at->second.bytes = memory.first(static_cast<std::size_t>(bytes));
    } else if (bytes > 0) {
      at->second = execution_.pool_->allocate(bytes);
    }
    return at->second;
  }

 private:
  [[nodiscard]] Block const& given(int index) const {
    auto const at = inputs_.find(index);
    ensure(at != inputs_.end(), "input", index, "an input that an edge with data leads to", "", ErrorKind::schedule);
    return at->second;
  }

  Execution& execution_;
  Task task_;
  std::map<int, Block> inputs_;
  std::map<int, Block> outputs_;
};

Execution::Execution(TaskGraph const& graph, Communicator const& comm, RunOptions const& options)
    : graph_(graph),
      comm_(comm),
      options_(options),
      me_(comm.rank()),
      multicasts_(comm, TopologyIds(comm.machine(), TopologyIds::usual_bits(comm.size())), carried(),
                  [this](MessageName const& name) { return route(task_of(name), static_cast<int>(name[3])); }),
      only_caller_talks_(!Multicasts::any_thread()),
      frontier_(graph),
      count_(comm.rank() < graph.ranks() ? graph.count(comm.rank()) : 0),
      next_warning_(options.stall_seconds) {}

MulticastOptions Execution::carried() {
  MulticastOptions options;
  if (options_.record) options.watch = [this](Passage const& passage) { record_message(passage); };
  return options;
}

RunReport Execution::run() {
  if (options_.record) comm_.barrier();
  begin_ = Clock::now();
  try {
    std::scoped_lock const hold(mutex_);
    if (me_ < graph_.ranks()) graph_.entries(me_, [&](Task task) { frontier_.enter(task); });
  } catch (std::exception const& error) {
    fail(error, "the graph's entries");
  }
  std::vector<std::jthread> threads;
  for (int w = 1; w < options_.workers; ++w) threads.emplace_back([this, w] { work(w); });
  work(0);
  threads.clear();
  comm_.ensure_all_well(failure_, failure_kind_);
  report_.count.tasks = executed_;
  report_.count.traffic = multicasts_.counted();
  report_.control_messages = multicasts_.control_messages();
  report_.forwarded = multicasts_.forwarded();
  report_.peak_bytes = pool_->peak();
  report_.seconds = since_begin(Clock::now());
  return std::move(report_);
}

void Execution::work(int worker) {
  bool const caller = worker == 0;
  int polls = 0;
  while (!over_) {
    if (caller && options_.attend) attend();
    bool moved = false;
    if ((caller || !only_caller_talks_) && network_.try_lock()) {
      std::scoped_lock const hold(std::adopt_lock, network_);
      moved = talk(caller);
    }
    moved = execute_one(worker) || moved;
    polls = moved ? 0 : polls + 1;
    if (moved) continue;
    if (polls < polls_before_sleep) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

void Execution::attend() {
  auto const now = Clock::now();
  if (now - attended_ < between_looks) return;
  attended_ = now;
  try {
    options_.attend();
  } catch (std::exception const& error) {
    fail(error, "the program");
  }
}

bool Execution::execute_one(int worker) {
  std::optional<Ready> ready;
  {
    std::scoped_lock const hold(mutex_);
    if (stopped_) return false;
    ready = frontier_.pop();
    if (!ready) return false;
    ++running_;
  }
  auto const task = ready->task;
  try {
    execute(std::move(*ready), worker);
  } catch (std::exception const& error) {
    fail(error, fmt::format("task {}", graph_.name(task)));
  }
  std::scoped_lock const hold(mutex_);
  --running_;
  return true;
}

Block Execution::sum(std::vector<Given*> const& parts) {
  ensure(options_.combine != nullptr, "combine", "none", "an operator, for a graph with edges that carry sums");
  auto total = pool_->allocate(static_cast<std::int64_t>(parts.front()->block.bytes.size()));
  auto const* left = parts.front()->block.bytes.data();
  for (std::size_t p = 1; p < parts.size(); ++p) {
    ensure(parts[p]->block.bytes.size() == total.bytes.size(), "output", parts[p]->block.bytes.size(),
           fmt::format("{} bytes, as the sum's other contributions have", total.bytes.size()), "", ErrorKind::schedule);
    options_.combine(left, parts[p]->block.bytes.data(), total.bytes.data(),
                     static_cast<std::int64_t>(total.bytes.size()));
    left = total.bytes.data();
  }
  return total;
}

void Execution::execute(Ready ready, int worker) {
  Gang gang;
  ensure(!graph_.gang(ready.task, gang) || gang.members.size() < 2, "graph", graph_.name(ready.task),
         "a graph without gangs", "tasks that run together on several ranks are not run yet", ErrorKind::unsupported);
  Context context(*this, ready.task);
  std::ranges::sort(ready.inputs, {}, [](Given const& g) { return std::pair(g.input, g.contribution); });
  for (std::size_t first = 0; first < ready.inputs.size();) {
    std::vector<Given*> parts;
    auto const input = ready.inputs[first].input;
    for (; first < ready.inputs.size() && ready.inputs[first].input == input; ++first) {
      parts.push_back(&ready.inputs[first]);
    }
    context.give(input, parts.size() == 1 ? parts.front()->block : sum(parts));
  }
  auto const begin = Clock::now();
  graph_.run(ready.task, context);
  auto const end = Clock::now();
  finish(ready.task, context);
  auto const work = graph_.work(ready.task);
  std::scoped_lock const hold(mutex_);
  report_.busy_seconds += std::chrono::duration<double>(end - begin).count();
  report_.count.flops += work.flops;
  ++executed_;
  if (options_.record) {
    report_.records.push_back({Record::Deed::task, work.kernel, worker, -1, 0, ready.task, graph_.name(ready.task), 0,
                               since_begin(begin), since_begin(end)});
  }
}

void Execution::finish(Task task, Context& context) {
  struct Leads {
    Edge edge;
    Rank to;
    Block const* block;  ///< what is given along it
  };
  std::vector<Leads> edges;
  std::vector<int> outputs;  // that other ranks get
  graph_.children(task, [&](Edge const& edge) {
    auto const to = graph_.owner(edge.child);
    edges.push_back({edge, to, nullptr});
    if (edge.carries == Carries::data && to != me_) outputs.push_back(edge.output);
  });
  for (auto& one : edges) {
    if (one.edge.carries == Carries::data || one.edge.carries == Carries::sum)
      one.block = &context.made(one.edge.output);
  }
  std::ranges::sort(outputs);
  outputs.erase(std::ranges::unique(outputs).begin(), outputs.end());
  std::scoped_lock const hold(mutex_);
  for (auto const output : outputs) {
    queue(name_of(output_of, task, output), std::nullopt, {context.made(output), task, output});
  }
  for (auto const& [edge, to, block] : edges) {
    switch (edge.carries) {
      case Carries::data:
        if (to == me_) frontier_.fulfil(edge.child, Given{edge.input, 0, *block});
        break;
      case Carries::sum:
        contribute(task, edge, to, *block);
        break;
      case Carries::order:
        frontier_.fulfil(edge.child, std::nullopt);
        break;
      case Carries::sent:
        break;
    }
  }
  for (auto const& [edge, to, block] : edges) {
    if (edge.carries == Carries::sent && !leaves(task, edge.output)) frontier_.fulfil(edge.child, std::nullopt);
  }
}

void Execution::contribute(Task task, Edge const& edge, Rank to, Block const& block) {
  int index = 0;
  int mine = -1;
  graph_.contributors(edge.child, edge.input, [&](Task t) {
    if (t == task) mine = index;
    ++index;
  });
  if (to == me_) {
    frontier_.fulfil(edge.child, Given{edge.input, mine, block});
  } else {
    queue(name_of(contribution_to, edge.child, edge.input, mine), straight_to(to), {block, task, edge.output});
  }
}

bool Execution::idle() {
  std::scoped_lock const hold(mutex_);
  if (running_ > 0 || unsent_ > 0 || !outgoing_.empty()) return false;
  if (stopped_) return true;
  return count_ ? executed_ >= *count_ : frontier_.empty();
}

void Execution::watch(bool moved) {
  std::scoped_lock const hold(mutex_);
  auto const now = Clock::now();
  if (moved || running_ > 0 || !frontier_.empty()) {
    moved_ = now;
    next_warning_ = options_.stall_seconds;
    return;
  }
  auto const still = std::chrono::duration<double>(now - moved_).count();
  if (options_.stall_seconds <= 0 || still < next_warning_) return;
  next_warning_ = 2 * still;
  auto const waits = frontier_.waiting_text(8);
  fmt::print(stderr, "allport: rank {} has waited {:.1f} s, with nothing moving: {} of {} tasks are done{}{}\n", me_,
             still, executed_, count_ ? fmt::format("{}", *count_) : "an unknown number of",
             waits.empty() ? "" : ", waiting: ", waits);
}

void Execution::fail(std::exception const& error, std::string const& where) {
  std::scoped_lock const hold(mutex_);
  if (!failure_.empty()) return;
  failure_ = fmt::format("{}: {}", where, error.what());
  auto const* const known = dynamic_cast<Error const*>(&error);
  failure_kind_ = known != nullptr ? known->kind() : ErrorKind::schedule;
  if (std::exchange(stopped_, true)) return;
  auto const here = multicasts_.ids().position(comm_.position(me_));
  Multicast all{comm_.position(me_), DestinationSet::all(multicasts_.ids()).without(here)};
  if (comm_.size() > 1) queue(name_of(failure, {}, 0), std::move(all), {});
}

}  // namespace allport::tasks
