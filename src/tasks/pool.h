// The memory of outputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "frontier.h"

namespace allport::tasks {

/// Bytes of stored outputs, current and maximum: local ones, and received or incoming ones for this rank's tasks.
/// Thread-safe.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();

  /// @param by_step  whether least_step() is used
  explicit Pool(bool by_step) : by_step_(by_step) {}

  /// Memory for an output, 64-byte aligned. @param last the last step in which it is used, as far as known
  /// @param counted  false for outputs that no task uses
  [[nodiscard]] Block allocate(std::int64_t bytes, std::int64_t last, bool counted = true);
  /// A copy, allocated as above.
  [[nodiscard]] Block copy(Block const& block, std::int64_t last);
  [[nodiscard]] bool by_step() const { return by_step_; }
  /// As above, for a message; one between members of a gang is not counted.
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate_incoming(std::int64_t bytes, std::int64_t last,
                                                               bool counted = true);
  /// It is used in this step, too.
  void used_until(Block const& block, std::int64_t last);
  /// The memory of a block for a body that retains it: no longer counted after the run has released it.
  [[nodiscard]] static std::shared_ptr<void> keep(Block const& block);

  [[nodiscard]] std::int64_t peak() const { return peak_.load(); }
  /// The minimum, over stored outputs, of the last step in which they are used; nothing if none is stored.
  [[nodiscard]] std::int64_t least_step() const;

 private:
  struct Storage;
  struct Return;
  [[nodiscard]] std::byte* take(std::int64_t bytes, std::int64_t last, bool counted);
  void give_back(Storage const& storage);
  void drop(std::int64_t step);

  bool const by_step_;
  std::atomic<std::int64_t> now_{0};
  std::atomic<std::int64_t> peak_{0};
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::int64_t> until_;  ///< how many are used last in a step
};

}  // namespace allport::tasks
