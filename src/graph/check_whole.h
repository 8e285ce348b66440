// The exhaustive check of a graph.
#pragma once

#include <fmt/format.h>

#include "allport/graph/check.h"
#include "whole_graph.h"

namespace allport::graph {

/// @throws Error(schedule): "graph: " and the violated rule
template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Error(ErrorKind::schedule, "graph: " + fmt::format(text, std::forward<Arguments>(arguments)...));
}

/// Checks of a single edge: owners, shapes, order edges on one rank.
void check_edge(TaskGraph const& graph, Task parent, Edge const& edge);

/// A forwarded output has the shape of the input that it shares.
void check_forwarded(TaskGraph const& graph, Task parent, Edge const& edge, int output);

/// @pre whole.complete()
CheckReport check_whole(TaskGraph const& graph, WholeGraph& whole);

/// The tasks in an order in which each comes after its parents, and after those of its gang's other members.
struct Sorted {
  std::vector<Id> order;
  std::vector<Id> position;  ///< by task
  std::vector<Id> gang_of;   ///< by task; no_gang
  std::vector<std::vector<Id>> gangs;
  std::int64_t longest = 0;  ///< tasks on the longest path
};
inline constexpr Id no_gang = ~Id{0};

/// No task overwrites a tile that another uses, unless a path leads from one to the other.
void check_overwriting(TaskGraph const& graph, WholeGraph& whole, Sorted const& sorted);

/// In gangs that meet inside, no member waits for a task that another member's rank would run later.
void check_inside(TaskGraph const& graph, WholeGraph& whole, Sorted const& sorted);

}  // namespace allport::graph
