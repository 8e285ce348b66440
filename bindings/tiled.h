// How a factorization by tiles runs, as Python's callers set it: one struct from them to the executor.
#pragma once

#include "allport/linalg/distribution.h"
#include "task_graph.h"

namespace allport::python {

struct TiledOptions {
  Index nb = 0;         ///< of the tiles; 0: chosen
  int workers = 1;      ///< threads of each rank
  bool record = false;  ///< keep what every task and message did
};

/// CholeskyOptions or QrOptions, which look after the interpreter's signals.
template <class Options>
Options options_of(TiledOptions const& told, Signals& signals) {
  return {.nb = told.nb, .workers = told.workers, .record = told.record, .attend = [&signals] { signals.look(); }};
}

}  // namespace allport::python
