// Which blocks a neighbourhood collective has, and its schedule.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "neighbours.h"
#include "operation.h"

namespace allport::dropin {
namespace {

/// Blocks in the order of the neighbours, empty where an open end has none.
Side blocks_of(Operand const& operand, std::vector<int> const& neighbours) {
  Side side;
  side.used = std::ranges::any_of(neighbours, [](int r) { return r >= 0; });
  side.anywhere = true;
  bool const own_types = operand.types != nullptr;
  for (std::size_t b = 0; b < neighbours.size(); ++b) {
    auto const block = static_cast<std::int64_t>(b);
    auto const count = neighbours[b] >= 0 ? operand.count_of(block) : 0;
    if (count == 0) {  // neither its type nor its displacement need be one
      side.blocks.emplace_back();
      if (own_types) side.types.emplace_back();
      continue;
    }
    if (own_types) {
      side.types.push_back({operand.types[b], layout_of(operand.types[b])});
    } else if (side.type == MPI_DATATYPE_NULL) {
      side.type = operand.type;
      side.layout = layout_of(operand.type);
    }
    auto const begin = !operand.displacements.given() ? block * count * side.layout.extent
                       : own_types                    ? operand.displacements[block]
                                                      : operand.displacements[block] * side.layout.extent;
    side.blocks.push_back({static_cast<std::byte*>(operand.buffer) + begin, count});
  }
  return side;
}

/// Where each block begins, from the first byte of `memory`: in place, or packed in `store`.
std::vector<std::int64_t> offsets_of(Side const& side, std::span<std::byte const> memory,
                                     std::vector<std::byte> const& store) {
  bool const packed = !memory.empty() && memory.data() == store.data();
  std::vector<std::int64_t> offsets;
  std::int64_t next = 0;
  for (std::size_t b = 0; b < side.blocks.size(); ++b) {
    bool const in_place = !packed && side.bytes(b) > 0;
    offsets.push_back(packed ? next : in_place ? side.blocks[b].at - memory.data() : 0);
    next += side.bytes(b);
  }
  return offsets;
}

bool gathers(Function what) { return what == Function::neighbor_allgather || what == Function::neighbor_allgatherv; }

}  // namespace

void Operation::plan_neighbours() {
  auto const& n = record_->neighbourhood->mine;
  // A gather's one block goes to all.
  auto const somebody = std::ranges::find_if(n.out, [](int r) { return r >= 0; });
  auto const first = std::vector<int>{somebody != n.out.end() ? *somebody : MPI_PROC_NULL};
  in_ = blocks_of(call_.send, gathers(call_.what) ? first : n.out);
  out_ = blocks_of(call_.receive, n.in);
}

std::int64_t Operation::sent_by(NeighbourEdge const& edge) const {
  return in_.bytes(gathers(call_.what) ? 0 : static_cast<std::size_t>(edge.out));
}

std::int64_t Operation::taken_by(NeighbourEdge const& edge) const {
  return out_.bytes(static_cast<std::size_t>(edge.in));
}

/// The lengths of every rank's blocks, in the sender's order, to all.
Transfer Operation::gather_lengths() {
  auto const& n = *record_->neighbourhood;
  auto const widest = static_cast<std::size_t>(n.widest());
  row_.assign(widest, 0);
  for (auto const i : n.own) {
    auto const& e = n.edges[static_cast<std::size_t>(i)];
    if (e.from == position_) row_[static_cast<std::size_t>(e.out)] = sent_by(e);
  }
  all_lengths_.assign(widest * static_cast<std::size_t>(record_->size), 0);
  return run({Collective::allgather, record_->size, 0, static_cast<std::int64_t>(8 * widest), 1},
             {std::as_bytes(std::span(row_)), std::as_writable_bytes(std::span(all_lengths_))});
}

/// That this rank's blocks are as long as `bytes` says of their edges.
void Operation::check_blocks(NeighbourRoutes::Length const& bytes) const {
  auto const expect = [&](std::int64_t has, std::int64_t wants, char const* direction, Rank other) {
    if (has == wants) return;
    throw Error(ErrorKind::mismatch,
                fmt::format("rank {} passes a block of {} bytes {} rank {}, but it must be {}; counts times datatypes "
                            "must agree between neighbours",
                            record_->rank, has, direction, record_->ours->at_position(other), wants));
  };
  for (auto const i : record_->neighbourhood->own) {
    auto const& e = record_->neighbourhood->edges[static_cast<std::size_t>(i)];
    if (e.from == position_) expect(sent_by(e), bytes(i), "to", e.to);
    if (e.to == position_) expect(taken_by(e), bytes(i), "from", e.from);
  }
}

Transfer Operation::run_neighbours() {
  auto const& ours = *record_->ours;
  auto& n = *record_->neighbourhood;
  NeighbourRoutes::Length length;
  auto const* routes = &n.straight(*record_);
  if (gathers_lengths_) {
    lengths_.clear();
    auto const widest = static_cast<std::size_t>(n.widest());
    for (auto const& e : n.edges) {
      lengths_.push_back(all_lengths_[static_cast<std::size_t>(e.from) * widest + static_cast<std::size_t>(e.out)]);
    }
    auto const total = std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0});
    routes = &n.routes(*record_, total / static_cast<std::int64_t>(lengths_.size()));
    length = [this](std::int32_t e) { return lengths_[static_cast<std::size_t>(e)]; };
  } else if (only_pairs_know_lengths(call_.what, *record_)) {
    length = [this, routes](std::int32_t e) {
      auto const& edge = routes->edges()[static_cast<std::size_t>(e)];
      return edge.from == position_ ? sent_by(edge) : taken_by(edge);
    };
  } else {
    auto const bytes = bytes_to_neighbour(call_, *record_);
    routes = &n.routes(*record_, bytes);
    length = [bytes](std::int32_t) { return bytes; };
  }
  how_ = routes->is_straight() ? "straight" : "multipath";
  try {
    check_blocks(length);
  } catch (Error const&) {
    if (!turn_) std::ignore = ours.reserve();  // the other ranks count this start
    throw;
  }
  std::vector<Extents> extents(static_cast<std::size_t>(record_->size));
  extents[static_cast<std::size_t>(position_)] = {static_cast<std::int64_t>(buffers_.input.size()),
                                                  static_cast<std::int64_t>(buffers_.output.size())};
  // This rank's program alone is asked for.
  auto const schedule = routes->schedule(
      std::move(length),
      [in_at = offsets_of(in_, buffers_.input, in_store_), one = gathers(call_.what)](Rank, std::int32_t block) {
        return in_at[one ? 0 : static_cast<std::size_t>(block)];
      },
      [out_at = offsets_of(out_, buffers_.output, out_store_)](Rank, std::int32_t block) {
        return out_at[static_cast<std::size_t>(block)];
      },
      std::move(extents));
  return turn_ ? ours.start(*turn_, schedule, buffers_) : ours.start(schedule, buffers_);
}

}  // namespace allport::dropin
