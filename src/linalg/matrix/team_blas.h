// BLAS beside teams of threads.
#pragma once

#include <vector>

#include "allport/loops/teams.h"

namespace allport {

/// The number of threads of BLAS, for TeamsOptions::counts; empty if its library has no functions for it.
[[nodiscard]] std::vector<loops::ThreadCount> blas_thread_count();

}  // namespace allport
