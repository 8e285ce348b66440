// Collectives and messages in flight, prepared ones, and what a collective is called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "allport/base/units.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/schedule.h"

namespace allport {

class Communicator;

namespace engine {
struct CommState;      // shadow communicator, machine, order, counters, transfers in flight
struct TransferState;  // one rank's running program
}  // namespace engine

/// One collective (or message) in flight. Movable; destroying an unfinished one waits for it.
class Transfer {
 public:
  Transfer() = default;
  Transfer(Transfer&&) noexcept = default;
  Transfer& operator=(Transfer&& other) noexcept;
  /// Waits, unless an exception is unwinding the stack or MPI is finalized: then what is in flight is abandoned.
  ~Transfer();
  /// Moves things along; true when done (then, and for a default-made Transfer, always true).
  bool test();
  /// Progresses this and all other transfers of the communicator family until this one is done.
  void wait();
  /// As wait(), calling `pause`, with the family's lock, whenever nothing moves.
  void wait(std::function<void()> const& pause);
  /// As wait(), until this rank has all that it gets. It may still be passing data on: the buffers may be read, but not
  /// written or freed before wait().
  void wait_for_data();
  [[nodiscard]] bool active() const;

 private:
  friend class Communicator;
  friend class Persistent;
  explicit Transfer(std::shared_ptr<engine::TransferState> state) : state_(std::move(state)) {}
  std::shared_ptr<engine::TransferState> state_;
};

/// A schedule bound to buffers, ready to be started many times; one start at a time. Its tags are its own from
/// preparation to destruction, so that ranks may start several in different orders.
class Persistent {
 public:
  Transfer start();

 private:
  friend class Communicator;
  explicit Persistent(std::shared_ptr<engine::TransferState> state) : state_(std::move(state)) {}
  std::shared_ptr<engine::TransferState> state_;
};

/// The caller's buffers for one schedule; lengths are checked against the contract.
struct Buffers {
  std::span<std::byte const> input;
  std::span<std::byte> output;
};

/// Blocks of different lengths in one buffer, by rank: how many bytes, and where each begins; no begins: one behind the
/// other.
struct BlockList {
  std::span<std::int64_t const> bytes;
  std::span<std::int64_t const> begins{};
};

/// A collective as its caller says it: buffers by rank of the communicator, not by position in its machine. Which
/// buffers are used, and how long they are, is what the methods of CollectiveCalls say. Spans and texts need to live
/// until start(), run() or prepare() has returned, buffers until the transfer is done. Input and output may not
/// overlap.
struct CollectiveCall {
  Collective what = Collective::barrier;
  std::span<std::byte const> input{};
  std::span<std::byte> output{};
  Rank root = 0;
  std::int64_t element = 1;  ///< bytes that a reduction must not cut apart
  Combine combine{};
  std::string_view algorithm{};  ///< a registered one; none: by price
  bool varies = false;           ///< a v-variant
  /// Of a v-variant. alltoall: of what this rank sends. Else: of the input (scatter, reduce_scatter) or of the output
  /// (gather, allgather), the same bytes on every rank.
  BlockList blocks{};
  BlockList received{};  ///< alltoall's v-variant: of what this rank gets
};

}  // namespace allport
