// A machine whose links are as fast as somebody measured them.
#pragma once

#include <span>

#include "allport/machine/machine.h"

namespace allport {

/// What was measured of a machine's links, direction by direction, and of the levels within its nodes.
struct MeasuredLinks {
  /// By port, 2 * axes: bytes/s of one link that leaves by it while all are busy; 0: nobody measured it.
  std::vector<BytesPerSecond> by_port;
  /// By level: bytes/s from one part to its sibling; 0: nobody measured it, or they copy through the node's memory.
  std::vector<BytesPerSecond> by_level;
  /// Its fits take the place of those of the same names; date, library and ranks stand where there were none.
  Calibration calibration{};
};

/// The same machine with these rates, which prices and simulator go by. An axis takes the faster of its two directions;
/// where the other one is slower, each of its links is written as one that differs. Links that differed before keep
/// what they have, dead ones stay dead.
/// @pre by_port.size() == 2 * axes; by_level.size() == levels; rates finite and >= 0
[[nodiscard]] Machine with_measured_links(Machine const& machine, MeasuredLinks const& found);

}  // namespace allport
