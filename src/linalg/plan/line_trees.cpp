#include "line_trees.h"

#include <vector>

#include "allport/tasks/transport.h"

namespace allport::gemm_detail {

namespace {

/// Links that each node of a line has to others of it, at least, along each axis.
class FewestLinks {
 public:
  explicit FewestLinks(Machine const& machine)
      : machine_(machine),
        links_(static_cast<std::size_t>(machine.axes()), 2),
        line_of_(static_cast<std::size_t>(machine.nodes()), -1) {}

  void look_at(std::span<Rank const> places) {
    ++lines_;
    for (auto const place : places) line_of_[static_cast<std::size_t>(machine_.node_of(place))] = lines_;
    for (auto const place : places) {
      for (int a = 0; a < machine_.axes(); ++a) {
        auto& fewest = links_[static_cast<std::size_t>(a)];
        fewest = std::min(fewest, within(machine_.node_of(place), a));
      }
    }
  }
  /// Two for each ring, else one for each axis.
  [[nodiscard]] int trees() const {
    auto const rings = std::ranges::count(links_, 2);
    return static_cast<int>(std::max<std::ptrdiff_t>(rings > 0 ? 2 * rings : std::ranges::count(links_, 1), 1));
  }

 private:
  [[nodiscard]] int within(Node node, int axis) const {
    int links = 0;
    for (int const way : {-1, 1}) {
      if (way < 0 && machine_.axis(axis).length == 2) continue;  // a ring of two is one cable
      auto const there = machine_.neighbour(node, port(axis, way));
      if (there && *there != node && line_of_[static_cast<std::size_t>(*there)] == lines_) ++links;
    }
    return links;
  }

  Machine const& machine_;
  std::vector<int> links_;
  std::vector<int> line_of_;  // of nodes: the last line that they are in
  int lines_ = 0;
};

}  // namespace

int line_trees(Frame const& frame, GridAxis line, Machine const& machine, std::optional<Mapping> const& mapping) {
  if (frame.length(line) < 3 || tasks::default_tree(machine) != MulticastTree::axes) return 1;
  FewestLinks fewest(machine);
  for (Rank r = 0; r < frame.grid().ranks(); ++r) {
    auto const place = *frame.place(r);
    if (frame.index(place, line) != 0) continue;  // once for each line
    auto places = frame.members(place, line);
    for (auto& member : places) member = mapping ? mapping->place(member) : member;
    fewest.look_at(places);
  }
  return fewest.trees();
}

int line_trees(std::span<Rank const> places, Machine const& machine) {
  if (places.size() < 3 || tasks::default_tree(machine) != MulticastTree::axes) return 1;
  FewestLinks fewest(machine);
  fewest.look_at(places);
  return fewest.trees();
}

}  // namespace allport::gemm_detail
