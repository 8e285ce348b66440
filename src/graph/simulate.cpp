#include "allport/graph/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

#include "links.h"
#include "talk.h"
#include "task_map.h"
#include "transit.h"

namespace allport::graph {

namespace {

/// A task that has some of its parents.
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
  std::int64_t gang = -1;  // number of those whose members have all become ready
};

struct Event {
  enum Kind : std::uint8_t { arrive, leave, done } kind;
  double time = 0;
  std::uint64_t order = 0;
  std::size_t what = 0;  // leave, arrive: parcel; done: running
  std::int32_t leg = 0;

  friend bool operator<(Event const& a, Event const& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
};

/// What a rank's workers do, and since when.
struct Seat {
  std::priority_queue<Ready> ready;
  std::vector<int> free;  // workers
  int computing = 0;
  int talking = 0;             // in gangs
  std::int64_t under_way = 0;  // messages to and from it
  double since = 0;
  Spent spent;
};

class Simulation {
 public:
  Simulation(TaskGraph const& graph, Machine const& machine, Carrier const& carrier, SimulateOptions const& options)
      : graph_(graph),
        machine_(machine),
        carrier_(carrier),
        options_(options),
        rates_(machine, options.factor),
        links_(machine),
        seats_(static_cast<std::size_t>(graph.ranks())) {
    for (auto& seat : seats_) {
      for (int w = options.workers - 1; w >= 0; --w) seat.free.push_back(w);
    }
  }

  SimulateResult run() {
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      graph_.entries(r, [&](Task task) { become_ready(task, r, {}); });
    }
    for (Rank r = 0; r < graph_.ranks(); ++r) begin_tasks(r);
    while (!events_.empty()) {
      auto const event = events_.top();
      events_.pop();
      now_ = event.time;
      switch (event.kind) {
        case Event::done:
          finish(event.what);
          break;
        case Event::leave:
          leave(event.what, event.leg);
          break;
        case Event::arrive:
          arrive(event.what, event.leg);
          break;
      }
    }
    ensure_all_ran();
    result_.seconds = now_;
    for (auto& seat : seats_) {
      pass(seat);
      result_.ranks.push_back(seat.spent);
    }
    result_.link_busy = links_.busy();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Seat& seat(Rank rank) { return seats_[static_cast<std::size_t>(rank)]; }
  void at(double time, Event::Kind kind, std::size_t what, std::int32_t leg = 0) {
    events_.push({kind, time, ++order_, what, leg});
  }
  std::int64_t keep(Span const& span) {
    if (!options_.trace || static_cast<std::int64_t>(result_.spans.size()) >= options_.trace_limit) return -1;
    result_.spans.push_back(span);
    auto const number = static_cast<std::int64_t>(result_.spans.size()) - 1;
    if (result_.last < 0 || span.end > result_.spans[static_cast<std::size_t>(result_.last)].end) result_.last = number;
    return number;
  }

  /// Books the time since the last change of what the rank does.
  void pass(Seat& of) const {
    auto const time = now_ - of.since;
    auto const unused = options_.workers - of.computing - of.talking;
    of.spent.compute += time * of.computing;
    of.spent.communicate += time * (of.talking + (of.under_way > 0 ? unused : 0));
    of.spent.idle += of.under_way > 0 ? 0.0 : time * unused;
    of.since = now_;
  }

  void become_ready(Task task, Rank rank, Waiting const& waited) {
    if (!graph_.gang(task, gang_) || gang_.members.size() < 2) {
      seat(rank).ready.push({graph_.priority(task), ++order_, task, waited});
      return;
    }
    auto const name = gang_.members.front();
    auto& entered = *gangs_.insert(name).first;
    entered.push_back({task, waited, rank});
    if (entered.size() < gang_.members.size()) return;
    // One order of all gangs: no rank takes them otherwise, so that none waits for another in a circle.
    auto const number = static_cast<std::int64_t>(called_.size());
    called_.push_back({static_cast<int>(entered.size()), talk_seconds(graph_, gang_, carrier_, links_), {}});
    auto const members = entered;
    gangs_.erase(name);
    for (auto const& m : members) {
      auto const first = std::numeric_limits<double>::max();
      seat(m.rank).ready.push({first, static_cast<std::uint64_t>(number), m.task, m.waited});
      *gang_of_.insert(m.task).first = number;
    }
    for (auto const& m : members) begin_tasks(m.rank);
  }

  void begin_tasks(Rank rank) {
    auto& here = seat(rank);
    while (!here.free.empty() && !here.ready.empty()) {
      auto const next = here.ready.top();
      here.ready.pop();
      pass(here);
      std::size_t slot = running_.size();
      if (free_slots_.empty()) {
        running_.emplace_back();
      } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
      }
      auto& task = running_[slot];
      task = {next.task, next.waited, rank, here.free.back(), now_, rates_.seconds(graph_.work(next.task)), -1, -1};
      here.free.pop_back();
      if (auto const* number = gang_of_.find(next.task)) {
        task.gang = *number;
        gang_of_.erase(next.task);
        ++here.talking;
        take_part(slot);
      } else {
        ++here.computing;
        begin(slot, task.seconds);
      }
    }
  }

  /// A member has its worker; with the last one the gang starts.
  void take_part(std::size_t slot) {
    auto& call = called_[static_cast<std::size_t>(running_[slot].gang)];
    call.members.push_back(slot);
    if (--call.missing > 0) return;
    double longest = 0;
    for (auto const member : call.members) longest = std::max(longest, running_[member].seconds);
    for (auto const member : call.members) begin(member, longest + call.talk);
    call.members = {};
  }

  void begin(std::size_t slot, double seconds) {
    auto& task = running_[slot];
    auto const cause = task.waited.cause;
    task.span = keep({task.begin, now_ + seconds, cause, task.task, task.rank, -1, task.worker, 0});
    at(now_ + seconds, Event::done, slot);
  }

  void finish(std::size_t slot) {
    auto const task = running_[slot];
    free_slots_.push_back(slot);
    auto& here = seat(task.rank);
    pass(here);
    if (task.gang >= 0) {
      --here.talking;
      here.spent.compute += task.seconds;
      here.spent.communicate -= task.seconds;
    } else {
      --here.computing;
    }
    here.free.push_back(task.worker);
    ++result_.tasks;
    tell_progress();
    Waiting behind{0, task.waited.tasks + 1, task.waited.work + task.seconds, task.span};
    result_.longest_work = std::max(result_.longest_work, behind.work);
    result_.longest_tasks = std::max<std::int64_t>(result_.longest_tasks, behind.tasks);
    hand_on(task.task, behind);
    begin_tasks(task.rank);
  }

  void tell_progress() const {
    constexpr std::int64_t often = 65536;
    if (!options_.progress || result_.tasks % often != 0 || options_.progress(result_.tasks)) return;
    throw Error(ErrorKind::unsupported, fmt::format("simulate: ended by its caller after {} tasks", result_.tasks));
  }

  void hand_on(Task task, Waiting const& behind) {
    leaving_.read(graph_, task);
    auto const me = leaving_.owner();
    for (auto const& sending : leaving_.sendings()) {
      if (sending.ranks.size() < 2 || sending.bytes == 0) continue;
      auto const number =
          transit_.open(carrier_, {task, sending.output, Collective::broadcast, sending.ranks, 0, sending.bytes, 1});
      auto& parcel = transit_[number];
      for (auto const& heir : leaving_.heirs()) {
        if (heir.edge.carries == Carries::data && heir.edge.output == sending.output && heir.owner != me) {
          parcel.heirs.push_back(heir);
        }
      }
      std::ranges::stable_sort(parcel.heirs, {}, &Heir::owner);
      remember(number, behind);
      start_legs(number, me, behind.cause);
    }
    for (auto const& heir : leaving_.heirs()) {
      if (heir.edge.carries == Carries::sum && !is_empty(task, heir.edge)) {
        contribute(task, heir, me, behind);
      } else if (heir.owner == me || is_empty(task, heir.edge)) {
        fulfil(heir.edge.child, heir.owner, behind, 1);
        if (heir.owner != me) begin_tasks(heir.owner);
      }
    }
  }

  [[nodiscard]] bool is_empty(Task task, Edge const& edge) const {
    return graph_.output(task, edge.output).bytes(graph_.element()) == 0;
  }

  void remember(std::size_t number, Waiting const& behind) {
    if (carried_.size() <= number) carried_.resize(number + 1);
    carried_[number] = behind;
  }

  /// One task's part of a sum; with the first one it is known who takes part.
  void contribute(Task task, Heir const& heir, Rank me, Waiting const& behind) {
    auto const key = std::pair(heir.edge.child, heir.edge.input);
    auto known = sums_.find(key);
    if (known == sums_.end()) {
      contributors_.clear();
      graph_.contributors(heir.edge.child, heir.edge.input, [&](Task t) { contributors_.push_back(graph_.owner(t)); });
      auto const root = std::ranges::find(contributors_, heir.owner) - contributors_.begin();
      auto const bytes = graph_.output(task, heir.edge.output).bytes(graph_.element());
      auto const number = transit_.open(carrier_, {heir.edge.child, heir.edge.input, Collective::reduce, contributors_,
                                                   static_cast<int>(root), bytes, graph_.element()});
      auto& parcel = transit_[number];
      for (std::size_t l = 0; l < parcel.used; ++l) ++parcel.legs[l].waits;
      parcel.heirs.push_back(heir);
      parcel.contributions = static_cast<std::int32_t>(contributors_.size());
      parcel.to_come = parcel.arrivals[parcel.index(heir.owner)] + 1;
      remember(number, {});
      known = sums_.emplace(key, number).first;
    }
    auto const number = known->second;
    auto& parcel = transit_[number];
    auto& so_far = carried_[number];
    so_far.tasks = std::max(so_far.tasks, behind.tasks);
    so_far.work = std::max(so_far.work, behind.work);
    for (std::size_t l = 0; l < parcel.used; ++l) {
      auto& leg = parcel.legs[l];
      if (leg.hop.from == me) release(number, static_cast<std::int32_t>(l), now_, now_, behind.cause);
    }
    if (me == heir.owner) summed(number, behind.cause);
  }

  void summed(std::size_t number, std::int64_t cause) {
    auto& parcel = transit_[number];
    if (--parcel.to_come > 0) return;
    auto const heir = parcel.heirs.front();
    auto behind = carried_[number];
    behind.cause = cause;
    sums_.erase(std::pair(heir.edge.child, heir.edge.input));
    auto const contributions = parcel.contributions;
    transit_.close(number);
    fulfil(heir.edge.child, heir.owner, behind, contributions);
    begin_tasks(heir.owner);
  }

  void start_legs(std::size_t number, Rank from, std::int64_t cause) {
    auto& parcel = transit_[number];
    for (std::size_t l = 0; l < parcel.used; ++l) {
      auto& leg = parcel.legs[l];
      if (leg.hop.from != from || leg.waits > 0) continue;
      leg.first = leg.last = now_;
      leg.cause = cause;
      at(now_, Event::leave, number, static_cast<std::int32_t>(l));
    }
  }

  /// One of the things that a leg waits for is there from `first` on, the last of it at `last`.
  void release(std::size_t number, std::int32_t index, double first, double last, std::int64_t cause) {
    auto& leg = transit_[number].legs[static_cast<std::size_t>(index)];
    leg.first = std::max(leg.first, first);
    if (last >= leg.last) leg.cause = cause;
    leg.last = std::max(leg.last, last);
    if (--leg.waits == 0) at(std::max(leg.first, now_), Event::leave, number, index);
  }

  void leave(std::size_t number, std::int32_t index) {
    auto& parcel = transit_[number];
    auto& leg = parcel.legs[static_cast<std::size_t>(index)];
    auto const& hop = leg.hop;
    auto const piece = std::min(hop.bytes, options_.segment);
    auto const passage = links_.cross(hop.from, hop.to, hop.bytes, now_, leg.last);
    auto const span = keep({passage.begin, passage.tail, leg.cause, parcel.task, hop.from, hop.to, 0, hop.bytes});
    leg.cause = span;
    ++result_.hops;
    under_way(hop, 1);
    auto const trailing = links_.trailing(hop.from, hop.to, piece);
    auto const first = std::min(passage.head + trailing, passage.tail);
    for (auto const next : leg.next) {
      auto const& onward = parcel.legs[static_cast<std::size_t>(next)].hop;
      release(number, next, first, passage.tail + links_.trailing(onward.from, onward.to, piece), span);
    }
    at(passage.tail, Event::arrive, number, index);
  }

  /// Ranks behind those of the graph, which only relay, have no workers whose time would be spent.
  void under_way(Hop const& hop, int more) {
    for (auto const r : {hop.from, hop.to}) {
      if (r >= graph_.ranks()) continue;
      pass(seat(r));
      seat(r).under_way += more;
    }
  }

  void arrive(std::size_t number, std::int32_t index) {
    auto& parcel = transit_[number];
    auto const hop = parcel.legs[static_cast<std::size_t>(index)].hop;
    auto const cause = parcel.legs[static_cast<std::size_t>(index)].cause;
    under_way(hop, -1);
    bool const complete = --parcel.arrivals[parcel.index(hop.to)] == 0;
    bool const over = --parcel.under_way == 0;
    if (parcel.is_sum) {
      if (hop.to == parcel.heirs.front().owner) summed(number, cause);
      return;
    }
    if (complete) {
      auto behind = carried_[number];
      behind.cause = cause;
      auto const begin = std::ranges::lower_bound(parcel.heirs, hop.to, {}, &Heir::owner);
      auto const end = std::ranges::upper_bound(parcel.heirs, hop.to, {}, &Heir::owner);
      for (auto heir = begin; heir != end; ++heir) fulfil(heir->edge.child, hop.to, behind, 1);
      if (begin != end) begin_tasks(hop.to);
    }
    if (over) transit_.close(number);
  }

  /// So many of a task's parents have given it what it waits for.
  void fulfil(Task task, Rank owner, Waiting const& behind, int parents) {
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

  void ensure_all_ran() const {
    std::string first;
    auto const meet = [&](Task task, std::string const& why) {
      if (first.empty()) first = graph_.name(task) + why;
    };
    waiting_.each(
        [&](Task task, Waiting const& w) { meet(task, fmt::format(" waits for {} more parents", w.parents)); });
    gangs_.each([&](Task task, auto const&) { meet(task, " waits for the others of its gang"); });
    if (!first.empty()) throw Error(ErrorKind::schedule, "graph: nothing runs any more, and " + first);
  }

  struct Member {
    Task task;
    Waiting waited;
    Rank rank = 0;
  };
  struct Call {
    int missing = 0;
    double talk = 0;
    std::vector<std::size_t> members;
  };

  TaskGraph const& graph_;
  Machine const& machine_;
  Carrier const& carrier_;
  SimulateOptions const& options_;
  Rates rates_;
  Links links_;
  std::vector<Seat> seats_;
  std::priority_queue<Event> events_;
  double now_ = 0;
  std::uint64_t order_ = 0;
  TaskMap<Waiting> waiting_;
  TaskMap<std::vector<Member>> gangs_;  // those whose members are not all ready
  TaskMap<std::int64_t> gang_of_;       // members of those that are, until they have a worker
  std::vector<Call> called_;
  std::map<std::pair<Task, int>, std::size_t> sums_;
  std::vector<Waiting> carried_;  // by parcel
  Transit transit_;
  std::vector<Running> running_;
  std::vector<std::size_t> free_slots_;
  Leaving leaving_;
  Gang gang_;
  std::vector<Rank> contributors_;
  SimulateResult result_;
};

}  // namespace

SimulateResult simulate(TaskGraph const& graph, Machine const& machine, Carrier const& carrier,
                        SimulateOptions const& options) {
  ensure(graph.ranks() <= machine.ranks(), "machine", machine.ranks(), fmt::format("{} ranks", graph.ranks()),
         "take a larger machine");
  ensure(options.workers >= 1, "workers", options.workers, "a number of workers >= 1");
  ensure(options.segment >= 1, "segment", options.segment, "bytes >= 1");
  return Simulation(graph, machine, carrier, options).run();
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
