#include "stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace allport::verify {
namespace {

constexpr std::size_t most_tries = 256;         // starting points for a shortest cycle
constexpr std::size_t most_visits = 2'000'000;  // units that one search may visit
constexpr std::size_t most_steps = 8;           // steps of a cycle that are printed

}  // namespace

OpId Stall::unit(OpId op) const { return table_.op(op).kind == OpKind::send ? table_.op(op).partner : op; }

bool Stall::waits(OpId unit) const {
  if (unit == no_op) return false;
  auto const& op = table_.op(unit);
  if (op.kind == OpKind::receive && op.partner == no_op) return false;
  return table_.row(unit).done < op.segments;
}

void Stall::waits_of(OpId unit, std::vector<Wait>& into) const {
  into.clear();
  auto const look = [&](OpId end) {
    for (auto const& need : table_.linked().needs(end)) {
      bool const open = table_.linked().holds_back(need, table_.row(end).done, table_.row(need.op).done);
      if (open && waits(this->unit(need.op))) into.push_back({end, need});
    }
  };
  look(unit);
  if (table_.op(unit).kind == OpKind::receive) look(table_.op(unit).partner);
}

// Depth-first search over the waits; a unit that is met again on the current path closes a cycle.
std::vector<OpId> Stall::any_cycle() const {
  enum : std::uint8_t { fresh, open, closed };
  std::vector<std::uint8_t> state(table_.size(), fresh);
  std::vector<OpId> path;
  std::vector<std::vector<Wait>> choices;
  for (OpId start = 0; start < table_.size(); ++start) {
    if (table_.op(start).kind == OpKind::send || !waits(start) || state[start] != fresh) continue;
    auto const enter = [&](OpId id) {
      state[id] = open;
      path.push_back(id);
      choices.emplace_back();
      waits_of(id, choices.back());
    };
    enter(start);
    while (!path.empty()) {
      if (choices.back().empty()) {
        state[path.back()] = closed;
        path.pop_back();
        choices.pop_back();
        continue;
      }
      auto const next = unit(choices.back().back().need.op);
      choices.back().pop_back();
      if (state[next] == open) {
        return {std::ranges::find(path, next), path.end()};
      }
      if (state[next] == fresh) enter(next);
    }
  }
  return {};
}

std::vector<Stall::Wait> Stall::shortest_cycle(OpId through) const {
  struct Came {
    OpId before;
    Wait by;
  };
  std::unordered_map<OpId, Came> seen;
  std::vector<OpId> level{through};
  std::vector<Wait> waits;
  for (std::size_t at = 0; at < level.size() && level.size() < most_visits; ++at) {
    waits_of(level[at], waits);
    for (auto const& w : waits) {
      auto const next = unit(w.need.op);
      if (next == through) {
        std::vector<Wait> cycle{w};
        for (auto u = level[at]; u != through; u = seen.at(u).before) cycle.push_back(seen.at(u).by);
        std::ranges::reverse(cycle);
        return cycle;
      }
      if (seen.try_emplace(next, Came{level[at], w}).second) level.push_back(next);
    }
  }
  return {};
}

void Stall::report() {
  auto const some = any_cycle();
  std::vector<Wait> best;
  for (std::size_t i = 0; i < std::min(some.size(), most_tries); ++i) {
    auto cycle = shortest_cycle(some[i]);
    if (!cycle.empty() && (best.empty() || cycle.size() < best.size())) best = std::move(cycle);
  }
  if (best.empty()) return;
  auto const rank_of = [&](Wait const& w) { return table_.op(w.from).rank; };
  auto const lowest = std::ranges::min_element(best, [&](Wait const& a, Wait const& b) {
    return std::pair(rank_of(a), a.from) < std::pair(rank_of(b), b.from);
  });
  std::rotate(best.begin(), lowest, best.end());
  auto const first = best.front().from;
  auto const done = table_.row(first).done;
  findings_.add({Kind::deadlock, done, 0, table_.op(first).rank, table_.linked().index(first)},
                [&] { return Finding{{}, -1, -1, done, table_.piece_text(first, done), text(best)}; });
}

std::string Stall::text(std::vector<Wait> const& cycle) const {
  auto out = fmt::format("no operation can proceed, {} wait in a cycle: ",
                         cycle.size() == 1 ? "one operation" : fmt::format("{} operations", cycle.size()));
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i == most_steps) return out + fmt::format("; and so on round to {}", table_.linked().text(cycle.front().from));
    auto const& [from, need] = cycle[i];
    auto const segment = table_.row(from).done;
    auto const wanted =
        need.lag == Dependence::whole ? std::string("all segments") : fmt::format("segment {}", segment - need.lag);
    out += fmt::format("{}{} (segment {}) waits for {} of {}", i == 0 ? "" : "; ", table_.linked().text(from), segment,
                       wanted, table_.linked().text(need.op));
  }
  return out;
}

}  // namespace allport::verify
