// The time of one delivery alone, for estimates of an algorithm before its graph is built.
#pragma once

#include <memory>
#include <vector>

#include "allport/graph/transport.h"
#include "allport/machine/machine.h"

namespace allport::graph {

/// Link occupancy by axis: seconds that messages occupy links, summed over all links of an axis.
class AxisLoads {
 public:
  /// @param machine must outlive it
  explicit AxisLoads(Machine const& machine);
  void add(Hop const& hop, double times = 1);
  void add(AxisLoads const& other, double times);
  /// Mean seconds per link of the busiest axis.
  [[nodiscard]] double mean_link() const;

 private:
  Machine const* machine_;
  std::vector<double> seconds_;  // by axis
  std::vector<double> links_;    // by axis, how many there are
};

/// Time of a delivery on an idle network whose links first pass `burst` bytes without delay.
struct IdleCost {
  double start = 0;     ///< seconds of an empty delivery
  double per_byte = 0;  ///< seconds for each byte beyond the burst
  double burst = 0;     ///< bytes
  [[nodiscard]] double trailing(double bytes) const { return bytes > burst ? (bytes - burst) * per_byte : 0; }
  /// Seconds of `times` deliveries, one after the other; the burst is available again to each.
  [[nodiscard]] double seconds(double bytes, double times = 1) const;
};

/// Prices single deliveries on a network without other traffic. Not thread-safe.
class DeliveryCosts {
 public:
  /// Machine and transport must outlive it. @param segment as PriceOptions::segment
  DeliveryCosts(Machine const& machine, Transport const& transport, std::int64_t segment);
  ~DeliveryCosts();
  DeliveryCosts(DeliveryCosts const&) = delete;
  DeliveryCosts& operator=(DeliveryCosts const&) = delete;

  /// Linear cost of a delivery, fitted at its own size and at half of it.
  struct Cost {
    double start = 0;     ///< seconds until all participants have all data of an empty delivery
    double per_byte = 0;  ///< seconds for each byte
    AxisLoads loads;      ///< of all its bytes
  };
  /// @pre delivery.ranks.size() > 1, delivery.bytes > 0
  [[nodiscard]] Cost of(Delivery const& delivery);
  [[nodiscard]] IdleCost idle_cost(Delivery const& delivery);
  /// Bytes that an idle link of the machine passes without delay.
  [[nodiscard]] double burst() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace allport::graph
