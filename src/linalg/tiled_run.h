// How the tiled factorizations (Cholesky, QR) run their graphs.
#pragma once

#include "allport/tasks/run.h"
#include "blas_threads.h"

namespace allport::detail {

/// By the caller's options, with one BLAS thread a worker.
template <class Options>
tasks::RunReport factor_by_tasks(TaskGraph const& graph, Communicator const& comm, Options const& options) {
  blas::OneThread const alone(options.workers > 1);
  return tasks::run(graph, comm,
                    {.workers = options.workers,
                     .way = options.way,
                     .record = options.record,
                     .attend = options.attend,
                     .progress = options.progress});
}

}  // namespace allport::detail
