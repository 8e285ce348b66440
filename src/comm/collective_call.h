// Translates a collective call by rank into a contract over positions and its buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"

namespace allport::engine {

struct CommState;

/// Copies of a caller's blocks in the order of positions, where the caller's own memory is in another order or has
/// gaps.
class Staging {
 public:
  /// Copies the input, before a start.
  void bring() {
    for (auto const& c : in_) std::memcpy(c.to, c.from, c.bytes);
    given_ = false;
  }
  /// Copies the output, once after each start.
  void give() {
    if (given_) return;
    given_ = true;
    for (auto const& c : out_) std::memcpy(c.to, c.from, c.bytes);
  }

 private:
  friend class Placing;
  struct Copy {
    std::byte* to;
    std::byte const* from;
    std::size_t bytes;
  };
  std::vector<std::byte> input_, output_;
  std::vector<Copy> in_, out_;
  bool given_ = true;
};

/// The schedule and buffers of a call.
struct PlacedCall {
  Contract contract{};
  std::optional<Schedule> schedule{};  ///< none: schedule_for(contract)
  Buffers buffers{};
  std::unique_ptr<Staging> staging{};
};

/// The counts of all ranks' calls of alltoallv, by position: bytes[source * ranks + destination].
using PairTable = std::vector<std::int64_t>;

/// @param pairs  of alltoallv; none: messages go directly from rank to rank
/// @throws Error(argument) naming the wrong argument
[[nodiscard]] PlacedCall place(CommState const& comm, CollectiveCall const& call, PairTable const* pairs = nullptr);

/// This rank's contribution to exchange_pairs(): 2 * ranks numbers by position, the bytes that it sends and those that
/// it expects. All are -1 if the call has an error, which all ranks must report.
[[nodiscard]] std::vector<std::int64_t> pairs_of(CommState const& comm, CollectiveCall const& call,
                                                 std::string& trouble);
/// @param reported  pairs_of() of all positions, one after the other
/// @throws Error(mismatch) on every rank if a rank expects another number of bytes than it is sent
[[nodiscard]] PairTable agreed_pairs(CommState const& comm, std::vector<std::int64_t> const& reported);

}  // namespace allport::engine
