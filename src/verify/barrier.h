// Checks the contract of a barrier: no rank leaves before every rank has entered.
#pragma once

#include "findings.h"
#include "table.h"

namespace allport::verify {

/// Propagates sets of ranks along the messages of a schedule without deadlock, and reports the first rank that may
/// leave without depending on another one. One set per operation: O(operations * ranks / 64) words, ranks in slices of
/// 4096.
void check_barrier(Table const& table, Findings& findings);

}  // namespace allport::verify
