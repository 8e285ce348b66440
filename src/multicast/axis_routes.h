// The forms of trees along a machine's axes, and the routes from a source in one of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "allport/machine/machine.h"

namespace allport::multicast_detail {

using Order = std::array<int, max_axes>;

/// Direction round a ring: the shortest, or the same for all.
enum class Sense : std::uint8_t { shortest, positive, negative };
inline constexpr int senses = 3;

/// Number of orders of axes of trees that begin along all axes at once.
[[nodiscard]] inline int plain_orders(int axes) { return axes < 2 ? 1 : axes == 3 ? 6 : 2; }
/// With rectangular trees, and with the senses of each.
[[nodiscard]] inline int forms(int axes) { return (plain_orders(axes) + (axes < 2 ? 0 : axes)) * senses; }

/// One of axis_orders(): forms() again and again, for every set of axes that go the shortest route whatever the sense.
/// Behind the plain ones are those of the rectangular trees (Solomonik11, slides 4-5), whose axes are in cyclic order:
/// they begin along their first axis alone, and nodes that differ from the source in others only are reached from
/// beside. Trees with other first axes, or senses, have no link in common.
struct TreeForm {
  Order axes{};
  Sense sense = Sense::shortest;
  bool from_beside = false;
  int shortest = 0;  ///< bit a: axis a goes the shortest route

  TreeForm(int count, int number) : shortest(number / forms(count)) {
    auto const end = axes.begin() + count;
    std::iota(axes.begin(), end, 0);
    number %= forms(count);
    auto const plain = plain_orders(count) * senses;
    from_beside = number >= plain;
    if (from_beside) {
      number -= plain;
      sense = static_cast<Sense>(number / count);
      std::rotate(axes.begin(), axes.begin() + number % count, end);
      return;
    }
    sense = static_cast<Sense>(number % senses);
    if (count > 3) {
      if (number >= senses) std::reverse(axes.begin(), end);
      return;
    }
    for (auto o = number / senses; o > 0; --o) std::next_permutation(axes.begin(), end);
  }
};

/// Routes from a source's node, axis by axis, computed alike on all ranks. The shortest route half round a ring is the
/// positive one from every second node and the negative one from the others, so that neither has all.
class AxisRoutes {
 public:
  AxisRoutes(Machine const& machine, Node source, int order)
      : machine_(machine), source_(source), form_(machine.axes(), order) {
    for (int a = 0; a < machine.axes(); ++a) odd_ = odd_ != (machine.coord(source, a) % 2 != 0);
    if (form_.from_beside) beside_ = beside(form_.axes[0]);
  }

  /// Signed hops along an axis.
  [[nodiscard]] std::int32_t steps(Node to, int a) const {
    auto const length = machine_.axis(a).length;
    auto const shortest = machine_.offset(machine_.coord(source_, a), machine_.coord(to, a), a);
    if (!machine_.axis(a).wraps || shortest == 0) return shortest;
    bool const is_shortest = form_.sense == Sense::shortest || (form_.shortest >> a & 1) != 0;
    bool const positive =
        is_shortest ? shortest > 0 && !(odd_ && 2 * shortest == length) : form_.sense == Sense::positive;
    return positive ? (shortest + length) % length : (shortest - length) % length;
  }
  /// visit(node, port to the next) for every node on the route except the last.
  template <class Visit>
  void each(Node to, Visit&& visit) const {
    auto at = source_;
    auto const go = [&](int a, std::int32_t hops) {
      auto const out = port(a, hops);
      for (auto left = std::abs(hops); left > 0; --left) {
        visit(at, out);
        at = *machine_.neighbour(at, out);
      }
    };
    auto const first = form_.axes[0];
    bool const is_beside = beside_ != 0 && to != source_ && steps(to, first) == 0;
    if (is_beside) go(first, beside_);
    for (int o = 0; o < machine_.axes(); ++o) {
      auto const a = form_.axes[static_cast<std::size_t>(o)];
      go(a, steps(to, a));
    }
    if (is_beside) go(first, -beside_);
  }
  /// The port by which a route leaves `through`; none if it does not pass that node, or ends there.
  [[nodiscard]] std::optional<Port> out_of(Node through, Node to) const {
    std::optional<Port> found;
    each(to, [&](Node at, Port out) {
      if (at == through) found = out;
    });
    return found;
  }
  [[nodiscard]] std::optional<Node> before(Node node) const {
    std::optional<Node> last;
    each(node, [&](Node at, Port) { last = at; });
    return last;
  }

 private:
  /// The side from which nodes in the source's plane across an axis are reached: the direction of a neighbour's own
  /// route. 0: there is none.
  [[nodiscard]] std::int32_t beside(int a) const {
    if (machine_.axis(a).length == 1) return 0;
    auto const side = form_.sense == Sense::negative ? -1 : 1;
    auto const there = machine_.neighbour(source_, port(a, side));
    return there && steps(*there, a) == side ? side : -side;
  }

  Machine const& machine_;
  Node source_;
  TreeForm form_;
  std::int32_t beside_ = 0;
  bool odd_ = false;
};

}  // namespace allport::multicast_detail
