#include "promise.h"

#include <fmt/format.h>

#include <algorithm>

#include "execution.h"

namespace allport::verify {
namespace {

/// What the piece promises from byte `p` of the stream on: `bytes` consecutive addresses, of one source if that
/// matters.
struct Promise {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  Rank source = -1;
};

Promise promise(Table const& table, Row const& row, std::int64_t p, std::int64_t end) {
  if (row.expected >= 0) return {row.expected + p, end - p, -1};
  auto const& piece = table.piece(row.expected);
  auto const& space = table.space();
  auto const found = space.find(piece, p);
  bool const single = space.reduces() && !piece.combined;
  return {space.address(found.origin), std::min(end - p, found.left), single ? found.origin.source : -1};
}

bool keeps(Promise const& promise, Run const& run, std::int64_t q) {
  if (run.address + q - run.begin != promise.address) return false;
  return promise.source < 0 || run.value == contribution(promise.source);
}

}  // namespace

std::optional<Breach> breach(Table const& table, OpId op, std::vector<Run> const& content, std::int64_t position) {
  auto const& row = table.row(op);
  auto const start = row.done * table.op(op).segment;
  auto const end = start + table.op(op).bytes(row.done);
  if (content.size() == 1 && row.expected >= 0 && content[0].begin == position &&
      content[0].end == position + end - start && content[0].address == row.expected + start) {
    return std::nullopt;
  }
  auto run = content.begin();
  for (auto p = start; p < end;) {
    auto const wanted = promise(table, row, p, end);
    auto const q = position + p - start;
    while (run != content.end() && run->end <= q) ++run;
    if (run == content.end() || run->begin > q) {
      auto const next = run == content.end() ? end : start + run->begin - position;
      return Breach{p, std::min(p + wanted.bytes, next), wanted.address, true, {}};
    }
    auto const length = std::min(wanted.bytes, run->end - q);
    if (!keeps(wanted, *run, q)) return Breach{p, p + length, wanted.address, false, run->clip(q, q + length)};
    p += length;
  }
  return std::nullopt;
}

void Execution::check(OpId id, std::vector<Run> const& content, std::int64_t position) {
  if (trace_ != nullptr || space_.contract().what == Collective::barrier) return;
  if (auto const found = breach(table_, id, content, position)) report(id, *found);
}

void Execution::report(OpId id, Breach const& breach) {
  auto const& op = table_.op(id);
  auto const& row = table_.row(id);
  auto const index = table_.linked().index(id);
  auto const kind = breach.absent ? Kind::missing : Kind::wrong;
  findings_.add({kind, row.done, row.clock, op.rank, index}, [&] {
    auto const wanted = space_.text(breach.promised, breach.promised + breach.end - breach.begin);
    auto const what = op.kind == OpKind::send ? fmt::format("it sends them to {} on channel {}", op.peer, op.channel)
                                              : fmt::format("its operation {} reads them", index);
    std::string text;
    if (breach.absent) {
      text = fmt::format("rank {} never gets {} before {} (segment {})", op.rank, wanted, what, row.done);
    } else {
      auto const found = space_.text(breach.found.address, breach.found.address + breach.end - breach.begin);
      text = fmt::format("rank {} holds {}{} in the place of {} when {} (segment {})", op.rank, found,
                         found == wanted ? " combined from other ranks" : "", wanted, what, row.done);
    }
    return Finding{{}, -1, -1, row.done, wanted, text};
  });
}

}  // namespace allport::verify
