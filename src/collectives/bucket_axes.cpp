#include "bucket.h"

#include <algorithm>
#include <vector>

#include "hierarchical.h"
#include "machine/dimensions.h"

namespace allport {
namespace {

std::int32_t index_of_next(Program const& program) { return static_cast<std::int32_t>(program.ops.size()); }

/// The line of one dimension through this rank, and the blocks that meet on it.
struct BucketLine {
  Dimension dim;
  Rank rank = 0;
  Rank here = 0;             // its position
  std::int32_t channel = 0;  // of position 0's stream

  BucketLine(Dimension const& along, Rank me, std::int32_t first_channel)
      : dim(along), rank(me), here(along.of(me)), channel(first_channel) {}

  /// Whether its ends are those of links, over which the nodes' leaders communicate; else it is a node's ranks.
  [[nodiscard]] bool has_links() const { return dim.axis >= 0; }

  /// First of the ranks whose blocks position j has brought together before: all positions on the dimensions below,
  /// this rank's on those above.
  [[nodiscard]] Rank first(Rank j) const {
    auto const all = dim.stride * dim.length;
    return rank / all * all + j * dim.stride;
  }
  [[nodiscard]] Rank last(Rank j) const { return first(j) + dim.stride - 1; }

  /// How far a stream from position j goes upwards; ties on a ring go up.
  [[nodiscard]] Rank up(Rank j) const { return dim.wraps ? dim.length / 2 : dim.length - 1 - j; }
  [[nodiscard]] Rank down(Rank j) const { return dim.length - 1 - up(j); }
  [[nodiscard]] Rank ahead(Rank j) const { return here >= j ? here - j : here - j + dim.length; }
  [[nodiscard]] bool above(Rank j) const { return has_links() && ahead(j) <= up(j); }

  /// The node's place, among nodes, in the line tree that position j roots. @pre has_links()
  [[nodiscard]] TreePlace over_links(Rank j, InnerTrees const& inner) const {
    TreePlace place;
    auto const step = [&](int sign) {
      auto const there = dim.with(rank, (here + sign + dim.length) % dim.length);
      return TreeEdge{there / inner.ranks(), port(dim.axis, sign)};
    };
    auto const add = [&](int sign) {
      auto const edge = step(sign);
      place.add(edge.rank, edge.out);
    };
    if (here == j) {
      if (up(j) > 0) add(1);
      if (down(j) > 0) add(-1);
    } else if (above(j)) {
      place.parent = step(-1);
      if (ahead(j) < up(j)) add(1);
    } else {
      place.parent = step(1);
      if (dim.length - ahead(j) < down(j)) add(-1);
    }
    return place;
  }

  /// Position j's tree within a node: all others are its children.
  [[nodiscard]] TreePlace direct(Rank j) const {
    TreePlace place;
    if (here != j) place.parent = {dim.with(rank, j), any_port};
    for (Rank other = 0; other < dim.length && here == j; ++other) {
      if (other != here) place.add(dim.with(rank, other), any_port);
    }
    return place;
  }
};

Stream stream_of(Contract const& contract, Cut cut, BlockRow const& row, Rank first, Rank last, std::int32_t channel) {
  return stream(contract, cut, row.piece(first, last), channel, row.begin(last + 1) - row.begin(first));
}

Slot moved_by(Slot slot, std::int64_t offset) {
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
        into_(into),
        inner_(machine.levels(), 0, Below::direct) {
    if (ready.op != at_once) joins_.push_back(ready.op);
  }

  void append() {
    for (auto const& dim : dimensions(machine_)) {
      if (dim.length > 1) along(BucketLine(dim, rank_, channel_));
      channel_ += dim.length;
    }
  }

 private:
  /// Dependences so far are inherited by the phase's own send, or else by its first receive.
  struct Phase {
    std::int32_t own = at_once;
    bool waits = false;
  };

  void along(BucketLine const& line) {
    Phase phase;
    std::int32_t rising = at_once;   // chain of receives from below
    std::int32_t falling = at_once;  // from above
    emit(line, line.here, phase, rising);
    for (Rank distance = 1; distance < line.dim.length; ++distance) {
      auto const below = line.here - distance;
      auto const j = below < 0 ? below + line.dim.length : below;
      if ((line.dim.wraps || below >= 0) && line.above(j)) emit(line, j, phase, rising);
      auto const k = (line.here + distance) % line.dim.length;
      if ((line.dim.wraps || line.here + distance < line.dim.length) && !line.above(k)) emit(line, k, phase, falling);
    }
    close(phase, {rising, falling});
  }

  void emit(BucketLine const& line, Rank j, Phase& phase, std::int32_t& before) {
    auto const first = line.first(j);
    auto const last = line.last(j);
    if (row_.begin(last + 1) == row_.begin(first)) return;
    TreePlace place;
    if (!line.has_links()) {
      place = line.direct(j);
    } else if (j != line.here) {
      place_below(line.over_links(j, inner_), inner_, rank_, place);
    } else if (inner_.leads(rank_)) {
      inner_.lead(line.over_links(j, inner_), place);  // the other ranks of its node have the data
    } else {
      return;
    }
    send_or_receive(stream_of(contract_, cut_, row_, first, last, line.channel + j), place, row_.begin(first), phase,
                    before);
  }

  void send_or_receive(Stream const& s, TreePlace const& place, std::int64_t offset, Phase& phase,
                       std::int32_t& before) {
    auto const first = index_of_next(into_);
    auto const arrived = stream_down(s, place, moved_by(source_, offset), {}, moved_by(home_, offset), into_);
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
  InnerTrees inner_;
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
        inner_(machine.levels(), 0, Below::direct) {}

  std::int32_t append() {
    if (row_.begin(contract_.ranks) == 0) return at_once;
    bool const alone = inner_.ranks() == 1;
    if (!alone) reduce_within();
    if (inner_.leads(rank_)) {
      auto const dims = dimensions(machine_);
      auto const last = std::ranges::find_if(dims, [](Dimension const& d) { return d.axis >= 0 && d.length > 1; });
      auto channel = channel_ + bucket_channels(machine_);
      for (auto dim = dims.end(); --dim != dims.begin();) {
        channel -= dim->length;
        if (dim->length > 1) along(BucketLine(*dim, rank_, channel), dim == last && alone);
      }
      if (alone && last != dims.end()) return done_.op;
    }
    return alone ? copy_own() : scatter_within();
  }

 private:
  /// The node's rows combined at its leader.
  void reduce_within() {
    auto const s = stream_of(contract_, cut_, row_, 0, contract_.ranks - 1, channel_);
    TreePlace place;
    place_below({}, inner_, rank_, place);
    auto const output = inner_.leads(rank_) ? new_row(s.length) : Slot{};
    done_ = {stream_up(s, place, sums_, {}, output, into_), Dependence::whole};
    if (inner_.leads(rank_)) sums_ = output;
  }

  void along(BucketLine const& line, bool to_output) {
    Slot mine = sums_;
    Ready done = done_;
    TreePlace place;
    for (Rank i = 0; i < line.dim.length; ++i) {
      auto const j = (line.here + i) % line.dim.length;
      auto const first = line.first(j);
      auto const last = line.last(j);
      auto const length = row_.begin(last + 1) - row_.begin(first);
      if (length == 0) continue;
      inner_.lead(line.over_links(j, inner_), place);
      // The new row begins where this position's blocks do.
      auto const output = j != line.here ? Slot{} : to_output ? output_ : new_row(length);
      auto const end = stream_up(stream_of(contract_, cut_, row_, first, last, line.channel + j), place,
                                 moved_by(sums_, row_.begin(first)), done_, output, into_);
      if (j != line.here) continue;
      done = {end, Dependence::whole};
      mine = moved_by(output, -row_.begin(first));
    }
    sums_ = mine;
    done_ = done;
  }

  std::int32_t scatter_within() {
    auto mine = at_once;
    auto const leader = inner_.leader_of(machine_.node_of(rank_));
    for (Rank c = 0; c < inner_.ranks(); ++c) {
      auto const rank = leader + c;
      if (rank_ != leader && rank != rank_) continue;
      if (row_.begin(rank + 1) == row_.begin(rank)) continue;
      if (rank == leader) {
        mine = copy_own();
        continue;
      }
      TreePlace place;
      if (rank == rank_) {
        place.parent = {leader, any_port};
      } else {
        place.add(rank, any_port);
      }
      auto const s = stream_of(contract_, cut_, row_, rank, rank, channel_ + c);
      auto const arrived = stream_down(s, place, moved_by(sums_, row_.begin(rank)), done_, output_, into_);
      if (rank == rank_) mine = arrived;
    }
    return mine;
  }

  std::int32_t copy_own() {
    if (row_.begin(rank_ + 1) == row_.begin(rank_)) return at_once;
    auto op = stream_of(contract_, cut_, row_, rank_, rank_, channel_).op(OpKind::copy);
    op.from = moved_by(sums_, row_.begin(rank_));
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
  InnerTrees inner_;
  Ready done_;  // when sums_ is complete
};

}  // namespace

std::int32_t bucket_channels(Machine const& machine) {
  std::int32_t count = 0;
  for (auto const& dim : dimensions(machine)) count += dim.length;
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
