#include "allport/tasks/run.h"

#include <fmt/format.h>

#include <new>

#include "execution.h"

namespace allport::tasks {

RunReport run(TaskGraph const& graph, Communicator const& comm, RunOptions const& options) {
  std::string trouble;
  if (graph.ranks() > comm.size()) {
    trouble = Error::argument("graph.ranks()", show(graph.ranks()),
                              fmt::format("at most the {} ranks of the communicator", comm.size()))
                  .what();
  } else if (options.workers < 1) {
    trouble = Error::argument("workers", show(options.workers), "at least 1").what();
  }
  try {
    return Execution(graph, comm, options).run(trouble);
  } catch (std::bad_alloc const&) {
    give_up(comm, options);
  }
}

}  // namespace allport::tasks
