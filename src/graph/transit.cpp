#include "transit.h"

#include <algorithm>

namespace allport::graph {

Parcel::Place& Parcel::place(Rank rank) {
  return places[static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin())];
}

void Parcel::sort_consumers() {
  if (!std::ranges::is_sorted(consumers, {}, &Consumer::owner))
    std::ranges::stable_sort(consumers, {}, &Consumer::owner);
  std::size_t at = 0;
  for (std::size_t x = 0; x < ranks.size(); ++x) {
    while (at < consumers.size() && consumers[at].owner < ranks[x]) ++at;
    places[x].consumers = static_cast<std::int32_t>(at);
  }
  places.back().consumers = static_cast<std::int32_t>(consumers.size());
}

Transit::Known& Transit::known(Rank rank) {
  if (static_cast<std::size_t>(rank) >= places_.size()) places_.resize(static_cast<std::size_t>(rank) + 1);
  return places_[static_cast<std::size_t>(rank)];
}

std::size_t Transit::open(Transport const& transport, Links const& links, Delivery const& delivery) {
  std::size_t number = parcels_.size();
  if (free_.empty()) {
    parcels_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  auto& parcel = parcels_[number];
  parcel.task = delivery.task;
  parcel.is_sum = delivery.what == Collective::reduce;
  parcel.contributions = 0;
  parcel.consumers.clear();
  parcel.legs.clear();
  parcel.ranks.clear();
  ++opened_;
  auto const meet = [&](Rank rank) {
    auto& one = known(rank);
    if (one.parcel == opened_) return;
    one = {opened_, 0, 0, -1};
    parcel.ranks.push_back(rank);
  };
  for (auto const rank : delivery.ranks) meet(rank);
  transport.hops(delivery, [&](Hop const& hop) {
    meet(hop.from);
    meet(hop.to);
    auto const [link, path_cost] = links.route_of(hop.from, hop.to);
    parcel.legs.push_back({hop.from, hop.to, hop.bytes, path_cost, 0, 0, static_cast<std::int32_t>(link)});
  });
  if (causes_) parcel.causes.assign(parcel.legs.size(), -1);
  if (!std::ranges::is_sorted(parcel.ranks)) std::ranges::sort(parcel.ranks);
  parcel.places.assign(parcel.ranks.size() + 1, {});
  for (std::size_t x = 0; x < parcel.ranks.size(); ++x) known(parcel.ranks[x]).place = static_cast<std::int32_t>(x);
  // Each behind the legs that come to where it leaves from.
  for (std::size_t l = 0; l < parcel.legs.size(); ++l) {
    auto& leg = parcel.legs[l];
    auto& from = known(leg.from);
    leg.waits = from.inward;
    auto& before = from.last_leg < 0 ? parcel.places[static_cast<std::size_t>(from.place)].legs
                                     : parcel.legs[static_cast<std::size_t>(from.last_leg)].beside;
    before = from.last_leg = static_cast<std::int32_t>(l);
    auto& to = known(leg.to);
    leg.place = to.place;
    ++to.inward;
    ++parcel.places[static_cast<std::size_t>(to.place)].arrivals;
  }
  parcel.in_flight = static_cast<std::int32_t>(parcel.legs.size());
  return number;
}

}  // namespace allport::graph
