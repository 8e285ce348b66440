// A whole matrix on one rank <-> its parts on all: a distribution of one owner and redistribute().
#pragma once

#include "allport/linalg/redistribute.h"

namespace allport {

/// The distribution of a rows x cols matrix that lies whole on `owner`.
[[nodiscard]] inline Distribution whole_on(Rank owner, Index rows, Index cols) {
  return {AxisDistribution::cuts({0, rows}), AxisDistribution::cuts({0, cols}), {owner}};
}

/// part(i, j) = whole(i, j). Called by all ranks; `whole` ([rows x cols], column-major) is significant at root only.
/// @throws Error naming the distribution, root or ld that is wrong, on every rank
template <class T>
void scatter_from_root(Communicator const& comm, Rank root, Part<T const> whole, Distribution const& distribution,
                       Part<T> part) {
  ensure(root >= 0 && root < comm.size(), "root", root, "a rank of the communicator");
  redistribute<T>(comm, whole_on(root, distribution.rows().extent(), distribution.cols().extent()),
                  comm.rank() == root ? whole : Part<T const>{}, distribution, part);
}

/// whole(i, j) = part(i, j) at root; elsewhere `whole` is not looked at. Called by all ranks.
/// @throws Error naming the distribution, root or ld that is wrong, on every rank
template <class T>
void gather_to_root(Communicator const& comm, Distribution const& distribution, Part<T const> part, Rank root,
                    Part<T> whole) {
  ensure(root >= 0 && root < comm.size(), "root", root, "a rank of the communicator");
  redistribute<T>(comm, distribution, part, whole_on(root, distribution.rows().extent(), distribution.cols().extent()),
                  comm.rank() == root ? whole : Part<T>{});
}

}  // namespace allport
