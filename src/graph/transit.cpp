#include "transit.h"

#include <algorithm>

namespace allport::graph {

std::size_t Parcel::index(Rank rank) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

/// Behind the legs that come to where it leaves from.
void Transit::link(Parcel& parcel, std::int32_t leg) {
  auto& fresh = parcel.legs[static_cast<std::size_t>(leg)];
  fresh.first = fresh.last = 0;
  fresh.cause = -1;
  fresh.next.clear();
  auto const& before = inward_[parcel.index(fresh.hop.from)];
  fresh.waits = static_cast<std::int32_t>(before.size());
  for (auto const b : before) parcel.legs[static_cast<std::size_t>(b)].next.push_back(leg);
  auto const to = parcel.index(fresh.hop.to);
  inward_[to].push_back(leg);
  ++parcel.arrivals[to];
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
  relays_.clear();
  carrier.hops(delivery, [&](Hop const& hop) {
    if (++parcel.used > parcel.legs.size()) parcel.legs.emplace_back();
    parcel.legs[parcel.used - 1].hop = hop;
    if (!std::ranges::binary_search(parcel.ranks, hop.to)) relays_.push_back(hop.to);
  });
  if (!relays_.empty()) {
    parcel.ranks.insert(parcel.ranks.end(), relays_.begin(), relays_.end());
    std::ranges::sort(parcel.ranks);
    parcel.ranks.erase(std::ranges::unique(parcel.ranks).begin(), parcel.ranks.end());
  }
  parcel.arrivals.assign(parcel.ranks.size(), 0);
  if (inward_.size() < parcel.ranks.size()) inward_.resize(parcel.ranks.size());
  for (std::size_t x = 0; x < parcel.ranks.size(); ++x) inward_[x].clear();
  for (std::size_t l = 0; l < parcel.used; ++l) link(parcel, static_cast<std::int32_t>(l));
  parcel.under_way = static_cast<std::int32_t>(parcel.used);
  return number;
}

}  // namespace allport::graph
