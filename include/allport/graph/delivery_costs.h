// What one delivery takes by itself: for who estimates an algorithm before its graph is made.
#pragma once

#include <memory>
#include <vector>

#include "allport/graph/transport.h"
#include "allport/machine/machine.h"

namespace allport::graph {

/// Seconds that messages take of the links of a machine's axes, all links of an axis together.
class AxisLoads {
 public:
  /// @param machine must outlive it
  explicit AxisLoads(Machine const& machine);
  void add(Hop const& hop, double times = 1);
  void add(AxisLoads const& other, double times);
  /// Of the busiest axis, as if its traffic were even.
  [[nodiscard]] double mean_link() const;

 private:
  Machine const* machine_;
  std::vector<double> seconds_;  // by axis
  std::vector<double> links_;    // by axis, how many there are
};

/// Seconds of a delivery while nobody else is at work, all links idle before, which pass so many bytes at once then.
struct IdleCost {
  double start = 0;     ///< of no bytes
  double per_byte = 0;  ///< and for each byte more that no link has saved up
  double burst = 0;     ///< bytes
  [[nodiscard]] double trailing(double bytes) const { return bytes > burst ? (bytes - burst) * per_byte : 0; }
  /// Of as many, one after the other: between them links save up again.
  [[nodiscard]] double seconds(double bytes, double times = 1) const;
};

/// How deliveries travel while nothing else is under way. Not for several threads at once.
class DeliveryCosts {
 public:
  /// Machine and carrier must outlive it. @param segment as PriceOptions::segment
  DeliveryCosts(Machine const& machine, Transport const& transport, std::int64_t segment);
  ~DeliveryCosts();
  DeliveryCosts(DeliveryCosts const&) = delete;
  DeliveryCosts& operator=(DeliveryCosts const&) = delete;

  /// What a delivery takes, by what it takes of its own bytes and of half as many.
  struct Cost {
    double start = 0;     ///< seconds until all who take part have all that it brings them, of no bytes
    double per_byte = 0;  ///< and for each byte more
    AxisLoads loads;      ///< of all its bytes
  };
  /// @pre delivery.ranks.size() > 1, delivery.bytes > 0
  [[nodiscard]] Cost of(Delivery const& delivery);
  [[nodiscard]] IdleCost idle_cost(Delivery const& delivery);
  /// Bytes that links of the machine pass at once after they were idle.
  [[nodiscard]] double burst() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace allport::graph
