// What carries multicasts: messages that are here, their ways on, and the requests of all.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allport/comm/multicasts.h"
#include "multicast_message.h"

namespace allport {

/// What one Multicasts's messages travel in.
struct MulticastChannel {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm pieces = MPI_COMM_NULL;
  std::int32_t uses = 0;
};

/// Channels that nobody uses now, kept with the communicator that they are duplicates of. Two at least take turns: who
/// begins a use has seen all ranks at the end of the one before, so that nobody is left in the one before that, to take
/// its letters for his own.
class SpareChannels {
 public:
  [[nodiscard]] static std::shared_ptr<SpareChannels> of(Communicator const& comm);
  explicit SpareChannels(std::shared_ptr<EngineLock> lock) : lock_(std::move(lock)) {}
  SpareChannels(SpareChannels const&) = delete;
  SpareChannels& operator=(SpareChannels const&) = delete;
  ~SpareChannels();

  // With the family's lock:
  /// Collective where there are none to spare, on all ranks alike.
  [[nodiscard]] MulticastChannel take(Communicator const& comm);
  void give_back(MulticastChannel channel) { spare_.push_back(channel); }

 private:
  std::shared_ptr<EngineLock> lock_;
  std::deque<MulticastChannel> spare_;
};

struct Multicasts::State {
  using MessageHeader = engine::MessageHeader;

  /// A message's way to the next rank.
  struct Outgoing {
    Rank to = 0;   ///< of the communicator
    int row = -1;  ///< class of transit there; -1: it is for that rank alone, or a destination forwards it
    MessageHeader header{};
    std::optional<DestinationSet> set{};
    std::vector<std::byte> packet{};
    std::int64_t sent = 0;  ///< bytes whose sends have been started
    int open = 0;           ///< requests
  };

  /// A message that is here: one of this rank's own, or one that comes and is taken, forwarded, or both.
  struct HeldMessage {
    MessageHeader header{};
    std::shared_ptr<std::byte[]> memory{};  ///< of what came
    std::byte const* data = nullptr;
    std::int64_t there = 0;      ///< bytes that are here, from the first on
    std::int64_t asked = 0;      ///< bytes whose receives have been posted
    std::uint64_t ahead = 0;     ///< segments behind `there` that are here: bit 0 is the first that is not
    std::optional<Rank> from{};  ///< of the communicator; none: own
    int row = -1;                ///< class of transit that it counts in
    bool deliver = false;
    bool taken = false;
    bool is_urgent = false;
    std::vector<Outgoing> hops{};
    std::int64_t token = -1;
  };

  /// What a request is of.
  struct Pending {
    std::size_t at = 0;        ///< of a Carried
    std::int64_t hop = -1;     ///< of its hops; -1: a receive
    std::int64_t segment = 0;  ///< of a receive
  };

  State(Communicator const& comm_, TopologyIds ids_, MulticastOptions options_, Route route_);

  // Where a message goes.

  /// Classes of transit by way of axes.
  [[nodiscard]] int most_hops() const;
  /// Of a message that goes no further.
  [[nodiscard]] std::int64_t last_segment(std::int64_t bytes, Hop const& hop) const;
  /// Whether several links join this rank's node and a position's, as round a ring of two.
  [[nodiscard]] bool is_joined_twice(Rank position) const;
  /// The class of transit that a message is in where it goes; -1: it ends there, or who forwards it wants it.
  [[nodiscard]] int row_of(MessageHeader const& header, Hop const& hop) const;
  /// Whoever gets it alone gets it in one piece.
  [[nodiscard]] bool goes_on(Hop const& hop) const;

  void add_hop(HeldMessage& held, Hop const& hop, std::optional<DestinationSet> set);
  void add_hops(HeldMessage& held, std::vector<Hop> const& hops);
  /// This rank's share in a message that has come.
  [[nodiscard]] Forwarding share_of(engine::UnpackedMessage const& unpacked) const;
  void start(MessageName const& name, Multicast const& what, bool routed, std::span<std::byte const> data,
             std::int64_t token, bool is_urgent);

  // What moves.

  std::size_t place(HeldMessage held);
  void request(MPI_Request r, Pending what);
  void start_hop(std::size_t at, std::size_t h);
  void post_receives(std::size_t at);
  void send_pieces(std::size_t at);
  /// Whatever a message can do now.
  void pump(std::size_t at);
  void take(HeldMessage const& held);
  void release(std::size_t at);
  [[nodiscard]] static std::int64_t in_transit(HeldMessage const& held);
  void start_own(HeldMessage own);
  bool start_own();
  bool complete();
  /// Looks for a letter of the classes that have memory left.
  bool probe(MPI_Message& message, MPI_Status& status);
  bool receive();
  /// Of a letter that was sent in an earlier use of the channel. True, as receive() says.
  bool drop(MessageHeader const& header, Rank from);

  Communicator comm;
  TopologyIds ids;
  MulticastOptions options;
  Route route;
  Rank me = 0;
  std::optional<RoutingTable> table;
  std::shared_ptr<SpareChannels> spare;
  MulticastChannel channel;
  std::vector<std::int64_t> numbers;  ///< of letters to each rank
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
  /// A sum over all ranks: what was sent, what was taken, and who says that something is wrong.
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
