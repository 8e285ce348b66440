#include "allport/schedule/linked.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace allport {
namespace {

/// The end of a stream, as its rank knows it.
struct End {
  Rank peer = -1;
  std::int32_t channel = 0;
  OpId op = no_op;

  [[nodiscard]] auto stream() const { return std::pair(peer, channel); }
  [[nodiscard]] auto key() const { return std::tuple(peer, channel, op); }
};

/// Reports ends of the same stream; [from, to) is sorted.
template <class Iterator>
void report_twice(Iterator from, Iterator to, FunctionRef<void(Mismatch const&)> report) {
  for (; from != to && from + 1 != to; ++from) {
    if (from->stream() == (from + 1)->stream()) report({Mismatch::Kind::twice, (from + 1)->op, from->op});
  }
}

[[noreturn]] void fail(LinkedProgram const& linked, Mismatch const& m) {
  auto const& op = linked.op(m.op);
  auto const who = linked.text(m.op);
  switch (m.kind) {
    case Mismatch::Kind::twice:
      throw Error(ErrorKind::schedule, fmt::format("{} is not the only one: operation {} has the same peer and channel",
                                                   who, linked.index(m.other)));
    case Mismatch::Kind::unmatched:
      throw Error(ErrorKind::schedule,
                  fmt::format("{} is {} by nobody", who, op.kind == OpKind::send ? "received" : "sent"));
    default:
      throw Error(ErrorKind::schedule,
                  fmt::format("{} has {} bytes in segments of {}, its receive {} in segments of {}", who, op.length,
                              op.segment, linked.op(m.other).length, linked.op(m.other).segment));
  }
}

/// The receives of all ranks, each rank's sorted by stream.
class Receives {
 public:
  Receives(LinkedProgram const& linked, Rank ranks, FunctionRef<void(Mismatch const&)> report) {
    std::vector<End> sends;
    for (Rank rank = 0; rank < ranks; ++rank) {
      begin_.push_back(static_cast<std::uint32_t>(all_.size()));
      sends.clear();
      for (auto i = linked.first(rank); i < linked.first(rank + 1); ++i) {
        auto const& op = linked.op(i);
        if (op.segments == 0) continue;
        if (op.kind == OpKind::receive) all_.push_back({op.peer, op.channel, i});
        if (op.kind == OpKind::send) sends.push_back({op.peer, op.channel, i});
      }
      auto const begin = all_.begin() + begin_.back();
      std::ranges::sort(begin, all_.end(), {}, &End::key);
      std::ranges::sort(sends, {}, &End::key);
      report_twice(begin, all_.end(), report);
      report_twice(sends.begin(), sends.end(), report);
    }
    begin_.push_back(static_cast<std::uint32_t>(all_.size()));
  }

  /// The first receive of a send's stream, or no_op.
  [[nodiscard]] OpId of(LinkedOp const& send) const {
    auto const rank = static_cast<std::size_t>(send.peer);
    auto const end = all_.begin() + begin_[rank + 1];
    auto const wanted = std::pair(send.rank, send.channel);
    auto const found = std::ranges::lower_bound(all_.begin() + begin_[rank], end, wanted, {}, &End::stream);
    return found == end || found->stream() != wanted ? no_op : found->op;
  }

 private:
  std::vector<End> all_;
  std::vector<std::uint32_t> begin_;
};

}  // namespace

LinkedProgram::LinkedProgram(Schedule const& schedule) {
  Program program;
  first_.reserve(static_cast<std::size_t>(schedule.ranks()) + 1);
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    schedule.program(rank, program);
    check_program(program, rank, schedule.ranks(), extents(schedule.contract(), rank));
    add(rank, program);
  }
  link([this](Mismatch const& m) { fail(*this, m); });
}

LinkedProgram::LinkedProgram(Program const& program) {
  add(0, program);
  reverse_needs();
}

void LinkedProgram::add(Rank rank, Program const& program, std::vector<bool> const& broken) {
  auto const first = size();
  first_.push_back(first);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    auto const& op = program.ops[i];
    LinkedOp linked;
    linked.rank = rank;
    linked.kind = op.kind;
    linked.peer = op.peer;
    linked.channel = op.channel;
    linked.port = op.port;
    linked.needs = static_cast<std::uint32_t>(needs_.size());
    if (broken.empty() || !broken[i]) {
      linked.length = op.length;
      linked.segment = op.segment;
      linked.segments = static_cast<std::int32_t>(op.segments());
      for (auto const& d : op.after) needs_.push_back({first + static_cast<OpId>(d.op), d.lag});
    }
    ops_.push_back(linked);
  }
}

void LinkedProgram::link(FunctionRef<void(Mismatch const&)> report) {
  auto const ranks = static_cast<Rank>(first_.size());
  first_.push_back(size());
  std::vector<OpId> severed;
  Receives const receives(*this, ranks, report);
  for (OpId i = 0; i < size(); ++i) {
    auto& send = ops_[i];
    if (send.kind != OpKind::send || send.segments == 0) continue;
    auto const found = receives.of(send);
    if (found == no_op || ops_[found].partner != no_op) continue;  // a second send of this stream is reported already
    auto& receive = ops_[found];
    send.partner = found;
    receive.partner = i;
    if (send.length != receive.length) {
      report({Mismatch::Kind::length, i, found});
      severed.push_back(i);
    } else if (send.segment != receive.segment) {
      report({Mismatch::Kind::segment, i, found});
      severed.push_back(i);
    }
  }
  for (OpId i = 0; i < size(); ++i) {
    if (ops_[i].streams() && ops_[i].partner == no_op && ops_[i].segments > 0) {
      report({Mismatch::Kind::unmatched, i, no_op});
    }
  }
  for (auto const i : severed) {
    auto const other = ops_[i].partner;
    for (auto const end : {i, other}) {
      ops_[end].partner = no_op;
      ops_[end].segments = 0;
    }
  }
  reverse_needs();
}

void LinkedProgram::reverse_needs() {
  for (auto const& need : needs_) ++ops_[need.op].wakes;
  std::uint32_t sum = 0;
  for (auto& op : ops_) sum += std::exchange(op.wakes, sum);
  wakes_.resize(needs_.size());
  std::vector<std::uint32_t> filled(ops_.size(), 0);
  for (OpId i = 0; i < size(); ++i) {
    for (auto const& need : needs(i)) wakes_[ops_[need.op].wakes + filled[need.op]++] = i;
  }
}

std::string LinkedProgram::text(OpId i) const {
  auto const& op = ops_[i];
  switch (op.kind) {
    case OpKind::send:
      return fmt::format("rank {}'s send to {} on channel {}", op.rank, op.peer, op.channel);
    case OpKind::receive:
      return fmt::format("rank {}'s receive from {} on channel {}", op.rank, op.peer, op.channel);
    default:
      return fmt::format("rank {}'s {} (operation {})", op.rank, name(op.kind), index(i));
  }
}

}  // namespace allport
