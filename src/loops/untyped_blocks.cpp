#include "untyped_blocks.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace allport::loops {

namespace {

BlockPart part_of(BlockCells const& cells, std::int64_t element, Range rows) {
  BlockPart part{.block = cells.block, .iteration = cells.iteration, .first = cells.first, .cells = cells.cells};
  part.first[0] += rows.begin;
  part.cells[0] = rows.size();
  for (std::size_t a = 0; a < part.stride.size(); ++a) part.stride[a] = cells.stride[a] * element;
  auto const from = cells.inner * element + rows.begin * part.stride[0];
  auto const copy = static_cast<std::size_t>(cells.iteration % 2);
  part.cells_of = &cells;
  part.now = cells.memory[copy].get() + from;
  part.next = cells.memory[1 - copy].get() + from;
  return part;
}

/// On every rank, or an error on every rank.
BlockGrid agreed(Communicator const& comm, BlockShape shape) {
  std::optional<BlockGrid> grid;
  std::string wrong;
  try {
    grid.emplace(std::move(shape));
  } catch (std::exception const& caught) {
    wrong = caught.what();
  }
  comm.ensure_all_well(wrong);
  return *std::move(grid);
}

}  // namespace

UntypedBlocks::UntypedBlocks(Communicator const& comm, BlockShape shape, Teams& teams, std::int64_t element,
                             BlocksOptions options)
    : comm_(comm),
      teams_(teams),
      element_(element),
      engine_(comm, agreed(comm, std::move(shape)), teams, element, std::move(options)) {}

void UntypedBlocks::visit(bool fills, Body body) {
  engine_.each(
      [&](BlockCells& cells) {
        body(part_of(cells, element_, {0, cells.cells[0]}));
        if (!fills) return;
        // The border stays: both copies have it.
        auto const now = static_cast<std::size_t>(cells.iteration % 2);
        std::copy_n(cells.memory[1 - now].get(), cells.elements * element_, cells.memory[now].get());
      },
      fills);
}

void UntypedBlocks::iterate_by(std::int64_t count, LoopOptions const& loop, Body body) {
  engine_.iterate(count, [&](BlockCells& cells, Team& team) {
    team.for_chunks(cells.cells[0], loop, [&](std::int64_t first, std::int64_t last) {
      body(part_of(cells, element_, {first, last}));
    });
  });
}

void UntypedBlocks::iterate(std::int64_t count, LoopOptions const& loop, Body body) {
  if (!selector_ || count <= 0) return iterate_by(count, loop, body);
  auto const& now = selector_->apply();
  auto const begin = std::chrono::steady_clock::now();
  if (!now.block.empty()) engine_.recut(now.block);
  iterate_by(count, now.loop, body);
  auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  selector_->record(Seconds(took / static_cast<double>(count)));
}

void UntypedBlocks::select(std::vector<LoopConfiguration> configurations, std::string site) {
  for (auto const& one : configurations) {
    if (one.block.empty()) continue;
    auto shape = engine_.grid().shape();
    shape.block = one.block;
    (void)agreed(comm_, std::move(shape));
  }
  selector_.reset();  // stores what it has found before another one reads it
  selector_ = std::make_unique<LoopSelector>(comm_, teams_, std::move(configurations),
                                             LoopSelectorOptions{.site = std::move(site)});
}

}  // namespace allport::loops
