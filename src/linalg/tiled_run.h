// Runs of task graphs with the options of linear algebra.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "allport/linalg/gemm.h"
#include "allport/tasks/run.h"
#include "blas_threads.h"

namespace allport::detail {

/// Adapts a callback that counts in int; empty if it is. @pre `progress` outlives the result
[[nodiscard]] inline std::function<void(std::int64_t, std::int64_t)> of_tasks(Progress const& progress) {
  if (!progress) return {};
  return [&progress](std::int64_t done, std::int64_t all) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    progress(static_cast<int>(std::min(done, most)), static_cast<int>(std::min(all, most)));
  };
}

/// Runs a graph by the caller's options, with one BLAS thread per worker.
template <class Options>
tasks::RunReport factor_by_tasks(std::string_view call, TaskGraph const& graph, Communicator const& comm,
                                 Options const& options) {
  blas::OneThread const alone(options.workers > 1);
  return tasks::run(graph, comm,
                    {.call = call,
                     .workers = options.workers,
                     .multicast = options.tree,
                     .record = options.record,
                     .attend = options.attend,
                     .progress = options.progress});
}

}  // namespace allport::detail
