// Neighbourhood collectives: with whom each rank of a topology exchanges, and by which routes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "call.h"
#include "collectives/neighbour_routes.h"

namespace allport::dropin {

struct Record;
struct Expected;

/// From whom and to whom a rank's blocks come and go, in their order; MPI_PROC_NULL at open ends.
struct Neighbours {
  std::vector<int> in;
  std::vector<int> out;
};
/// This rank's; none of either where `comm` has no topology.
[[nodiscard]] Neighbours neighbours_of(MPI_Comm comm);

/// The topology of a communicator, the same on all its ranks but for `mine`.
struct Neighbourhood {
  Neighbours mine;
  std::string text;     ///< "4x4 grid" and a number; where `known`, the same on all ranks and in every run
  std::string why_not;  ///< not empty: the library does its collectives, and why
  /// Over positions: all ranks' edges, or this rank's where `known` does not hold.
  std::vector<NeighbourEdge> edges;
  bool known = false;
  std::vector<std::int32_t> own;  ///< of the edges, those that begin or end at this rank
  /// Where every two ranks that exchange agree on the lengths of their blocks, and a rank's blocks are of one length in
  /// and one out, all ranks have the same: pairs tie all of these together. On a chain, or a grid whose axes are even,
  /// they do not: lengths may differ from pair to pair, and no rank knows whether they do.
  bool pairs_tie_all = false;

  /// All blocks straight; and along other routes, too, or null where there are none: made by the first call, under the
  /// Lock. `record` has this topology.
  [[nodiscard]] NeighbourRoutes const& straight(Record const& record);
  [[nodiscard]] NeighbourRoutes const* spread(Record const& record);
  /// For blocks of so many bytes, by their size class: those that are expected to take less. The same on all ranks.
  [[nodiscard]] NeighbourRoutes const& routes(Record const& record, std::int64_t bytes);
  /// Blocks that a rank sends, at most, open ends included. @pre known
  [[nodiscard]] std::int32_t widest() const;

 private:
  std::optional<NeighbourRoutes> straight_;
  std::optional<NeighbourRoutes> spread_;
  bool spread_is_made_ = false;
  std::map<int, bool> spreads_;  ///< by size class
};

/// Edges between two ranks, and parts that pass them, at most: MPI's tags have room for so many.
inline constexpr std::int32_t most_channels = 512;

/// Null where `comm` has no topology. Collective, blocking.
/// @pre record.ours
[[nodiscard]] std::shared_ptr<Neighbourhood> neighbourhood_of(MPI_Comm comm, Record const& record);

/// Only pairs of ranks know the lengths of such a call's blocks. The same on all ranks.
/// @pre record.neighbourhood
[[nodiscard]] bool only_pairs_know_lengths(Function what, Record const& record);
/// ... and may tell all others first, so that ranks between can pass blocks on. The same on all ranks. Under the Lock.
[[nodiscard]] bool may_tell_lengths(Call const& call, Record const& record);
/// What decisions about the call go by: bytes of a block, as all ranks know them; negative for arguments that are
/// wrong.
[[nodiscard]] std::int64_t bytes_to_neighbour(Call const& call, Record const& record);
[[nodiscard]] bool neighbour_arguments_are_good(Call const& call, Record const& record);
/// What calls of this size class are expected to take; the library's as straight blocks do. Under the Lock.
/// @throws Error(unsupported)
[[nodiscard]] Expected expected_of_neighbours(Record const& record, Function what, int size_class);

}  // namespace allport::dropin
