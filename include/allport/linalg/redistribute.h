// Moves a matrix from one layout to another; every element travels at most once, and none that stays.
#pragma once

#include "allport/comm/communicator.h"
#include "allport/linalg/layout.h"

namespace allport {

/// to(i, j) = from(i, j) for all i, j. Called by all ranks of `comm` with equal layouts (ranks are comm's).
/// @pre equal extents; from and to do not overlap in memory
/// @throws Error naming the layout, extents or ld that is wrong, on every rank
template <class T>
void redistribute(Communicator const& comm, Layout const& from_layout, Part<T const> from, Layout const& to_layout,
                  Part<T> to);

/// What redistribute() sends and receives on a rank: one message per pair of different ranks that share elements.
[[nodiscard]] Traffic redistribution_traffic(Layout const& from, Layout const& to, Rank rank, std::int64_t element);

/// Bytes of pack buffers that redistribute() allocates on a rank at most.
[[nodiscard]] Bytes redistribution_memory(Layout const& from, Layout const& to, Rank rank, std::int64_t element);

extern template void redistribute(Communicator const&, Layout const&, Part<float const>, Layout const&, Part<float>);
extern template void redistribute(Communicator const&, Layout const&, Part<double const>, Layout const&, Part<double>);
extern template void redistribute(Communicator const&, Layout const&, Part<std::complex<float> const>, Layout const&,
                                  Part<std::complex<float>>);
extern template void redistribute(Communicator const&, Layout const&, Part<std::complex<double> const>, Layout const&,
                                  Part<std::complex<double>>);

}  // namespace allport
