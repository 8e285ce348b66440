#include "allport/loops/block_grid.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "allport/base/error.h"

namespace allport::loops {

BlockGrid::BlockGrid(BlockShape shape) : shape_(std::move(shape)) {
  auto const axes = shape_.grid.size();
  ensure(axes >= 1 && axes <= most_axes, "grid", axes, "1 to 3 axes");
  ensure(shape_.block.size() == axes, "block", shape_.block.size(), "as many lengths as the grid has axes");
  if (shape_.periodic.empty()) shape_.periodic.assign(axes, false);
  ensure(shape_.periodic.size() == axes, "periodic", shape_.periodic.size(), "as many as the grid has axes, or none");
  ensure(shape_.halo >= 0, "halo", shape_.halo, "at least 0 layers");
  for (std::size_t a = 0; a < axes; ++a) {
    ensure(shape_.grid[a] >= 1, "grid", shape_.grid[a], "at least one cell along each axis");
    ensure(shape_.block[a] >= 1, "block", shape_.block[a], "at least one cell along each axis");
    shape_.block[a] = std::min(shape_.block[a], shape_.grid[a]);
    counts_[a] = (shape_.grid[a] - 1) / shape_.block[a] + 1;
    blocks_ *= counts_[a];
    auto const last = shape_.grid[a] - (counts_[a] - 1) * shape_.block[a];
    ensure((counts_[a] == 1 && !shape_.periodic[a]) || last >= shape_.halo, "halo", shape_.halo,
           "no more layers than the shortest block has cells",
           "its axis " + std::to_string(a) + " leaves a block of " + std::to_string(last));
  }
}

std::array<std::int64_t, BlockGrid::most_axes> BlockGrid::place(std::int64_t block) const {
  std::array<std::int64_t, most_axes> at{};
  for (std::size_t a = shape_.grid.size(); a-- > 0;) {
    at[a] = block % counts_[a];
    block /= counts_[a];
  }
  return at;
}

std::int64_t BlockGrid::number(std::array<std::int64_t, most_axes> const& place) const {
  std::int64_t number = 0;
  for (std::size_t a = 0; a < shape_.grid.size(); ++a) number = number * counts_[a] + place[a];
  return number;
}

std::int64_t BlockGrid::first(std::int64_t block, int axis) const {
  auto const a = static_cast<std::size_t>(axis);
  return place(block)[a] * shape_.block[a];
}

std::int64_t BlockGrid::cells(std::int64_t block, int axis) const {
  auto const a = static_cast<std::size_t>(axis);
  return std::min(shape_.block[a], shape_.grid[a] - first(block, axis));
}

std::int64_t BlockGrid::index(std::int64_t cell, int axis) const {
  auto const a = static_cast<std::size_t>(axis);
  auto const length = shape_.grid[a];
  return shape_.periodic[a] ? (cell % length + length) % length : cell;
}

std::int64_t BlockGrid::beyond(std::int64_t block, Face face) const {
  auto at = place(block);
  auto const a = static_cast<std::size_t>(face.axis);
  at[a] += face.high ? 1 : -1;
  if (at[a] < 0 || at[a] >= counts_[a]) {
    if (!shape_.periodic[a]) return -1;
    at[a] = (at[a] + counts_[a]) % counts_[a];
  }
  return number(at);
}

std::vector<Face> BlockGrid::shared_faces(std::int64_t block) const {
  std::vector<Face> faces;
  for (int a = 0; shape_.halo > 0 && a < axes(); ++a) {
    for (bool const high : {false, true}) {
      if (beyond(block, {a, high}) >= 0) faces.push_back({a, high});
    }
  }
  return faces;
}

std::int64_t BlockGrid::cut(std::vector<int> const& owners) const {
  ensure(static_cast<std::int64_t>(owners.size()) == blocks_, "owners", owners.size(), "one for each block");
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < blocks_; ++b) {
    for (auto const face : shared_faces(b)) {
      auto const other = beyond(b, face);
      count += owners[static_cast<std::size_t>(b)] != owners[static_cast<std::size_t>(other)] ? 1 : 0;
    }
  }
  return count;
}

std::vector<int> BlockGrid::boxes(Rank ranks) const {
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  auto const most = [&](std::vector<int> const& owners) {
    std::vector<std::int64_t> count(static_cast<std::size_t>(ranks));
    for (auto const o : owners) ++count[static_cast<std::size_t>(o)];
    return std::ranges::max(count);
  };
  auto const all = static_cast<std::size_t>(blocks_);
  std::vector<int> best(all);
  for (std::int64_t b = 0; b < blocks_; ++b) {
    best[static_cast<std::size_t>(b)] = static_cast<int>(b * ranks / std::max<std::int64_t>(blocks_, ranks));
  }
  auto score = std::tuple(most(best), cut(best));
  for (Rank p = 1; p <= ranks; ++p) {
    for (Rank q = 1; ranks % p == 0 && q <= ranks / p; ++q) {
      if (ranks / p % q != 0) continue;
      std::array<std::int64_t, most_axes> const sides{p, q, ranks / p / q};
      bool const fits = std::ranges::equal(sides, counts_, [](auto side, auto count) { return side <= count; });
      if (!fits) continue;
      std::vector<int> owners(all);
      for (std::int64_t b = 0; b < blocks_; ++b) {
        auto const at = place(b);
        std::int64_t owner = 0;
        for (std::size_t a = 0; a < most_axes; ++a) owner = owner * sides[a] + at[a] * sides[a] / counts_[a];
        owners[static_cast<std::size_t>(b)] = static_cast<int>(owner);
      }
      auto const found = std::tuple(most(owners), cut(owners));
      if (found < score) {
        score = found;
        best = std::move(owners);
      }
    }
  }
  return best;
}

}  // namespace allport::loops
