// BLAS beside teams of threads.
#pragma once

#include <vector>

#include "allport/tasks/teams.h"

namespace allport {

/// How many threads BLAS runs, for TeamsOptions::counts; empty where its library does not let that be said.
[[nodiscard]] std::vector<tasks::ThreadCount> blas_thread_count();

}  // namespace allport
