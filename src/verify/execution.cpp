#include "execution.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::verify {

Execution::Execution(Table& table, Findings& findings, Trace* trace)
    : table_(table), findings_(findings), trace_(trace), space_(table.space()) {
  auto const ranks = static_cast<std::size_t>(space_.contract().ranks);
  output_.resize(ranks);
  scratch_.resize(ranks);
  auto const& c = space_.contract();
  if (c.what == Collective::broadcast && c.bytes > 0) {
    Run const message{0, c.bytes, 0, {}};
    output_[static_cast<std::size_t>(c.root)].write(0, c.bytes, {&message, 1});
  }
  table.rewind();
  for (auto const& op : table.linked().ops()) total_ += op.segments;
  if (trace_ == nullptr) return;
  trace_->contributors = c.ranks;
  for (Rank r = 0; r < c.ranks; ++r) trace_->nodes.push_back({0, 0, r});
  for (Rank r = 0; r < c.ranks; ++r) trace_->furthest.push_back(r);
}

void Execution::run(std::function<void(std::string_view, double)> const& progress) {
  for (OpId i = 0; i < table_.size(); ++i) offer(i);
  std::int64_t reported = 0;
  while (!next_.empty()) {
    queue_.swap(next_);
    next_.clear();
    for (auto const id : queue_) {
      table_.row(id).queued = false;
      advance(id);
    }
    if (progress && moved_ - reported > total_ / 50) {
      reported = moved_;
      progress("execution", static_cast<double>(moved_) / static_cast<double>(total_));
    }
  }
}

// In the work list a stream is represented by its receive.
void Execution::offer(OpId id) {
  if (table_.op(id).kind == OpKind::send) id = table_.op(id).partner;
  if (id == no_op) return;
  auto const& op = table_.op(id);
  auto& row = table_.row(id);
  if (row.queued || row.done >= op.segments) return;
  if (op.kind == OpKind::receive && op.partner == no_op) return;
  if (!table_.ready(id) || (op.kind == OpKind::receive && !table_.ready(op.partner))) return;
  row.queued = true;
  next_.push_back(id);
}

void Execution::advance(OpId id) {
  auto& row = table_.row(id);
  auto const sender = table_.op(id).kind == OpKind::receive ? table_.op(id).partner : no_op;
  while (table_.ready(id) && (sender == no_op || table_.ready(sender))) {
    tick(id, sender != no_op);
    if (sender != no_op) {
      move_stream(id);
      ++table_.row(sender).done;
      ++moved_;
    } else {
      move_local(id);
    }
    ++row.done;
    ++moved_;
    wake(id);
    if (sender != no_op) wake(sender);
  }
}

void Execution::wake(OpId id) {
  for (auto const waiting : table_.linked().wakes(id)) offer(waiting);
}

// Sets the segment's logical time, and for the first segment its depth in the longest chain of messages.
void Execution::tick(OpId id, bool stream) {
  auto& row = table_.row(id);
  auto const partner = table_.op(id).partner;
  std::int32_t depth = 0;
  auto clock = row.clock;
  auto const look = [&](OpId end) {
    for (auto const& need : table_.linked().needs(end)) {
      auto const& other = table_.row(need.op);
      clock = std::max(clock, other.clock);
      if (need.lag <= 0) depth = std::max(depth, other.depth);
    }
  };
  look(id);
  if (stream) look(partner);
  row.clock = clock + 1;
  if (stream) table_.row(partner).clock = clock + 1;
  if (row.done > 0) return;
  row.depth = depth + (stream ? 1 : 0);
  if (stream) table_.row(partner).depth = row.depth;
  depth_ = std::max<std::int64_t>(depth_, row.depth);
}

void Execution::move_stream(OpId receive) {
  auto const send = table_.op(receive).partner;
  auto const& slot = *table_.slots(send);
  moving_.clear();
  read(send, slot, moving_);
  auto const origin = position(send, slot);
  check(send, moving_, origin);
  auto const& into = table_.op(receive);
  auto const shift = position(receive, *table_.slots(receive)) - origin;
  for (auto& run : moving_) {
    run.begin += shift;
    run.end += shift;
    if (trace_ != nullptr) trace_->furthest[run.value.node] = into.rank;
  }
  write(receive, *table_.slots(receive), moving_);
}

void Execution::move_local(OpId id) {
  if (table_.op(id).kind == OpKind::combine) {
    combine(id);
    return;
  }
  auto const* slots = table_.slots(id);
  moving_.clear();
  read(id, slots[0], moving_);
  auto const origin = position(id, slots[0]);
  check(id, moving_, origin);
  auto const shift = position(id, slots[1]) - origin;
  for (auto& run : moving_) {
    run.begin += shift;
    run.end += shift;
  }
  write(id, slots[1], moving_);
}

// If an operand is undefined, or the operands are different elements, the result is undefined and reported.
void Execution::combine(OpId id) {
  auto const rank = table_.op(id).rank;
  auto const* slots = table_.slots(id);
  auto const into = position(id, slots[1]);
  auto const operand = [&](Slot const& slot, std::vector<Run>& runs) {
    runs.clear();
    read(id, slot, runs);
    auto const origin = position(id, slot);
    check(id, runs, origin);
    for (auto& run : runs) {
      run.begin += into - origin;
      run.end += into - origin;
    }
  };
  operand(slots[2], left_);
  operand(slots[0], moving_);
  std::vector<Run> sums;
  auto l = left_.begin();
  auto r = moving_.begin();
  while (l != left_.end() && r != moving_.end()) {
    auto const begin = std::max(l->begin, r->begin);
    auto const end = std::min(l->end, r->end);
    if (begin < end && l->shift() == r->shift()) {
      sums.push_back({begin, end, begin + l->shift(), combined(rank, l->value, r->value)});
    }
    if (l->end < r->end) {
      ++l;
    } else {
      ++r;
    }
  }
  write(id, slots[1], sums);
}

Value Execution::combined(Rank rank, Value const& left, Value const& right) {
  auto both = verify::combine(left, right);
  if (trace_ != nullptr) {
    both.node = static_cast<std::uint32_t>(trace_->nodes.size());
    trace_->nodes.push_back({left.node, right.node, rank});
    trace_->furthest.push_back(rank);
  }
  return both;
}

void Execution::read(OpId id, Slot const& slot, std::vector<Run>& into) {
  auto const& op = table_.op(id);
  auto const begin = position(id, slot);
  auto const end = begin + op.bytes(table_.row(id).done);
  if (slot.buffer == Buffer::input) {
    initial(op.rank, begin, end, into);
  } else {
    auto& all = slot.buffer == Buffer::output ? output_ : scratch_;
    all[static_cast<std::size_t>(op.rank)].read(begin, end, into);
  }
}

/// The caller's input: its addresses are consecutive in every collective.
void Execution::initial(Rank rank, std::int64_t begin, std::int64_t end, std::vector<Run>& into) const {
  auto const first = space_.address({rank, 0, 0});
  Run run{begin, end, first + begin, space_.reduces() ? contribution(rank) : Value{}};
  if (trace_ != nullptr) {
    if (trace_->address < run.address || trace_->address >= run.address + (end - begin)) return;
    run = run.clip(trace_->address - run.shift(), trace_->address - run.shift() + 1);
    run.value.node = static_cast<std::uint32_t>(rank);
  }
  into.push_back(run);
}

void Execution::write(OpId id, Slot const& slot, std::vector<Run>& content) {
  auto const& op = table_.op(id);
  auto const begin = position(id, slot);
  auto& all = slot.buffer == Buffer::output ? output_ : scratch_;
  auto& into = all[static_cast<std::size_t>(op.rank)];
  if (slot.buffer == Buffer::output && trace_ == nullptr) check_doubled(id, into, content);
  into.write(begin, begin + op.bytes(table_.row(id).done), content);
}

// A byte delivered again is reported: one delivery is useless. Partial sums of a reduction may replace each other.
void Execution::check_doubled(OpId id, Contents const& output, std::vector<Run> const& content) {
  auto const& op = table_.op(id);
  auto const& row = table_.row(id);
  for (auto const& run : content) {
    existing_.clear();
    output.read(run.begin, run.end, existing_);
    for (auto const& old : existing_) {
      if (old.shift() != run.shift() || !(old.value == run.value)) continue;
      findings_.add({Kind::doubled, row.done, row.clock, op.rank, table_.linked().index(id)}, [&] {
        auto const text = space_.text(old.address, old.address + old.end - old.begin);
        auto const how = op.kind == OpKind::receive
                             ? fmt::format("rank {} sends them on channel {}", op.peer, op.channel)
                             : fmt::format("its operation {} writes them", table_.linked().index(id));
        return Finding{
            {},
            -1,
            -1,
            row.done,
            text,
            fmt::format("rank {} gets {} twice: {} although it has them (segment {})", op.rank, text, how, row.done)};
      });
    }
  }
}

}  // namespace allport::verify
