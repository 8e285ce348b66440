// What messages of any length put on a machine's links.
#pragma once

#include <vector>

#include "allport/base/units.h"
#include "allport/machine/machine.h"

namespace allport {

/// Bytes on every directed link, for who adds up routes; a fraction where what is added is a mean of several cases.
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
  /// Until the slowest link has carried all its bytes.
  [[nodiscard]] Seconds longest() const;

 private:
  Machine const* machine_;
  std::vector<double> bytes_;  // by LinkId
  std::vector<LinkId> used_;   // links with bytes
};

}  // namespace allport
