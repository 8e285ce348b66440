// Moves a matrix from one distribution to another; every element travels at most once, and none that stays.
#pragma once

#include "allport/comm/communicator.h"
#include "allport/linalg/distribution.h"

namespace allport {

/// to(i, j) = from(i, j) for all i, j. Called by all ranks of `comm` with equal distributions (ranks are comm's).
/// @pre equal extents; from and to do not overlap in memory
/// @throws Error naming the distribution, extents or ld that is wrong, on every rank
template <class T>
void redistribute(Communicator const& comm, Distribution const& from_distribution, Part<T const> from,
                  Distribution const& to_distribution, Part<T> to);

/// What redistribute() sends and receives on a rank: one message per pair of different ranks that share elements.
[[nodiscard]] Traffic redistribution_traffic(Distribution const& from, Distribution const& to, Rank rank,
                                             std::int64_t element);

/// Bytes of pack buffers that redistribute() allocates on a rank at most.
[[nodiscard]] Bytes redistribution_memory(Distribution const& from, Distribution const& to, Rank rank,
                                          std::int64_t element);

extern template void redistribute(Communicator const&, Distribution const&, Part<float const>, Distribution const&,
                                  Part<float>);
extern template void redistribute(Communicator const&, Distribution const&, Part<double const>, Distribution const&,
                                  Part<double>);
extern template void redistribute(Communicator const&, Distribution const&, Part<std::complex<float> const>,
                                  Distribution const&, Part<std::complex<float>>);
extern template void redistribute(Communicator const&, Distribution const&, Part<std::complex<double> const>,
                                  Distribution const&, Part<std::complex<double>>);

}  // namespace allport
