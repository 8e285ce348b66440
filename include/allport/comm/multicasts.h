// Many multicasts at once, from any rank at any time to any ranks, without a communicator for each (deck 5).
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

/// What a multicast's message is known by; means nothing to who carries it.
using MessageName = std::array<std::int64_t, 5>;

/// One rank's message to the next, or from the one before.
struct MessageEvent {
  bool sent = false;
  Rank peer = 0;
  std::int64_t number = 0;  ///< of the messages on this way, as they were started
  MessageName name{};
  std::int64_t bytes = 0;
};

struct MulticastOptions {
  Bytes segment{std::int64_t{65536}};  ///< messages that are handed on travel in so long pieces, if longer
  /// Those that go no further travel in so long pieces; 0: in one. MPI sends a long message only when its receiver has
  /// answered; and through memory it moves one with every poll, and only what is complete shows that another poll is
  /// worth while.
  Bytes last_segment{0};
  /// MPI shares a long message out among the links that join two nodes, as round a ring of two, and sends short ones by
  /// the first: there those that go no further travel in one.
  bool shared_out = false;
  int intervals = 64;                    ///< of destinations in one message by prefix; a set with more is cut
  int sends = 16;                        ///< multicasts of this rank that have been started and have not left
  Bytes transit{std::int64_t{4} << 20};  ///< memory for what is only handed on, for each class
  /// Gives memory for what comes for this rank, 64-byte aligned; none: its own.
  std::function<std::shared_ptr<std::byte[]>(MessageName const&, std::int64_t bytes)> allocate{};
  std::function<void(MessageEvent const&)> watch{};  ///< told of every message, as it is started and when it has come
};

/// Carries multicasts along the hops that room multicast gives. A message names its destinations in its header, or
/// every rank on its way works them out from its name; no rank knows beforehand who will send, or to whom. A segment
/// goes on as soon as it is there, from the memory that it came into; what comes is kept by whoever keeps
/// Message::data.
///
/// Memory of messages that a rank only hands on is bounded. One that goes by way of prefix over row i of the sender's
/// table, and on from there, is in transit of class i; it goes on over later rows only. A rank takes one of a class
/// when that class has less than `transit` bytes under way here, and its sender keeps it until it is taken. What is of
/// the last class goes to destinations only, and they take everything; so those of the last class leave, then those of
/// the class before, and so on: no cycle of waits, whatever is under way. A destination's memory is its owner's to
/// bound.
///
/// Ranks are positions in the communicator's machine, as in schedules. Any thread may call, one at a time; MPI is
/// called with the family's lock held. Nothing moves but inside of poll().
class Multicasts {
 public:
  /// Whom a message that is named so goes to, and how: the same on all ranks.
  using Route = std::function<Multicast(MessageName const&)>;
  /// A message that has come whole.
  struct Message {
    Rank source = 0;
    MessageName name{};
    std::shared_ptr<std::byte[]> data{};  ///< 64-byte aligned; null where there are none
    std::int64_t bytes = 0;
  };
  using Arrived = FunctionRef<void(Message&&)>;
  using Left = FunctionRef<void(std::int64_t token)>;

  /// Collective over `comm`, of which two duplicates carry the messages: those that another one gave back, or new ones.
  /// @param route  needed by send() without destinations
  /// @pre the same IDs and options on all ranks; ids.ranks() == the size of comm; options at least 1
  Multicasts(Communicator const& comm, TopologyIds ids, MulticastOptions options = {}, Route route = {});
  /// Collective where finish() has been true and nothing was sent since; else what is in flight is abandoned.
  ~Multicasts();
  Multicasts(Multicasts const&) = delete;
  Multicasts& operator=(Multicasts const&) = delete;

  [[nodiscard]] TopologyIds const& ids() const;
  /// Whether threads other than the one that started MPI may call it.
  [[nodiscard]] static bool any_thread();

  /// Starts a multicast from this rank and returns at once. The sender gets it too if it is among the set. `data` must
  /// not change until poll() says that `token` has left; tokens < 0 are not told. What is urgent overtakes what waits
  /// for room among `sends`, of which it is none.
  /// @pre what.source is this rank's position; data.size() <= longest_message
  /// @throws Error where the set has positions that no rank has
  void send(Multicast const& what, MessageName const& name, std::span<std::byte const> data, std::int64_t token = -1,
            bool urgent = false);
  /// As above to route(name); no destinations travel with it.
  void send(MessageName const& name, std::span<std::byte const> data, std::int64_t token = -1);

  /// Takes and hands on what has come, sends what may go. True when anything moved. `arrived` may call send(); what it
  /// throws is thrown when all that has come is handed on, and the rest arrives with the next poll.
  bool poll(Arrived arrived, Left left = {});

  /// Called by every rank when it will send nothing more but what poll() makes it send; true on every rank once all
  /// that any has sent is taken everywhere. Never waits: call it, and poll(), until it is. Ranks agree by counting what
  /// was sent and taken, until two counts in a row are equal and even (Mattern, 1987). Then a new phase may begin.
  /// @param is_wrong  asked whenever this rank is counted: for any_wrong()
  [[nodiscard]] bool finish(FunctionRef<bool()> is_wrong = {});
  /// Whether this rank is counted in what may be the last count, after which no rank takes anything. Until finish()
  /// knows, only what poll() makes it send may be sent.
  [[nodiscard]] bool may_be_over() const;
  /// After finish(), the same on all ranks: whether any rank said in the last count that something is wrong.
  [[nodiscard]] bool any_wrong() const;

  /// After finish(), on all ranks: leaves the duplicates to others that come later, for making them takes longer than a
  /// few messages do. Nothing but the counts may be asked for then.
  void give_back();

  /// Whether parts of messages are on their way from here or to here, that MPI has been asked for.
  [[nodiscard]] bool has_open_requests() const;
  /// Payload alone: messages with data from rank to rank, whatever their segments, and their bytes without headers.
  [[nodiscard]] Traffic counted() const;
  /// Messages sent that are headers alone.
  [[nodiscard]] std::int64_t control_messages() const;
  /// Messages with data sent that came from another rank.
  [[nodiscard]] std::int64_t forwarded() const;
  /// Messages that came from a use of these duplicates before this one, whose ranks had agreed that nothing was under
  /// way: 0, or somebody has sent after finish(). They are not delivered; with ALLPORT_CHECK poll() throws
  /// Error(schedule), which names the sender.
  [[nodiscard]] std::int64_t dropped() const;
  /// The most bytes that were in transit at a time: held here, and for other ranks only.
  [[nodiscard]] std::int64_t peak_transit() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace allport
