// Graphs as hand-written tables, so that each of their functions can return wrong values.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::graph_samples {

inline Task task(int number) { return {0, 0, number, 0, 0}; }

/// Tasks by number; what is not said follows from the edges.
class TableGraph : public TaskGraph {
 public:
  struct Row {
    Rank owner = 0;
    std::vector<Edge> children;
    Shape output{1, 1, 0};
    std::vector<int> tiles{};
    double flops = 0;
    int forwards = -1;  ///< of its one output
  };
  explicit TableGraph(std::vector<Row> given) : rows(std::move(given)) {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      owners_ = std::max(owners_, rows[t].owner + 1);
      for (auto const& edge : rows[t].children) {
        ++parents[edge.child.i];
        if (edge.kind == EdgeKind::sum) sums[{edge.child.i, edge.input}].push_back(task(static_cast<int>(t)));
      }
    }
    for (std::size_t t = 0; t < rows.size(); ++t) {
      auto const number = static_cast<int>(t);
      if (parents[number] == 0) entry_tasks.insert(number);
      if (rows[t].children.empty()) exit_tasks.insert(number);
      ++counts[rows[t].owner];
    }
  }

  Rank ranks() const override { return owners_; }
  std::string name(Task t) const override { return "#" + std::to_string(t.i); }
  void entries(Rank rank, VisitTask visit) const override { each(entry_tasks, rank, visit); }
  void exits(Rank rank, VisitTask visit) const override { each(exit_tasks, rank, visit); }
  std::optional<std::int64_t> count(Rank rank) const override {
    auto const known = counts.find(rank);
    return known == counts.end() ? std::nullopt : std::optional(known->second);
  }
  Rank owner(Task t) const override { return row(t).owner; }
  int num_parents(Task t) const override { return parents.contains(t.i) ? parents.at(t.i) : 0; }
  void children(Task t, VisitEdge visit) const override {
    for (auto const& edge : row(t).children) visit(edge);
  }
  void contributors(Task t, int index, VisitTask visit) const override {
    auto const known = sums.find({t.i, index});
    if (known == sums.end()) return;
    for (auto const from : known->second) visit(from);
  }
  bool gang(Task t, Gang& into) const override {
    auto const known = gangs.find(t.i);
    if (known == gangs.end()) return false;
    into = known->second;
    return true;
  }
  Rank orders_gangs(Rank rank) const override {
    auto const known = orderers.find(rank);
    return known == orderers.end() ? 0 : known->second;
  }
  Shape output(Task t, int) const override { return row(t).output; }
  std::optional<Shape> input(Task t, int index) const override {
    auto const known = inputs.find({t.i, index});
    return known == inputs.end() ? std::nullopt : std::optional(known->second);
  }
  Work work(Task t) const override { return {Kernel::own, row(t).flops, 0}; }
  void writes(Task t, VisitTask visit) const override {
    for (auto const tile : row(t).tiles) visit(task(tile));
  }
  bool in_place(Task t, int) const override { return !row(t).tiles.empty() && row(t).forwards < 0; }
  int forwards(Task t, int) const override { return row(t).forwards; }
  std::int64_t steps() const override { return static_cast<std::int64_t>(by_step.size()); }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    each(by_step[static_cast<std::size_t>(step)], rank, visit);
  }
  std::int64_t step(Task t) const override {
    auto const at = std::ranges::find_if(by_step, [&](auto const& some) { return some.contains(t.i); });
    return at == by_step.end() ? -1 : at - by_step.begin();
  }

  std::vector<Row> rows;
  std::map<int, int> parents;
  std::map<std::pair<int, int>, std::vector<Task>> sums;
  std::map<std::pair<int, int>, Shape> inputs;
  std::map<int, Gang> gangs;
  std::map<Rank, Rank> orderers;
  std::map<Rank, std::int64_t> counts;
  std::set<int> entry_tasks;
  std::set<int> exit_tasks;
  std::vector<std::set<int>> by_step;

 private:
  [[nodiscard]] Row const& row(Task t) const { return rows[static_cast<std::size_t>(t.i)]; }
  void each(std::set<int> const& some, Rank rank, VisitTask visit) const {
    for (auto const number : some) {
      if (rows[static_cast<std::size_t>(number)].owner == rank) visit(task(number));
    }
  }

  Rank owners_ = 1;
};

inline Edge to(int child, int input = 0, EdgeKind kind = EdgeKind::data) { return {task(child), input, 0, kind}; }

/// 0 on rank 0 is needed by 1 and 2 on rank 1 and by 3 on rank 2, whose results 4 on rank 0 takes.
inline TableGraph diamond() {
  return TableGraph({{.owner = 0, .children = {to(1), to(2), to(3)}, .output = {3, 2, 0}, .flops = 1},
                     {.owner = 1, .children = {to(4, 0)}, .flops = 10},
                     {.owner = 1, .children = {to(4, 1)}, .flops = 100},
                     {.owner = 2, .children = {to(4, 2)}, .flops = 1000},
                     {.owner = 0, .children = {}, .flops = 10000}});
}

}  // namespace allport::graph_samples
