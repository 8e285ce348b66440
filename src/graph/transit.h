// Deliveries in flight while a graph is simulated: outputs to several ranks, sums from several ranks.
#pragma once

#include <deque>

#include "deliveries.h"
#include "links.h"

namespace allport::graph {

/// One hop of a delivery, in one cache line.
struct alignas(64) Leg {
  Rank from = 0;
  Rank to = 0;
  std::int64_t bytes = 0;
  Links::PathCost path_cost;
  double first = 0;          ///< when its head can leave
  double last = 0;           ///< when its last byte is available
  std::int32_t link = -1;    ///< the route, if it is a single link, or -1
  std::int32_t waits = 0;    ///< number of hops to `from`, and of its own contribution, that it still waits for
  std::int32_t place = 0;    ///< index of `to` among the participants
  std::int32_t beside = -1;  ///< the next leg that leaves from where this one does
};
static_assert(sizeof(Leg) == 64);

/// A delivery in flight.
struct Parcel {
  /// State of a participating rank.
  struct Place {
    std::int32_t arrivals = 0;   ///< still to come
    std::int32_t legs = -1;      ///< the first that leaves from here
    std::int32_t consumers = 0;  ///< the first one here
  };

  Task task;  ///< whose output, or a sum's consumer
  bool is_sum = false;
  std::int32_t in_flight = 0;  ///< legs that have not come yet
  std::int32_t to_come = 0;    ///< sum: of what its consumer waits for
  std::int32_t contributions = 0;
  std::vector<Leg> legs;
  std::vector<std::int64_t> causes;  ///< of legs, where they are kept: the span that each waited for last, then its own
  std::vector<Rank> ranks;           ///< that take part, those that only relay among them
  std::vector<Place> places;         ///< of these, and one more
  std::vector<Consumer> consumers;   ///< tasks that wait for it, by owner

  [[nodiscard]] Place& place(Rank rank);
  [[nodiscard]] std::int64_t cause(std::int32_t leg) const {
    return causes.empty() ? -1 : causes[static_cast<std::size_t>(leg)];
  }
  void set_cause(std::int32_t leg, std::int64_t span) {
    if (!causes.empty()) causes[static_cast<std::size_t>(leg)] = span;
  }
  /// Sorts them by owner; each place knows its own.
  void sort_consumers();
  [[nodiscard]] std::span<Consumer const> consumers_at(std::int32_t place) const {
    auto const* at = &places[static_cast<std::size_t>(place)];
    return std::span(consumers).subspan(static_cast<std::size_t>(at->consumers),
                                        static_cast<std::size_t>(at[1].consumers - at->consumers));
  }
  /// visit(leg) for the legs that leave the place to which `leg` leads, and that were added after it.
  template <class Visit>
  void each_next(std::int32_t leg, Visit&& visit) {
    auto const to = static_cast<std::size_t>(legs[static_cast<std::size_t>(leg)].place);
    for (auto l = places[to].legs; l >= 0; l = legs[static_cast<std::size_t>(l)].beside) {
      if (l > leg) visit(l);
    }
  }
};

/// Parcels by number; numbers and memory are used again.
class Transit {
 public:
  /// @param ranks   that may take part
  /// @param causes  whether legs' are kept
  Transit(Rank ranks, bool causes) : places_(static_cast<std::size_t>(ranks)), causes_(causes) {}

  /// The hops of a delivery as legs, none of which has started.
  std::size_t open(Transport const& transport, Links const& links, Delivery const& delivery);
  void close(std::size_t number) { free_.push_back(number); }
  [[nodiscard]] Parcel& operator[](std::size_t number) { return parcels_[number]; }

 private:
  /// Of a rank in the parcel that is being opened.
  struct Known {
    std::int64_t parcel = -1;
    std::int32_t place = 0;
    std::int32_t inward = 0;     ///< legs that come to it
    std::int32_t last_leg = -1;  ///< that leaves from it
  };
  [[nodiscard]] Known& known(Rank rank);

  std::deque<Parcel> parcels_;
  std::vector<std::size_t> free_;
  std::vector<Known> places_;  // by rank
  bool causes_;
  std::int64_t opened_ = 0;
};

}  // namespace allport::graph
