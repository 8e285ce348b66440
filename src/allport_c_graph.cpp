// The C interface: task graphs whose functions are the program's.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "allport/graph/check.h"
#include "allport/graph/simulate.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "allport_c_body.h"
#include "allport_c_calls.h"

struct allport_visitor_s {
  allport::TaskGraph::VisitTask task{};
  allport::TaskGraph::VisitEdge edge{};
  allport::Gang* gang = nullptr;
};

namespace {

using namespace allport;
using namespace allport::c_interface;

allport_task c_task(Task const& t) { return {t.kind, t.layer, t.i, t.j, t.k}; }
Task task_of(allport_task const& t) { return {t.kind, t.layer, t.i, t.j, t.k}; }

class CGraph final : public TaskGraph {
 public:
  CGraph(Rank ranks, void* context) : ranks_(ranks), context_(context) {}

  allport_graph_of_rank entries_at = nullptr;
  allport_graph_of_rank exits_at = nullptr;
  allport_graph_count counts = nullptr;
  allport_graph_number owns = nullptr;
  allport_graph_number has_parents = nullptr;
  allport_graph_of_task has_children = nullptr;
  allport_graph_of_input sums = nullptr;
  allport_graph_bytes makes = nullptr;
  allport_graph_parts shares = nullptr;
  allport_graph_price ranks_high = nullptr;
  allport_graph_price costs = nullptr;
  allport_graph_body does = nullptr;
  allport_graph_of_task overwrites = nullptr;
  allport_graph_flag stays = nullptr;
  allport_graph_forwards hands_on = nullptr;
  allport_graph_memory lies = nullptr;
  allport_graph_of_task gangs = nullptr;
  allport_graph_of_step tasks_of = nullptr;
  allport_graph_step step_of = nullptr;
  std::int64_t all_steps = 0;

  /// @throws Error naming the first function that is missing
  void ensure_whole(bool runs) const {
    auto const needs = [](bool is_set, char const* name) {
      ensure(is_set, "graph", fmt::format("one without {}", name), fmt::format("allport_graph_set_{}() before", name));
    };
    needs(entries_at != nullptr, "entries");
    needs(owns != nullptr, "owner");
    needs(has_parents != nullptr, "parents");
    needs(has_children != nullptr, "children");
    needs(exits_at != nullptr || counts != nullptr, "count");
    if (stays != nullptr) needs(overwrites != nullptr, "writes");
    if (stays != nullptr && runs) needs(lies != nullptr, "memory");
    if (runs) needs(does != nullptr, "body");
  }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  /// Bytes that sums must not cut apart; of a graph without sums nothing hangs on it.
  void set_element(std::int64_t bytes) { element_ = sums == nullptr ? 1 : bytes; }
  void entries(Rank rank, VisitTask visit) const override { visited(entries_at, visit, rank); }
  void exits(Rank rank, VisitTask visit) const override {
    if (exits_at != nullptr) visited(exits_at, visit, rank);
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    return counts == nullptr ? std::nullopt : std::optional(counts(context_, rank));
  }
  Rank owner(Task task) const override {
    auto const asked = c_task(task);
    auto const rank = owns(context_, &asked);
    ensure(rank >= 0 && rank < ranks_, "owner", fmt::format("{} of {}", rank, name(task)),
           fmt::format("a rank in 0..{}", ranks_ - 1), "", ErrorKind::schedule);
    return rank;
  }
  int num_parents(Task task) const override {
    auto const asked = c_task(task);
    auto const parents = has_parents(context_, &asked);
    ensure(parents >= 0, "parents", fmt::format("{} of {}", parents, name(task)), "0 or more", "", ErrorKind::schedule);
    return parents;
  }
  void children(Task task, VisitEdge visit) const override {
    auto const asked = c_task(task);
    allport_visitor_s visitor{.edge = visit};
    has_children(context_, &asked, &visitor);
  }
  void contributors(Task child, int input, VisitTask visit) const override {
    auto const asked = c_task(child);
    allport_visitor_s visitor{.task = visit};
    if (sums != nullptr) sums(context_, &asked, input, &visitor);
  }
  Shape output(Task task, int index) const override {
    auto const asked = c_task(task);
    auto const bytes = makes == nullptr ? 0 : makes(context_, &asked, index);
    ensure(bytes >= 0, "output", fmt::format("{} bytes of {}", bytes, name(task)), "0 or more", "",
           ErrorKind::schedule);
    return {bytes / element_, 1, bytes % element_};
  }
  int parts(Task task, int index) const override {
    auto const asked = c_task(task);
    auto const parts = shares == nullptr ? 1 : shares(context_, &asked, index);
    ensure(parts >= 1, "parts", fmt::format("{} of {}", parts, name(task)), "1 or more", "", ErrorKind::schedule);
    return parts;
  }
  Work work(Task task) const override {
    auto const asked = c_task(task);
    return {Kernel::own, costs == nullptr ? 0 : costs(context_, &asked), 0};
  }
  double priority(Task task) const override {
    auto const asked = c_task(task);
    return ranks_high == nullptr ? 0 : ranks_high(context_, &asked);
  }
  void writes(Task task, VisitTask visit) const override {
    auto const asked = c_task(task);
    allport_visitor_s visitor{.task = visit};
    if (overwrites != nullptr) overwrites(context_, &asked, &visitor);
  }
  bool in_place(Task task, int index) const override {
    auto const asked = c_task(task);
    return stays != nullptr && stays(context_, &asked, index) != 0;
  }
  int forwards(Task task, int index) const override {
    auto const asked = c_task(task);
    return hands_on == nullptr ? -1 : hands_on(context_, &asked, index);
  }
  std::span<std::byte> memory(Tile tile) const override {
    if (lies == nullptr) return TaskGraph::memory(tile);
    auto const asked = c_task(tile);
    void* data = nullptr;
    std::int64_t bytes = -1;
    lies(context_, &asked, &data, &bytes);
    ensure(bytes >= 0 && (data != nullptr || bytes == 0), "memory", fmt::format("{} bytes of {}", bytes, name(tile)),
           "where the tile lies, and 0 or more bytes", "", ErrorKind::schedule);
    return {static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)};
  }
  bool gang(Task task, Gang& gang) const override {
    if (gangs == nullptr) return false;
    gang = {};
    auto const asked = c_task(task);
    auto const add = [&](Task member) { gang.members.push_back(member); };
    allport_visitor_s visitor{.task = add, .gang = &gang};
    gangs(context_, &asked, &visitor);
    if (gang.members.empty()) return false;
    ensure(std::ranges::find(gang.members, task) != gang.members.end(), "gang",
           fmt::format("one without {}", name(task)), "the task itself among the members of its gang", "",
           ErrorKind::schedule);
    return true;
  }
  std::int64_t steps() const override { return all_steps; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    allport_visitor_s visitor{.task = visit};
    if (tasks_of != nullptr) tasks_of(context_, rank, step, &visitor);
  }
  std::int64_t step(Task task) const override {
    auto const asked = c_task(task);
    return step_of == nullptr ? -1 : step_of(context_, &asked);
  }
  void run(Task task, TaskContext& context) const override {
    auto const asked = c_task(task);
    allport_body_s body{context};
    auto const code = does(context_, &asked, &body);
    if (code == 0) return;
    throw Error(ErrorKind::schedule, fmt::format("the body of {} returned {}; 0 lets the run go on", name(task), code));
  }

 private:
  void visited(allport_graph_of_rank function, VisitTask visit, Rank rank) const {
    allport_visitor_s visitor{.task = visit};
    function(context_, rank, &visitor);
  }

  Rank ranks_;
  void* context_;
  std::int64_t element_ = 1;
};

}  // namespace

struct allport_graph_s {
  CGraph graph;
};

extern "C" {

int allport_graph_create(int ranks, void* context, allport_graph* created) {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    ensure(ranks >= 1, "ranks", ranks, "at least 1");
    *created = new allport_graph_s{CGraph(ranks, context)};
  });
}

int allport_graph_free(allport_graph* graph) {
  return guarded([&] {
    ensure(graph != nullptr, "graph", "NULL", "the place of a handle");
    delete std::exchange(*graph, nullptr);
  });
}

#define ALLPORT_GRAPH_FUNCTION(name, Type, member)                        \
  int allport_graph_set_##name(allport_graph graph, Type function) {      \
    return guarded([&] { the(graph, "graph").graph.member = function; }); \
  }
ALLPORT_GRAPH_FUNCTION(entries, allport_graph_of_rank, entries_at)
ALLPORT_GRAPH_FUNCTION(exits, allport_graph_of_rank, exits_at)
ALLPORT_GRAPH_FUNCTION(count, allport_graph_count, counts)
ALLPORT_GRAPH_FUNCTION(owner, allport_graph_number, owns)
ALLPORT_GRAPH_FUNCTION(parents, allport_graph_number, has_parents)
ALLPORT_GRAPH_FUNCTION(children, allport_graph_of_task, has_children)
ALLPORT_GRAPH_FUNCTION(contributors, allport_graph_of_input, sums)
ALLPORT_GRAPH_FUNCTION(output, allport_graph_bytes, makes)
ALLPORT_GRAPH_FUNCTION(parts, allport_graph_parts, shares)
ALLPORT_GRAPH_FUNCTION(priority, allport_graph_price, ranks_high)
ALLPORT_GRAPH_FUNCTION(flops, allport_graph_price, costs)
ALLPORT_GRAPH_FUNCTION(body, allport_graph_body, does)
ALLPORT_GRAPH_FUNCTION(writes, allport_graph_of_task, overwrites)
ALLPORT_GRAPH_FUNCTION(in_place, allport_graph_flag, stays)
ALLPORT_GRAPH_FUNCTION(forwards, allport_graph_forwards, hands_on)
ALLPORT_GRAPH_FUNCTION(memory, allport_graph_memory, lies)
ALLPORT_GRAPH_FUNCTION(gang, allport_graph_of_task, gangs)

int allport_graph_set_steps(allport_graph graph, int64_t steps, allport_graph_of_step tasks, allport_graph_step step) {
  return guarded([&] {
    auto& of = the(graph, "graph").graph;
    ensure(steps >= 0, "steps", steps, "0 (none) or more");
    ensure(steps == 0 || (tasks != nullptr && step != nullptr), "tasks, step", "NULL", "a function each");
    of.all_steps = steps;
    of.tasks_of = steps == 0 ? nullptr : tasks;
    of.step_of = steps == 0 ? nullptr : step;
  });
}

int allport_visit_task(allport_visitor visitor, allport_task const* task) {
  return guarded([&] {
    ensure(task != nullptr, "task", "NULL", "a task");
    auto& asks = the(visitor, "visitor");
    ensure(static_cast<bool>(asks.task), "visitor", "one of edges", "allport_visit_edge() here");
    asks.task(task_of(*task));
  });
}

int allport_visit_edge(allport_visitor visitor, allport_edge const* edge) {
  return guarded([&] {
    ensure(edge != nullptr, "edge", "NULL", "an edge");
    ensure(edge->carries >= ALLPORT_CARRIES_DATA && edge->carries <= ALLPORT_CARRIES_SENT, "carries", edge->carries,
           "one of enum allport_carries");
    auto& asks = the(visitor, "visitor");
    ensure(static_cast<bool>(asks.edge), "visitor", "one of tasks", "allport_visit_task() here");
    asks.edge({task_of(edge->child), edge->input, edge->output, static_cast<EdgeKind>(edge->carries)});
  });
}

int allport_visit_talk(allport_visitor visitor, allport_talk const* talk) {
  return guarded([&] {
    ensure(talk != nullptr, "talk", "NULL", "what a gang talks");
    auto* const gang = the(visitor, "visitor").gang;
    ensure(gang != nullptr, "visitor", "one of other things", "that of allport_graph_set_gang()'s function");
    ensure(talk->bytes >= 0, "bytes", talk->bytes, "0 or more");
    ensure(talk->times >= 0, "times", talk->times, "0 or more");
    if (talk->what == ALLPORT_TALKS_MESSAGES) {
      gang->expected_bytes += static_cast<double>(talk->bytes);
      gang->expected_messages += static_cast<double>(talk->times);
      return;
    }
    ensure(talk->what >= ALLPORT_TALKS_BCAST && talk->what <= ALLPORT_TALKS_ALLREDUCE, "what", talk->what,
           "one of enum allport_talks");
    constexpr Collective kinds[] = {Collective::broadcast, Collective::reduce, Collective::allreduce};
    ensure(talk->element >= 1 && talk->bytes % talk->element == 0, "element", talk->element,
           "1 or more, of which bytes are a whole number");
    gang->collectives.push_back({kinds[talk->what], talk->root, talk->bytes, talk->element, talk->times});
  });
}

int allport_graph_check(allport_graph graph) {
  return guarded([&] {
    auto const& checked = the(graph, "graph").graph;
    checked.ensure_whole(false);
    graph::check(checked);
  });
}

int allport_graph_simulate(allport_graph graph, char const* machine, int workers, double* seconds) {
  return guarded([&] {
    auto const& simulated = the(graph, "graph").graph;
    simulated.ensure_whole(false);
    ensure(machine != nullptr, "machine", "NULL", "a spec such as \"torus:4x4\", or a machine file");
    ensure(seconds != nullptr, "seconds", "NULL", "a place for the prediction");
    auto const on = Machine::parse(machine);
    *seconds = graph::simulate(simulated, on, *tasks::transport(on), {.workers = workers}).seconds;
  });
}

int allport_graph_run(allport_comm comm, allport_graph graph, int op, char type, int64_t* tasks_run,
                      char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm").comm;
    tasks::RunOptions how;
    how.call = "allport_graph_run";
    std::string trouble;
    try {
      the(graph, "graph").graph.ensure_whole(true);
      ensure(tasks_run != nullptr, "tasks", "NULL", "a place for their number");
      auto const sum = operator_of(op, type);
      how.combine = sum.combine;
      graph->graph.set_element(sum.element);
      read_options(options, "workers=", [&](std::string const& key, std::string const& value) {
        if (key != "workers") return false;
        how.workers = workers_given(value, key);
        return true;
      });
    } catch (Error const& e) {
      trouble = e.what();
    }
    on.ensure_all_well(trouble);
    *tasks_run = tasks::run(graph->graph, on, how).count.tasks;
  });
}

}  // extern "C"
