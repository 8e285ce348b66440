// Messages on their way while a graph is simulated: outputs to several ranks, sums from several ranks.
#pragma once

#include <deque>
#include <map>

#include "deliveries.h"

namespace allport::graph {

/// One hop of a delivery, with those that wait for it.
struct Leg {
  Hop hop;
  std::int32_t waits = 0;  ///< hops that must have come to `from` before, and the rank's own contribution
  double first = 0;        ///< when its head can leave
  double last = 0;         ///< when its last byte is there
  std::int64_t cause = -1;
  std::vector<std::int32_t> next;  ///< legs that leave from where this one comes to
};

/// A delivery on its way.
struct Parcel {
  Task task;  ///< whose output, or a sum's consumer
  bool is_sum = false;
  std::vector<Leg> legs;
  std::size_t used = 0;        ///< legs in use
  std::int32_t under_way = 0;  ///< legs that have not come yet
  std::int32_t to_come = 0;    ///< sum: of what its consumer waits for
  std::int32_t contributions = 0;
  std::vector<Rank> ranks;             ///< that take part, those that only relay among them
  std::vector<std::int32_t> arrivals;  ///< still to come to each of them
  std::vector<Heir> heirs;             ///< tasks that wait for it, by owner

  [[nodiscard]] std::size_t index(Rank rank) const;
};

/// Parcels by number; numbers and memory are used again.
class Transit {
 public:
  /// The hops of a delivery as legs, none of which has started.
  std::size_t open(Carrier const& carrier, Delivery const& delivery);
  void close(std::size_t number) { free_.push_back(number); }
  [[nodiscard]] Parcel& operator[](std::size_t number) { return parcels_[number]; }

 private:
  void link(Parcel& parcel, std::int32_t leg);

  std::deque<Parcel> parcels_;
  std::vector<std::size_t> free_;
  std::vector<std::vector<std::int32_t>> inward_;  // by participant
  std::vector<Rank> relays_;
};

}  // namespace allport::graph
