// The number of threads of BLAS, if its library has functions for it.
#pragma once

extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int);
}

namespace allport::blas {

/// Limits BLAS to one thread during its lifetime, for callers with several threads of their own.
class OneThread {
 public:
  explicit OneThread(bool wanted) {
    if (!wanted || openblas_get_num_threads == nullptr || openblas_set_num_threads == nullptr) return;
    before_ = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ > 0) openblas_set_num_threads(before_);
  }
  OneThread(OneThread const&) = delete;
  OneThread& operator=(OneThread const&) = delete;

 private:
  int before_ = 0;
};

}  // namespace allport::blas
