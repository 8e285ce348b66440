// How the job's ranks lie on computers, and the machine that this makes where nobody named one.
#pragma once

#include <optional>
#include <string>

namespace allport::dropin {

struct Computers {
  int count = 1;
  /// On each of them; 0: not as many everywhere, or those of one computer do not follow each other.
  int ranks_each = 0;
};

/// Of MPI_COMM_WORLD, over which it is collective.
[[nodiscard]] Computers computers();

/// A ring of the computers, as "torus:4" or "torus:4/ppn=2": each has a link to whoever comes next, and what these
/// share shows when calls are tried. Nothing where there is one computer, or ranks lie on them in no such way.
[[nodiscard]] std::optional<std::string> ring_of(Computers const& computers);

}  // namespace allport::dropin
