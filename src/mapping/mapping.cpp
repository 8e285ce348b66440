#include "allport/mapping/mapping.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace allport {

Mapping Mapping::identity(Rank ranks) {
  ensure(ranks >= 0, "ranks", ranks, "a number >= 0");
  return Mapping(ranks);
}

Mapping Mapping::from_list(std::vector<Rank> places) {
  ensure(places.size() <= static_cast<std::size_t>(std::numeric_limits<Rank>::max()), "places", places.size(),
         "fewer than 2^31 entries");
  Mapping m(static_cast<Rank>(places.size()));
  std::vector<bool> taken(places.size());
  bool identity = true;
  for (Rank r = 0; r < m.ranks_; ++r) {
    auto const place = places[static_cast<std::size_t>(r)];
    if (place < 0 || place >= m.ranks_ || taken[static_cast<std::size_t>(place)]) {
      throw Error::argument(fmt::format("places[{}]", r), show(place),
                            fmt::format("every place of 0..{} exactly once", m.ranks_ - 1));
    }
    taken[static_cast<std::size_t>(place)] = true;
    identity = identity && place == r;
  }
  if (!identity) {
    m.places_ = std::move(places);
  }
  return m;
}

Rank Mapping::place(Rank rank) const {
  ensure(rank >= 0 && rank < ranks_, "rank", rank, "0 <= rank < ranks() of the mapping");
  return places_.empty() ? rank : places_[static_cast<std::size_t>(rank)];
}

std::vector<Rank> Mapping::list() const {
  if (!places_.empty()) {
    return places_;
  }
  std::vector<Rank> all(static_cast<std::size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Mapping Mapping::inverse() const {
  Mapping m(ranks_);
  m.places_.resize(places_.size());
  for (std::size_t r = 0; r < places_.size(); ++r) {
    m.places_[static_cast<std::size_t>(places_[r])] = static_cast<Rank>(r);
  }
  return m;
}

Mapping Mapping::then(Mapping const& next) const {
  ensure(next.ranks() == ranks_, "next.ranks()", next.ranks(), fmt::format("the {} ranks of this mapping", ranks_));
  auto places = list();
  for (auto& place : places) {
    place = next.place(place);
  }
  return from_list(std::move(places));
}

}  // namespace allport
