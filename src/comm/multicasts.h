// Many multicasts at once, from any rank at any time to any ranks, without a communicator for each (Song09).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "allport/base/function_ref.h"
#include "allport/base/units.h"
#include "allport/comm/communicator.h"
#include "allport/multicast/forward.h"

namespace allport {

/// Identifies a multicast message; opaque to the transport.
using MessageName = std::array<std::int64_t, 5>;

/// A message between two ranks, recorded when its send starts or when it has been received.
struct MessageEvent {
  bool sent = false;
  Rank peer = 0;
  std::int64_t number = 0;  ///< sequence number of the messages between these two ranks
  MessageName name{};
  std::int64_t bytes = 0;
};

struct MulticastOptions {
  Bytes segment{std::int64_t{65536}};  ///< segment length of messages that are forwarded
  /// Segment length on the last hop of a message; 0: one segment. MPI sends a long message only after its receiver has
  /// answered (rendezvous); through shared memory it transfers a part with every poll, and only completed segments show
  /// that polling should continue.
  Bytes last_segment{0};
  /// The MPI library stripes long messages over the links between two nodes (as on a ring of two) and sends short ones
  /// over the first link: the last hop between such nodes is then one segment.
  bool shared_out = false;
  int intervals = 64;  ///< destination intervals in one message of tree `prefix`; larger sets are split
  int sends = 16;      ///< multicasts of this rank that have been started and are not complete
  Bytes transit{std::int64_t{4} << 20};  ///< memory for messages that are only forwarded, for each class
  /// Allocates memory, 64-byte aligned, for messages to this rank; none: allocated here.
  std::function<std::shared_ptr<std::byte[]>(MessageName const&, std::int64_t bytes)> allocate{};
  std::function<void(MessageEvent const&)> watch{};  ///< called for every message: when sent, and when received
};

/// Sends multicasts along the hops that module multicast computes. A message lists its destinations in its header, or
/// every rank on its route computes them from its name; no rank knows beforehand who will send, or to whom. A segment
/// is forwarded as soon as it has arrived, from the memory that it arrived in; Message::data owns that memory.
///
/// Memory of messages that a rank only forwards is bounded. A message of tree `prefix` that uses row i of the sender's
/// table is in transit class i; it is forwarded over later rows only. A rank receives a message of a class if that
/// class has less than `transit` bytes in flight here; until then the sender stores it. Messages of the last class go
/// to destinations only, which receive everything; so the last class drains, then the class before it, and so on: there
/// is no cycle of waits. The memory of destinations must be bounded by the caller.
///
/// Ranks are positions in the communicator's machine, as in schedules. Any thread may call, one at a time; MPI is
/// called with the family's lock held. Communication progresses only in poll().
class Multicasts {
 public:
  /// The destinations and the tree of a message with this name: the same on all ranks.
  using Route = std::function<Multicast(MessageName const&)>;
  /// A complete received message.
  struct Message {
    Rank source = 0;
    MessageName name{};
    std::shared_ptr<std::byte[]> data{};  ///< 64-byte aligned; null if there are none
    std::int64_t bytes = 0;
  };
  using Arrived = FunctionRef<void(Message&&)>;
  using Left = FunctionRef<void(std::int64_t token)>;

  /// Collective over `comm`. The messages use two duplicates of it: those that an earlier Multicasts gave back, or new
  /// ones.
  /// @param route  needed by send() without destinations
  /// @pre the same IDs and options on all ranks; ids.ranks() == the size of comm; options at least 1
  Multicasts(Communicator const& comm, TopologyIds ids, MulticastOptions options = {}, Route route = {});
  /// Collective if finish() has been true and nothing was sent since; else messages in flight are abandoned.
  ~Multicasts();
  Multicasts(Multicasts const&) = delete;
  Multicasts& operator=(Multicasts const&) = delete;

  [[nodiscard]] TopologyIds const& ids() const;
  /// Whether threads other than the one that started MPI may call it.
  [[nodiscard]] static bool any_thread();

  /// Starts a multicast from this rank and returns immediately. The sender receives it too if it is in the set. `data`
  /// must not change until poll() reports that `token` has left; tokens < 0 are not reported. Urgent messages are not
  /// counted in `sends`, and overtake messages that wait for that limit.
  /// @param segment  of this message where it is forwarded; 0: that of the options
  /// @pre what.source is this rank's position; data.size() <= longest_message
  /// @throws Error if the set has positions that no rank has
  void send(Multicast const& what, MessageName const& name, std::span<std::byte const> data, std::int64_t token = -1,
            bool urgent = false, Bytes segment = Bytes(0));
  /// As above to route(name); the header lists no destinations.
  void send(MessageName const& name, std::span<std::byte const> data, std::int64_t token = -1);

  /// Receives and forwards messages, and starts sends that may go. True if anything progressed. `arrived` may call
  /// send(); what it throws is rethrown after all received messages have been forwarded, and the remaining ones are
  /// delivered by the next poll.
  bool poll(Arrived arrived, Left left = {});

  /// Termination detection: called by every rank when it will send no more messages except those sent from poll(); true
  /// on every rank once all messages have been received. Never waits: call it and poll() until it returns true. The
  /// ranks sum the messages sent and received until two sums in a row are equal and balanced (Mattern 1987). Then a new
  /// phase may begin.
  /// @param is_wrong  called whenever this rank contributes to a sum: for any_wrong()
  [[nodiscard]] bool finish(FunctionRef<bool()> is_wrong = {});
  /// Whether this rank has contributed to a sum that may be the last, after which no rank receives anything. Until
  /// finish() returns, only poll() may send.
  [[nodiscard]] bool may_be_over() const;
  /// After finish(), the same on all ranks: whether any rank reported an error in the last sum.
  [[nodiscard]] bool any_wrong() const;

  /// After finish(), on all ranks: returns the duplicates to a cache for later Multicasts, since creating them takes
  /// longer than a few messages. After that only the counters may be read.
  void give_back();

  /// Whether MPI requests of this rank are open.
  [[nodiscard]] bool has_open_requests() const;
  /// Payload only: messages with data between ranks, each counted once regardless of segments, and their bytes without
  /// headers.
  [[nodiscard]] Traffic counted() const;
  /// Messages sent that have a header only.
  [[nodiscard]] std::int64_t control_messages() const;
  /// Messages with data that this rank has forwarded.
  [[nodiscard]] std::int64_t forwarded() const;
  /// Messages received from an earlier use of these duplicates: 0, unless a rank has sent after finish(). They are not
  /// delivered; with ALLPORT_CHECK poll() throws Error(schedule), which names the sender.
  [[nodiscard]] std::int64_t dropped() const;
  /// Maximum number of bytes that were stored here at a time only to be forwarded.
  [[nodiscard]] std::int64_t peak_transit() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace allport
