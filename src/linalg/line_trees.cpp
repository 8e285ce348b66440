#include "line_trees.h"

#include <vector>

#include "allport/tasks/transport.h"

namespace allport::detail {

namespace {

/// The fewest links along each axis from a node of a line to other nodes of the line.
class FewestLinks {
 public:
  explicit FewestLinks(Machine const& machine)
      : machine_(machine),
        links_(static_cast<std::size_t>(machine.axes()), 2),
        line_of_(static_cast<std::size_t>(machine.nodes()), -1) {}

  void add(std::span<Rank const> places) {
    ++lines_;
    for (auto const place : places) line_of_[static_cast<std::size_t>(machine_.node_of(place))] = lines_;
    for (auto const place : places) {
      for (int a = 0; a < machine_.axes(); ++a) {
        auto& fewest = links_[static_cast<std::size_t>(a)];
        fewest = std::min(fewest, within(machine_.node_of(place), a));
      }
    }
  }
  /// Two per ring, else one per axis.
  [[nodiscard]] int trees() const {
    auto const rings = std::ranges::count(links_, 2);
    return static_cast<int>(std::max<std::ptrdiff_t>(rings > 0 ? 2 * rings : std::ranges::count(links_, 1), 1));
  }

 private:
  [[nodiscard]] int within(Node node, int axis) const {
    int links = 0;
    for (int const direction : {-1, 1}) {
      if (direction < 0 && machine_.axis(axis).length == 2) continue;  // a ring of two is one link
      auto const there = machine_.neighbour(node, port(axis, direction));
      if (there && *there != node && line_of_[static_cast<std::size_t>(*there)] == lines_) ++links;
    }
    return links;
  }

  Machine const& machine_;
  std::vector<int> links_;
  std::vector<int> line_of_;  // of nodes: the last line that contains them
  int lines_ = 0;
};

}  // namespace

int line_trees(GridLayout const& layout, GridAxis line, Machine const& machine, std::optional<Mapping> const& mapping) {
  if (layout.length(line) < 3 || tasks::default_tree(machine) != MulticastTree::axes) return 1;
  FewestLinks fewest(machine);
  for (Rank r = 0; r < layout.grid().ranks(); ++r) {
    auto const at = *layout.coords(r);
    if (GridLayout::index(at, line) != 0) continue;  // once per line
    auto places = layout.members(at, line);
    for (auto& member : places) member = mapping ? mapping->place(member) : member;
    fewest.add(places);
  }
  return fewest.trees();
}

int line_trees(std::span<Rank const> places, Machine const& machine) {
  if (places.size() < 3 || tasks::default_tree(machine) != MulticastTree::axes) return 1;
  FewestLinks fewest(machine);
  fewest.add(places);
  return fewest.trees();
}

}  // namespace allport::detail
