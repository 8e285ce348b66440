// The memory of outputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "allport/comm/multicasts.h"
#include "frontier.h"

namespace allport::tasks {

/// Bytes of outputs that are kept, now and at most.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  /// Memory for an output of our own, 64-byte aligned.
  [[nodiscard]] Block allocate(std::int64_t bytes);
  /// Counts what a message brought.
  [[nodiscard]] Block adopt(Multicasts::Message const& message);
  [[nodiscard]] std::int64_t peak() const { return peak_.load(); }

 private:
  void grow(std::int64_t bytes);

  std::atomic<std::int64_t> now_{0};
  std::atomic<std::int64_t> peak_{0};
};

}  // namespace allport::tasks
