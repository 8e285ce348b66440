// How linear algebra runs its graphs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "allport/linalg/gemm.h"
#include "allport/tasks/run.h"
#include "linalg/matrix/blas_threads.h"

namespace allport::detail {

/// Counts tasks to who counts in int; empty where nobody does. @pre `progress` lives as long
[[nodiscard]] inline std::function<void(std::int64_t, std::int64_t)> of_tasks(Progress const& progress) {
  if (!progress) return {};
  return [&progress](std::int64_t done, std::int64_t all) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    progress(static_cast<int>(std::min(done, most)), static_cast<int>(std::min(all, most)));
  };
}

/// By the caller's options, with one BLAS thread a worker.
template <class Options>
tasks::RunReport factor_by_tasks(std::string_view call, TaskGraph const& graph, Communicator const& comm,
                                 Options const& options) {
  blas::OneThread const alone(options.workers > 1);
  return tasks::run(graph, comm,
                    {.call = call,
                     .workers = options.workers,
                     .multicast = options.way,
                     .record = options.record,
                     .attend = options.attend,
                     .progress = options.progress});
}

}  // namespace allport::detail
