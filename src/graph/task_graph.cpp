#include "allport/graph/task_graph.h"

#include <fmt/format.h>

#include <array>

namespace allport {

std::string_view name(Kernel kernel) {
  static constexpr std::array<std::string_view, kernels> names{
      "none", "gemm", "syrk", "trsm", "potrf", "panel", "add", "copy", "own", "geqrt", "tpqrt", "gemqrt", "tpmqrt"};
  return names[static_cast<std::size_t>(kernel)];
}

GangContext& TaskContext::gang() {
  throw Error::argument("gang", "none", "a task that TaskGraph::gang() says is a member of one", "",
                        ErrorKind::unsupported);
}

std::string TaskGraph::name(Task task) const {
  return fmt::format("task {} of layer {} ({}, {}, {})", task.kind, task.layer, task.i, task.j, task.k);
}

std::span<std::byte> TaskGraph::memory(Tile) const {
  throw Error::argument("graph", "an output in place", "a graph that defines where its tiles are stored",
                        "define memory()", ErrorKind::unsupported);
}

void TaskGraph::run(Task task, TaskContext&) const {
  throw Error::argument("graph", name(task), "a graph whose tasks have bodies", "define run()", ErrorKind::unsupported);
}

void TaskGraph::exchange(Task task, TaskContext&, FunctionRef<void(int)>) const {
  throw Error::argument("graph", name(task), "a graph that defines the messages between members of its gangs",
                        "define exchange()", ErrorKind::unsupported);
}

}  // namespace allport
