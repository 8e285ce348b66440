// How many threads BLAS runs, where its library lets that be said.
#pragma once

extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int);
}

namespace allport::blas {

/// One thread in every call while this lives, for callers that are several threads themselves.
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
