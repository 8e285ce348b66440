// Messages from any rank at any time to any ranks, which need not expect them: no communicator, no schedule (Song09).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "allport/comm/communicator.h"

namespace allport {

/// How a Channel sends; equal on all ranks.
struct ChannelOptions {
  std::string tree{};  ///< of every message: flat, chain, prefix, segmented, kary or axes; empty: by predicted time
  Bytes segment{};     ///< segment length of forwarded messages; 0: by predicted time
};

/// Which messages of a channel are meant.
struct WantedMessage {
  Rank source = -1;       ///< -1: any
  std::int64_t tag = -1;  ///< -1: any
};

/// Multicasts without a communicator for each: a rank sends to a set of ranks at any time, ranks receive by source and
/// tag. The header of a message lists its destinations, so that ranks that did not expect it can forward it; they do
/// so whenever they call a function of the channel. The tree is chosen by predicted time (unannounced_multicasts()).
///
/// Messages of one source can overtake each other, because the tree depends on the set and the size: number says in
/// which order they were sent, and tags separate them. Messages that nobody has received yet are stored in memory.
///
/// Prices are those of the communicator's machine. If no rates are known (those of preset laptop), ranks of one
/// computer, which copy through its memory, are priced as that, not as nodes with links.
///
/// Threads as with Communicator; at most one at a time waits in receive(). Its rank counts as one that sends nothing
/// until it returns: a program whose other threads decide alone to send receives by probe().
class Channel {
 public:
  static constexpr Rank any_source = -1;
  static constexpr std::int64_t any_tag = -1;

  /// What a message contains, which its receiver asks for.
  enum class Content : std::uint8_t { buffer, object };

  struct Envelope {
    Rank source = 0;
    std::int64_t tag = 0;
    std::int64_t bytes = 0;
    std::int64_t number = 0;  ///< 0, 1, ... in the order in which its source has sent
    Content content = Content::buffer;
  };
  struct Message {
    Envelope envelope{};
    std::shared_ptr<std::byte[]> data{};  ///< 64-byte aligned; null if there are none
  };
  using Wanted = WantedMessage;

  /// Collective over `comm`.
  /// @throws Error on every rank if options are wrong on any, or trees differ
  explicit Channel(Communicator const& comm, ChannelOptions options = {});
  /// Without close(): messages in flight are abandoned, memory and communicators are not freed, and the other ranks'
  /// close() waits.
  ~Channel();
  Channel(Channel const&) = delete;
  Channel& operator=(Channel const&) = delete;

  /// Starts a message to these ranks, each of which gets it once; the sender too if it is one. Returns its number. data
  /// must not change until is_sent().
  /// @pre 0 <= ranks < size, 0 <= tag < 2^31, data.size() <= longest_message
  std::int64_t start(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data,
                     Content content = Content::buffer);
  /// As above with a copy of the data, which may change at once.
  std::int64_t post(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data,
                    Content content = Content::buffer);
  /// As start(), and waits until the message has left this rank: what arrives meanwhile is stored.
  void send(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data);
  /// Progresses communication. Whether a started message has left this rank, so that its data may change.
  bool is_sent(std::int64_t number);
  /// Waits until it has.
  void wait_sent(std::int64_t number);

  /// Progresses communication. The first of the stored messages that are wanted; it remains there.
  std::optional<Envelope> probe(Wanted wanted = {});
  /// Waits for a message, and until this rank has forwarded it to those that wait for it here. One with other content
  /// is not taken: Error(mismatch).
  /// @throws Error(mismatch) on every rank if no such message can come any more: no message is on its way, and every
  /// rank waits in receive() or close(). The channel is then closed.
  Message receive(Wanted wanted = {}, Content content = Content::buffer);
  /// As above for a buffer; a longer message is not taken: Error(argument). Long messages come into it without a copy.
  Envelope receive(std::span<std::byte> into, Wanted wanted = {});
  /// Receives, forwards and sends what can progress: now and then on ranks that compute for long.
  void progress();

  /// Called by every rank: waits until every message has reached its destinations.
  /// @param failure  why this rank ends; empty: as intended
  /// @throws Error on every rank if any rank has failed, waits in receive() for a message that nobody sends, or has not
  /// received all of its messages
  void close(std::string const& failure = {});
  [[nodiscard]] bool is_closed() const;

  [[nodiscard]] Communicator const& comm() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace allport
