// Row exchanges between the ranks of a grid column.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "lu_panel.h"

namespace allport::lu_detail {

std::vector<Move> moves_of(std::span<Index const> pivots, Index begin) {
  // The content of each row that was exchanged: a table if these rows are dense, else a map.
  constexpr Index sparse = 32;
  Index last = begin - 1;
  for (std::size_t s = 0; s < pivots.size(); ++s) last = std::max({last, begin + static_cast<Index>(s), pivots[s]});
  std::vector<Move> moves;
  if (last - begin < sparse * static_cast<Index>(pivots.size())) {
    std::vector<Index> content(static_cast<std::size_t>(last - begin + 1));
    std::iota(content.begin(), content.end(), begin);
    for (std::size_t s = 0; s < pivots.size(); ++s) {
      std::swap(content[s], content[static_cast<std::size_t>(pivots[s] - begin)]);
    }
    for (auto to = begin; to <= last; ++to) {
      auto const from = content[static_cast<std::size_t>(to - begin)];
      if (from != to) moves.push_back({to, from});
    }
    return moves;
  }
  std::map<Index, Index> content;
  auto const at = [&](Index x) { return content.try_emplace(x, x).first; };
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    auto const top = begin + static_cast<Index>(s);
    if (pivots[s] != top) std::swap(at(top)->second, at(pivots[s])->second);
  }
  for (auto const& [to, from] : content) {
    if (to != from) moves.push_back({to, from});
  }
  return moves;
}

RowChains chains_of(std::vector<Move> const& moves) {
  Index most = -1;
  for (auto const& move : moves) most = std::max({most, move.to, move.from});
  std::vector<Index> from(static_cast<std::size_t>(most + 1), -1);  // by `to`, of moves that are in no chain yet
  std::vector<char> leaves(from.size(), 0);                         // rows whose content moves
  for (auto const& move : moves) {
    from[static_cast<std::size_t>(move.to)] = move.from;
    leaves[static_cast<std::size_t>(move.from)] = 1;
  }
  RowChains found;
  auto const follow = [&](Index first) {
    RowChains::Chain chain{found.rows.size(), 0, false};
    found.rows.push_back(first);
    for (auto to = first;;) {
      to = std::exchange(from[static_cast<std::size_t>(to)], -1);
      chain.cycle = to == first;
      if (to < 0 || chain.cycle) break;
      found.rows.push_back(to);
    }
    chain.end = found.rows.size();
    found.chains.push_back(chain);
  };
  for (auto const& move : moves) {
    if (leaves[static_cast<std::size_t>(move.to)] == 0) follow(move.to);
  }
  for (auto const& move : moves) {
    if (from[static_cast<std::size_t>(move.to)] >= 0) follow(move.to);
  }
  return found;
}

std::vector<Index> exchanges_for(std::span<Index const> ids, Index begin) {
  std::map<Index, Index> place;    // row -> its position, if it has moved
  std::map<Index, Index> content;  // position -> row, if it has changed
  auto const find = [](std::map<Index, Index> const& map, Index key) {
    auto const known = map.find(key);
    return known == map.end() ? key : known->second;
  };
  std::vector<Index> pivots;
  for (std::size_t s = 0; s < ids.size(); ++s) {
    auto const top = begin + static_cast<Index>(s);
    auto const where = find(place, ids[s]);
    auto const displaced = find(content, top);
    pivots.push_back(where);
    place[displaced] = where;
    content[where] = displaced;
    place[ids[s]] = top;
    content[top] = ids[s];
  }
  return pivots;
}

template <class T>
RowExchange<T>::RowExchange(AxisDistribution const& rows, int me, std::span<RowMoves<T> const> jobs) : jobs_(jobs) {
  for (auto const& job : jobs) {
    auto& sorted = sorted_.emplace_back();
    for (auto const& move : job.moves) {
      auto const to = rows.owner(move.to);
      auto const from = rows.owner(move.from);
      if (to == me && from == me) {
        sorted.here.push_back({rows.local(move.to), rows.local(move.from)});
      } else if (from == me) {
        sorted.leaving[to].push_back(rows.local(move.from));
        outgoing_[to] += job.width;
      } else if (to == me) {
        sorted.coming[from].push_back(rows.local(move.to));
        incoming_[from] += job.width;
      }
    }
  }
}

template <class T>
std::vector<T> RowExchange<T>::packed(int to) const {
  std::vector<T> elements;
  elements.reserve(static_cast<std::size_t>(outgoing_.at(to)));
  for (std::size_t x = 0; x < jobs_.size(); ++x) {
    auto const found = sorted_[x].leaving.find(to);
    if (found == sorted_[x].leaving.end()) continue;
    for (Index j = 0; j < jobs_[x].width; ++j) {
      prefetch_rows(found->second, jobs_[x].columns, j, jobs_[x].width, jobs_[x].ld);
      T const* const column = jobs_[x].columns + j * jobs_[x].ld;
      for (auto const row : found->second) elements.push_back(column[row]);
    }
  }
  return elements;
}

template <class T>
void RowExchange<T>::move_here() const {
  for (std::size_t x = 0; x < jobs_.size(); ++x) {
    move_in_chains(chains_of(sorted_[x].here), jobs_[x].columns, jobs_[x].width, jobs_[x].ld);
  }
}

template <class T>
void RowExchange<T>::unpack(int from, T const* elements) const {
  for (std::size_t x = 0; x < jobs_.size(); ++x) {
    auto const found = sorted_[x].coming.find(from);
    if (found == sorted_[x].coming.end()) continue;
    for (Index j = 0; j < jobs_[x].width; ++j) {
      prefetch_rows(found->second, jobs_[x].columns, j, jobs_[x].width, jobs_[x].ld);
      T* const column = jobs_[x].columns + j * jobs_[x].ld;
      for (auto const row : found->second) column[row] = *elements++;
    }
  }
}

#define ALLPORT_MOVE(T) template class RowExchange<T>;
ALLPORT_FOR_SCALARS(ALLPORT_MOVE)

}  // namespace allport::lu_detail
