#include "collectives/network/link_table.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "collectives/index.h"

namespace allport {

LinkTable::LinkTable(Topology const& topology, std::vector<std::int64_t> const& capacity) {
  auto const& links = topology.links();
  sorted_.resize(links.size());
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::ranges::sort(sorted_, {}, [&](std::int32_t l) {
    auto const& link = links[at(l)];
    return std::tuple(link.from, link.to, capacity[at(l)], link.latency.value(), l);
  });
  place_.resize(links.size());
  begin_.assign(at(topology.vertices()) + 1, 0);
  for (auto const& link : links) ends_.push_back({link.from, link.to});
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    auto const l = sorted_[i];
    auto const& link = links[at(l)];
    auto const first = i == 0 || ends_[at(sorted_[i - 1])].from != link.from || ends_[at(sorted_[i - 1])].to != link.to;
    if (first) {
      parallel_.push_back({link.to, static_cast<std::int32_t>(i), 0});
      ++begin_[at(link.from) + 1];
    }
    place_[at(l)] = static_cast<std::int32_t>(i) - parallel_.back().first;
    parallel_.back().colour = mixed(mixed(parallel_.back().colour, static_cast<std::uint64_t>(capacity[at(l)])),
                                    std::bit_cast<std::uint64_t>(link.latency.value()));
  }
  for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
}

std::span<LinkTable::Parallel const> LinkTable::from(Vertex v) const {
  auto const first = at(begin_[at(v)]);
  return std::span(parallel_).subspan(first, at(begin_[at(v) + 1]) - first);
}

LinkTable::Parallel const* LinkTable::find(Vertex from_vertex, Vertex to) const {
  auto const all = from(from_vertex);
  auto const found = std::ranges::lower_bound(all, to, {}, &Parallel::to);
  return found != all.end() && found->to == to ? &*found : nullptr;
}

std::int32_t LinkTable::image(std::int32_t link, Permutation const& permutation) const {
  auto const [from_vertex, to] = ends_[at(link)];
  auto const* there = find(permutation[at(from_vertex)], permutation[at(to)]);
  return there == nullptr ? -1 : sorted_[at(there->first + place_[at(link)])];
}

bool LinkTable::is_automorphism(Permutation const& permutation) const {
  for (Vertex v = 0; v < vertices(); ++v) {
    auto const mine = from(v);
    if (mine.size() != from(permutation[at(v)]).size()) return false;
    for (auto const& group : mine) {
      auto const* there = find(permutation[at(v)], permutation[at(group.to)]);
      if (there == nullptr || there->colour != group.colour) return false;
    }
  }
  return true;
}

std::int64_t LinkTable::bytes() const {
  return static_cast<std::int64_t>(ends_.size() * (sizeof(Ends) + 2 * sizeof(std::int32_t)) +
                                   parallel_.size() * sizeof(Parallel) + begin_.size() * sizeof(std::int32_t));
}

}  // namespace allport
