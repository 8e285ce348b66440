// Copies a matrix from one distribution to another; elements that stay on a rank are not sent.
#pragma once

#include <optional>

#include "allport/linalg/matrix.h"
#include "allport/mapping/mapping.h"

namespace allport {

/// to(i, j) = from(i, j) for all i, j. Called by all ranks of their communicator with equal distributions.
/// @pre equal extents, the same ranks; from and to do not overlap in memory
/// @throws Error naming the matrix and what is wrong with it, on every rank
template <class T>
void redistribute(Matrix<std::type_identity_t<T> const> const& from, Matrix<T> const& to);

/// Traffic of redistribute() on this rank. On a torus or mesh whose links are the bottleneck data are sent from
/// neighbour to neighbour, so that ranks forward data of others; else as below.
[[nodiscard]] Traffic redistribution_traffic(Communicator const& comm, Distribution const& from, Distribution const& to,
                                             std::int64_t element);
/// As above of a rank of a communicator of all places of a machine, for plans.
/// @param mapping  where its ranks are; none: rank r at place r
[[nodiscard]] Traffic redistribution_traffic(Machine const& machine, std::optional<Mapping> const& mapping,
                                             Distribution const& from, Distribution const& to, Rank rank,
                                             std::int64_t element);
/// Traffic of direct messages: one per pair of different ranks that share elements.
[[nodiscard]] Traffic redistribution_traffic(Distribution const& from, Distribution const& to, Rank rank,
                                             std::int64_t element);

/// Maximum bytes of pack buffers that redistribute() allocates on this rank.
[[nodiscard]] Bytes redistribution_memory(Communicator const& comm, Distribution const& from, Distribution const& to,
                                          std::int64_t element);
/// As above of a rank of a communicator of all places of a machine, for plans.
[[nodiscard]] Bytes redistribution_memory(Machine const& machine, std::optional<Mapping> const& mapping,
                                          Distribution const& from, Distribution const& to, Rank rank,
                                          std::int64_t element);
/// As above for direct messages.
[[nodiscard]] Bytes redistribution_memory(Distribution const& from, Distribution const& to, Rank rank,
                                          std::int64_t element);

#define ALLPORT_REDISTRIBUTE_INSTANCE(prefix, T) \
  prefix template void redistribute<T>(Matrix<T const> const&, Matrix<T> const&)
ALLPORT_INSTANCES(ALLPORT_REDISTRIBUTE_INSTANCE, extern);

}  // namespace allport
