// What a barrier promises: no rank ends before every rank has begun.
#pragma once

#include "findings.h"
#include "table.h"

namespace allport::verify {

/// Follows who can have heard of whom through the messages of a schedule whose every operation ends, and reports the
/// first rank that may end without having heard of another. Knowledge is a set of ranks for every operation:
/// O(operations * ranks / 64) words, ranks in slices of 4096.
void check_barrier(Table const& table, Findings& findings);

}  // namespace allport::verify
