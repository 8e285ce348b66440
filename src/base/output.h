// What was written last, before a process ends itself and others.
#pragma once

#include <chrono>

namespace allport {

/// Flushes stdout and stderr, and waits until whoever reads them (a launcher's pipe, socket or terminal) has taken all
/// that is in them, but no longer than `patience`. An MPI launcher that ends a job may discard what it has
/// not read yet. Returns at once where output goes to a file.
void drain_output(std::chrono::milliseconds patience = std::chrono::seconds(1));

}  // namespace allport
