// Loads of links while pairs of ranks are swapped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/pattern/pattern.h"
#include "index.h"

namespace allport::mapping {

/// Bytes on every link of a mapping that changes by swaps. The cost of a swap does not depend on the size of the
/// machine: it walks the routes of two ranks' messages, before and after.
class Swaps {
 public:
  Swaps(Machine const& machine, Pattern const& pattern, std::vector<Rank> places);

  [[nodiscard]] Machine const& machine() const { return machine_; }
  [[nodiscard]] std::vector<Rank> const& places() const { return place_; }
  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(place_.size()); }
  /// The rank at a place; -1: none.
  [[nodiscard]] Rank rank_at(Rank place) const { return rank_at_[at(place)]; }
  [[nodiscard]] std::span<Flow const> sent(Rank r) const { return out_.of(r); }
  [[nodiscard]] std::span<Flow const> received(Rank r) const { return in_.of(r); }
  /// The rank with the same number within the node behind a port of the place's node; -1 if there is none.
  [[nodiscard]] Rank beside(Rank place, Port p) const;
  /// Number of link loads evaluated so far.
  [[nodiscard]] std::int64_t looked_at() const { return looked_at_; }

  /// Seconds of the link that takes longest; a dead one's bytes count a million times.
  [[nodiscard]] double largest() const;
  [[nodiscard]] double hop_bytes() const { return static_cast<double>(hop_bytes_); }
  /// Recomputes the sum over links of (seconds / unit)^(2^squarings).
  /// @pre unit > 0
  void measure(double unit, int squarings);
  [[nodiscard]] double sum() const { return sum_; }
  /// Whether a message of the rank crosses a link of `seconds` or more.
  [[nodiscard]] bool crosses(Rank r, double seconds);

  /// Change of the sum and of the hop-bytes by a swap.
  struct Change {
    double sum = 0.0;
    double hop_bytes = 0.0;
  };
  /// Whether two ranks are on different nodes, so that a swap has an effect.
  [[nodiscard]] bool apart(Rank a, Rank b) const { return node_[at(place_[at(a)])] != node_[at(place_[at(b)])]; }
  /// Swaps two ranks on different nodes; undo() reverts the last swap.
  Change swap(Rank a, Rank b);
  void undo();

 private:
  struct Link {
    std::int64_t bytes = 0;
    std::int64_t before = 0;  // load before the last swap
    double scale = 0.0;       // seconds per byte
    std::uint32_t stamp = 0;
  };

  struct Line {  // of one axis
    std::int32_t length = 1;
    Node stride = 1;
    bool wraps = true;
  };

  /// Calls visit(link) along Machine::route until it returns false.
  template <class Visit>
  void route(Node from, Node to, Visit&& visit) {
    auto const axes = axes_.size();
    auto const* here = &coord_[at(from) * axes];
    auto const* there = &coord_[at(to) * axes];
    for (std::size_t a = 0; a < axes; ++a) {
      auto const x = here[a];
      auto const y = there[a];
      if (x == y) continue;
      auto const n = axes_[a].length;
      auto steps = y - x;
      if (axes_[a].wraps) {  // the shorter direction, positive in case of a tie
        if (2 * steps > n) steps -= n;
        if (2 * steps <= -n) steps += n;
      }
      auto const stride = axes_[a].stride;
      auto const span = stride * n;
      auto node = from;
      auto c = x;
      auto const p = 2 * a + (steps > 0 ? 1 : 0);
      if (steps > 0) {
        for (; steps > 0; --steps) {
          if (!visit(at(node) * 2 * axes + p)) return;
          node += stride;
          if (++c == n) {
            c = 0;
            node -= span;
          }
        }
      } else {
        for (; steps < 0; ++steps) {
          if (!visit(at(node) * 2 * axes + p)) return;
          node -= stride;
          if (--c < 0) {
            c = n - 1;
            node += span;
          }
        }
      }
      from = node;
    }
  }
  void change(Node from, Node to, std::int64_t bytes);
  void messages(Rank a, Rank b, std::int64_t sign);
  void exchange(Rank a, Rank b);
  [[nodiscard]] double weigh(double seconds) const;
  [[nodiscard]] Node node_at(Rank r) const { return node_[at(place_[at(r)])]; }

  Machine const& machine_;
  Flows const& out_;
  Flows const in_;
  std::vector<Rank> place_;
  std::vector<Rank> rank_at_;        // by place
  std::vector<Node> node_;           // by place
  std::vector<std::int32_t> coord_;  // [node][axis]
  std::vector<Line> axes_;
  std::vector<Link> links_;
  std::vector<std::size_t> touched_;
  std::uint32_t now_ = 0;
  Rank last_a_ = 0, last_b_ = 0;
  std::int64_t hop_bytes_ = 0, hop_bytes_before_ = 0;
  double unit_ = 1.0, sum_ = 0.0, sum_before_ = 0.0;
  int squarings_ = 3;
  std::int64_t looked_at_ = 0;
};

}  // namespace allport::mapping
