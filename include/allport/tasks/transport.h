// The messages of a run, for counting and simulation.
#pragma once

#include <memory>
#include <optional>

#include "allport/graph/transport.h"
#include "allport/machine/machine.h"
#include "allport/mapping/mapping.h"
#include "allport/multicast/forward.h"

namespace allport::tasks {

/// The default multicast tree of outputs: along the axes of a named machine, by prefix on an unnamed one
/// (Machine::flat).
[[nodiscard]] MulticastTree default_tree(Machine const& machine);

/// The default segment in which outputs are forwarded: the shortest power of two from 4 to 64 KiB whose time on the
/// machine's slowest axis is at least five times the overhead of the processors at its ends. Without segments each hop
/// would cost the time of a whole tile again.
[[nodiscard]] Bytes default_segment(Machine const& machine);

/// Whether every link is memory, or nearly as fast: 64 KiB in 1 ms. MPI transfers data over such links only while both
/// ends poll, so ranks that poll alternately wait for each other.
[[nodiscard]] bool moves_while_polled(Machine const& machine);

/// Maximum number of extra hops, compared with shortest routes, for an output of `bytes` bytes if that balances the
/// load of the machine's links: each extra hop costs the time of one default_segment(), and a tree that leaves the
/// source over one link instead of two saves the time of the whole output.
[[nodiscard]] std::int64_t detour_of(Machine const& machine, std::int64_t bytes);

/// The messages that run() sends with this tree on a communicator of this machine: outputs as multicasts over the
/// topology IDs of the machine, contributions to sums directly to the rank that adds them, collectives of gangs along
/// binomial trees. Ranks that do not participate in a delivery may relay it.
/// @param mapping  the communicator's, rank -> place of the machine; none: the identity
[[nodiscard]] std::unique_ptr<graph::Transport> transport(Machine const& machine, MulticastTree tree,
                                                          std::optional<Mapping> const& mapping = {});
/// With default_tree().
[[nodiscard]] std::unique_ptr<graph::Transport> transport(Machine const& machine,
                                                          std::optional<Mapping> const& mapping = {});

}  // namespace allport::tasks
