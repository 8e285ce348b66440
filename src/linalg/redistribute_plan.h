// The messages of redistribute(): overlaps of two distributions, and messages in rounds.
#pragma once

#include <optional>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/linalg/distribution.h"
#include "allport/mapping/mapping.h"

namespace allport::detail {

/// Rows (or columns) that are consecutive in one rank's local storage.
struct Span {
  Index local = 0;
  Index length = 0;
};

/// The indices that a part of a distribution shares with a part of another one, ascending in global order; adjacent
/// `spans` are merged.
struct Overlap {
  std::vector<Span> spans;
  Index count = 0;
};

/// The overlaps of part `part` of `mine` with each part of `theirs`.
[[nodiscard]] std::vector<Overlap> overlaps(AxisDistribution const& mine, int part, AxisDistribution const& theirs);

/// Rows (or columns) that are consecutive in two local storages.
struct Common {
  Index from = 0;
  Index to = 0;
  Index length = 0;
};

/// The indices that part `p` of `from` shares with part `q` of `to`, merged if adjacent in both storages.
[[nodiscard]] std::vector<Common> common(AxisDistribution const& from, int p, AxisDistribution const& to, int q);

/// All that this rank sends to (or receives from) one peer: rows[row_part] x cols[col_part] of its Side.
struct Message {
  Rank distance = 0;  ///< its round, 1..ranks-1: from the sender to sender + distance
  Rank peer = 0;
  int row_part = 0;
  int col_part = 0;
  Index elements = 0;
};

struct Side {
  std::vector<Overlap> rows;  ///< by the other distribution's row parts
  std::vector<Overlap> cols;
  std::vector<Message> messages;  ///< ascending by distance; none to itself
};

/// The messages between `rank`'s part of `mine` and all parts of `theirs`.
[[nodiscard]] Side side_of(Distribution const& mine, Distribution const& theirs, Rank rank, bool sending);

/// The messages that a rank sends and receives in one round, at least one of the two.
struct Round {
  Message const* send = nullptr;
  Message const* receive = nullptr;
  [[nodiscard]] Index elements() const { return (send ? send->elements : 0) + (receive ? receive->elements : 0); }
};

[[nodiscard]] std::vector<Round> rounds_of(Side const& sends, Side const& receives);

/// Maximum bytes of pack buffers at a time.
[[nodiscard]] std::int64_t window_bytes(std::vector<Round> const& rounds, std::int64_t element);

/// The all-to-all by which redistribute() exchanges data if blocks arrive sooner from neighbour to neighbour, with all
/// links busy at once, than as single messages; nothing if messages are sent directly. Equal on all ranks. The last
/// results are cached.
[[nodiscard]] std::optional<Schedule> relayed(Communicator const& comm, Distribution const& from,
                                              Distribution const& to, std::int64_t element);

/// As above for a communicator of all places of a machine.
/// @param mapping  where its ranks are; none: rank r at place r
[[nodiscard]] std::optional<Schedule> relayed(Machine const& machine, std::optional<Mapping> const& mapping,
                                              Distribution const& from, Distribution const& to, std::int64_t element);

/// Time of the all-to-all from the load of the links as alltoall_axes.cpp routes it: that of the busiest link, plus its
/// excess over the mean. Nothing if messages are sent directly, or if there are too many ranks to examine every pair.
/// @param mapping  where the ranks are; none: rank r at place r
[[nodiscard]] std::optional<Seconds> relayed_seconds(Machine const& machine, std::optional<Mapping> const& mapping,
                                                     Distribution const& from, Distribution const& to,
                                                     std::int64_t element);

}  // namespace allport::detail
