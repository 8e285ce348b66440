#include "placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace allport::dropin {
namespace {

/// "x", "x and z", "x, y and z".
std::string listed(std::vector<char> const& axes) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    text += i == 0 ? "" : i + 1 == axes.size() ? " and " : ", ";
    text += axes[i];
  }
  return text;
}

std::string nodes_of(Machine const& box, Machine const& whole) {
  if (box.nodes() == whole.nodes()) return fmt::format("all {} nodes", whole.nodes());
  std::vector<char> letters;
  std::vector<std::int32_t> lengths;
  bool ring = false;
  for (int a = 0; a < box.axes(); ++a) {
    if (box.axis(a).length == 1) continue;
    letters.push_back(axis_letter(a));
    lengths.push_back(box.axis(a).length);
    ring = box.axis(a).wraps;
  }
  constexpr std::array<std::string_view, 4> kinds{"", "line", "plane", "box"};
  auto const kind = letters.size() == 1 && ring ? "ring" : kinds[std::min<std::size_t>(letters.size(), 3)];
  return fmt::format("{} of {} along {}", kind, fmt::join(lengths, "x"), listed(letters));
}

}  // namespace

std::string placement_of(std::optional<BoxInMachine> const& box, Machine const& whole, Rank ranks) {
  if (!box) return fmt::format("{} ranks that form no box: trees over the network among them", ranks);
  auto const& machine = box->machine;
  auto text = machine.nodes() == 1 ? fmt::format("{} ranks of one node", ranks) : nodes_of(machine, whole);
  if (machine.nodes() > 1 && machine.ranks_per_node() > 1) {
    text += fmt::format(", {} ranks on each node", machine.ranks_per_node());
  }
  return box->mapping.is_identity() ? text : text + ", in another order";
}

}  // namespace allport::dropin
