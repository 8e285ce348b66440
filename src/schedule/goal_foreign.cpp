#include "goal_foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

namespace allport::goal {
namespace {

using Indices = std::vector<std::int32_t>;

constexpr std::int64_t copied_at_once = 64 * 1024;
constexpr std::int32_t once_only = 1;

/// One rank's statements in an order that their waits allow, the file's where they allow several.
/// @throws Error(io) on a circle
Indices order(std::vector<Statement> const& statements, std::string_view file) {
  Indices missing(statements.size(), 0);
  std::vector<Indices> later(statements.size());
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (auto const* list : {&statements[i].after_end, &statements[i].after_start}) {
      for (auto const e : *list) {
        later[static_cast<std::size_t>(e)].push_back(static_cast<std::int32_t>(i));
        ++missing[i];
      }
    }
  }
  std::priority_queue<std::int32_t, Indices, std::greater<>> ready;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (missing[i] == 0) ready.push(static_cast<std::int32_t>(i));
  }
  Indices sorted;
  while (!ready.empty()) {
    sorted.push_back(ready.top());
    ready.pop();
    for (auto const l : later[static_cast<std::size_t>(sorted.back())]) {
      if (--missing[static_cast<std::size_t>(l)] == 0) ready.push(l);
    }
  }
  if (sorted.size() == statements.size()) return sorted;
  auto const stuck = std::ranges::find_if(missing, [](auto m) { return m > 0; }) - missing.begin();
  fail_at(file, statements[static_cast<std::size_t>(stuck)].line,
          "expected an order, got operations that require each other in a circle with this one");
}

/// What each statement waits for: what it requires, and what those wait for that must have begun before it. Of these,
/// what another of them waits for itself is left out.
std::vector<Indices> waits(std::vector<Statement> const& statements, Indices const& sorted) {
  std::vector<Indices> all(statements.size());
  for (auto const i : sorted) {
    auto const& s = statements[static_cast<std::size_t>(i)];
    auto now = s.after_end;
    for (auto const begun : s.after_start) {
      auto const& theirs = all[static_cast<std::size_t>(begun)];
      now.insert(now.end(), theirs.begin(), theirs.end());
    }
    std::ranges::sort(now);
    now.erase(std::ranges::unique(now).begin(), now.end());
    Indices implied;
    for (auto const n : now) {
      auto const& theirs = all[static_cast<std::size_t>(n)];
      implied.insert(implied.end(), theirs.begin(), theirs.end());
    }
    std::ranges::sort(implied);
    std::erase_if(now, [&](auto n) { return std::ranges::binary_search(implied, n); });
    all[static_cast<std::size_t>(i)] = std::move(now);
  }
  return all;
}

class Reader {
 public:
  Reader(Text const& text, std::string_view file, double copy_seconds_per_byte)
      : text_(text), file_(file), copy_(copy_seconds_per_byte) {}

  Schedule run() {
    auto programs = std::make_shared<std::map<Rank, Program>>();
    for (auto const& [rank, statements] : text_.programs) {
      auto& program = (*programs)[rank];
      auto const sorted = order(statements, file_);
      for (auto const& s : statements) program.ops.push_back(operation(rank, s));
      for (auto const i : sorted) meet(rank, i, statements[static_cast<std::size_t>(i)]);
      auto all = waits(statements, sorted);
      for (std::size_t i = 0; i < all.size(); ++i) wait_for(program, i, std::move(all[i]));
      for (auto const& op : program.ops) program.scratch = std::max(program.scratch, extent(op));
    }
    match(*programs);
    auto const none = Contract{.what = Collective::none, .ranks = text_.ranks};
    return {"goal", none, {longest_, 1}, 1, [programs](Rank r, Program& into) {
              if (auto const found = programs->find(r); found != programs->end()) into = found->second;
            }};
  }

 private:
  /// The k-th message with this tag from one rank to another.
  struct Meeting {
    std::vector<std::pair<std::int32_t, std::int64_t>> sends;  // operation, line
    std::vector<std::pair<std::int32_t, std::int64_t>> receives;
  };

  Op operation(Rank rank, Statement const& s) {
    Op op;
    op.length = op.segment = s.act == Act::calc ? bytes_of(s) : s.size;
    op.peer = s.peer;
    op.piece = {{rank, rank}, {rank, rank}, {0, op.length}, false};
    if (s.act == Act::send) {
      op.kind = OpKind::send;
      op.piece.destinations = {s.peer, s.peer};
      op.from = {Buffer::scratch, 0, 0};
    } else if (s.act == Act::receive) {
      op.kind = OpKind::receive;
      op.piece.sources = {s.peer, s.peer};
      op.into = {Buffer::scratch, 0, 0};
    } else {
      to_copy(op);
    }
    longest_ = std::max(longest_, op.segment);
    return op;
  }

  static void to_copy(Op& op) {
    op.kind = OpKind::copy;
    op.segment = std::min(op.length, copied_at_once);
    op.from = {Buffer::scratch, once_only, 0};
    op.into = {Buffer::scratch, once_only, op.segment};
  }

  static std::int64_t extent(Op const& op) { return op.kind == OpKind::copy ? op.into.offset + op.segment : op.length; }

  [[nodiscard]] std::int64_t bytes_of(Statement const& calc) const {
    if (calc.size == 0) return 1;
    if (copy_ <= 0.0) {
      fail_at(file_, calc.line,
              fmt::format("calc {} takes time, and a schedule knows no pause: expected a copy's seconds per byte (give "
                          "a machine), by which it becomes a copy that takes as long",
                          calc.size));
    }
    auto const bytes = static_cast<double>(calc.size) * 1e-9 / copy_;
    if (bytes > 1e18) fail_at(file_, calc.line, fmt::format("expected less than 1e18 bytes to copy, got {:g}", bytes));
    return std::max<std::int64_t>(1, std::llround(bytes));
  }

  void meet(Rank rank, std::int32_t op, Statement const& s) {
    if (s.act == Act::send) meetings_[{rank, s.peer, s.tag}].sends.emplace_back(op, s.line);
    if (s.act == Act::receive) meetings_[{s.peer, rank, s.tag}].receives.emplace_back(op, s.line);
  }

  /// Channels count the messages of a pair of ranks.
  void match(std::map<Rank, Program>& programs) {
    auto pair = std::pair<Rank, Rank>(-1, -1);
    std::int32_t channel = 0;
    for (auto const& [key, m] : meetings_) {
      auto const [source, target, tag] = key;
      if (auto const now = std::pair(source, target); now != pair) {
        pair = now;
        channel = 0;
      }
      auto const both = std::min(m.sends.size(), m.receives.size());
      if (m.sends.size() > both) {
        fail_at(file_, m.sends[both].second,
                fmt::format("expected a recv from {} tag {} on rank {}, got none for this "
                            "send",
                            source, tag, target));
      }
      if (m.receives.size() > both) {
        fail_at(file_, m.receives[both].second,
                fmt::format("expected a send to {} tag {} on rank {}, got none for "
                            "this recv",
                            target, tag, source));
      }
      for (std::size_t k = 0; k < both; ++k, ++channel) {
        auto& send = programs[source].ops[static_cast<std::size_t>(m.sends[k].first)];
        auto& receive = programs[target].ops[static_cast<std::size_t>(m.receives[k].first)];
        if (send.length != receive.length) {
          fail_at(file_, m.receives[k].second,
                  fmt::format("expected {} bytes as the send in line {} has, got {}", send.length, m.sends[k].second,
                              receive.length));
        }
        send.channel = receive.channel = channel;
      }
    }
  }

  /// Beyond what one operation can wait for, some wait first, in copies of one byte that nobody reads.
  static void wait_for(Program& program, std::size_t index, Indices all) {
    while (all.size() > Dependences::capacity) {
      Op join;
      join.length = 1;
      join.piece.bytes = {0, 1};
      to_copy(join);
      for (std::size_t i = 0; i < Dependences::capacity; ++i) depend(program, join, all[i]);
      all.erase(all.begin(), all.begin() + Dependences::capacity);
      all.push_back(static_cast<std::int32_t>(program.ops.size()));
      program.ops.push_back(join);
    }
    for (auto const i : all) depend(program, program.ops[index], i);
  }

  static void depend(Program const& program, Op& op, std::int32_t other) {
    bool const alike = op.segments() == 1 && program.ops[static_cast<std::size_t>(other)].segments() == 1;
    op.after.add(other, alike ? 0 : Dependence::whole);
  }

  Text const& text_;
  std::string_view file_;
  double copy_;
  std::int64_t longest_ = 1;
  std::map<std::tuple<Rank, Rank, std::uint32_t>, Meeting> meetings_;
};

}  // namespace

Schedule foreign(Text const& text, std::string_view file, double copy_seconds_per_byte) {
  return Reader(text, file, copy_seconds_per_byte).run();
}

}  // namespace allport::goal
