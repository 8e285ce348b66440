// The C interface: task graphs whose functions are the program's.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "allport/graph/check.h"
#include "allport/graph/simulate.h"
#include "allport/tasks/run.h"
#include "body.h"
#include "requests.h"

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
  CGraph(Rank ranks, allport_graph_functions const& functions, void* context)
      : ranks_(ranks), has_(functions), context_(context) {}

  /// @throws Error naming the first function that is missing
  void ensure_whole(bool runs) const {
    auto const needs = [](bool is_set, char const* name) {
      ensure(is_set, "graph", fmt::format("one without {}", name), fmt::format("one whose functions have {}", name));
    };
    needs(has_.entries != nullptr, "entries");
    needs(has_.owner != nullptr, "owner");
    needs(has_.parents != nullptr, "parents");
    needs(has_.children != nullptr, "children");
    needs(has_.exits != nullptr || has_.count != nullptr, "count");
    if (has_.in_place != nullptr) needs(has_.writes != nullptr, "writes");
    if (has_.in_place != nullptr && runs) needs(has_.memory != nullptr, "memory");
    if (runs) needs(has_.body != nullptr, "body");
  }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  /// Bytes that sums must not split; a graph without sums does not depend on it.
  void set_element(std::int64_t bytes) { element_ = has_.contributors == nullptr ? 1 : bytes; }
  void entries(Rank rank, VisitTask visit) const override { visited(has_.entries, visit, rank); }
  void exits(Rank rank, VisitTask visit) const override {
    if (has_.exits != nullptr) visited(has_.exits, visit, rank);
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    return has_.count == nullptr ? std::nullopt : std::optional(has_.count(context_, rank));
  }
  Rank owner(Task task) const override {
    auto const asked = c_task(task);
    auto const rank = has_.owner(context_, &asked);
    ensure(rank >= 0 && rank < ranks_, "owner", fmt::format("{} of {}", rank, name(task)),
           fmt::format("a rank in 0..{}", ranks_ - 1), "", ErrorKind::schedule);
    return rank;
  }
  int num_parents(Task task) const override {
    auto const asked = c_task(task);
    auto const parents = has_.parents(context_, &asked);
    ensure(parents >= 0, "parents", fmt::format("{} of {}", parents, name(task)), "0 or more", "", ErrorKind::schedule);
    return parents;
  }
  void children(Task task, VisitEdge visit) const override {
    auto const asked = c_task(task);
    allport_visitor_s visitor{.edge = visit};
    has_.children(context_, &asked, &visitor);
  }
  void contributors(Task child, int input, VisitTask visit) const override {
    auto const asked = c_task(child);
    allport_visitor_s visitor{.task = visit};
    if (has_.contributors != nullptr) has_.contributors(context_, &asked, input, &visitor);
  }
  Shape output(Task task, int index) const override {
    auto const asked = c_task(task);
    auto const bytes = has_.output == nullptr ? 0 : has_.output(context_, &asked, index);
    ensure(bytes >= 0, "output", fmt::format("{} bytes of {}", bytes, name(task)), "0 or more", "",
           ErrorKind::schedule);
    return {bytes / element_, 1, bytes % element_};
  }
  int parts(Task task, int index) const override {
    auto const asked = c_task(task);
    auto const parts = has_.parts == nullptr ? 1 : has_.parts(context_, &asked, index);
    ensure(parts >= 1, "parts", fmt::format("{} of {}", parts, name(task)), "1 or more", "", ErrorKind::schedule);
    return parts;
  }
  Work work(Task task) const override {
    auto const asked = c_task(task);
    return {Kernel::own, has_.flops == nullptr ? 0 : has_.flops(context_, &asked), 0};
  }
  double priority(Task task) const override {
    auto const asked = c_task(task);
    return has_.priority == nullptr ? 0 : has_.priority(context_, &asked);
  }
  void writes(Task task, VisitTask visit) const override {
    auto const asked = c_task(task);
    allport_visitor_s visitor{.task = visit};
    if (has_.writes != nullptr) has_.writes(context_, &asked, &visitor);
  }
  bool in_place(Task task, int index) const override {
    auto const asked = c_task(task);
    return has_.in_place != nullptr && has_.in_place(context_, &asked, index) != 0;
  }
  int forwards(Task task, int index) const override {
    auto const asked = c_task(task);
    return has_.forwards == nullptr ? -1 : has_.forwards(context_, &asked, index);
  }
  std::span<std::byte> memory(Tile tile) const override {
    if (has_.memory == nullptr) return TaskGraph::memory(tile);
    auto const asked = c_task(tile);
    void* data = nullptr;
    std::int64_t bytes = -1;
    has_.memory(context_, &asked, &data, &bytes);
    ensure(bytes >= 0 && (data != nullptr || bytes == 0), "memory", fmt::format("{} bytes of {}", bytes, name(tile)),
           "the address of the tile, and 0 or more bytes", "", ErrorKind::schedule);
    return {static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)};
  }
  bool gang(Task task, Gang& gang) const override {
    if (has_.gang == nullptr) return false;
    gang = {};
    auto const asked = c_task(task);
    auto const add = [&](Task member) { gang.members.push_back(member); };
    allport_visitor_s visitor{.task = add, .gang = &gang};
    has_.gang(context_, &asked, &visitor);
    if (gang.members.empty()) return false;
    ensure(std::ranges::find(gang.members, task) != gang.members.end(), "gang",
           fmt::format("one without {}", name(task)), "the task itself among the members of its gang", "",
           ErrorKind::schedule);
    return true;
  }
  std::int64_t steps() const override { return has_.steps; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    allport_visitor_s visitor{.task = visit};
    if (has_.tasks != nullptr) has_.tasks(context_, rank, step, &visitor);
  }
  std::int64_t step(Task task) const override {
    auto const asked = c_task(task);
    return has_.step == nullptr ? -1 : has_.step(context_, &asked);
  }
  void run(Task task, TaskContext& context) const override {
    auto const asked = c_task(task);
    allport_body_s body{context};
    auto const code = has_.body(context_, &asked, &body);
    if (code == 0) return;
    throw Error(ErrorKind::schedule, fmt::format("the body of {} returned {}; 0 lets the run go on", name(task), code));
  }

 private:
  void visited(allport_graph_of_rank function, VisitTask visit, Rank rank) const {
    allport_visitor_s visitor{.task = visit};
    function(context_, rank, &visitor);
  }

  Rank ranks_;
  allport_graph_functions has_;
  void* context_;
  std::int64_t element_ = 1;
};

}  // namespace

struct allport_graph_s {
  CGraph graph;
};

extern "C" {

int allport_graph_create(int ranks, allport_graph_functions const* functions, void* context, allport_graph* created) {
  return made(created, [&] {
    ensure(ranks >= 1, "ranks", ranks, "at least 1");
    ensure(functions != nullptr, "functions", "NULL", "the functions of the graph");
    ensure(functions->steps >= 0, "steps", functions->steps, "0 (none) or more");
    ensure(functions->steps == 0 || (functions->tasks != nullptr && functions->step != nullptr), "tasks, step", "NULL",
           "a function each");
    auto has = *functions;
    if (has.steps == 0) has.tasks = nullptr, has.step = nullptr;
    return new allport_graph_s{CGraph(ranks, has, context)};
  });
}

int allport_graph_free(allport_graph* graph) { return freed(graph, "graph"); }

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
    ensure(edge->kind >= ALLPORT_EDGE_DATA && edge->kind <= ALLPORT_EDGE_SENT, "kind", edge->kind,
           "one of enum allport_edge_kind");
    auto& asks = the(visitor, "visitor");
    ensure(static_cast<bool>(asks.edge), "visitor", "one of tasks", "allport_visit_task() here");
    asks.edge({task_of(edge->child), edge->input, edge->output, static_cast<EdgeKind>(edge->kind)});
  });
}

int allport_visit_traffic(allport_visitor visitor, allport_traffic const* traffic) {
  return guarded([&] {
    ensure(traffic != nullptr, "traffic", "NULL", "what a gang communicates");
    auto* const gang = the(visitor, "visitor").gang;
    ensure(gang != nullptr, "visitor", "one of other things", "that of function gang");
    ensure(traffic->bytes >= 0, "bytes", traffic->bytes, "0 or more");
    ensure(traffic->times >= 0, "times", traffic->times, "0 or more");
    if (traffic->kind == ALLPORT_TRAFFIC_MESSAGES) {
      gang->expected_bytes += static_cast<double>(traffic->bytes);
      gang->expected_messages += static_cast<double>(traffic->times);
      return;
    }
    ensure(traffic->kind >= ALLPORT_TRAFFIC_BCAST && traffic->kind <= ALLPORT_TRAFFIC_ALLREDUCE, "kind", traffic->kind,
           "one of enum allport_traffic_kind");
    constexpr Collective kinds[] = {Collective::broadcast, Collective::reduce, Collective::allreduce};
    ensure(traffic->element >= 1 && traffic->bytes % traffic->element == 0, "element", traffic->element,
           "1 or more, of which bytes are a whole number");
    gang->collectives.push_back(
        {kinds[traffic->kind], traffic->root, traffic->bytes, traffic->element, traffic->times});
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
    auto& predicted = place(seconds, "seconds");
    auto const on = Machine::parse(machine);
    predicted = graph::simulate(simulated, on, *tasks::transport(on), {.workers = workers}).seconds;
  });
}

int allport_graph_run(allport_comm comm, allport_graph graph, int op, allport_type type, int64_t* tasks_run,
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
