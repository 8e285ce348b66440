// Cuts the grid into blocks of another size.
#include <algorithm>
#include <optional>

#include "allport/comm/messages.h"
#include "block_state.h"

namespace allport::loops {

namespace {

using Index = std::array<std::int64_t, BlockGrid::most_axes>;

/// Cells of the grid, and of the border around it.
struct CellBox {
  Index first{};
  Index end{1, 1, 1};
};

/// A block's cells with the border beside them: every cell, in the border or not, is in the box of one block.
CellBox with_border(BlockGrid const& grid, std::int64_t block) {
  CellBox box;
  auto const& shape = grid.shape();
  for (int axis = 0; axis < grid.axes(); ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    box.first[a] = grid.first(block, axis);
    box.end[a] = box.first[a] + grid.cells(block, axis);
    if (shape.periodic[a]) continue;
    bool const last = box.end[a] == shape.grid[a];
    if (box.first[a] == 0) box.first[a] -= shape.halo;
    if (last) box.end[a] += shape.halo;
  }
  return box;
}

CellBox common(CellBox const& one, CellBox const& other) {
  CellBox box;
  for (std::size_t a = 0; a < box.first.size(); ++a) {
    box.first[a] = std::max(one.first[a], other.first[a]);
    box.end[a] = std::min(one.end[a], other.end[a]);
  }
  return box;
}

/// Blocks of `other` that have cells of a block of `grid`.
void overlapping(BlockGrid const& grid, std::int64_t block, BlockGrid const& other,
                 FunctionRef<void(std::int64_t)> visit) {
  Index from{};
  Index to{};
  for (int axis = 0; axis < grid.axes(); ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    auto const size = other.shape().block[a];
    from[a] = grid.first(block, axis) / size;
    to[a] = (grid.first(block, axis) + grid.cells(block, axis) - 1) / size;
  }
  for (auto i = from[0]; i <= to[0]; ++i) {
    for (auto j = from[1]; j <= to[1]; ++j) {
      for (auto k = from[2]; k <= to[2]; ++k) visit(other.number({i, j, k}));
    }
  }
}

double cells_of(BlockGrid const& grid, std::int64_t block) {
  double cells = 1;
  for (int a = 0; a < grid.axes(); ++a) cells *= static_cast<double>(grid.cells(block, a));
  return cells;
}

double common_cells(BlockGrid const& grid, std::int64_t block, BlockGrid const& other, std::int64_t of_other) {
  double cells = 1;
  for (int a = 0; a < grid.axes(); ++a) {
    auto const first = std::max(grid.first(block, a), other.first(of_other, a));
    auto const end =
        std::min(grid.first(block, a) + grid.cells(block, a), other.first(of_other, a) + other.cells(of_other, a));
    cells *= static_cast<double>(end - first);
  }
  return cells;
}

/// As indices of a block's own cells.
Index within(Index const& cell, BlockCells const& cells) {
  auto own = cell;
  for (std::size_t a = 0; a < own.size(); ++a) own[a] -= cells.first[a];
  return own;
}

}  // namespace

/// The cells that a block of `cut` has of a block of `other`, in the order of rows.
BlockEngine::State::Data BlockEngine::State::piece(Object const& of, BlockGrid const& cut, BlockGrid const& other,
                                                   std::int64_t block) const {
  Data data;
  auto const box = common(with_border(cut, of.block), with_border(other, block));
  auto const* const from = memory(of, iteration);
  box_rows(of, within(box.first, of), within(box.end, of), [&](std::int64_t first, std::int64_t count) {
    data.insert(data.end(), from + first * element, from + (first + count) * element);
  });
  return data;
}

/// Into both copies, since the border stays.
void BlockEngine::State::take_piece(std::int64_t block, std::int64_t of, std::byte const* data) {
  auto& object = *find(block);
  auto const box = common(with_border(*cut_before, of), with_border(grid, block));
  box_rows(object, within(box.first, object), within(box.end, object), [&](std::int64_t first, std::int64_t count) {
    for (auto const& copy : object.memory) std::copy_n(data, count * element, copy.get() + first * element);
    data += count * element;
  });
}

void BlockEngine::State::recut(std::vector<std::int64_t> const& block) {
  ensure(!broken, "recut", iteration, "blocks whose last iteration did not fail", "fill() them anew");
  auto shape = grid.shape();
  shape.block = block;
  std::optional<BlockGrid> wanted;
  std::string wrong;
  try {
    wanted.emplace(std::move(shape));
    double bytes = static_cast<double>(element);
    for (auto const cells : wanted->shape().block) bytes *= static_cast<double>(cells + 2 * wanted->shape().halo);
    ensure(bytes <= static_cast<double>(longest_message.value()), "block", bytes, "no more than 1 GiB, halo and all");
  } catch (std::exception const& caught) {
    wrong = caught.what();
  }
  comm.ensure_all_well(wrong);
  comm.ensure_agreement("sizes of blocks", fingerprint(*wanted, element, {}));
  if (wanted->shape().block == grid.shape().block) return;

  auto const all = loads();
  auto const by_threads = speeds();
  auto const cut = std::exchange(grid, std::move(*wanted));
  std::vector<double> carried(static_cast<std::size_t>(grid.blocks()));
  for (std::int64_t b = 0; b < grid.blocks(); ++b) {
    overlapping(grid, b, cut, [&](std::int64_t old) {
      carried[static_cast<std::size_t>(b)] +=
          all[static_cast<std::size_t>(old)] * common_cells(grid, b, cut, old) / cells_of(cut, old);
    });
  }
  auto next = grid.boxes(comm.size());
  if (std::ranges::any_of(carried, [](double load) { return load > 0; })) {
    next = balanced(carried, next, by_threads, {}, faces());
  }
  auto const last = std::exchange(owners, std::move(next));
  auto const before = std::exchange(objects, {});
  std::int64_t coming = 0;
  for (std::int64_t b = 0; b < grid.blocks(); ++b) {
    if (owners[static_cast<std::size_t>(b)] != me) continue;
    objects.emplace(b, made(b)).first->second.weight = carried[static_cast<std::size_t>(b)];
    overlapping(grid, b, cut, [&](std::int64_t old) { coming += last[static_cast<std::size_t>(old)] != me ? 1 : 0; });
  }
  place_blocks();
  expect(coming);
  cut_before = &cut;
  for (auto const& [old, object] : before) {
    overlapping(cut, old, grid, [&](std::int64_t b) {
      auto data = piece(object, cut, grid, b);
      auto const owner = owners[static_cast<std::size_t>(b)];
      if (owner == me) {
        take_piece(b, object.block, data.data());
      } else {
        post({piece_of_block, b, object.block, iteration, 0}, owner, std::move(data));
      }
    });
  }
  receive_all();
  cut_before = nullptr;
  stale = true;
}

}  // namespace allport::loops
