#include "bucket.h"

#include <algorithm>
#include <vector>

namespace allport {
namespace {

std::int32_t index_of_next(Program const& program) { return static_cast<std::int32_t>(program.ops.size()); }

/// The line along one axis through this rank's node, and the blocks that meet on it.
struct Line {
  int axis = 0;
  Node length = 1;
  bool wraps = false;
  Node here = 0;    // this node's position
  Node stride = 1;  // nodes from one position to the next
  Node node = 0;    // this rank's
  Rank per_node = 1;
  std::int32_t channel = 0;  // of position 0's stream

  Line(Machine const& machine, Rank rank, int a, std::int32_t first_channel)
      : axis(a),
        length(machine.axis(a).length),
        wraps(machine.axis(a).wraps),
        here(machine.coord(machine.node_of(rank), a)),
        stride(machine.stride(a)),
        node(machine.node_of(rank)),
        per_node(machine.ranks_per_node()),
        channel(first_channel) {}

  /// First of the ranks whose blocks position j has brought together before this axis: all positions on the axes
  /// below, this node's on the axes above.
  [[nodiscard]] Rank first(Node j) const {
    auto const above = node / (stride * length) * (stride * length);
    return (above + j * stride) * per_node;
  }
  [[nodiscard]] Rank last(Node j) const { return first(j) + stride * per_node - 1; }

  /// How far a stream from position j goes upwards; ties on a ring go up.
  [[nodiscard]] Node up(Node j) const { return wraps ? length / 2 : length - 1 - j; }
  [[nodiscard]] Node down(Node j) const { return length - 1 - up(j); }
  [[nodiscard]] Node ahead(Node j) const { return here >= j ? here - j : here - j + length; }
  [[nodiscard]] bool above(Node j) const { return ahead(j) <= up(j); }

  /// The leader's place in the line tree that position j roots.
  void place(Node j, TreePlace& into) const {
    into.clear();
    auto const step = [&](int sign) {
      auto const x = (here + sign + length) % length;
      return TreeEdge{(node + (x - here) * stride) * per_node, port(axis, sign)};
    };
    auto const add = [&](int sign) {
      auto const edge = step(sign);
      into.add(edge.rank, edge.out);
    };
    if (here == j) {
      if (up(j) > 0) add(1);
      if (down(j) > 0) add(-1);
    } else if (above(j)) {
      into.parent = step(-1);
      if (ahead(j) < up(j)) add(1);
    } else {
      into.parent = step(1);
      if (length - ahead(j) < down(j)) add(-1);
    }
  }
};

Stream stream_of(Contract const& contract, Cut cut, BlockRow const& row, Rank first, Rank last, std::int32_t channel) {
  return stream(contract, cut, row.piece(first, last), channel, row.begin(last + 1) - row.begin(first));
}

Slot at(Slot slot, std::int64_t offset) {
  slot.offset += offset;
  return slot;
}

class Allgather {
 public:
  Allgather(Machine const& machine, Rank rank, Contract const& contract, Cut cut, BlockRow const& row, Slot source,
            Slot home, Ready ready, std::int32_t channel, Program& into)
      : machine_(machine),
        rank_(rank),
        contract_(contract),
        cut_(cut),
        row_(row),
        source_(source),
        home_(home),
        channel_(channel),
        into_(into) {
    if (ready.op != at_once) joins_.push_back(ready.op);
  }

  void append() {
    auto const per_node = machine_.ranks_per_node();
    if (per_node > 1) among_cores(per_node);
    channel_ += per_node;
    for (int a = 0; a < machine_.axes(); ++a) {
      if (machine_.axis(a).length > 1) along(Line(machine_, rank_, a, channel_));
      channel_ += machine_.axis(a).length;
    }
  }

 private:
  [[nodiscard]] bool leads() const { return rank_ % machine_.ranks_per_node() == 0; }

  /// What was waited for so far is passed on by the phase's own send, or else by its first receive.
  struct Phase {
    std::int32_t own = at_once;
    bool waits = false;
  };

  void among_cores(Rank per_node) {
    auto const first = rank_ / per_node * per_node;
    Phase phase;
    std::int32_t before = at_once;
    for (Rank i = 0; i < per_node; ++i) {
      auto const source = first + (rank_ - first + i) % per_node;
      auto const length = row_.begin(source + 1) - row_.begin(source);
      if (length == 0) continue;
      auto const s = stream_of(contract_, cut_, row_, source, source, channel_ + source - first);
      TreePlace place;
      if (source == rank_) {
        for (Rank r = first; r < first + per_node; ++r) {
          if (r != rank_) place.add(r, any_port);
        }
      } else {
        place.parent = {source, any_port};
      }
      send_or_receive(s, place, row_.begin(source), phase, before);
    }
    close(phase, {before});
  }

  void along(Line const& line) {
    Phase phase;
    std::int32_t rising = at_once;   // chain of receives from below
    std::int32_t falling = at_once;  // from above
    emit(line, line.here, phase, rising);
    for (Node distance = 1; distance < line.length; ++distance) {
      auto const below = line.here - distance;
      auto const j = below < 0 ? below + line.length : below;
      if ((line.wraps || below >= 0) && line.above(j)) emit(line, j, phase, rising);
      auto const k = (line.here + distance) % line.length;
      if ((line.wraps || line.here + distance < line.length) && !line.above(k)) emit(line, k, phase, falling);
    }
    close(phase, {rising, falling});
  }

  void emit(Line const& line, Node j, Phase& phase, std::int32_t& before) {
    auto const first = line.first(j);
    auto const last = line.last(j);
    if (row_.begin(last + 1) == row_.begin(first)) return;
    TreePlace place;
    auto const per_node = machine_.ranks_per_node();
    if (leads()) {
      line.place(j, place);
      // The other cores of the node where the data come from have them.
      for (Rank c = 1; c < per_node && j != line.here; ++c) place.add(rank_ + c, any_port);
    } else if (j == line.here) {
      return;
    } else {
      place.parent = {rank_ / per_node * per_node, any_port};
    }
    send_or_receive(stream_of(contract_, cut_, row_, first, last, line.channel + j), place, row_.begin(first), phase,
                    before);
  }

  void send_or_receive(Stream const& s, TreePlace const& place, std::int64_t offset, Phase& phase,
                       std::int32_t& before) {
    auto const first = index_of_next(into_);
    auto const arrived = stream_down(s, place, at(source_, offset), {}, at(home_, offset), into_);
    if (arrived == at_once) {
      if (place.children() == 0) return;
      phase.own = first;
      for (auto i = first; i < index_of_next(into_); ++i) wait_for_joins(i);
      phase.waits = true;
      return;
    }
    if (before != at_once) into_.ops[static_cast<std::size_t>(arrived)].after.add(before, Dependence::whole);
    if (!phase.waits) {
      wait_for_joins(arrived);
      phase.waits = true;
    }
    before = arrived;
  }

  void wait_for_joins(std::int32_t op) {
    for (auto const join : joins_) into_.ops[static_cast<std::size_t>(op)].after.add(join, Dependence::whole);
  }

  void close(Phase const& phase, std::initializer_list<std::int32_t> ends) {
    if (phase.waits) joins_.clear();
    if (phase.own != at_once) joins_.push_back(phase.own);
    for (auto const end : ends) {
      if (end != at_once) joins_.push_back(end);
    }
  }

  Machine const& machine_;
  Rank rank_;
  Contract const& contract_;
  Cut cut_;
  BlockRow const& row_;
  Slot source_;
  Slot home_;
  std::int32_t channel_;
  Program& into_;
  std::vector<std::int32_t> joins_;  // what the next phase's own data wait for
};

class ReduceScatter {
 public:
  ReduceScatter(Machine const& machine, Rank rank, Contract const& contract, Cut cut, BlockRow const& row, Slot input,
                Slot output, std::int32_t channel, Program& into)
      : machine_(machine),
        rank_(rank),
        contract_(contract),
        cut_(cut),
        row_(row),
        sums_(input),
        output_(output),
        channel_(channel),
        into_(into),
        first_(rank / machine.ranks_per_node() * machine.ranks_per_node()) {}

  std::int32_t append() {
    auto const per_node = machine_.ranks_per_node();
    if (row_.begin(contract_.ranks) == 0) return at_once;
    if (per_node > 1) reduce_cores(per_node);
    if (rank_ == first_) {
      int last = -1;
      for (int a = 0; a < machine_.axes(); ++a) {
        if (last < 0 && machine_.axis(a).length > 1) last = a;
      }
      auto channel = channel_ + bucket_channels(machine_);
      for (int a = machine_.axes() - 1; a >= 0; --a) {
        channel -= machine_.axis(a).length;
        if (machine_.axis(a).length > 1) along(Line(machine_, rank_, a, channel), a == last && per_node == 1);
      }
      if (per_node == 1 && last >= 0) return done_.op;
    }
    return per_node > 1 ? spread_over_cores(per_node) : copy_own();
  }

 private:
  /// The node's rows combined at its first core.
  void reduce_cores(Rank per_node) {
    auto const s = stream_of(contract_, cut_, row_, 0, contract_.ranks - 1, channel_);
    TreePlace place;
    if (rank_ == first_) {
      for (Rank c = 1; c < per_node; ++c) place.add(first_ + c, any_port);
    } else {
      place.parent = {first_, any_port};
    }
    auto const output = rank_ == first_ ? new_row(s.length) : Slot{};
    done_ = {stream_up(s, place, sums_, {}, output, into_), Dependence::whole};
    if (rank_ == first_) sums_ = output;
  }

  void along(Line const& line, bool to_output) {
    Slot mine = sums_;
    Ready done = done_;
    TreePlace place;
    for (Node i = 0; i < line.length; ++i) {
      auto const j = (line.here + i) % line.length;
      auto const first = line.first(j);
      auto const last = line.last(j);
      auto const length = row_.begin(last + 1) - row_.begin(first);
      if (length == 0) continue;
      line.place(j, place);
      // The new row begins where this position's blocks do.
      auto const output = j != line.here ? Slot{} : to_output ? output_ : new_row(length);
      auto const end = stream_up(stream_of(contract_, cut_, row_, first, last, line.channel + j), place,
                                 at(sums_, row_.begin(first)), done_, output, into_);
      if (j != line.here) continue;
      done = {end, Dependence::whole};
      mine = at(output, -row_.begin(first));
    }
    sums_ = mine;
    done_ = done;
  }

  std::int32_t spread_over_cores(Rank per_node) {
    auto mine = at_once;
    for (Rank c = 0; c < per_node; ++c) {
      auto const rank = first_ + c;
      if (rank_ != first_ && rank != rank_) continue;
      if (row_.begin(rank + 1) == row_.begin(rank)) continue;
      auto const s = stream_of(contract_, cut_, row_, rank, rank, channel_ + c);
      if (c == 0) {
        mine = copy_own();
        continue;
      }
      TreePlace place;
      if (rank == rank_) {
        place.parent = {first_, any_port};
      } else {
        place.add(rank, any_port);
      }
      auto const arrived = stream_down(s, place, at(sums_, row_.begin(rank)), done_, output_, into_);
      if (rank == rank_) mine = arrived;
    }
    return mine;
  }

  std::int32_t copy_own() {
    if (row_.begin(rank_ + 1) == row_.begin(rank_)) return at_once;
    auto op = stream_of(contract_, cut_, row_, rank_, rank_, channel_).op(OpKind::copy);
    op.from = at(sums_, row_.begin(rank_));
    op.into = output_;
    done_.add_to(op);
    into_.ops.push_back(op);
    return index_of_next(into_) - 1;
  }

  Slot new_row(std::int64_t length) {
    auto const slot = Slot{Buffer::scratch, 0, into_.scratch};
    into_.scratch += length;
    return slot;
  }

  Machine const& machine_;
  Rank rank_;
  Contract const& contract_;
  Cut cut_;
  BlockRow const& row_;
  Slot sums_;  // where the row would begin that holds what is combined so far
  Slot output_;
  std::int32_t channel_;
  Program& into_;
  Rank first_;  // of the node's ranks: the one that talks to the links
  Ready done_;  // when sums_ is complete
};

}  // namespace

std::int32_t bucket_channels(Machine const& machine) {
  auto count = machine.ranks_per_node();
  for (int a = 0; a < machine.axes(); ++a) count += machine.axis(a).length;
  return count;
}

void bucket_allgather(Machine const& machine, Rank rank, Contract const& contract, Cut cut, BlockRow const& row,
                      Slot source, Slot home, Ready ready, std::int32_t channel, Program& into) {
  Allgather(machine, rank, contract, cut, row, source, home, ready, channel, into).append();
}

std::int32_t bucket_reduce_scatter(Machine const& machine, Rank rank, Contract const& contract, Cut cut,
                                   BlockRow const& row, Slot input, Slot output, std::int32_t channel, Program& into) {
  return ReduceScatter(machine, rank, contract, cut, row, input, output, channel, into).append();
}

}  // namespace allport
