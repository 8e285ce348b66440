// Recursive bisection of places and ranks (Berger and Bokhari 1987): places are halved across the axis whose cut has
// the least bandwidth, ranks across the axis of their process grid that the fewest bytes cross, or without a grid along
// a breadth-first order of their graph.
#include <cstdlib>
#include <span>

#include "rows.h"

namespace allport::mapping {

namespace {

class Bisection {
 public:
  explicit Bisection(MappingTask const& task)
      : task_(task), machine_(task.machine()), places_(task.allocation()), part_(at(task.ranks()), 0) {
    for (Rank r = 0; r < task.ranks(); ++r) ranks_.push_back(r);
    if (auto const& grid = task.pattern().grid()) {
      weigh(*grid);
    } else {
      in_ = task.pattern().flows().reversed();
    }
  }

  std::vector<Rank> run() {
    halve(0, ranks_.size());
    return laid(ranks_, places_);
  }

 private:
  /// For each axis, the bytes that cross a cut of the grid across it, per cell of the cut.
  void weigh(CartGrid const& grid) {
    weight_.assign(grid.lengths.size(), 0.0);
    for (Rank r = 0; r < task_.ranks(); ++r) {
      for (auto const& flow : task_.pattern().flows().of(r)) {
        for (int g = 0; g < grid.axes(); ++g) {
          auto const n = grid.length(g);
          auto const apart = std::abs(grid.coord(r, g) - grid.coord(flow.peer, g));
          weight_[at(g)] +=
              static_cast<double>(flow.bytes) * (grid.is_periodic(g) ? std::min(apart, n - apart) : apart);
        }
      }
    }
  }

  std::span<Rank> places(std::size_t begin, std::size_t end) { return std::span(places_).subspan(begin, end - begin); }
  std::span<Rank> ranks(std::size_t begin, std::size_t end) { return std::span(ranks_).subspan(begin, end - begin); }

  /// The axis with the largest value of crowded(extent, axis) among those on which the items differ; -1: none.
  template <class CoordOf, class Crowded>
  static int widest(std::span<Rank const> items, int axes, CoordOf&& coord, Crowded&& crowded) {
    int found = -1;
    double most = 0.0;
    for (int a = 0; a < axes; ++a) {
      auto lo = coord(items[0], a);
      auto hi = lo;
      for (auto const i : items) {
        lo = std::min(lo, coord(i, a));
        hi = std::max(hi, coord(i, a));
      }
      if (lo == hi) continue;
      if (auto const value = crowded(hi - lo + 1, a); found < 0 || value > most) {
        most = value;
        found = a;
      }
    }
    return found;
  }

  void halve(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    auto const middle = halve_places(begin, end);
    if (task_.pattern().grid()) {
      sort_cells(*task_.pattern().grid(), begin, end);
    } else {
      sort_breadth_first(begin, end);
    }
    halve(begin, middle);
    halve(middle, end);
  }

  std::size_t halve_places(std::size_t begin, std::size_t end) {
    auto const mine = places(begin, end);
    auto const coord = [&](Rank place, int a) { return machine_.coord(machine_.node_of(place), a); };
    // A cut across an axis crosses nodes / extent of its links, twice as many on a ring.
    auto const a = widest(mine, machine_.axes(), coord, [&](std::int32_t extent, int axis) {
      auto const ring = machine_.axis(axis).wraps && extent == machine_.axis(axis).length;
      return extent / machine_.axis(axis).bandwidth.value() / (ring ? 2.0 : 1.0);
    });
    auto const middle = begin + (end - begin) / 2;
    if (a < 0) {  // within a node: between parts of the outermost level if that is near the middle
      std::ranges::sort(mine);
      return boundary(begin, end, middle, [&](Rank place) { return part_of(mine, place); });
    }
    std::ranges::sort(mine, {}, [&](Rank place) { return std::pair(coord(place, a), place); });
    return boundary(begin, end, middle, [&](Rank place) { return coord(place, a); });
  }

  /// The part of a place, at the outermost level at which the places differ.
  [[nodiscard]] Rank part_of(std::span<Rank const> mine, Rank place) const {
    auto const l = machine_.levels().parting(mine.front(), mine.back());
    return l < machine_.levels().size() ? place / machine_.levels().ranks_of_part(l) : 0;
  }

  /// The position nearest to the middle at which `key` changes.
  template <class Key>
  std::size_t boundary(std::size_t begin, std::size_t end, std::size_t middle, Key&& key) {
    auto const changes = [&](std::size_t i) { return key(places_[i - 1]) != key(places_[i]); };
    for (std::size_t d = 0; d < end - begin; ++d) {
      if (middle + d < end && changes(middle + d)) return middle + d;
      if (middle >= begin + d + 1 && changes(middle - d)) return middle - d;
    }
    return middle;
  }

  void sort_cells(CartGrid const& grid, std::size_t begin, std::size_t end) {
    auto const mine = ranks(begin, end);
    auto const g = widest(
        mine, grid.axes(), [&](Rank r, int a) { return grid.coord(r, a); },
        [&](std::int32_t extent, int a) {
          auto const ring = grid.is_periodic(a) && extent == grid.length(a);
          return extent / std::max(weight_[at(a)], 1e-300) / (ring ? 2.0 : 1.0);
        });
    std::ranges::sort(mine, {},
                      [&](Rank r) { return std::pair(g < 0 ? 0 : grid.coord(r, g), x_fastest_number(grid, r)); });
  }

  void sort_breadth_first(std::size_t begin, std::size_t end) {
    auto const mine = ranks(begin, end);
    auto const id = ++parts_;
    for (auto const r : mine) part_[at(r)] = id;
    // Starts from a peripheral rank: the last one that is reached from any other.
    auto const first = breadth_first(mine, mine[0], id).back();
    auto const order = breadth_first(mine, first, id);
    std::ranges::copy(order, mine.begin());
  }

  std::vector<Rank> breadth_first(std::span<Rank const> mine, Rank start, std::int64_t id) {
    std::vector<Rank> order;
    order.reserve(mine.size());
    auto const visit = [&](Rank r) {
      if (part_[at(r)] != id) return;
      part_[at(r)] = -id;
      order.push_back(r);
    };
    std::size_t next = 0;
    auto const go_on = [&](Rank from) {
      visit(from);
      for (; next < order.size(); ++next) {
        for (auto const& flow : task_.pattern().flows().of(order[next])) visit(flow.peer);
        for (auto const& flow : in_.of(order[next])) visit(flow.peer);
      }
    };
    go_on(start);
    for (auto const r : mine) go_on(r);  // ranks that are not connected to the others
    for (auto const r : mine) part_[at(r)] = id;
    return order;
  }

  MappingTask const& task_;
  Machine const& machine_;
  std::vector<Rank> places_;
  std::vector<Rank> ranks_;
  std::vector<double> weight_;      // by axis of the grid
  Flows in_;                        // used if there is no grid
  std::vector<std::int64_t> part_;  // part of each rank; negative: visited
  std::int64_t parts_ = 0;
};

}  // namespace

Ordered k_d(MappingTask const& task) { return {Bisection(task).run(), ""}; }

}  // namespace allport::mapping
