#include "delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace allport::verify {
namespace {

constexpr std::size_t most_sums = 100'000;
constexpr std::int64_t unknown = std::numeric_limits<std::int32_t>::max();

/// How often a trace's node holds each of the ranks' contributions; saturates at 2.
std::vector<std::uint8_t> multiplicities(Trace const& trace, std::uint32_t node) {
  std::vector<std::uint8_t> count(trace.nodes.size(), 0);
  count[node] = 1;
  auto const add = [](std::uint8_t& to, std::uint8_t n) { to = static_cast<std::uint8_t>(std::min(2, to + n)); };
  auto const ranks = trace.ranks();
  for (auto i = node; i >= ranks; --i) {
    if (count[i] == 0) continue;
    add(count[trace.nodes[i].left], count[i]);
    add(count[trace.nodes[i].right], count[i]);
  }
  return count;
}

/// How often each node holds one rank's contribution; saturates at 2.
std::vector<std::uint8_t> holders(Trace const& trace, Rank rank) {
  std::vector<std::uint8_t> count(trace.nodes.size(), 0);
  count[static_cast<std::size_t>(rank)] = 1;
  for (std::size_t i = trace.ranks(); i < count.size(); ++i) {
    count[i] = static_cast<std::uint8_t>(std::min(2, count[trace.nodes[i].left] + count[trace.nodes[i].right]));
  }
  return count;
}

}  // namespace

Delivery::Delivery(Table& table, Execution const& execution, Findings& findings)
    : table_(table), execution_(execution), findings_(findings), space_(table.space()) {
  if (!space_.reduces()) return;
  all_ = contribution(0);
  for (Rank r = 1; r < space_.contract().ranks; ++r) all_ = combine(all_, contribution(r));
}

void Delivery::check() {
  auto const& c = space_.contract();
  if (c.bytes == 0) return;
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    auto const size = c.output_bytes(rank);
    if (size == 0) continue;
    if (c.what != Collective::alltoall) {
      check(rank, 0, size,
            c.what == Collective::gather || c.what == Collective::allgather ? 0 : space_.address({0, rank, 0}));
      continue;
    }
    for (Rank source = 0; source < c.ranks; ++source) {
      auto const begin = c.output_offset(rank, source);
      check(rank, begin, begin + c.block(source, rank), space_.address({source, rank, 0}));
    }
  }
  if (!sums_.empty()) explain_sums();
}

void Delivery::check(Rank rank, std::int64_t begin, std::int64_t end, std::int64_t address) {
  held_.clear();
  execution_.output(rank).read(begin, end, held_);
  auto at = begin;
  for (auto const& run : held_) {
    if (run.begin > at) missing(rank, at, run.begin, address + at - begin);
    if (run.shift() != address - begin) {
      wrong(rank, run, address + run.begin - begin);
    } else if (space_.reduces()) {
      bool const complete =
          run.value.count == all_.count && run.value.print[0] == all_.print[0] && run.value.print[1] == all_.print[1];
      rank_ordered_ = rank_ordered_ && run.value.ordered;
      if (!complete && sums_.size() < most_sums) sums_.push_back({place(Kind::contribution, rank, run.begin), run});
    }
    at = run.end;
  }
  if (at < end) missing(rank, at, end, address + at - begin);
}

OpId Delivery::writer(Rank rank, std::int64_t at, std::int64_t& segment) const {
  for (auto i = table_.linked().first(rank); i < table_.linked().first(rank + 1); ++i) {
    auto const& op = table_.op(i);
    if (op.kind == OpKind::send || op.length == 0) continue;
    auto const& into = table_.slots(i)[op.kind == OpKind::receive ? 0 : 1];
    if (into.buffer != Buffer::output || at < into.offset || at >= into.offset + op.length) continue;
    segment = (at - into.offset) / op.segment;
    return i;
  }
  return no_op;
}

// Errors found during execution come first: missing bytes at the end are often their consequence.
Place Delivery::place(Kind kind, Rank rank, std::int64_t at) const {
  std::int64_t segment = 0;
  auto const op = writer(rank, at, segment);
  if (op == no_op) return {kind, 0, Place::late + unknown, rank, -1};
  auto const depth = table_.row(op).done > 0 ? table_.row(op).depth : unknown;
  return {kind, segment, Place::late + depth, rank, table_.linked().index(op)};
}

void Delivery::missing(Rank rank, std::int64_t begin, std::int64_t end, std::int64_t address) {
  auto const where = place(Kind::missing, rank, begin);
  findings_.add(where, [&] {
    std::int64_t segment = 0;
    auto const id = writer(rank, begin, segment);
    std::string why = "no operation of its program writes them";
    if (id != no_op) {
      auto const& op = table_.op(id);
      auto const done = table_.row(id).done;
      if (op.segments > 0 && done <= segment) {
        why = op.kind == OpKind::receive
                  ? fmt::format("its parent {} sends them on channel {}, but", op.peer, op.channel)
                  : fmt::format("its operation {} writes them, but", where.op);
        why += fmt::format(" stops before segment {} of {}", done, op.segments);
      } else {
        why = op.kind == OpKind::receive
                  ? fmt::format("what its parent {} sends on channel {} does not hold them", op.peer, op.channel)
                  : fmt::format("what its operation {} writes there does not hold them", where.op);
      }
    }
    auto const text = space_.text(address, address + end - begin);
    auto const step = where.op < 0 ? std::int64_t{0} : segment;
    return Finding{{},   -1,   -1,
                   step, text, fmt::format("rank {} never receives {}: {} (segment {})", rank, text, why, step)};
  });
}

void Delivery::wrong(Rank rank, Run const& found, std::int64_t address) {
  auto const where = place(Kind::wrong, rank, found.begin);
  findings_.add(where, [&] {
    auto const bytes = found.end - found.begin;
    auto const text = space_.text(address, address + bytes);
    return Finding{{},
                   -1,
                   -1,
                   where.segment,
                   text,
                   fmt::format("rank {} ends with {} in the place of {} (segment {})", rank,
                               space_.text(found.address, found.address + bytes), text, where.segment)};
  });
}

void Delivery::explain_sums() {
  std::ranges::sort(sums_, [](WrongSum const& a, WrongSum const& b) { return a.place.key() < b.place.key(); });
  // Unfinished operations first: the rerun below resets the table's progress.
  auto const ranks = space_.contract().ranks;
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    findings_.add(sums_[i].place, [&] {
      auto const text =
          space_.text(sums_[i].found.address, sums_[i].found.address + sums_[i].found.end - sums_[i].found.begin);
      return Finding{{},
                     -1,
                     -1,
                     sums_[i].place.segment,
                     text,
                     fmt::format("rank {} holds {} of {} contributions, or some twice, in {}", sums_[i].place.rank,
                                 sums_[i].found.value.count, ranks, text)};
    });
  }
  Trace trace;
  trace.address = sums_.front().found.address;
  Findings silent(1);
  Execution again(table_, silent, &trace);
  again.run({});
  std::vector<Run> byte;
  auto const at = sums_.front().found.begin;
  again.output(sums_.front().place.rank).read(at, at + 1, byte);
  if (byte.empty())
    throw Error(ErrorKind::schedule, "a reduction's rerun ended otherwise; please report this schedule");
  findings_.add(sums_.front().place, [&] { return explain(sums_.front(), trace, byte.front().value.node); });
}

Finding Delivery::explain(WrongSum const& sum, Trace const& trace, std::uint32_t node) const {
  auto const held = multiplicities(trace, node);
  auto const ranks = held.begin() + static_cast<std::ptrdiff_t>(trace.ranks());
  auto const text = space_.text(sum.found.address, sum.found.address + sum.found.end - sum.found.begin);
  auto const segment = sum.place.segment;
  if (auto const twice = std::find(held.begin(), ranks, 2); twice != ranks) {
    auto const who = static_cast<Rank>(twice - held.begin());
    auto const holds = holders(trace, who);
    // Among the nodes that contribute to the result, the first one that holds it twice.
    std::size_t guilty = trace.ranks();
    while (guilty + 1 < holds.size() && !(holds[guilty] == 2 && held[guilty] > 0)) ++guilty;
    auto const culprit = trace.nodes[guilty].rank;
    return {{},
            culprit,
            -1,
            segment,
            text,
            fmt::format("rank {} gets rank {}'s contribution twice in {}: rank {} combines it with itself (segment {})",
                        sum.place.rank, who, text, culprit, segment)};
  }
  auto const who = static_cast<Rank>(std::find(held.begin(), ranks, 0) - held.begin());
  auto const lost = std::count(held.begin(), ranks, 0);
  auto const holds = holders(trace, who);
  auto last = holds.size() - 1;
  while (holds[last] == 0) --last;
  auto const culprit = trace.furthest[last];
  return {
      {},
      culprit,
      -1,
      segment,
      text,
      fmt::format("rank {} misses {} of {} contributions in {}: that of rank {} gets as far as rank {} (segment {})",
                  sum.place.rank, lost, trace.ranks(), text, who, culprit, segment)};
}

}  // namespace allport::verify
