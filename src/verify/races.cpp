#include "races.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/schedule/linked.h"

namespace allport::verify {
namespace {

constexpr std::size_t most_remembered = std::size_t{1} << 25;  // words, 256 MiB

bool local(Op const& op) { return op.kind == OpKind::combine || op.kind == OpKind::copy; }

std::int64_t reach(Op const& op, Slot const& slot) {
  if (slot.ring == 0) return op.length;
  return std::min(std::min<std::int64_t>(slot.ring, op.segments()) * op.segment, op.length);
}

bool overlap(std::int64_t a, std::int64_t a_bytes, std::int64_t b, std::int64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

std::uint64_t hash(std::vector<std::int64_t> const& words) {
  std::uint64_t h = words.size();
  for (auto const w : words) {
    h = (h ^ static_cast<std::uint64_t>(w)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

void Before::load(Program const& program) {
  program_ = &program;
  complete_.resize(program.ops.size());
}

std::vector<std::int64_t> const& Before::of(std::int32_t op, std::int64_t segment) {
  std::ranges::fill(complete_, 0);
  raised_.clear();
  follow(op, segment);
  while (!raised_.empty()) {
    auto const next = raised_.back();
    raised_.pop_back();
    follow(next, complete_[static_cast<std::size_t>(next)] - 1);
  }
  return complete_;
}

// An operation that a segment waits for is complete, hence was started, hence its own dependences are complete, ...
void Before::follow(std::int32_t index, std::int64_t segment) {
  auto const& op = program_->ops[static_cast<std::size_t>(index)];
  if (local(op)) raise(index, segment);
  for (auto const& d : op.after) {
    raise(d.op, segments_before(segment, d.lag, program_->ops[static_cast<std::size_t>(d.op)].segments()));
  }
}

void Before::raise(std::int32_t op, std::int64_t complete) {
  auto& known = complete_[static_cast<std::size_t>(op)];
  if (complete <= known) return;
  known = complete;
  raised_.push_back(op);
}

void Races::check(Rank rank, Program const& program) {
  shape_.clear();
  auto const add_slot = [&](Slot const& s) {
    shape_.push_back((std::int64_t{s.ring} << 8) | static_cast<std::int64_t>(s.buffer));
    shape_.push_back(s.offset);
  };
  for (auto const& op : program.ops) {
    shape_.push_back((static_cast<std::int64_t>(op.kind) << 8) | static_cast<std::int64_t>(op.after.size()));
    shape_.push_back(op.length);
    shape_.push_back(op.segment);
    if (op.kind != OpKind::receive) add_slot(op.from);
    if (op.kind == OpKind::combine) add_slot(op.with);
    if (op.kind != OpKind::send) add_slot(op.into);
    for (auto const& d : op.after) shape_.push_back((std::int64_t{d.op} << 32) | static_cast<std::uint32_t>(d.lag));
  }
  auto const key = hash(shape_);
  auto const [from, to] = proven_.equal_range(key);
  if (std::any_of(from, to, [&](auto const& entry) { return entry.second == shape_; })) return;

  program_ = &program;
  before_.load(program);
  collect(program);
  bool good = true;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    good = !clash_within(rank, program.ops[i], static_cast<std::int32_t>(i)) && good;
  }
  good = ordered(rank) && good;
  if (good && remembered_ + shape_.size() <= most_remembered) {
    remembered_ += shape_.size();
    proven_.emplace(key, shape_);
  }
}

// Visits pairs of overlapping accesses of which one is a write. Runs of reads (a root's many sends) are skipped.
bool Races::ordered(Rank rank) {
  auto const size = accesses_.size();
  next_writer_.assign(size + 1, size);
  for (auto i = size; i-- > 0;) next_writer_[i] = accesses_[i].writes ? i : next_writer_[i + 1];
  bool good = true;
  for (std::size_t i = 0; i < size; ++i) {
    auto const& x = accesses_[i];
    auto const look = [&](Access const& y) {
      auto const found = clash(x, y);
      if (found.first < 0) return;
      good = false;
      report(rank, x, y, found);
    };
    // Sorted by begin: the first one that begins behind x ends the search.
    for (auto j = x.writes ? i + 1 : next_writer_[i]; j < size; j = x.writes ? j + 1 : next_writer_[j + 1]) {
      auto const& y = accesses_[j];
      if (y.slot.buffer != x.slot.buffer || y.low >= x.high) break;
      look(y);
    }
    if (x.writes) look(x);  // segments of a ring against each other
  }
  return good;
}

void Races::collect(Program const& program) {
  accesses_.clear();
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    auto const add = [&](Slot const& s, bool writes) {
      if (s.buffer == Buffer::input) return;  // read only
      accesses_.push_back({static_cast<std::int32_t>(i), s, writes, s.offset, s.offset + reach(op, s)});
    };
    if (op.kind != OpKind::receive) add(op.from, false);
    if (op.kind == OpKind::combine) add(op.with, false);
    if (op.kind != OpKind::send) add(op.into, true);
  }
  std::ranges::sort(accesses_, [](Access const& a, Access const& b) {
    return std::tuple(a.slot.buffer, a.low, a.op, a.writes) < std::tuple(b.slot.buffer, b.low, b.op, b.writes);
  });
}

// A segment of a combine or copy may write exactly where it reads, but not to a part of it.
bool Races::clash_within(Rank rank, Op const& op, std::int32_t index) {
  if (!local(op)) return false;
  auto const beside = [&](Slot const& read) {
    if (read.buffer != op.into.buffer) return false;
    for (std::int64_t i = 0; i < op.segments(); ++i) {
      auto const a = op.position(read, i);
      auto const b = op.position(op.into, i);
      if (a != b && overlap(a, op.segment_bytes(i), b, op.segment_bytes(i))) return true;
      // From here on the distances of both slots repeat.
      if (read.ring == op.into.ring && (read.ring == 0 || i >= read.ring)) break;
    }
    return false;
  };
  bool const bad = beside(op.from) || (op.kind == OpKind::combine && beside(op.with));
  if (bad) {
    findings_.add({Kind::race, 0, 0, rank, index}, [&] {
      return Finding{{},
                     -1,
                     -1,
                     0,
                     space_.text(op.piece),
                     fmt::format("rank {}'s operation {} writes over a part of what it still reads", rank, index)};
    });
  }
  return bad;
}

Races::Clash Races::clash(Access const& x, Access const& y) {
  auto const segments = program_->ops[static_cast<std::size_t>(y.op)].segments();
  for (std::int64_t j = 0; j < segments; ++j) {
    if (auto const found = clash_with_segment(x, y, j); found.first >= 0) return found;
  }
  return {};
}

// In each slot of x that segment j of y touches, order is monotone: the first segments of x are complete before j, and
// of the rest only the first one is checked to wait for j, because later ones then wait, too.
Races::Clash Races::clash_with_segment(Access const& x, Access const& y, std::int64_t j) {
  auto const& xop = program_->ops[static_cast<std::size_t>(x.op)];
  auto const& yop = program_->ops[static_cast<std::size_t>(y.op)];
  auto const begin = yop.position(y.slot, j);
  auto const bytes = yop.segment_bytes(j);
  auto const complete = before_.of(y.op, j)[static_cast<std::size_t>(x.op)];
  auto const segments = xop.segments();
  auto const rest = [&](std::int64_t i, std::int64_t stride) -> Clash {
    if (i < complete) i += (complete - i + stride - 1) / stride * stride;
    for (; i < segments; i += stride) {
      if (x.op == y.op && i == j) continue;  // clash_within
      // Only the last segment of a stream is short; it may not overlap although the slot's other segments do.
      if (!overlap(xop.position(x.slot, i), xop.segment_bytes(i), begin, bytes)) continue;
      return unordered(x, i, y, j) ? Clash{i, j} : Clash{};
    }
    return {};
  };
  auto const places = x.slot.ring > 0 ? std::min<std::int64_t>(x.slot.ring, segments) : segments;
  auto const low = std::max<std::int64_t>(0, (begin - x.slot.offset) / xop.segment);
  auto const high = std::min(places - 1, (begin + bytes - 1 - x.slot.offset) / xop.segment);
  if (begin + bytes <= x.slot.offset) return {};
  for (auto place = low; place <= high; ++place) {
    auto const found = rest(place, x.slot.ring > 0 ? x.slot.ring : segments);
    if (found.first >= 0) return found;
  }
  return {};
}

bool Races::unordered(Access const& x, std::int64_t i, Access const& y, std::int64_t j) {
  return before_.of(x.op, i)[static_cast<std::size_t>(y.op)] <= j;
}

void Races::report(Rank rank, Access const& x, Access const& y, Clash const& clash) {
  bool const ring = std::max(x.slot.ring, y.slot.ring) > 0 && (x.op == y.op || clash.first != clash.second);
  // Of two writers, the one with the later segment is reported.
  bool const second = y.writes && (!x.writes || clash.second >= clash.first);
  auto const& writer = second ? y : x;
  auto const& other = second ? x : y;
  auto const writer_segment = second ? clash.second : clash.first;
  auto const other_segment = second ? clash.first : clash.second;
  auto const kind = ring ? Kind::ring_overflow : Kind::race;
  findings_.add({kind, writer_segment, 0, rank, writer.op}, [&] {
    auto const& op = program_->ops[static_cast<std::size_t>(writer.op)];
    auto const at = op.position(writer.slot, writer_segment);
    auto const text = fmt::format(
        "rank {}'s operation {} may write bytes [{}, {}) of {} (segment {}) while operation {} {} them (segment {}){}",
        rank, writer.op, at, at + op.segment_bytes(writer_segment),
        writer.slot.buffer == Buffer::output ? "output" : "scratch", writer_segment, other.op,
        other.writes ? "writes" : "reads", other_segment,
        ring ? fmt::format(": the ring of {} segments overflows its window", std::max(x.slot.ring, y.slot.ring)) : "");
    auto const from = writer_segment * op.segment;
    return Finding{{},  -1, -1, writer_segment, space_.text(op.piece, from, from + op.segment_bytes(writer_segment)),
                   text};
  });
}

}  // namespace allport::verify
