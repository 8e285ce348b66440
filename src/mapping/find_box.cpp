// Finds the box of a machine that a sub-communicator fills.
#include <algorithm>
#include <utility>

#include "allport/mapping/mapping.h"

namespace allport {

namespace {

struct Extent {
  std::int32_t lo;
  std::int32_t hi;
  std::int32_t length;
};

/// The members' distinct positions along one axis, in order.
std::vector<std::int32_t> positions(Machine const& machine, std::span<Rank const> members, int axis) {
  auto const length = static_cast<std::size_t>(machine.axis(axis).length);
  std::vector<std::int32_t> found;
  if (length <= 4 * members.size()) {
    std::vector<bool> seen(length);
    for (auto const r : members) {
      seen[static_cast<std::size_t>(machine.coord(machine.node_of(r), axis))] = true;
    }
    for (std::size_t x = 0; x < length; ++x) {
      if (seen[x]) {
        found.push_back(static_cast<std::int32_t>(x));
      }
    }
    return found;
  }
  for (auto const r : members) {
    found.push_back(machine.coord(machine.node_of(r), axis));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<Extent> cyclic_interval(std::vector<std::int32_t> const& at, Axis const& axis) {
  auto const count = static_cast<std::int32_t>(at.size());
  if (at.back() - at.front() == count - 1) {
    return Extent{at.front(), at.back(), count};
  }
  if (!axis.wraps || at.front() != 0 || at.back() != axis.length - 1) {
    return std::nullopt;
  }
  // Both ends of the axis are members: there is one gap between two runs, and the interval starts after it.
  auto const gap = std::adjacent_find(at.begin(), at.end(), [](auto a, auto b) { return b - a > 1; });
  auto const second = gap + 1;
  if (at.back() - *second != static_cast<std::int32_t>(at.end() - second) - 1) {
    return std::nullopt;
  }
  return Extent{*second, *gap, count};
}

}  // namespace

std::optional<BoxInMachine> find_box(Machine const& machine, std::span<Rank const> members) {
  ensure(!members.empty(), "members", members.size(), "at least one rank");
  for (auto const r : members) {
    ensure(r >= 0 && r < machine.ranks(), "member", r, "0 <= member < machine.ranks()",
           "pass ranks of the machine, not of a communicator");
  }
  Coord lo{};
  Coord hi{};
  std::int64_t nodes = 1;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const interval = cyclic_interval(positions(machine, members, a), machine.axis(a));
    if (!interval) {
      return std::nullopt;
    }
    lo[static_cast<std::size_t>(a)] = interval->lo;
    hi[static_cast<std::size_t>(a)] = interval->hi;
    nodes *= interval->length;  // a box of the machine: below 2^31
  }
  auto const per_node = machine.ranks_per_node();
  auto const count = static_cast<std::int64_t>(members.size());
  auto const whole_nodes = count == nodes * per_node;
  if (!whole_nodes && count != nodes) {
    return std::nullopt;
  }
  auto box = machine.box(lo, hi);
  if (!whole_nodes) {
    std::vector<Axis> axes;
    for (int a = 0; a < box.axes(); ++a) {
      axes.push_back(box.axis(a));
    }
    box = Machine(box.name(), std::move(axes), box.rates(), 1, box.exceptions());
  }
  // As many members as places: they fill the box if and only if no place is taken twice.
  std::vector<Rank> places;
  places.reserve(members.size());
  std::vector<bool> taken(members.size());
  for (auto const r : members) {
    Coord c{};
    for (int a = 0; a < machine.axes(); ++a) {
      auto const i = static_cast<std::size_t>(a);
      auto const x = machine.coord(machine.node_of(r), a) - lo[i];
      c[i] = x < 0 ? x + machine.axis(a).length : x;
    }
    auto const node = box.node(c);
    auto const place = whole_nodes ? node * per_node + r % per_node : node;
    if (taken[static_cast<std::size_t>(place)]) {
      return std::nullopt;
    }
    taken[static_cast<std::size_t>(place)] = true;
    places.push_back(place);
  }
  return BoxInMachine{std::move(box), Mapping::from_list(std::move(places)), lo, hi};
}

}  // namespace allport
