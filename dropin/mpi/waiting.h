// How calls that wait go on while operations of ours are in flight.
#pragma once

#include <mpi.h>

#include "progress.h"

namespace allport::dropin {

#ifdef OPEN_MPI
/// Its progress engine moves ours while it blocks.
template <class Test, class Block>
int poll(Test const&, Block const& block) {
  return block();
}
#else
/// Polls while ours are in flight. `test(flag)` is the library's own test; its code when done, else `block()`.
template <class Test, class Block>
int poll(Test const& test, Block const& block) {
  while (should_poll()) {
    int flag = 0;
    auto const code = test(&flag);
    if (flag != 0 || code != MPI_SUCCESS) return code;
    poll_once();
  }
  return block();
}

#endif

}  // namespace allport::dropin
