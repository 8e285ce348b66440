// The messages of a run, to count and simulate it by.
#pragma once

#include <memory>
#include <optional>

#include "allport/graph/transport.h"
#include "allport/machine/machine.h"
#include "allport/mapping/mapping.h"
#include "allport/multicast/forward.h"

namespace allport::tasks {

/// How outputs travel where nobody says it: along the axes of a machine that was named, by prefix on the line that
/// knows nothing (Machine::flat).
[[nodiscard]] MulticastTree default_tree(Machine const& machine);

/// In how long pieces outputs are handed on where nobody says it: from 4 to 64 KiB, the shortest power of two that
/// takes the machine's slowest axis at least five times as long as the processors at its two ends. Where a relay has a
/// whole tile before it passes any of it on, each hop costs the tile's time again.
[[nodiscard]] Bytes usual_segment(Machine const& machine);

/// Whether every link is memory, or nearly as fast: 64 KiB in a millisecond. MPI moves what goes over such links while
/// both ends look after messages, so that ranks which take turns at it wait for each other.
[[nodiscard]] bool moves_while_polled(Machine const& machine);

/// How many hops farther than by the shortest ways an output of so many bytes may go, where that divides it better
/// among a machine's links: each costs the time of a piece of usual_segment() more, and an output that begins over one
/// link instead of two saves its own.
[[nodiscard]] std::int64_t detour_of(Machine const& machine, std::int64_t bytes);

/// What run() sends by this way on a communicator of this machine: outputs as multicasts over the topology IDs of the
/// machine, contributions to sums straight to who adds them, collectives of gangs along binomial trees. Some ranks that
/// are not among a delivery's may relay.
/// @param mapping  the communicator's, rank -> place of the machine; none: the identity
[[nodiscard]] std::unique_ptr<graph::Transport> transport(Machine const& machine, MulticastTree tree,
                                                          std::optional<Mapping> const& mapping = {});
/// By default_tree().
[[nodiscard]] std::unique_ptr<graph::Transport> transport(Machine const& machine,
                                                          std::optional<Mapping> const& mapping = {});

}  // namespace allport::tasks
