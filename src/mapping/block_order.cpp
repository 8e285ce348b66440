// Blocks along a cycle through the grid of blocks, and for each block a Hamiltonian path from a corner to a cell beside
// a corner of the next block. Which corner and which path is found by dynamic programming over the blocks.
#include "block_order.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "allport/base/error.h"
#include "index.h"
#include "snake.h"

namespace allport::mapping {

namespace {

using Path = std::vector<Cell>;
using Axes = std::array<std::size_t, 3>;

/// Axes from the fastest to the slowest; z, y, x first, as the scheduler counts.
constexpr std::array<Axes, 6> axis_orders{{{2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}}};

Cell in_order(Cell const& cell, Axes const& axes) { return {cell[axes[0]], cell[axes[1]], cell[axes[2]]}; }

std::uint32_t in_order(std::uint32_t wraps, Axes const& axes) {
  return (wraps >> axes[0] & 1U) | (wraps >> axes[1] & 1U) << 1 | (wraps >> axes[2] & 1U) << 2;
}

std::int64_t volume(Cell const& lengths) { return std::int64_t{lengths[0]} * lengths[1] * lengths[2]; }

bool all_odd(Cell const& lengths) {
  return std::ranges::all_of(lengths, [](auto n) { return n % 2 == 1; });
}

/// All cells of a box by their number.
template <class Number>
Path listed(Cell const& lengths, Number&& number) {
  Path cells(at(volume(lengths)));
  for (Cell c{}; c[2] < lengths[2]; ++c[2]) {
    for (c[1] = 0; c[1] < lengths[1]; ++c[1]) {
      for (c[0] = 0; c[0] < lengths[0]; ++c[0]) cells[at(number(c))] = c;
    }
  }
  return cells;
}

/// Of a box of odd lengths: along the slowest axis to and fro through all layers but the last, and back through that
/// one, to the corner that differs along the slowest axis alone.
std::int64_t return_number(Cell const& cell, Cell const& lengths) {
  auto const plane = std::int64_t{lengths[0]} * lengths[1];
  auto const i = snake_number(std::span(cell).first(2), std::span(lengths).first(2));
  auto const layers = lengths[2] - 1;
  if (cell[2] == layers) return plane * layers + plane - 1 - i;
  return i * layers + (i % 2 == 0 ? cell[2] : layers - 1 - cell[2]);
}

/// Of a box of odd lengths: the cycle through all cells but a corner, and that corner before a neighbour of it, so that
/// first and last cell are diagonal neighbours. Rows cross the first axis; the last two are gone through together.
/// @pre lengths[0] >= 3, and the other axes make at least 3 cells
std::int64_t near_cycle_number(Cell const& cell, Cell const& lengths) {
  auto const rows = lengths[0];
  auto const row = cell[0];
  auto const side = std::int64_t{lengths[1]} * lengths[2];
  auto const i = snake_number(std::span(cell).last(2), std::span(lengths).last(2));
  if (i == 0) return rows - 1 - row;
  if (row < rows - 2) return rows + row * (side - 1) + (row % 2 == 0 ? i - 1 : side - 1 - i);
  return rows + (rows - 2) * (side - 1) + 2 * (side - 1 - i) + (i % 2 == 0 ? row - (rows - 2) : rows - 1 - row);
}

/// Hamiltonian paths of a box from its corner (0, 0, 0), with different ends. cycles: also such as end beside that
/// corner, which serve where there are one or two blocks.
std::vector<Path> paths_through(Cell const& lengths, std::uint32_t wraps, bool cycles) {
  std::vector<Path> found;
  auto const add = [&](Path path) {
    auto const same = [&](Path const& p) { return p.back() == path.back(); };
    if (std::ranges::none_of(found, same)) found.push_back(std::move(path));
  };
  for (auto const& axes : axis_orders) {
    auto const permuted = in_order(lengths, axes);
    add(listed(lengths, [&](Cell const& c) { return snake_number(in_order(c, axes), permuted); }));
  }
  for (auto const& axes : axis_orders) {
    auto const permuted = in_order(lengths, axes);
    if (!all_odd(lengths) || permuted[2] == 1) continue;
    add(listed(lengths, [&](Cell const& c) { return return_number(in_order(c, axes), permuted); }));
  }
  for (auto const& axes : axis_orders) {
    auto const permuted = in_order(lengths, axes);
    auto const rings = in_order(wraps, axes);
    if (!cycles || !has_cycle(permuted, rings)) continue;
    auto path = listed(lengths, [&](Cell const& c) { return cycle_number(in_order(c, axes), permuted, rings); });
    add(path);
    std::reverse(path.begin() + 1, path.end());
    add(std::move(path));
  }
  return found;
}

/// A block of the box, and the paths through it.
struct Block {
  Cell low{};
  Cell lengths{};
  std::vector<Path> const* paths = nullptr;

  /// A cell of a path that begins at a corner; bit a of the corner is set where it is the far one along axis a.
  [[nodiscard]] Cell cell(unsigned corner, Cell const& of_path) const {
    Cell c{};
    for (std::size_t a = 0; a < 3; ++a) {
      c[a] = low[a] + ((corner >> a & 1U) != 0 ? lengths[a] - 1 - of_path[a] : of_path[a]);
    }
    return c;
  }
  [[nodiscard]] std::vector<unsigned> corners() const {
    std::vector<unsigned> found;
    for (unsigned corner = 0; corner < 8; ++corner) {
      bool differs = true;
      for (std::size_t a = 0; a < 3; ++a) differs = differs && ((corner >> a & 1U) == 0 || lengths[a] > 1);
      if (differs) found.push_back(corner);
    }
    return found;
  }
};

/// Jumps, the hops of all jumps, the hops from the last cell to the first if they are more than 1, the sum over blocks
/// of how late their paths come in paths_through(): the scheduler's own snake is the first.
using Cost = std::array<std::int64_t, 4>;

struct Found {
  Cost cost{std::numeric_limits<std::int64_t>::max(), 0, 0, 0};
  Cell start{};
  std::vector<Cell> cells;
};

/// The best paths through blocks whose sequence is given.
class Chain {
 public:
  Chain(Cell const& lengths, std::uint32_t wraps, std::vector<Block> blocks)
      : lengths_(lengths), wraps_(wraps), blocks_(std::move(blocks)) {
    for (auto const corner : blocks_.front().corners()) from(corner);
  }
  [[nodiscard]] Found take() { return std::move(best_); }

 private:
  /// A cell at which a block is left, having been entered at a corner.
  struct End {
    Cell cell{};
    Cost cost{};
    unsigned corner = 0;
    std::size_t path = 0;
    std::size_t before = 0;  // the end in the block before
  };

  [[nodiscard]] std::int64_t hops(Cell const& a, Cell const& b) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      auto const steps = std::abs(a[i] - b[i]);
      sum += (wraps_ >> i & 1U) != 0 ? std::min(steps, lengths_[i] - steps) : steps;
    }
    return sum;
  }

  [[nodiscard]] std::vector<End> ends(Block const& block, std::vector<End> const& before) const {
    std::vector<End> found;
    for (auto const corner : block.corners()) {
      auto const entry = block.cell(corner, {});
      End best;
      best.cost = Found{}.cost;
      best.corner = corner;
      for (std::size_t i = 0; i < before.size(); ++i) {
        auto cost = before[i].cost;
        auto const steps = hops(before[i].cell, entry);
        if (steps > 1) cost = {cost[0] + 1, cost[1] + steps, 0, cost[3]};
        if (cost < best.cost) {
          best.cost = cost;
          best.before = i;
        }
      }
      for (best.path = 0; best.path < block.paths->size(); ++best.path, ++best.cost[3]) {
        best.cell = block.cell(corner, (*block.paths)[best.path].back());
        auto const same = std::ranges::find(found, best.cell, &End::cell);
        if (same == found.end()) {
          found.push_back(best);
        } else if (best.cost < same->cost) {
          *same = best;
        }
      }
    }
    return found;
  }

  /// With a first block that is left at a corner.
  void from(unsigned corner) {
    auto const& first = blocks_.front();
    End left;
    left.cell = first.cell(corner, {});
    std::vector<std::vector<End>> all{{left}};
    for (std::size_t i = 1; i < blocks_.size(); ++i) all.push_back(ends(blocks_[i], all.back()));
    for (std::size_t p = 0; p < first.paths->size(); ++p) {
      auto const start = first.cell(corner, (*first.paths)[p].back());
      for (std::size_t e = 0; e < all.back().size(); ++e) {
        auto cost = all.back()[e].cost;
        if (auto const steps = hops(all.back()[e].cell, start); steps > 1) cost[2] = steps;
        cost[3] += static_cast<std::int64_t>(p);
        if (std::tuple(cost, start[2], start[1], start[0]) >=
            std::tuple(best_.cost, best_.start[2], best_.start[1], best_.start[0])) {
          continue;
        }
        best_ = {cost, start, {}};
        take_cells(all, e, corner, p);
      }
    }
  }

  void take_cells(std::vector<std::vector<End>> const& all, std::size_t end, unsigned corner, std::size_t path) {
    auto& cells = best_.cells;  // from the last to the first
    for (auto i = blocks_.size(); i-- > 1;) {
      auto const& e = all[i][end];
      auto const& through = (*blocks_[i].paths)[e.path];
      for (auto k = through.size(); k-- > 0;) cells.push_back(blocks_[i].cell(e.corner, through[k]));
      end = e.before;
    }
    for (auto const& c : (*blocks_.front().paths)[path]) cells.push_back(blocks_.front().cell(corner, c));
    std::ranges::reverse(cells);
  }

  Cell lengths_;
  std::uint32_t wraps_;
  std::vector<Block> blocks_;
  Found best_;
};

/// Sequences of blocks, the better first: along a cycle, along one but for a corner, along a snake. One for each order
/// of the axes.
std::vector<Path> sequences(Cell const& counts, std::uint32_t wraps) {
  std::vector<Path> found;
  auto const add = [&](auto const& wanted, auto const& number) {
    for (auto const& axes : axis_orders) {
      auto const permuted = in_order(counts, axes);
      if (!wanted(permuted)) continue;
      auto path = listed(counts, [&](Cell const& c) { return number(in_order(c, axes), permuted, axes); });
      if (std::ranges::find(found, path) == found.end()) found.push_back(std::move(path));
    }
  };
  add([&](Cell const&) { return has_cycle(counts, wraps); },
      [&](Cell const& c, Cell const& n, Axes const& axes) { return cycle_number(c, n, in_order(wraps, axes)); });
  add([](Cell const& n) { return all_odd(n) && n[0] > 1 && n[1] * n[2] > 1; },
      [](Cell const& c, Cell const& n, Axes const&) { return near_cycle_number(c, n); });
  add([](Cell const&) { return true; }, [](Cell const& c, Cell const& n, Axes const&) { return snake_number(c, n); });
  return found;
}

}  // namespace

std::vector<Cell> block_order(Cell const& lengths, std::uint32_t wraps, Cell const& block) {
  Cell counts{};
  bool divides = true;
  for (std::size_t a = 0; a < 3; ++a) {
    ensure(lengths[a] >= 1, "length", lengths[a], "at least 1");
    ensure(block[a] >= 1, "length of a block", block[a], "at least 1");
    counts[a] = (lengths[a] - 1) / block[a] + 1;
    divides = divides && lengths[a] % block[a] == 0;
  }
  std::map<Cell, std::vector<Path>> paths;  // by the lengths of a block
  auto const block_at = [&](Cell const& position) {
    Block b;
    std::uint32_t rings = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      b.low[a] = position[a] * block[a];
      b.lengths[a] = std::min(block[a], lengths[a] - b.low[a]);
      if (b.lengths[a] == lengths[a]) rings |= wraps & 1U << a;
    }
    auto& through = paths[b.lengths];
    if (through.empty()) through = paths_through(b.lengths, rings, volume(counts) <= 2);
    b.paths = &through;
    return b;
  };
  // Blocks without a cycle leave ends that are two or three hops apart at least.
  std::int64_t const nearest = has_cycle(counts, wraps) ? 0 : 3;
  Found best;
  Block const grid{{}, counts, nullptr};
  for (auto const& sequence : sequences(counts, wraps)) {
    // Where blocks differ in length, it matters at which end of an axis a sequence begins.
    for (unsigned mirrored = 0; mirrored < (divides ? 1U : 8U); ++mirrored) {
      std::vector<Block> blocks;
      for (auto const& position : sequence) blocks.push_back(block_at(grid.cell(mirrored, position)));
      if (auto found = Chain(lengths, wraps, std::move(blocks)).take(); found.cost < best.cost) best = std::move(found);
      if (best.cost[0] == 0 && best.cost[2] <= nearest) return std::move(best.cells);
    }
  }
  return std::move(best.cells);
}

}  // namespace allport::mapping
