#include "collectives/network/quotient.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "collectives/index.h"

namespace allport {
namespace {

constexpr std::uint64_t outwards = 1, inwards = 2, among = 3;

/// What a link to `vertex` adds to a vertex' signature.
std::uint64_t step(std::uint64_t direction, std::int64_t vertex, std::uint64_t colour) {
  return mixed(mixed(direction, static_cast<std::uint64_t>(vertex)), colour);
}

/// Equal (but for hash collisions, which is_automorphism() would find) for vertices with equal links to equal others.
std::vector<std::uint64_t> signatures(Topology const& topology, LinkTable const& links) {
  std::vector<std::uint64_t> found(at(topology.vertices()));
  for (Vertex v = 0; v < topology.vertices(); ++v) {
    found[at(v)] += topology.is_switch(v) ? 1U : 0U;
    for (auto const& l : links.from(v)) {
      found[at(v)] += step(outwards, l.to, l.colour);
      found[at(l.to)] += step(inwards, v, l.colour);
    }
  }
  return found;
}

std::size_t distinct(Colours const& colours, Colours& room) {
  room = colours;
  std::ranges::sort(room);
  return static_cast<std::size_t>(std::ranges::unique(room).begin() - room.begin());
}

}  // namespace

VertexClasses::VertexClasses(Topology const& topology, LinkTable const& links)
    : of(at(topology.vertices()), -1), place(at(topology.vertices()), 0) {
  auto const signature = signatures(topology, links);
  // Without links among them: equal signatures. With links of one colour: equal once each counts itself as reached.
  using Entry = std::tuple<std::uint64_t, std::uint64_t, Vertex>;  // signature, colour of the links among them, vertex
  std::vector<Entry> entries;
  auto const gather = [&] {
    std::ranges::sort(entries);
    for (std::size_t i = 0, end = 0; i < entries.size(); i = end) {
      auto const same = std::get<0>(entries[i]), colour = std::get<1>(entries[i]);
      std::vector<Vertex> together;
      for (end = i; end < entries.size() && std::get<0>(entries[end]) == same && std::get<1>(entries[end]) == colour;
           ++end)
        if (of[at(std::get<2>(entries[end]))] < 0) together.push_back(std::get<2>(entries[end]));
      if (together.size() < 2) continue;
      for (std::size_t x = 0; x < together.size(); ++x) {
        of[at(together[x])] = static_cast<std::int32_t>(members.size());
        place[at(together[x])] = static_cast<std::int32_t>(x);
      }
      members.push_back(std::move(together));
    }
    entries.clear();
  };
  for (Vertex v = 0; v < topology.vertices(); ++v) entries.emplace_back(signature[at(v)], 0, v);
  gather();
  for (Vertex v = 0; v < topology.vertices(); ++v) {
    if (of[at(v)] >= 0) continue;
    std::vector<std::uint64_t> colours;
    for (auto const& l : links.from(v)) colours.push_back(l.colour);
    std::ranges::sort(colours);
    colours.erase(std::ranges::unique(colours).begin(), colours.end());
    for (auto const c : colours)
      entries.emplace_back(signature[at(v)] + step(outwards, v, c) + step(inwards, v, c), c, v);
  }
  gather();
  for (Vertex v = 0; v < topology.vertices(); ++v) {
    if (of[at(v)] >= 0) continue;
    of[at(v)] = static_cast<std::int32_t>(members.size());
    members.push_back({v});
  }
}

Quotient::Quotient(Topology const& topology, LinkTable const& links, VertexClasses const& classes)
    : compute_(classes.members.size()), kinds_(classes.members.size()), out_(classes.members.size()) {
  in_.resize(out_.size());
  for (std::size_t c = 0; c < out_.size(); ++c) {
    auto const first = classes.members[c].front();
    compute_[c] = topology.is_switch(first) ? 0 : 1;
    kinds_[c] = mixed(compute_[c], classes.members[c].size());
    for (auto const& l : links.from(first)) {
      auto const to = classes.of[at(l.to)];
      if (at(to) == c) {
        kinds_[c] = mixed(mixed(among, l.colour), mixed(compute_[c], classes.members[c].size()));
      } else if (classes.place[at(l.to)] == 0) {
        out_[c].push_back({to, l.colour});
        in_[at(to)].push_back({static_cast<std::int32_t>(c), l.colour});
      }
    }
  }
  auto const in_order = [](Arc const& arc) { return std::pair(arc.to, arc.colour); };
  bool symmetric = true;
  for (std::size_t c = 0; c < out_.size(); ++c) {
    std::ranges::sort(out_[c], {}, in_order);
    std::ranges::sort(in_[c], {}, in_order);
    symmetric = symmetric && std::ranges::equal(out_[c], in_[c], {}, in_order, in_order);
  }
  if (symmetric) in_.clear();
}

int Quotient::refine(Colours& colours, int rounds) const {
  Colours next(colours.size()), room;
  auto before = rounds < 0 ? distinct(colours, room) : 0;
  for (int round = 0; rounds < 0 || round < rounds; ++round) {
    if (rounds < 0 && before == colours.size()) return round;
    for (std::size_t c = 0; c < colours.size(); ++c) {
      std::uint64_t around = 0;
      for (auto const& arc : out_[c]) around += scramble(colours[at(arc.to)] ^ arc.colour);
      if (!in_.empty())
        for (auto const& arc : in_[c]) around += mixed(inwards, colours[at(arc.to)] ^ arc.colour);
      next[c] = scramble(colours[c] * 3 + around);
    }
    if (rounds < 0) {
      auto const now = distinct(next, room);
      if (now == before) return round;  // the colours stay as they were
      before = now;
    }
    colours.swap(next);
  }
  return rounds;
}

std::vector<std::int32_t> Quotient::distances(std::int32_t from) const {
  std::vector<std::int32_t> distance(out_.size(), -1), reached{from};
  distance[at(from)] = 0;
  for (std::size_t x = 0; x < reached.size(); ++x) {
    for (auto const& arc : out_[at(reached[x])]) {
      if (distance[at(arc.to)] >= 0) continue;
      distance[at(arc.to)] = distance[at(reached[x])] + 1;
      reached.push_back(arc.to);
    }
  }
  return distance;
}

bool Quotient::is_automorphism(Permutation const& permutation) const {
  for (std::size_t c = 0; c < out_.size(); ++c) {
    auto const& there = out_[at(permutation[c])];
    if (kinds_[c] != kinds_[at(permutation[c])] || there.size() != out_[c].size()) return false;
    for (auto const& arc : out_[c]) {
      auto const found = std::ranges::lower_bound(there, permutation[at(arc.to)], {}, &Arc::to);
      if (found == there.end() || found->to != permutation[at(arc.to)] || found->colour != arc.colour) return false;
    }
  }
  return true;
}

std::uint64_t histogram(Colours const& colours) {
  std::uint64_t sum = 0;
  for (auto const c : colours) sum += scramble(c);
  return sum;
}

}  // namespace allport
