#include "gang_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace allport::tasks {

GangOrder::Forming GangOrder::formed(Task gang) const {
  Gang found;
  bool const is_gang = graph_->gang(gang, found) && !found.members.empty() && found.members.front() == gang;
  ensure(is_gang, "gang", graph_->name(gang), "the first member of a gang", "graph::check() finds such graphs",
         ErrorKind::schedule);
  Forming forming;
  for (auto const member : found.members) forming.ranks.push_back(graph_->owner(member));
  forming.missing = forming.ranks;
  return forming;
}

void GangOrder::ready(Task gang, Rank rank) {
  auto at = forming_.find(gang);
  if (at == forming_.end()) at = forming_.emplace(gang, formed(gang)).first;
  auto& [ranks, missing] = at->second;
  auto const one = std::ranges::find(missing, rank);
  ensure(one != missing.end(), "gang", graph_->name(gang),
         fmt::format("one in which rank {} has a member that is not ready yet", rank),
         "graph::check() finds such graphs", ErrorKind::schedule);
  missing.erase(one);
  if (!missing.empty()) return;
  Complete complete{graph_->priority(gang), gang, std::move(ranks)};
  forming_.erase(at);
  auto const behind = std::ranges::upper_bound(complete_, complete.priority, std::greater<>(), &Complete::priority);
  complete_.insert(behind, std::move(complete));
}

void GangOrder::done(Task gang, Rank rank) {
  auto const at = busy_.find(rank);
  ensure(at != busy_.end() && at->second == gang, "gang", graph_->name(gang),
         fmt::format("the one that rank {} is in", rank), "", ErrorKind::schedule);
  busy_.erase(at);
}

std::vector<GangOrder::Begun> GangOrder::begin() {
  std::vector<Begun> begun;
  std::set<Rank> wanted;  // by those that come first
  auto const is_free = [&](Rank rank) { return !busy_.contains(rank) && !wanted.contains(rank); };
  for (auto& [priority, gang, ranks] : complete_) {
    if (std::ranges::all_of(ranks, is_free)) {
      for (auto const rank : ranks) busy_.emplace(rank, gang);
      begun.push_back({gang, std::move(ranks)});
    } else {
      wanted.insert(ranks.begin(), ranks.end());
    }
  }
  std::erase_if(complete_, [](Complete const& c) { return c.ranks.empty(); });
  return begun;
}

std::string GangOrder::missing_text(Task gang, Forming const& forming) const {
  Gang found;
  static_cast<void>(graph_->gang(gang, found));
  std::string text;
  constexpr std::size_t shown = 4;
  std::size_t listed = 0;
  for (auto const member : found.members) {
    auto const owner = graph_->owner(member);
    if (std::ranges::find(forming.missing, owner) == forming.missing.end()) continue;
    if (listed++ < shown) text += fmt::format("{}{} on rank {}", listed > 1 ? ", " : "", graph_->name(member), owner);
  }
  if (listed > shown) text += fmt::format(" and {} more", listed - shown);
  return text;
}

std::string GangOrder::waiting_text(std::size_t most) const {
  std::string text;
  std::size_t listed = 0;
  auto const list = [&](Task gang, std::string const& what) {
    if (listed++ < most)
      text += fmt::format("{}the gang of {} for {}", listed > 1 ? "; " : "", graph_->name(gang), what);
  };
  for (auto const& [priority, gang, ranks] : complete_) {
    auto const taken = std::ranges::find_if(ranks, [&](Rank rank) { return busy_.contains(rank); });
    list(gang, taken == ranks.end()
                   ? std::string("a gang that comes first")
                   : fmt::format("rank {}, which is in the gang of {}", *taken, graph_->name(busy_.at(*taken))));
  }
  for (auto const& [gang, forming] : forming_) list(gang, missing_text(gang, forming));
  if (listed > most) text += fmt::format(" and {} more", listed - most);
  return text;
}

}  // namespace allport::tasks
