// The order of Blue Waters' scheduler (Albing and others 2011; Pena13, slide 7): blocks of 4 x 2 x 8 nodes, along a way
// through all blocks that comes back to where it began, in each a snake with z fastest, then y, then x.
#include <array>

#include "rows.h"
#include "snake.h"

namespace allport::mapping {

namespace {

constexpr std::array<std::int32_t, 3> block{4, 2, 8};

}  // namespace

std::int64_t cycle_number(std::span<std::int32_t const> at, std::span<std::int32_t const> lengths) {
  std::size_t even = lengths.size();
  std::int64_t volume = 1;
  for (std::size_t a = 0; a < lengths.size(); ++a) {
    volume *= lengths[a];
    if (lengths[a] % 2 == 0 && even == lengths.size()) even = a;
  }
  if (even == lengths.size() || volume == lengths[even]) return snake_number(at, lengths);
  // The other axes make a path of `long_side` cells. Rows of the even axis go through all of it but its first cell, to
  // and fro; the way back goes through the first cells.
  std::vector<std::int32_t> others, cell;
  for (std::size_t a = 0; a < lengths.size(); ++a) {
    if (a == even) continue;
    others.push_back(lengths[a]);
    cell.push_back(at[a]);
  }
  auto const rows = lengths[even];
  auto const row = at[even];
  auto const long_side = volume / rows;
  auto const along = snake_number(cell, others);
  if (along == 0) return row == 0 ? 0 : volume - row;
  return 1 + row * (long_side - 1) + (row % 2 == 0 ? along - 1 : long_side - 1 - along);
}

Ordered blocks(MappingTask const& task) {
  auto const& machine = task.machine();
  if (machine.axes() > 3) return {{}, "the blocks are of three axes"};
  std::vector<std::int32_t> in_blocks;
  for (int a = 0; a < machine.axes(); ++a) {
    in_blocks.push_back((machine.axis(a).length + block[at(a)] - 1) / block[at(a)]);
  }
  auto const key = [&](Rank place) {
    auto const c = machine.coord(machine.node_of(place));
    std::vector<std::int32_t> of_block, within, extents;
    for (std::size_t a = 0; a < in_blocks.size(); ++a) of_block.push_back(c[a] / block[a]);
    for (auto a = in_blocks.size(); a-- > 0;) {  // z fastest
      within.push_back(c[a] % block[a]);
      extents.push_back(block[a]);
    }
    return cycle_number(of_block, in_blocks) * 64 + snake_number(within, extents);
  };
  return {places_by(task, key), ""};
}

}  // namespace allport::mapping
