// Who exchanges what in redistribute(): the overlaps of two distributions, and the messages they make, in rounds.
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

/// What one part of a distribution shares with one part of another, ascending in global order; `spans` merged where
/// they touch.
struct Overlap {
  std::vector<Span> spans;
  Index count = 0;
};

/// What part `part` of `mine` shares with each part of `theirs`.
[[nodiscard]] std::vector<Overlap> overlaps(AxisDistribution const& mine, int part, AxisDistribution const& theirs);

/// Rows (or columns) that are consecutive in two local storages.
struct Common {
  Index from = 0;
  Index to = 0;
  Index length = 0;
};

/// What part `p` of `from` shares with part `q` of `to`, merged where both storages touch.
[[nodiscard]] std::vector<Common> common(AxisDistribution const& from, int p, AxisDistribution const& to, int q);

/// All that this rank has to tell (or to hear from) one peer: rows[row_part] x cols[col_part] of its Side.
struct Message {
  Rank distance = 0;  ///< round in which it travels, 1..ranks-1: from the sender to sender + distance
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

/// What a rank sends and receives in one round; at least one of the two. Elements, 0 for none.
struct Round {
  Message const* send = nullptr;
  Message const* receive = nullptr;
  [[nodiscard]] Index elements() const { return (send ? send->elements : 0) + (receive ? receive->elements : 0); }
};

[[nodiscard]] std::vector<Round> rounds_of(Side const& sends, Side const& receives);

/// Most bytes of pack buffers that the rounds hold at a time.
[[nodiscard]] std::int64_t window_bytes(std::vector<Round> const& rounds, std::int64_t element);

/// The all-to-all by which redistribute() moves what the ranks exchange, where their blocks come sooner from neighbour
/// to neighbour, all links busy at once, than each by itself; nothing where messages go straight. The same on all
/// ranks. What was asked for last is remembered.
[[nodiscard]] std::optional<Schedule> relayed(Communicator const& comm, Distribution const& from,
                                              Distribution const& to, std::int64_t element);

/// What a communicator would take that has all of a machine's places.
/// @param mapping  where its ranks are; none: rank r at place r
[[nodiscard]] std::optional<Schedule> relayed(Machine const& machine, std::optional<Mapping> const& mapping,
                                              Distribution const& from, Distribution const& to, std::int64_t element);

/// What that takes, by what links carry as the all-to-all routes it (alltoall_axes.cpp): the busiest one's share, and
/// once more what it has above the mean. Nothing where messages go straight, or where ranks are too many for a look at
/// every pair.
/// @param mapping  where the ranks are; none: rank r at place r
[[nodiscard]] std::optional<Seconds> relayed_seconds(Machine const& machine, std::optional<Mapping> const& mapping,
                                                     Distribution const& from, Distribution const& to,
                                                     std::int64_t element);

}  // namespace allport::detail
