#include "context.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace allport::tasks {

Block const& Context::given(int index) const {
  auto const at = std::ranges::find(inputs_, index, &Given::input);
  ensure(at != inputs_.end(), "input", index, "an input that an edge with data leads to", "", ErrorKind::schedule);
  return at->block;
}

Block Context::made(int index) {
  auto const at = std::ranges::find(outputs_, index, &std::pair<int, Block>::first);
  if (at != outputs_.end()) return at->second;
  bool const nothing = graph_.output(task_, index).bytes(graph_.element()) == 0;
  if (!nothing && !graph_.in_place(task_, index) && graph_.forwards(task_, index) < 0) {
    throw Error::argument("output", show(index), fmt::format("to be filled by the body of {}", graph_.name(task_)),
                          "call context.output()", ErrorKind::schedule);
  }
  return block(index);
}

std::span<std::byte> Context::output(int index) {
  auto const input = graph_.forwards(task_, index);
  ensure(input < 0, "output", index,
         fmt::format("one that the body writes; of {} it is the forwarded input {}", graph_.name(task_), input),
         "leave it alone", ErrorKind::schedule);
  return block(index).bytes;
}

Block Context::block(int index) {
  auto const at = std::ranges::find(outputs_, index, &std::pair<int, Block>::first);
  if (at != outputs_.end()) return at->second;
  auto const bytes = graph_.output(task_, index).bytes(graph_.element());
  Block block;
  if (auto const input = graph_.forwards(task_, index); input >= 0) {
    block = given(input);
    ensure(static_cast<std::int64_t>(block.bytes.size()) == bytes, "output", bytes,
           fmt::format("the {} bytes of input {} of {}, whose memory it shares", block.bytes.size(), input,
                       graph_.name(task_)),
           "graph::check() finds such graphs", ErrorKind::schedule);
  } else if (graph_.in_place(task_, index)) {
    block.bytes = in_tile(bytes);
  } else if (bytes > 0) {
    block = pool_.allocate(bytes, step_, !pool_.by_step() || is_taken(index));
  }
  outputs_.emplace_back(index, block);
  return block;
}

bool Context::is_taken(int index) const {
  bool taken = false;
  graph_.children(task_, [&](Edge const& edge) {
    taken = taken || (edge.output == index && (edge.kind == EdgeKind::data || edge.kind == EdgeKind::sum));
  });
  return taken;
}

void Context::parallel_for(std::int64_t parts, FunctionRef<void(std::int64_t)> body) {
  ensure(parts >= 0, "parts", parts, "at least 0");
  workers_.board.run(parts, {loops::LoopSchedule::dynamic, 1}, [&](std::int64_t first, std::int64_t last) {
    for (auto part = first; part < last; ++part) body(part);
  });
}

std::span<std::byte> Context::in_tile(std::int64_t bytes) const {
  std::optional<Tile> tile;
  graph_.writes(task_, [&](Tile t) { tile = tile.value_or(t); });
  if (!tile) {
    throw Error::argument("writes", graph_.name(task_), "a tile, for a task with an output in place", "",
                          ErrorKind::schedule);
  }
  auto const memory = graph_.memory(*tile);
  if (static_cast<std::int64_t>(memory.size()) < bytes) {
    throw Error::argument("memory", show(memory.size()),
                          fmt::format("at least the {} bytes of the output of {}", bytes, graph_.name(task_)), "",
                          ErrorKind::schedule);
  }
  return memory.first(static_cast<std::size_t>(bytes));
}

}  // namespace allport::tasks
