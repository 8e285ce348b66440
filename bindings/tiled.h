// How a factorization by tiles runs, as Python's callers set it: one struct from them to the executor.
#pragma once

#include "allport/linalg/distribution.h"
#include "task_graph.h"

namespace allport::python {

struct TiledOptions {
  Index nb = 0;                      ///< of the tiles; 0: chosen
  int workers = 1;                   ///< threads of each rank
  bool record = false;               ///< keep what every task and message did
  nb::object progress = nb::none();  ///< (tasks done, tasks in all) of this rank's part of the factorization
};

/// CholeskyOptions or QrOptions, which look after the interpreter's signals; valid as long as `told`.
template <class Options>
Options options_of(TiledOptions const& told, Signals& signals) {
  Options options{
      .nb = told.nb, .workers = told.workers, .record = told.record, .attend = [&signals] { signals.look(); }};
  if (!told.progress.is_none()) {
    options.progress = [&](std::int64_t done, std::int64_t all) { signals.tell(told.progress, done, all); };
  }
  return options;
}

}  // namespace allport::python
