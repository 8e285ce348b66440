// Simulation of tasks on workers: ready, running, waiting for a gang; and the use of every rank's time.
#include "allport/graph/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "simulation.h"

namespace allport::graph {

SimulateResult Simulation::run() {
  for (Rank r = 0; r < graph_.ranks() && options_.in_steps; ++r) {
    queues(r).step = options_.first - 1;
    next_step(r);
  }
  for (Rank r = 0; r < graph_.ranks(); ++r) {
    graph_.entries(r, [&](Task task) {
      if (!is_window() || is_in_window(task)) become_ready(task, r, {});
    });
  }
  if (is_window()) enter_midway();
  for (Rank r = 0; r < graph_.ranks(); ++r) begin_tasks(r);
  while (true) {
    if (events_.empty() && is_window()) release_rest();
    if (events_.empty()) break;
    auto const event = events_.take();
    if (event.kind() == Event::done && event.leg != running_[event.what].version) continue;
    now_ = event.time;
    look_ahead();
    switch (event.kind()) {
      case Event::done:
        finish(event.what);
        break;
      case Event::leave:
        leave(event.what, event.leg);
        break;
      case Event::arrive:
        arrive(event.what, event.leg);
        break;
      case Event::exchanged:
        exchanged(event.what);
        break;
    }
  }
  ensure_all_ran();
  result_.seconds = now_;
  for (auto& clock : clocks_) {
    pass(clock);
    result_.ranks.push_back(clock.spent);
  }
  result_.link_busy = links_.busy();
  for (std::size_t s = 1; s < result_.step_ends.size(); ++s) {
    result_.step_ends[s] = std::max(result_.step_ends[s], result_.step_ends[s - 1]);
  }
  return std::move(result_);
}

void Simulation::look_ahead() {
  if (auto const* soon = events_.ahead(2); soon != nullptr && soon->kind() < Event::done) {
    __builtin_prefetch(&transit_[soon->what]);
  }
  if (auto const* next = events_.ahead(0); next != nullptr && next->kind() < Event::done) {
    __builtin_prefetch(&transit_[next->what].legs[static_cast<std::size_t>(next->leg)]);
  }
}

void Simulation::enter_midway() {
  constexpr std::int64_t reach = 4;  // steps back from which edges are looked for; release_rest() has the others
  result_.step_ends.assign(static_cast<std::size_t>(options_.end - options_.first), 0.0);
  result_.step_work.assign(result_.step_ends.size(), 0.0);
  for (auto s = std::max<std::int64_t>(options_.first - reach, 0); s < options_.first; ++s) {
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      graph_.tasks(r, s, [&](Task task) {
        graph_.children(task, [&](Edge const& edge) { fulfil(edge.child, graph_.owner(edge.child), {}, 1); });
      });
    }
  }
}

void Simulation::release_rest() {
  std::vector<std::pair<Task, Waiting>> rest;
  waiting_.each([&](Task task, Waiting const& waited) { rest.emplace_back(task, waited); });
  std::ranges::sort(rest, {}, &std::pair<Task, Waiting>::first);
  for (auto const& [task, waited] : rest) fulfil(task, graph_.owner(task), waited, waited.parents);
  for (auto const& [task, waited] : rest) begin_tasks(graph_.owner(task));
}

void Simulation::note_step(Task task, double seconds) {
  auto const step = static_cast<std::size_t>(graph_.step(task) - options_.first);
  result_.step_work[step] += seconds;
  if (graph_.work(task).flops <= 0) return;
  auto& end = result_.step_ends[step];
  end = std::max(end, now_);
}

std::int64_t Simulation::keep(Span const& span) {
  if (!options_.trace || static_cast<std::int64_t>(result_.spans.size()) >= options_.trace_limit) return -1;
  result_.spans.push_back(span);
  auto const number = static_cast<std::int64_t>(result_.spans.size()) - 1;
  if (result_.last < 0 || span.end > result_.spans[static_cast<std::size_t>(result_.last)].end) result_.last = number;
  return number;
}

void Simulation::pass(Clock& of) const {
  auto const time = now_ - of.since;
  auto const unused = options_.workers - of.computing - of.in_gangs;
  of.spent.compute += time * of.computing;
  of.spent.communicate += time * (of.in_gangs + (of.in_flight > 0 ? unused : 0));
  of.spent.idle += of.in_flight > 0 ? 0.0 : time * unused;
  of.since = now_;
}

void Simulation::become_ready(Task task, Rank rank, Waiting const& waited) {
  if (!graph_.gang(task, gang_) || gang_.members.size() < 2) {
    queue(rank, {graph_.priority(task), ++order_, task, waited});
    return;
  }
  auto const name = gang_.members.front();
  auto& entered = *gangs_.insert(name).first;
  if (entered.empty()) entered.reserve(gang_.members.size());
  entered.push_back({task, waited, rank});
  if (entered.size() < gang_.members.size()) return;
  auto members = std::move(entered);
  gangs_.erase(name);
  auto number = called_.size();
  if (free_calls_.empty()) {
    called_.emplace_back();
  } else {
    number = free_calls_.back();
    free_calls_.pop_back();
  }
  called_[number] = {static_cast<int>(members.size()), along_.gang_seconds(graph_, gang_), {}, {}};
  if (gang_.exchanges && !options_.in_steps) {  // who takes one step after the other waits in it
    for (auto const& m : members) {
      pass(clock(m.rank));
      ++clock(m.rank).in_flight;
    }
    auto until = now_ + called_[number].seconds;
    // Relays forward segment by segment: all links of a message's route are occupied at once.
    auto const book = [&](Hop const& hop) {
      until = std::max(until, links_.cross(hop.from, hop.to, hop.bytes, now_, now_).tail);
    };
    each_expected(graph_, gang_, [&](Delivery const& one) { transport_.hops(one, book); });
    called_[number].waiting = std::move(members);
    return at(until, Event::exchanged, number);
  }
  called_[number].members.reserve(members.size());
  // One order of all gangs on all ranks avoids deadlocks among gangs.
  auto const order = all_called_++;
  for (auto const& m : members) {
    auto const first = std::numeric_limits<double>::max();
    queue(m.rank, {first, order, m.task, m.waited, static_cast<std::int64_t>(number)});
  }
  for (auto const& m : members) begin_tasks(m.rank);
}

void Simulation::exchanged(std::size_t number) {
  auto const members = std::move(called_[number].waiting);
  free_calls_.push_back(number);
  for (auto const& m : members) {
    pass(clock(m.rank));
    --clock(m.rank).in_flight;
    queue(m.rank, {graph_.priority(m.task), ++order_, m.task, m.waited});
  }
  for (auto const& m : members) begin_tasks(m.rank);
}

void Simulation::queue(Rank rank, Ready const& task) {
  auto& here = queues(rank);
  if (options_.in_steps && graph_.step(task.task) > here.step) {
    here.early.push_back(task);
  } else {
    here.ready.push(task);
  }
}

void Simulation::next_step(Rank rank) {
  auto& here = queues(rank);
  auto const end = is_window() ? options_.end : graph_.steps();
  while (here.left == 0 && ++here.step < end) graph_.tasks(rank, here.step, [&](Task) { ++here.left; });
  std::erase_if(here.early, [&](Ready const& task) {
    bool const due = graph_.step(task.task) <= here.step;
    if (due) here.ready.push(task);
    return due;
  });
}

void Simulation::begin_tasks(Rank rank) {
  auto& here = queues(rank);
  while (!here.free.empty() && !here.ready.empty()) {
    auto const next = here.ready.top();
    here.ready.pop();
    pass(clock(rank));
    std::size_t slot = running_.size();
    if (free_slots_.empty()) {
      running_.emplace_back();
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    auto& task = running_[slot];
    auto const version = task.version + 1;
    task = {.task = next.task, .waited = next.waited, .rank = rank, .worker = here.free.back(), .begin = now_};
    task.version = version;
    auto const needs = graph_.work(next.task);
    auto const work = rates_.seconds(needs);
    task.seconds = links_.cores().alone(work);
    here.free.pop_back();
    if (next.gang >= 0) {
      task.gang = next.gang;
      ++clock(rank).in_gangs;
      take_part(slot);
    } else {
      ++clock(rank).computing;
      if (memory_.limits() && needs.bytes > 0) {
        begin_sharing(slot, needs, needs.flops > 0 ? links_.cores().done(now_, work) - now_ : needs.seconds);
      } else {
        begin(slot, links_.cores().done(now_, work) - now_);
      }
    }
  }
}

void Simulation::take_part(std::size_t slot) {
  auto const number = static_cast<std::size_t>(running_[slot].gang);
  auto& call = called_[number];
  call.members.push_back(slot);
  if (--call.missing > 0) return;
  double longest = 0;
  for (auto const member : call.members) {
    auto const work = rates_.seconds(graph_.work(running_[member].task));
    longest = std::max(longest, links_.cores().done(now_, work) - now_);
  }
  for (auto const member : call.members) begin(member, longest + call.seconds);
  call.members = {};
  free_calls_.push_back(number);
}

void Simulation::begin(std::size_t slot, double seconds) {
  auto& task = running_[slot];
  auto const cause = task.waited.cause;
  task.span = keep({task.begin, now_ + seconds, cause, task.task, task.rank, -1, task.worker, 0});
  at(now_ + seconds, Event::done, slot, task.version);
}

void Simulation::begin_sharing(std::size_t slot, Work const& work, double seconds) {
  auto& task = running_[slot];
  task.tile = task.task;  // of its own, where it names none
  bool named = false;
  graph_.writes(task.task, [&](Tile tile) {
    if (!named) task.tile = tile;
    named = true;
  });
  task.shares = true;
  task.bytes = memory_.bytes_to_move(task.rank, task.worker, task.tile, work);
  task.seconds = seconds - work.seconds;
  task.span = keep({task.begin, now_, task.waited.cause, task.task, task.rank, -1, task.worker, 0});
  task.starts = work.seconds > 0;
  if (!task.starts) return move_bytes(slot);
  at(now_ + work.seconds, Event::done, slot, task.version);
}

void Simulation::move_bytes(std::size_t slot) {
  auto& task = running_[slot];
  task.starts = false;
  memory_.begin(slot, task.rank, task.worker, task.tile, now_, task.seconds, task.bytes);
  schedule_changed(task.rank);
}

void Simulation::schedule_changed(Rank rank) {
  memory_.each_changed(rank, [&](std::size_t slot, double end) {
    at(std::max(end, now_), Event::done, slot, ++running_[slot].version);
  });
}

void Simulation::finish(std::size_t slot) {
  if (running_[slot].starts) return move_bytes(slot);
  if (auto& task = running_[slot]; task.shares) {
    task.seconds = now_ - task.begin;
    if (task.span >= 0) {
      result_.spans[static_cast<std::size_t>(task.span)].end = now_;
      if (now_ > result_.spans[static_cast<std::size_t>(result_.last)].end) result_.last = task.span;
    }
    memory_.end(slot, task.rank, now_);
    schedule_changed(task.rank);
  }
  auto const task = running_[slot];
  free_slots_.push_back(slot);
  auto& here = clock(task.rank);
  pass(here);
  if (task.gang >= 0) {
    --here.in_gangs;
    here.spent.compute += task.seconds;
    here.spent.communicate -= task.seconds;
  } else {
    --here.computing;
  }
  queues(task.rank).free.push_back(task.worker);
  if (options_.in_steps && --queues(task.rank).left == 0) next_step(task.rank);
  ++result_.tasks;
  if (is_window()) note_step(task.task, task.seconds);
  report_progress();
  Waiting behind{0, task.waited.tasks + 1, task.waited.work + task.seconds, task.span};
  result_.longest_work = std::max(result_.longest_work, behind.work);
  result_.longest_tasks = std::max<std::int64_t>(result_.longest_tasks, behind.tasks);
  send_outputs(task.task, behind);
  begin_tasks(task.rank);
}

void Simulation::report_progress() const {
  constexpr std::int64_t often = 65536;
  if (!options_.progress || result_.tasks % often != 0 || options_.progress(result_.tasks)) return;
  throw Error(ErrorKind::unsupported, fmt::format("simulate: ended by its caller after {} tasks", result_.tasks));
}

void Simulation::fulfil(Task task, Rank owner, Waiting const& behind, int parents) {
  if (is_window() && !is_in_window(task)) return;
  auto const [entry, is_new] = waiting_.insert(task);
  if (is_new) {
    entry->parents = graph_.num_parents(task);
    result_.most_waiting = std::max(result_.most_waiting, static_cast<std::int64_t>(waiting_.size()));
  }
  entry->parents -= parents;
  entry->tasks = std::max(entry->tasks, behind.tasks);
  entry->work = std::max(entry->work, behind.work);
  entry->cause = behind.cause;
  if (entry->parents > 0) return;
  auto const waited = *entry;
  waiting_.erase(task);
  become_ready(task, owner, waited);
}

void Simulation::ensure_all_ran() const {
  std::string first;
  auto const meet = [&](Task task, std::string const& why) {
    if (first.empty()) first = graph_.name(task) + why;
  };
  waiting_.each([&](Task task, Waiting const& w) { meet(task, fmt::format(" waits for {} more parents", w.parents)); });
  gangs_.each([&](Task task, auto const&) { meet(task, " waits for the others of its gang"); });
  if (!first.empty()) throw Error(ErrorKind::schedule, "graph: no task can run, and " + first);
}

SimulateResult simulate(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                        SimulateOptions const& options) {
  ensure(graph.ranks() <= machine.ranks(), "machine", machine.ranks(), fmt::format("{} ranks", graph.ranks()),
         "take a larger machine");
  ensure(options.workers >= 1, "workers", options.workers, "a number of workers >= 1");
  ensure(options.segment >= 1, "segment", options.segment, "bytes >= 1");
  ensure(!options.in_steps || graph.steps() > 0, "in_steps", options.in_steps, "a graph with steps");
  ensure(options.end == 0 || (options.first >= 0 && options.first < options.end && options.end <= graph.steps()), "end",
         options.end, fmt::format("0, or a step behind {} of the graph's {}", options.first, graph.steps()));
  return Simulation(graph, machine, transport, options).run();
}

std::vector<Span> SimulateResult::critical_path() const {
  std::vector<Span> path;
  for (auto at = last; at >= 0; at = spans[static_cast<std::size_t>(at)].cause) {
    path.push_back(spans[static_cast<std::size_t>(at)]);
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace allport::graph
