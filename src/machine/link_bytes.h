// Load of a machine's links by messages of any length.
#pragma once

#include <vector>

#include "allport/base/units.h"
#include "allport/machine/machine.h"

namespace allport {

/// Bytes on every directed link, summed over routes; fractional if means of several cases are added.
class LinkBytes {
 public:
  /// @param machine must outlive it
  explicit LinkBytes(Machine const& machine);

  void add(LinkId link, double bytes);
  /// Along Machine::route; nothing for from == to.
  void add(Node from, Node to, double bytes);
  /// Takes as long as what was added since the last time.
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
