// Loads of a machine's links.
#pragma once

#include <vector>

#include "allport/base/units.h"
#include "allport/machine/machine.h"

namespace allport {

/// Bytes on every directed link, summed over routes; fractional for means over several cases.
class LinkBytes {
 public:
  /// @param machine must outlive the object
  explicit LinkBytes(Machine const& machine);

  void add(LinkId link, double bytes);
  /// Along Machine::route; nothing for from == to.
  void add(Node from, Node to, double bytes);
  /// Sets all loads to 0, in time proportional to the number of links with bytes.
  void clear();

  [[nodiscard]] Seconds seconds(LinkId link) const;
  /// Seconds until the slowest link has transferred all its bytes.
  [[nodiscard]] Seconds longest() const;

 private:
  Machine const* machine_;
  std::vector<double> bytes_;  // by LinkId
  std::vector<LinkId> used_;   // links with bytes
};

}  // namespace allport
