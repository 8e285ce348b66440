#include "transit.h"

#include <algorithm>

namespace allport::graph {

std::size_t Parcel::index(Rank rank) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

std::size_t Transit::open(Carrier const& carrier, Delivery const& delivery) {
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
  parcel.used = 0;
  parcel.contributions = 0;
  parcel.heirs.clear();
  parcel.ranks.assign(delivery.ranks.begin(), delivery.ranks.end());
  std::ranges::sort(parcel.ranks);
  parcel.arrivals.assign(parcel.ranks.size(), 0);
  if (inward_.size() < parcel.ranks.size()) inward_.resize(parcel.ranks.size());
  for (std::size_t x = 0; x < parcel.ranks.size(); ++x) inward_[x].clear();
  carrier.hops(delivery, [&](Hop const& hop) {
    auto const leg = static_cast<std::int32_t>(parcel.used++);
    if (parcel.used > parcel.legs.size()) parcel.legs.emplace_back();
    auto& fresh = parcel.legs[static_cast<std::size_t>(leg)];
    fresh.hop = hop;
    fresh.first = fresh.last = 0;
    fresh.cause = -1;
    fresh.next.clear();
    auto const& before = inward_[parcel.index(hop.from)];
    fresh.waits = static_cast<std::int32_t>(before.size());
    for (auto const b : before) parcel.legs[static_cast<std::size_t>(b)].next.push_back(leg);
    auto const to = parcel.index(hop.to);
    inward_[to].push_back(leg);
    ++parcel.arrivals[to];
  });
  parcel.under_way = static_cast<std::int32_t>(parcel.used);
  return number;
}

}  // namespace allport::graph
