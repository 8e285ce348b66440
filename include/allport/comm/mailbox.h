// Messages that nobody has announced: from any rank to any other at any time, in a communicator of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "allport/base/function_ref.h"
#include "allport/comm/communicator.h"

namespace allport {

/// Bytes that a message brought, or that somebody else keeps.
struct Letter {
  using Header = std::array<std::int64_t, 6>;

  Rank from = 0;
  Header header{};
  std::shared_ptr<std::byte[]> data;  ///< 64-byte aligned; null where the message is a header alone
  std::int64_t bytes = 0;
};

/// What schedules cannot carry, because no rank knows when, from whom or whether something comes. Messages between two
/// ranks arrive in the order in which they were sent. They never meet any other messages, the caller's or ours.
///
/// One thread at a time; MPI is called with the family's lock held.
class Mailbox {
 public:
  /// Collective over the ranks of `comm`.
  explicit Mailbox(Communicator const& comm);
  /// Collective, after finish(); without it, what is in flight is abandoned together with the communicator.
  ~Mailbox();
  Mailbox(Mailbox const&) = delete;
  Mailbox& operator=(Mailbox const&) = delete;

  /// Whether threads other than the one that started MPI may call it, one at a time.
  [[nodiscard]] static bool any_thread();

  /// Starts a message. `data` must not change until poll() says that `token` has left; tokens < 0 are not told.
  /// @pre 0 <= to < size, data.size() <= longest_message
  void send(Rank to, Letter::Header const& header, std::span<std::byte const> data, std::int64_t token = -1);
  /// Moves messages along; takes at most 16 that have come. True when anything moved.
  bool poll(FunctionRef<void(Letter&&)> arrived, FunctionRef<void(std::int64_t token)> left);
  /// Messages that have not left.
  [[nodiscard]] std::size_t leaving() const;

  /// Called by every rank when it will send nothing more but what poll() makes it send; true on every rank once every
  /// message that was sent has been taken. Never waits: call it, and poll(), until it is.
  [[nodiscard]] bool finish();

  /// Payload alone: messages with data, and their bytes without headers.
  [[nodiscard]] Traffic counted() const;
  /// Messages that are headers alone.
  [[nodiscard]] std::int64_t control_messages() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace allport
