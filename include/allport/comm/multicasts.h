// Many multicasts at once, from any rank at any time to any ranks, without a communicator for each (deck 5).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "allport/base/units.h"
#include "allport/multicast/destinations.h"

namespace allport {

struct MulticastOptions {
  int receives = 4;                    ///< posted at a time for each digit of an ID
  Bytes segment{std::int64_t{16384}};  ///< longer messages travel in so long pieces
  int intervals = 64;                  ///< of destinations in one message; a set with more is cut in several
  int sends = 16;                      ///< of this rank's own messages under way at a time
};

/// Carries multicasts by the forwarding rule of room multicast. A message names its destinations; who gets it hands it
/// on, before it is delivered here. No rank knows beforehand who will send, or to whom.
///
/// Transit needs bounded memory: for each digit of an ID `receives` buffers of a segment and its header. A message that
/// was sent over row i of a table is received in a buffer of digit i, and goes on over later rows only; that buffer
/// takes the next one when all its sends are done. Over the last row nothing goes on, so buffers of the last digit
/// become free, then those of the one before, and so on: no cycle of waits, whatever is under way. A message of several
/// segments is put together where it is delivered.
///
/// For one thread at a time. Nothing moves but inside of progress() and finish().
class Multicasts {
 public:
  /// A message has come whole; `data` until it returns. It may call send().
  using Deliver = std::function<void(Rank source, std::uint64_t tag, std::span<std::byte const> data)>;

  /// Collective over `comm`, of which a duplicate carries the messages.
  /// @pre the same IDs and options on all ranks; ids.ranks() == the size of comm; options at least 1
  Multicasts(MPI_Comm comm, TopologyIds ids, Deliver deliver, MulticastOptions options = {});
  /// Collective. @pre finish() has returned, and nothing was sent since
  ~Multicasts();
  Multicasts(Multicasts const&) = delete;
  Multicasts& operator=(Multicasts const&) = delete;

  [[nodiscard]] TopologyIds const& ids() const;

  /// Starts a multicast from this rank and returns at once. `tag` is for the receivers to know it by, and means nothing
  /// here. The sender gets it too if it is among the set.
  /// @throws Error where the set has positions that no rank has
  void send(DestinationSet const& set, std::uint64_t tag, std::vector<std::byte> data);

  /// Takes, hands on and delivers what has come, and sends what may go. Whether anything moved.
  /// @throws what Deliver throws, when the message has been handed on; Error(mpi)
  bool progress();

  /// Collective: progress() until all that any rank has sent, also from inside of Deliver, is delivered everywhere.
  /// Ranks agree by counting what was sent and received, until two counts in a row are equal and even (Mattern, 1987).
  void finish();

  /// Messages that this rank has sent, its own and others', and received.
  struct Counted {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  [[nodiscard]] Counted counted() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace allport
