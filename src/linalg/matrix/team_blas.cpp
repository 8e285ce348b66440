#include "team_blas.h"

#include "blas_threads.h"

namespace allport {

std::vector<loops::ThreadCount> blas_thread_count() {
  if (openblas_get_num_threads == nullptr || openblas_set_num_threads == nullptr) return {};
  return {{[] { return openblas_get_num_threads(); }, [](int threads) { openblas_set_num_threads(threads); }}};
}

}  // namespace allport
