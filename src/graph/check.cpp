#include "allport/graph/check.h"

#include <algorithm>
#include <optional>
#include <random>

#include "check_whole.h"

namespace allport::graph {

namespace {

/// Random paths from an entry along edges; checks the local rules of every task on the path.
class Paths {
 public:
  Paths(TaskGraph const& graph, CheckOptions const& options)
      : graph_(graph), options_(options), random_(options.seed) {}

  CheckReport run(std::vector<Task> const& entries) {
    for (std::int64_t p = 0; p < options_.paths; ++p) follow(entries[draw(entries.size())]);
    counts();
    report_.exhaustive = false;
    report_.unreached_unknown = true;
    return report_;
  }

 private:
  std::size_t draw(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  void follow(Task task) {
    struct Met {};
    TaskMap<Met> met;
    std::int64_t length = 0;
    Task parent;
    std::optional<Edge> came;
    for (;; ++length) {
      if (!met.insert(task).second) fail("a cycle: a path leads from {} back to it", graph_.name(task));
      ++report_.tasks;
      edges_.clear();
      graph_.children(task, [&](Edge const& edge) { edges_.push_back(edge); });
      report_.edges += static_cast<std::int64_t>(edges_.size());
      for (auto const& edge : edges_) {
        look(task, edge);
        bool const is_data = came && (came->kind == EdgeKind::data || came->kind == EdgeKind::sum);
        if (is_data && graph_.forwards(task, edge.output) == came->input) {
          check_forwarded(graph_, parent, *came, edge.output);
        }
      }
      if (edges_.empty() || length == options_.exhaustive) break;
      parent = task;
      came = edges_[draw(edges_.size())];
      task = came->child;
    }
    report_.longest = std::max(report_.longest, length + 1);
  }

  void look(Task task, Edge const& edge) {
    check_edge(graph_, task, edge);
    if (graph_.num_parents(edge.child) < 1) {
      fail("{} waits for nothing by num_parents(), and {} names it as a child", graph_.name(edge.child),
           graph_.name(task));
    }
    if (edge.kind != EdgeKind::sum) return;
    bool named = false;
    graph_.contributors(edge.child, edge.input, [&](Task from) { named = named || from == task; });
    if (!named)
      fail("{} contributes to {}, whose contributors() do not name it", graph_.name(task), graph_.name(edge.child));
  }

  /// The number of a rank's tasks by steps equals count().
  void counts() {
    auto const rank = static_cast<Rank>(draw(static_cast<std::size_t>(graph_.ranks())));
    auto const said = graph_.count(rank);
    if (graph_.steps() == 0 || !said) return;
    std::int64_t found = 0;
    for (std::int64_t s = 0; s < graph_.steps(); ++s) {
      graph_.tasks(rank, s, [&](Task) { ++found; });
    }
    if (found != *said) fail("rank {} runs {} tasks by count(), and tasks() names {}", rank, *said, found);
  }

  TaskGraph const& graph_;
  CheckOptions const& options_;
  std::mt19937_64 random_;
  std::vector<Edge> edges_;
  CheckReport report_;
};

}  // namespace

CheckReport check(TaskGraph const& graph, CheckOptions const& options) {
  ensure(options.exhaustive >= 0, "exhaustive", options.exhaustive, "a number of tasks >= 0");
  ensure(options.paths >= 0, "paths", options.paths, "a number of paths >= 0");
  WholeGraph whole(graph, options.exhaustive);
  if (whole.complete()) return check_whole(graph, whole);
  std::vector<Task> entries;
  for (Rank r = 0; r < graph.ranks(); ++r) {
    graph.entries(r, [&](Task task) { entries.push_back(task); });
  }
  return Paths(graph, options).run(entries);
}

}  // namespace allport::graph
