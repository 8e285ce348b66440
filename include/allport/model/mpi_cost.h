// What the collectives of an MPI library cost that knows ranks only and sends one message at a time: the textbook
// algorithms over rank order, priced with the links that their messages share on this machine.
#pragma once

#include <span>

#include "allport/machine/machine.h"

namespace allport::model {

/// A round is a set of messages that run at the same time; it costs 2o + its longest route's latency + bytes * its
/// slowest link with its contention (dimension-ordered routes), + the operator where it combines. Each function is the
/// fastest of the algorithms that its comment names, after Thakur, Rabenseifner and Gropp, "Optimization of Collective
/// Communication Operations in MPICH", 2005. Exact loads up to mpi_exact_ranks ranks; beyond that, and for all-to-all
/// beyond 64 distances, from a sample of the messages. Deterministic.
/// @param places the place of every rank among the machine's; empty: rank r at place r
/// @pre 0 <= root < machine.ranks(), bytes >= 0, places empty or a permutation of the ranks
inline constexpr Rank mpi_exact_ranks = 1 << 15;

/// Binomial tree; chain of segments through rank order; binomial scatter, then ring or recursive-doubling allgather.
[[nodiscard]] Seconds mpi_bcast(Machine const& machine, Rank root, Bytes message, std::span<Rank const> places = {});
/// Binomial tree; chain of segments; recursive-halving reduce-scatter, then binomial gather (Rabenseifner).
[[nodiscard]] Seconds mpi_reduce(Machine const& machine, Rank root, Bytes message, std::span<Rank const> places = {});
/// Binomial tree of growing blocks; the root to all at once. Gather is scatter backwards and costs the same.
[[nodiscard]] Seconds mpi_scatter(Machine const& machine, Rank root, Bytes block, std::span<Rank const> places = {});
/// Ring; recursive doubling.
[[nodiscard]] Seconds mpi_allgather(Machine const& machine, Bytes block, std::span<Rank const> places = {});
/// Ring; recursive halving.
[[nodiscard]] Seconds mpi_reduce_scatter(Machine const& machine, Bytes block, std::span<Rank const> places = {});
/// Recursive doubling; recursive halving and doubling (Rabenseifner); ring and ring.
[[nodiscard]] Seconds mpi_allreduce(Machine const& machine, Bytes message, std::span<Rank const> places = {});
/// Pairwise exchange; Bruck; everything at once.
[[nodiscard]] Seconds mpi_alltoall(Machine const& machine, Bytes block, std::span<Rank const> places = {});
/// Dissemination: ceil(log2 P) rounds.
[[nodiscard]] Seconds mpi_barrier(Machine const& machine, std::span<Rank const> places = {});

}  // namespace allport::model
