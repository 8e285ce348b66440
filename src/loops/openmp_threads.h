// How many threads OpenMP runs for the calling thread, where a program has it.
#pragma once

extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int);
}

namespace allport::loops {

inline bool has_openmp() { return omp_get_max_threads != nullptr && omp_set_num_threads != nullptr; }

}  // namespace allport::loops
