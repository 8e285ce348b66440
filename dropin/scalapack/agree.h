// What all processes of a grid must pass alike: asked once per call, as ScaLAPACK does.
#pragma once

#include <vector>

#include "descriptor.h"
#include "record.h"

namespace allport::scalapack {

/// A value that must be equal on all processes, and 100 * argument + entry.
struct Shared {
  std::int64_t value;
  int position;
};
/// Adds all of a matrix argument but its context and LLD_.
void share(std::vector<Shared>& values, Operand const& x, int rows_at, int cols_at, int desc_at);

/// True on every process when nobody has found anything wrong and all values are equal.
[[nodiscard]] bool all_well(Record const& record, std::vector<Shared> const& values, Wrong const& wrong);
/// The INFO that ScaLAPACK gives then: the smallest of all processes. Collective.
[[nodiscard]] Int common_info(Record const& record, std::vector<Shared> const& values, Wrong const& wrong);

}  // namespace allport::scalapack
