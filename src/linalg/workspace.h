// Counts the memory and the time of one rank's run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allport/linalg/distribution.h"

namespace allport::detail {

/// Work space whose bytes are counted, so that the memory limit can be checked.
class Workspace {
 public:
  template <class T>
  T* take(Index elements) {
    if (elements == 0) {
      return nullptr;
    }
    auto const bytes = static_cast<std::size_t>(elements) * sizeof(T);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    bytes_ += static_cast<std::int64_t>(bytes);
    return reinterpret_cast<T*>(blocks_.back().get());
  }
  /// Counts memory that is allocated elsewhere for this run.
  void note(std::int64_t bytes) { bytes_ += bytes; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::int64_t bytes_ = 0;
};

/// Adds its lifetime to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), begin_(std::chrono::steady_clock::now()) {}
  Stopwatch(Stopwatch const&) = delete;
  Stopwatch& operator=(Stopwatch const&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace allport::detail
