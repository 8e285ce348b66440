#include "stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace allport::verify {
namespace {

constexpr std::size_t most_tries = 256;         // starting points for a shortest cycle
constexpr std::size_t most_visits = 2'000'000;  // units that one search may look at
constexpr std::size_t most_steps = 8;           // of a cycle that are spelled out

}  // namespace

RowId Stall::unit(RowId row) const {
  return table_.rows()[row].kind == OpKind::send ? table_.rows()[row].partner : row;
}

bool Stall::waits(RowId unit) const {
  if (unit == no_row) return false;
  auto const& row = table_.rows()[unit];
  if (row.kind == OpKind::receive && row.partner == no_row) return false;
  return row.done < row.segments;
}

void Stall::waits_of(RowId unit, std::vector<Wait>& into) const {
  auto const& rows = table_.rows();
  into.clear();
  auto const look = [&](RowId end) {
    auto const& row = rows[end];
    for (auto const& need : table_.needs(end)) {
      auto const& other = rows[need.row];
      bool const open = need.lag == Dependence::whole ? other.segments == 0 || other.done < other.segments
                                                      : row.done >= need.lag && other.done <= row.done - need.lag;
      if (open && waits(this->unit(need.row))) into.push_back({end, need});
    }
  };
  look(unit);
  if (rows[unit].kind == OpKind::receive) look(rows[unit].partner);
}

// Depth first over the waits; the first unit met again on the own path closes a cycle.
std::vector<RowId> Stall::any_cycle() const {
  enum : std::uint8_t { fresh, open, closed };
  std::vector<std::uint8_t> state(table_.rows().size(), fresh);
  std::vector<RowId> path;
  std::vector<std::vector<Wait>> choices;
  for (RowId start = 0; start < table_.rows().size(); ++start) {
    if (table_.rows()[start].kind == OpKind::send || !waits(start) || state[start] != fresh) continue;
    auto const enter = [&](RowId id) {
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
      auto const next = unit(choices.back().back().need.row);
      choices.back().pop_back();
      if (state[next] == open) {
        return {std::ranges::find(path, next), path.end()};
      }
      if (state[next] == fresh) enter(next);
    }
  }
  return {};
}

std::vector<Stall::Wait> Stall::shortest_cycle(RowId through) const {
  struct Came {
    RowId before;
    Wait by;
  };
  std::unordered_map<RowId, Came> seen;
  std::vector<RowId> level{through};
  std::vector<Wait> waits;
  for (std::size_t at = 0; at < level.size() && level.size() < most_visits; ++at) {
    waits_of(level[at], waits);
    for (auto const& w : waits) {
      auto const next = unit(w.need.row);
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
  auto const rank_of = [&](Wait const& w) { return table_.rows()[w.from].rank; };
  auto const lowest = std::ranges::min_element(best, [&](Wait const& a, Wait const& b) {
    return std::pair(rank_of(a), a.from) < std::pair(rank_of(b), b.from);
  });
  std::rotate(best.begin(), lowest, best.end());
  auto const& first = table_.rows()[best.front().from];
  findings_.add({Kind::deadlock, first.done, 0, first.rank, table_.index(best.front().from)}, [&] {
    return Finding{{}, -1, -1, first.done, table_.piece_text(best.front().from, first.done), text(best)};
  });
}

std::string Stall::text(std::vector<Wait> const& cycle) const {
  auto out = fmt::format("nothing can move any more, {} wait in a circle: ",
                         cycle.size() == 1 ? "one operation" : fmt::format("{} operations", cycle.size()));
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i == most_steps) return out + fmt::format("; and so on round to {}", table_.text(cycle.front().from));
    auto const& [from, need] = cycle[i];
    auto const segment = table_.rows()[from].done;
    auto const wanted =
        need.lag == Dependence::whole ? std::string("all segments") : fmt::format("segment {}", segment - need.lag);
    out += fmt::format("{}{} (segment {}) waits for {} of {}", i == 0 ? "" : "; ", table_.text(from), segment, wanted,
                       table_.text(need.row));
  }
  return out;
}

}  // namespace allport::verify
