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
  for (auto const& row : table.rows()) total_ += row.segments;
  if (trace_ == nullptr) return;
  trace_->contributors = c.ranks;
  for (Rank r = 0; r < c.ranks; ++r) trace_->nodes.push_back({0, 0, r});
  for (Rank r = 0; r < c.ranks; ++r) trace_->furthest.push_back(r);
}

void Execution::run(std::function<void(std::string_view, double)> const& progress) {
  for (RowId i = 0; i < table_.rows().size(); ++i) offer(i);
  std::int64_t told = 0;
  while (!next_.empty()) {
    queue_.swap(next_);
    next_.clear();
    for (auto const row : queue_) {
      table_.rows()[row].queued = false;
      advance(row);
    }
    if (progress && moved_ - told > total_ / 50) {
      told = moved_;
      progress("execution", static_cast<double>(moved_) / static_cast<double>(total_));
    }
  }
}

bool Execution::ready(RowId id) const {
  auto const& row = table_.rows()[id];
  if (row.done >= row.segments) return false;
  for (auto const& need : table_.needs(id)) {
    auto const& other = table_.rows()[need.row];
    if (need.lag == Dependence::whole ? other.segments == 0 || other.done < other.segments
                                      : row.done >= need.lag && other.done <= row.done - need.lag) {
      return false;
    }
  }
  return true;
}

// A stream waits in the list under its receive.
void Execution::offer(RowId id) {
  auto& rows = table_.rows();
  if (rows[id].kind == OpKind::send) id = rows[id].partner;
  if (id == no_row || rows[id].queued || rows[id].done >= rows[id].segments) return;
  if (rows[id].kind == OpKind::receive && rows[id].partner == no_row) return;
  if (!ready(id) || (rows[id].kind == OpKind::receive && !ready(rows[id].partner))) return;
  rows[id].queued = true;
  next_.push_back(id);
}

void Execution::advance(RowId id) {
  auto& row = table_.rows()[id];
  auto const sender = row.kind == OpKind::receive ? row.partner : no_row;
  while (ready(id) && (sender == no_row || ready(sender))) {
    tick(id, sender != no_row);
    if (sender != no_row) {
      move_stream(id);
      ++table_.rows()[sender].done;
      ++moved_;
    } else {
      move_local(id);
    }
    ++row.done;
    ++moved_;
    wake(id);
    if (sender != no_row) wake(sender);
  }
}

void Execution::wake(RowId id) {
  for (auto const waiting : table_.wakes(id)) offer(waiting);
}

// The segment's logical time, and the first one's place in the longest chain of messages.
void Execution::tick(RowId id, bool stream) {
  auto& rows = table_.rows();
  auto& row = rows[id];
  std::int32_t depth = 0;
  auto clock = row.clock;
  auto const look = [&](RowId end) {
    for (auto const& need : table_.needs(end)) {
      clock = std::max(clock, rows[need.row].clock);
      if (need.lag <= 0) depth = std::max(depth, rows[need.row].depth);
    }
  };
  look(id);
  if (stream) look(row.partner);
  row.clock = clock + 1;
  if (stream) rows[row.partner].clock = clock + 1;
  if (row.done > 0) return;
  row.depth = depth + (stream ? 1 : 0);
  if (stream) rows[row.partner].depth = row.depth;
  depth_ = std::max<std::int64_t>(depth_, row.depth);
}

void Execution::move_stream(RowId receive) {
  auto const send = table_.rows()[receive].partner;
  auto const& from = table_.rows()[send];
  auto const& slot = *table_.slots(from);
  moving_.clear();
  read(from, slot, moving_);
  auto const origin = from.position(slot, from.done);
  check(send, moving_, origin);
  auto const& into = table_.rows()[receive];
  auto const shift = into.position(*table_.slots(into), into.done) - origin;
  for (auto& run : moving_) {
    run.begin += shift;
    run.end += shift;
    if (trace_ != nullptr) trace_->furthest[run.value.node] = into.rank;
  }
  write(receive, *table_.slots(into), moving_);
}

void Execution::move_local(RowId id) {
  auto const& row = table_.rows()[id];
  if (row.kind == OpKind::combine) {
    combine(id);
    return;
  }
  auto const* slots = table_.slots(row);
  moving_.clear();
  read(row, slots[0], moving_);
  auto const origin = row.position(slots[0], row.done);
  check(id, moving_, origin);
  for (auto& run : moving_) {
    run.begin += row.position(slots[1], row.done) - origin;
    run.end += row.position(slots[1], row.done) - origin;
  }
  write(id, slots[1], moving_);
}

// Where an operand is undefined, or the two are not the same element, the result is undefined and that is reported.
void Execution::combine(RowId id) {
  auto const& row = table_.rows()[id];
  auto const* slots = table_.slots(row);
  auto const into = row.position(slots[1], row.done);
  auto const operand = [&](Slot const& slot, std::vector<Run>& runs) {
    runs.clear();
    read(row, slot, runs);
    auto const origin = row.position(slot, row.done);
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
      sums.push_back({begin, end, begin + l->shift(), combined(row.rank, l->value, r->value)});
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

void Execution::read(Row const& row, Slot const& slot, std::vector<Run>& into) {
  auto const begin = row.position(slot, row.done);
  auto const end = begin + row.bytes(row.done);
  if (slot.buffer == Buffer::input) {
    initial(row.rank, begin, end, into);
  } else {
    auto& all = slot.buffer == Buffer::output ? output_ : scratch_;
    all[static_cast<std::size_t>(row.rank)].read(begin, end, into);
  }
}

/// The caller's input: its addresses follow each other in every collective.
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

void Execution::write(RowId id, Slot const& slot, std::vector<Run>& content) {
  auto const& row = table_.rows()[id];
  auto const begin = row.position(slot, row.done);
  auto& all = slot.buffer == Buffer::output ? output_ : scratch_;
  auto& into = all[static_cast<std::size_t>(row.rank)];
  if (slot.buffer == Buffer::output && trace_ == nullptr) check_doubled(id, into, content);
  into.write(begin, begin + row.bytes(row.done), content);
}

// The same byte again: one of the two deliveries was for nothing. A reduction's partial sums replace each other.
void Execution::check_doubled(RowId id, Contents const& output, std::vector<Run> const& content) {
  auto const& row = table_.rows()[id];
  for (auto const& run : content) {
    existing_.clear();
    output.read(run.begin, run.end, existing_);
    for (auto const& old : existing_) {
      if (old.shift() != run.shift() || !(old.value == run.value)) continue;
      findings_.add({Kind::doubled, row.done, row.clock, row.rank, table_.index(id)}, [&] {
        auto const text = space_.text(old.address, old.address + old.end - old.begin);
        auto const how = row.kind == OpKind::receive
                             ? fmt::format("rank {} sends them on channel {}", row.peer, row.channel)
                             : fmt::format("its operation {} writes them", table_.index(id));
        return Finding{
            {},
            -1,
            -1,
            row.done,
            text,
            fmt::format("rank {} gets {} twice: {} although it has them (segment {})", row.rank, text, how, row.done)};
      });
    }
  }
}

}  // namespace allport::verify
