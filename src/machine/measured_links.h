// A machine with measured link rates.
#pragma once

#include <span>

#include "allport/machine/machine.h"

namespace allport {

/// Measured rates of a machine's links by direction, and of the levels within its nodes.
struct MeasuredLinks {
  /// By port, 2 * axes: bytes/s of one link while all are busy; 0: not measured.
  std::vector<BytesPerSecond> by_port;
  /// By level: bytes/s from one part to its sibling; 0: not measured, or through the node's memory.
  std::vector<BytesPerSecond> by_level;
  /// Its fits replace those of the same names; date, library and ranks are set if the machine had none.
  Calibration calibration{};
};

/// The same machine with these rates, for prices and the simulator. An axis gets the faster of its two directions; if
/// the other one is slower, each of its links becomes an exception. Previous exceptions, such as dead links, are
/// unchanged.
/// @pre by_port.size() == 2 * axes; by_level.size() == levels; rates finite and >= 0
[[nodiscard]] Machine with_measured_links(Machine const& machine, MeasuredLinks const& found);

}  // namespace allport
