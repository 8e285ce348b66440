// All-to-all axis by axis. A phase along axis a brings every block to its destination's position on that axis; what one
// node holds for one position travels as one message from neighbour to neighbour along the line. Slice t of every block
// takes the axes in another order, so that all axes are busy at once, and blocks for half-way round a ring of even
// length go up in one half of the slices and down in the other.
#include "alltoall.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "allport/collectives/trees.h"
#include "machine/dimensions.h"
#include "streams.h"

namespace allport {
namespace {

/// Hops from one position to another in a direction, up (1) or down (-1); 0: directly.
Rank steps(Dimension const& dim, Rank from, Rank to, int direction) {
  return ((to - from) * direction % dim.length + dim.length) % dim.length;
}

/// Those that are longer than 1: the node's ranks, if more than one; then the axes.
std::vector<Dimension> lines_of(Machine const& machine) {
  auto all = dimensions(machine);
  std::erase_if(all, [](Dimension const& d) { return d.length == 1; });
  return all;
}

/// Number of slices with their own order of axes, or direction for ties.
int orders(Machine const& machine) {
  auto const lines = lines_of(machine);
  auto const ties = [](Dimension const& d) { return d.axis >= 0 && d.wraps && d.length % 2 == 0; };
  auto const axes = static_cast<int>(std::ranges::count_if(lines, [](Dimension const& d) { return d.axis >= 0; }));
  return std::max(1, axes * (std::ranges::any_of(lines, ties) ? 2 : 1));
}

std::int64_t pair_of(Rank source, Rank destination) {
  return (static_cast<std::int64_t>(source) << 32) | static_cast<std::uint32_t>(destination);
}

/// One rank's part in one slice.
class Exchange {
 public:
  Exchange(Machine const& machine, Rank rank, Contract const& contract, Cut cut, int used, int slice, Program& into)
      : rank_(rank), contract_(contract), cut_(cut), used_(used), slice_(slice), into_(into) {
    order_ = lines_of(machine);
    auto const first = std::ranges::find_if(order_, [](Dimension const& dim) { return dim.axis >= 0; });
    auto const d = order_.end() - first;
    if (d > 0) std::rotate(first, first + slice % d, order_.end());
    ties_up_ = d == 0 || slice / d % 2 == 0;
    for (auto const& dim : order_) longest_ = std::max(longest_, dim.length);
    bytes_ = allport::slice(contract.bytes, 1, used, slice);
  }

  void append() {
    for (Rank d = 0; d < contract_.ranks; ++d) {
      held_[pair_of(rank_, d)] = {{Buffer::input, 0, contract_.input_offset(rank_, d) + bytes_.begin}, at_once};
    }
    for (phase_ = 0; phase_ < order_.size(); ++phase_) run();
    for (Rank s = 0; s < contract_.ranks; ++s) {
      auto const& here = held_.at(pair_of(s, rank_));
      if (here.slot.buffer != Buffer::output) copy(s, rank_, here, home(s), at_once);
    }
  }

 private:
  /// Where a block's slice is stored, and the operation after which it is available.
  struct Held {
    Slot slot;
    std::int32_t after = at_once;
  };

  /// Ranks that agree with `from` but on the dimensions [first, last) of the order, in rank order.
  [[nodiscard]] std::vector<Rank> varied(Rank from, std::size_t first, std::size_t last) const {
    std::vector<Dimension> free(order_.begin() + static_cast<std::ptrdiff_t>(first),
                                order_.begin() + static_cast<std::ptrdiff_t>(last));
    std::ranges::sort(free, {}, &Dimension::stride);
    std::vector<Rank> all{from};
    for (auto const& dim : free) all[0] = dim.with(all[0], 0);
    for (auto const& dim : free) {
      auto const before = all.size();
      for (Rank i = 1; i < dim.length; ++i) {
        for (std::size_t k = 0; k < before; ++k) all.push_back(all[k] + i * dim.stride);
      }
    }
    return all;
  }

  /// What position j of this rank's line has for position c.
  struct Message {
    std::vector<Rank> sources;
    std::vector<Rank> destinations;
    Stream stream;
  };

  [[nodiscard]] Message message(Rank j, Rank c) const {
    auto const& dim = order_[phase_];
    Message m{varied(dim.with(rank_, j), 0, phase_), varied(dim.with(rank_, c), phase_ + 1, order_.size()), {}};
    std::int64_t length = 0;
    for (auto const s : m.sources) {
      for (auto const d : m.destinations) length += size(s, d);
    }
    if (length == 0) return m;
    auto const piece =
        Piece{{m.sources.front(), m.sources.back()}, {m.destinations.front(), m.destinations.back()}, bytes_, false};
    auto const number = (static_cast<std::int32_t>(phase_) * longest_ + j) * longest_ + c;
    m.stream = stream(contract_, cut_, piece, number * used_ + slice_, length);
    return m;
  }

  [[nodiscard]] std::int64_t size(Rank s, Rank d) const {
    return std::clamp<std::int64_t>(contract_.block(s, d) - bytes_.begin, 0, bytes_.size());
  }
  [[nodiscard]] Slot home(Rank s) const {
    return {Buffer::output, 0, contract_.output_offset(rank_, s) + bytes_.begin};
  }
  [[nodiscard]] std::int32_t next() const { return static_cast<std::int32_t>(into_.ops.size()); }

  /// Direction from position j to c: +1 or -1; 0: directly.
  [[nodiscard]] int direction(Rank j, Rank c) const {
    auto const& dim = order_[phase_];
    if (dim.axis < 0) return 0;
    if (!dim.wraps) return c > j ? 1 : -1;
    auto const ahead = (c - j + dim.length) % dim.length;
    if (2 * ahead == dim.length) return ties_up_ ? 1 : -1;
    return 2 * ahead < dim.length ? 1 : -1;
  }

  void run() {
    auto const& dim = order_[phase_];
    auto const me = dim.of(rank_);
    std::unordered_map<std::int64_t, Held> now;
    for (auto const& [pair, held] : held_) {
      if (dim.of(static_cast<Rank>(pair & 0xFFFFFFFF)) == me) now.emplace(pair, held);
    }
    // The farthest first: messages that others must forward must not wait behind messages to the neighbour.
    std::vector<Rank> targets;
    for (Rank c = 0; c < dim.length; ++c) {
      if (c != me) targets.push_back(c);
    }
    std::ranges::stable_sort(targets, std::ranges::greater(),
                             [&](Rank c) { return steps(dim, me, c, direction(me, c)); });
    std::vector<std::int32_t> sent(static_cast<std::size_t>(dim.length), at_once);
    for (auto const c : targets) sent[static_cast<std::size_t>(c)] = send(c);
    for (Rank i = 1; i < dim.length; ++i) {
      auto const j = (me - i + dim.length) % dim.length;
      keep_step(sent[static_cast<std::size_t>(j)], receive(j, now), steps(dim, me, j, direction(me, j)));
    }
    if (dim.axis >= 0) {
      for (Rank j = 0; j < dim.length; ++j) {
        for (Rank c = 0; c < dim.length; ++c) {
          if (j != me && c != me && j != c) pass_on(j, c);
        }
      }
    }
    held_.swap(now);
  }

  [[nodiscard]] Op hop(OpKind kind, Stream const& s, int direction, Rank direct) const {
    auto const& dim = order_[phase_];
    auto op = s.op(kind);
    if (direction == 0) {
      op.peer = dim.with(rank_, direct);
      return op;
    }
    auto const sign = kind == OpKind::send ? direction : -direction;
    op.peer = dim.with(rank_, (dim.of(rank_) + sign + dim.length) % dim.length);
    if (kind == OpKind::send) op.port = port(dim.axis, sign);
    return op;
  }

  /// The operation that sends what this rank has for position c; at_once: there is nothing.
  std::int32_t send(Rank c) {
    auto const me = order_[phase_].of(rank_);
    auto const m = message(me, c);
    if (m.stream.length == 0) return at_once;
    Held ready;
    if (m.sources.size() * m.destinations.size() == 1) {
      ready = held_.at(pair_of(m.sources[0], m.destinations[0]));
    } else {
      ready = {{Buffer::scratch, 0, into_.scratch}, at_once};
      auto to = ready.slot;
      for (auto const s : m.sources) {
        for (auto const d : m.destinations) {
          if (size(s, d) == 0) continue;
          ready.after = copy(s, d, held_.at(pair_of(s, d)), to, ready.after);
          to.offset += size(s, d);
        }
      }
      into_.scratch += m.stream.length;
    }
    auto op = hop(OpKind::send, m.stream, direction(me, c), c);
    op.from = ready.slot;
    if (ready.after != at_once) op.after.add(ready.after, Dependence::whole);
    into_.ops.push_back(op);
    return next() - 1;
  }

  /// Two ranks exchange segments in step: neither is more than a few segments ahead of what it has received from the
  /// other. This keeps the network's queues short, in which messages in the opposite direction, including
  /// acknowledgements, would wait.
  void keep_step(std::int32_t sent, std::int32_t received, Rank hops) {
    if (sent == at_once || received == at_once) return;
    auto& out = into_.ops[static_cast<std::size_t>(sent)];
    auto const& in = into_.ops[static_cast<std::size_t>(received)];
    auto const ahead = 2 * cut_.window * std::max(hops, 1);
    if (out.segments() == in.segments() && ahead < out.segments()) out.after.add(received, ahead);
  }

  /// As send(), of what position j has for this rank, which is from then on among `now`.
  std::int32_t receive(Rank j, std::unordered_map<std::int64_t, Held>& now) {
    auto const me = order_[phase_].of(rank_);
    auto const m = message(j, me);
    Held arrived;
    if (m.stream.length > 0) {
      auto op = hop(OpKind::receive, m.stream, direction(j, me), j);
      bool const home_at_once = m.sources.size() == 1 && phase_ + 1 == order_.size();
      op.into = home_at_once ? home(m.sources[0]) : Slot{Buffer::scratch, 0, into_.scratch};
      if (!home_at_once) into_.scratch += m.stream.length;
      arrived = {op.into, next()};
      into_.ops.push_back(op);
    }
    for (auto const s : m.sources) {
      for (auto const d : m.destinations) {
        now[pair_of(s, d)] = arrived;
        arrived.slot.offset += size(s, d);
      }
    }
    return arrived.after;
  }

  /// A message in flight through this rank.
  void pass_on(Rank j, Rank c) {
    auto const& dim = order_[phase_];
    auto const direction = this->direction(j, c);
    bool const between = dim.wraps ? steps(dim, j, dim.of(rank_), direction) < steps(dim, j, c, direction)
                                   : (dim.of(rank_) - j) * direction > 0 && (c - dim.of(rank_)) * direction > 0;
    if (!between) return;
    auto const m = message(j, c);
    if (m.stream.length == 0) return;
    auto arriving = hop(OpKind::receive, m.stream, direction, j);
    arriving.into = m.stream.new_ring(into_);
    if (arriving.into.ring < arriving.segments()) arriving.after.add(next() + 1, arriving.into.ring);
    auto leaving = hop(OpKind::send, m.stream, direction, c);
    leaving.from = arriving.into;
    leaving.after.add(next());
    into_.ops.push_back(arriving);
    into_.ops.push_back(leaving);
  }

  /// Copies a block's slice once it is here and `before` is done; returns the operation.
  std::int32_t copy(Rank s, Rank d, Held const& from, Slot to, std::int32_t before) {
    if (size(s, d) == 0) return before;
    auto op = stream(contract_, {size(s, d), 1}, {{s, s}, {d, d}, {bytes_.begin, bytes_.begin + size(s, d)}, false}, 0,
                     size(s, d))
                  .op(OpKind::copy);
    op.from = from.slot;
    op.into = to;
    if (from.after != at_once) op.after.add(from.after, Dependence::whole);
    if (before != at_once) op.after.add(before, Dependence::whole);
    into_.ops.push_back(op);
    return next() - 1;
  }

  Rank rank_;
  Contract const& contract_;
  Cut cut_;
  std::int32_t used_;
  std::int32_t slice_;
  Program& into_;
  std::vector<Dimension> order_;
  std::size_t phase_ = 0;
  Rank longest_ = 1;
  bool ties_up_ = true;
  Interval bytes_;
  std::unordered_map<std::int64_t, Held> held_;  // by (source, destination)
};

}  // namespace

Schedule alltoall_axes(Machine const& machine, Contract const& contract, Cut cut) {
  auto const used = slices(contract.bytes, 1, orders(machine));
  auto const program = [machine, contract, cut, used](Rank rank, Program& into) {
    if (contract.bytes == 0) return;
    for (int t = 0; t < used; ++t) Exchange(machine, rank, contract, cut, used, t, into).append();
  };
  return {"axes", contract, cut, used, program};
}

}  // namespace allport
