// Row exchanges between the ranks of a grid column.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "lu_gang_line.h"
#include "lu_panel.h"
#include "solve_grid.h"

namespace allport::lu_detail {

namespace {

constexpr int tag_of_rows = 11;

/// One job's moves of this rank, by what happens to them; local row numbers.
struct Sorted {
  struct Far {
    int peer = 0;
    std::vector<Index> rows;
  };
  std::vector<Move> here;     // local to, local from
  std::vector<Far> outgoing;  // by receiver: rows to send, in the order of `to`
  std::vector<Far> incoming;  // by sender: rows that arrive, in the order of `to`
};

Sorted sort_moves(std::vector<Move> const& moves, AxisDistribution const& rows, int me) {
  Sorted sorted;
  std::map<int, std::vector<Index>> out;
  std::map<int, std::vector<Index>> in;
  for (auto const& move : moves) {
    auto const to = rows.owner(move.to);
    auto const from = rows.owner(move.from);
    if (to == me && from == me) {
      sorted.here.push_back({rows.local(move.to), rows.local(move.from)});
    } else if (from == me) {
      out[to].push_back(rows.local(move.from));
    } else if (to == me) {
      in[from].push_back(rows.local(move.to));
    }
  }
  for (auto& [peer, list] : out) sorted.outgoing.push_back({peer, std::move(list)});
  for (auto& [peer, list] : in) sorted.incoming.push_back({peer, std::move(list)});
  return sorted;
}

}  // namespace

std::vector<Move> moves_of(std::span<Index const> pivots, Index begin) {
  // Which row came to lie at a position, for those that were touched: in a table where they are dense, else in a map.
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
  std::vector<Index> from(static_cast<std::size_t>(most + 1), -1);  // of moves that are in no chain yet
  std::vector<char> leaves(from.size(), 0);                         // rows whose content goes elsewhere
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
      chain.circle = to == first;
      if (to < 0 || chain.circle) break;
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
  std::map<Index, Index> place;    // row -> where it lies now, if it has moved
  std::map<Index, Index> content;  // where -> row, likewise
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

template <class T, class Talk>
void move_rows(Talk const& line, AxisDistribution const& rows, std::vector<RowMoves<T>> const& jobs) {
  std::vector<Sorted> sorted;
  sorted.reserve(jobs.size());
  std::map<int, Index> sizes[2];  // elements by peer: outgoing, incoming
  for (auto const& job : jobs) {
    sorted.push_back(sort_moves(job.moves, rows, line.index()));
    for (auto const& far : sorted.back().outgoing) {
      sizes[0][far.peer] += static_cast<Index>(far.rows.size()) * job.width;
    }
    for (auto const& far : sorted.back().incoming) {
      sizes[1][far.peer] += static_cast<Index>(far.rows.size()) * job.width;
    }
  }
  std::map<int, std::vector<T>> buffers[2];
  using Message = decltype(line.receive(0, static_cast<T*>(nullptr), 0, tag_of_rows));
  std::vector<Message> receives;
  std::vector<Message> sends;
  for (auto const& [peer, elements] : sizes[1]) {
    auto& buffer = buffers[1][peer];
    buffer.resize(static_cast<std::size_t>(elements));
    receives.push_back(line.receive(peer, buffer.data(), elements, tag_of_rows));
  }
  for (auto const& [peer, elements] : sizes[0]) buffers[0][peer].reserve(static_cast<std::size_t>(elements));
  for (std::size_t x = 0; x < jobs.size(); ++x) {
    for (auto const& far : sorted[x].outgoing) {
      auto& buffer = buffers[0][far.peer];
      for (Index j = 0; j < jobs[x].width; ++j) {
        T const* const column = jobs[x].columns + j * jobs[x].ld;
        for (auto const row : far.rows) buffer.push_back(column[row]);
      }
    }
  }
  for (auto& [peer, buffer] : buffers[0]) {
    sends.push_back(line.send(peer, std::as_const(buffer).data(), static_cast<Index>(buffer.size()), tag_of_rows));
  }
  for (std::size_t x = 0; x < jobs.size(); ++x) {
    move_in_chains(chains_of(sorted[x].here), jobs[x].columns, jobs[x].width, jobs[x].ld);
  }
  for (auto& receive : receives) line.wait(receive);
  std::map<int, std::size_t> taken;
  for (std::size_t x = 0; x < jobs.size(); ++x) {
    for (auto const& far : sorted[x].incoming) {
      auto const& buffer = buffers[1][far.peer];
      auto& next = taken[far.peer];
      for (Index j = 0; j < jobs[x].width; ++j) {
        T* const column = jobs[x].columns + j * jobs[x].ld;
        for (auto const row : far.rows) column[row] = buffer[next++];
      }
    }
  }
  for (auto& send : sends) line.wait(send);
}

template <class T>
void permute_left(GangLine const& line, View<T> const& a, std::vector<Panel> const& panels,
                  std::span<Index const> pivots) {
  // So many columns at once that the buffers stay small beside the matrix.
  constexpr Index columns_at_once = 1024;
  std::vector<RowMoves<T>> jobs;
  Index width = 0;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    auto const panel = panels[k];
    if (a.cols.owner(panel.begin) == a.j && panel.settled < static_cast<Index>(pivots.size())) {
      auto const later = pivots.subspan(static_cast<std::size_t>(panel.settled));
      jobs.push_back({a.at(0, a.col(panel.begin)), panel.width(), a.ld, moves_of(later, panel.settled)});
      width += panel.width();
    }
    if (width >= columns_at_once || k + 1 == panels.size()) {
      move_rows(line, a.rows, jobs);
      jobs.clear();
      width = 0;
    }
  }
}

#define ALLPORT_MOVE(T)                                                                                 \
  template void move_rows(GridColumn const&, AxisDistribution const&, std::vector<RowMoves<T>> const&); \
  template void move_rows(GangLine const&, AxisDistribution const&, std::vector<RowMoves<T>> const&);   \
  template void permute_left(GangLine const&, View<T> const&, std::vector<Panel> const&, std::span<Index const>);
ALLPORT_FOR_SCALARS(ALLPORT_MOVE)

}  // namespace allport::lu_detail
