// State of Multicasts: stored messages, their outgoing hops, and MPI requests.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "multicast_message.h"
#include "multicasts.h"

namespace allport {

/// The communicators of one Multicasts.
struct MulticastChannel {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm pieces = MPI_COMM_NULL;
  std::int32_t uses = 0;
};

/// Unused channels, cached with the communicator that they are duplicates of. At least two are used alternately: a rank
/// that starts a use has seen all ranks at the end of the previous one, so no rank is still in the one before that and
/// could receive its messages.
class SpareChannels {
 public:
  [[nodiscard]] static std::shared_ptr<SpareChannels> of(Communicator const& comm);
  explicit SpareChannels(std::shared_ptr<EngineLock> lock) : lock_(std::move(lock)) {}
  SpareChannels(SpareChannels const&) = delete;
  SpareChannels& operator=(SpareChannels const&) = delete;
  ~SpareChannels();

  // With the family's lock:
  /// Collective if the cache is empty, which is the same on all ranks.
  [[nodiscard]] MulticastChannel take(Communicator const& comm);
  void give_back(MulticastChannel channel) { spare_.push_back(channel); }

 private:
  std::shared_ptr<EngineLock> lock_;
  std::deque<MulticastChannel> spare_;
};

struct Multicasts::State {
  using MessageHeader = engine::MessageHeader;

  /// One outgoing hop of a message.
  struct Outgoing {
    Rank to = 0;   ///< of the communicator
    int row = -1;  ///< transit class at the receiver; -1: that rank is a destination
    MessageHeader header{};
    std::optional<DestinationSet> set{};
    std::vector<std::byte> packet{};
    std::int64_t sent = 0;  ///< bytes whose sends have been started
    int open = 0;           ///< requests
  };

  /// A message stored on this rank: sent from here, or being received, forwarded, or both.
  struct HeldMessage {
    MessageHeader header{};
    std::shared_ptr<std::byte[]> memory{};  ///< of a received message
    std::byte const* data = nullptr;
    std::int64_t there = 0;      ///< bytes received contiguously from the first on
    std::int64_t asked = 0;      ///< bytes whose receives have been posted
    std::uint64_t ahead = 0;     ///< received segments beyond `there`; bit 0 is the first missing one
    std::optional<Rank> from{};  ///< of the communicator; none: sent from here
    int row = -1;                ///< its transit class
    bool deliver = false;
    bool taken = false;
    bool is_urgent = false;
    std::vector<Outgoing> hops{};
    std::int64_t token = -1;
  };

  /// The message and hop of a request.
  struct Pending {
    std::size_t at = 0;        ///< of a HeldMessage
    std::int64_t hop = -1;     ///< of its hops; -1: a receive
    std::int64_t segment = 0;  ///< of a receive
  };

  State(Communicator const& comm_, TopologyIds ids_, MulticastOptions options_, Route route_);

  // Where a message goes.

  /// Number of transit classes of tree axes.
  [[nodiscard]] int most_hops() const;
  /// Segment length of a message on its last hop.
  [[nodiscard]] std::int64_t last_segment(std::int64_t bytes, Hop const& hop) const;
  /// Segment length of a message of this rank that is forwarded.
  [[nodiscard]] std::int64_t segment_of(MessageHeader const& header) const {
    return header.segment > 0 ? header.segment : options.segment.value();
  }
  /// Whether several links join this rank's node and a position's, as round a ring of two.
  [[nodiscard]] bool is_joined_twice(Rank position) const;
  /// The transit class of a message at its receiver; -1: the receiver is a destination.
  [[nodiscard]] int row_of(MessageHeader const& header, Hop const& hop) const;
  /// Whether the receiver must forward the message.
  [[nodiscard]] bool goes_on(Hop const& hop) const;

  void add_hop(HeldMessage& held, Hop const& hop, std::optional<DestinationSet> set);
  void add_hops(HeldMessage& held, std::vector<Hop> const& hops);
  /// This rank's part in a received message.
  [[nodiscard]] Forwarding share_of(engine::UnpackedMessage const& unpacked) const;
  /// A message of this rank.
  struct Own {
    MessageName const& name;
    Multicast const& what;
    bool routed = false;
    std::int64_t segment = 0;  ///< 0: that of the options
  };
  void start(Own const& own, std::span<std::byte const> data, std::int64_t token, bool is_urgent);

  // Progress.

  std::size_t place(HeldMessage held);
  void request(MPI_Request r, Pending what);
  void start_hop(std::size_t at, std::size_t h);
  void post_receives(std::size_t at);
  void send_pieces(std::size_t at);
  /// Progresses one message.
  void pump(std::size_t at);
  void take(HeldMessage const& held);
  void release(std::size_t at);
  [[nodiscard]] static std::int64_t in_transit(HeldMessage const& held);
  void start_own(HeldMessage own);
  bool start_own();
  bool complete();
  /// Probes for a message of a transit class with free memory.
  bool probe(MPI_Message& message, MPI_Status& status);
  bool receive();
  /// Drops a message that was sent in an earlier use of the channel. Returns true, as receive() does.
  bool drop(MessageHeader const& header, Rank from);

  Communicator comm;
  TopologyIds ids;
  MulticastOptions options;
  Route route;
  Rank me = 0;
  std::optional<RoutingTable> table;
  std::shared_ptr<SpareChannels> spare;
  MulticastChannel channel;
  std::vector<std::int64_t> numbers;  ///< of messages to each rank
  std::vector<std::int64_t> transit;  ///< bytes in flight, of each class
  std::int64_t transit_now = 0;
  std::int64_t transit_peak = 0;
  std::deque<HeldMessage> urgent;   ///< own ones that have not been started and wait for nothing
  std::deque<HeldMessage> waiting;  ///< the other ones
  int in_flight = 0;                ///< of those, what has been started, and has not left
  std::deque<HeldMessage> all;      ///< in places that stay
  std::vector<std::size_t> free;
  std::vector<MPI_Request> requests;
  std::vector<Pending> pending;  ///< of requests
  std::vector<int> done;
  std::vector<std::byte> incoming;
  std::deque<Message> arrivals;
  std::vector<std::int64_t> gone;  ///< tokens
  Traffic traffic;
  std::int64_t control = 0;
  std::int64_t forwarded = 0;
  std::int64_t sent = 0;
  std::int64_t taken = 0;
  std::int64_t dropped = 0;
  /// A sum over all ranks: messages sent, messages received, ranks with an error.
  using Wave = std::array<std::int64_t, 3>;
  MPI_Request wave = MPI_REQUEST_NULL;
  Wave mine{};
  Wave sums{-1, -1, 0};
  Wave before{-1, -1, 0};
  bool agreed = false;  ///< that all is taken; MPI may still have sends to give back
  bool wrong = false;   ///< that somebody said so in the last of those sums
  bool clean = false;   ///< finished, and nothing was sent since
};

}  // namespace allport
