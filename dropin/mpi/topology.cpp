// Which ranks are neighbours of which, by the topology that the library has of a communicator.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "base/fnv.h"
#include "neighbours.h"
#include "state.h"

namespace allport::dropin {
namespace {

/// Edges of all ranks that every rank keeps, at most; beyond, each knows its own.
constexpr std::int64_t most_edges = 1 << 16;

struct Grid {
  std::vector<int> lengths;
  std::vector<int> periods;
};

Grid grid_of(MPI_Comm comm) {
  int axes = 0;
  PMPI_Cartdim_get(comm, &axes);
  auto const n = static_cast<std::size_t>(axes);
  Grid grid{std::vector<int>(n), std::vector<int>(n)};
  std::vector<int> coords(n);
  PMPI_Cart_get(comm, axes, grid.lengths.data(), grid.periods.data(), coords.data());
  return grid;
}

/// Below and above along each axis. MPI's grids are row-major.
Neighbours neighbours_on(Grid const& grid, int rank) {
  Neighbours found;
  int stride = 1;
  for (auto const n : grid.lengths) stride *= n;
  for (std::size_t a = 0; a < grid.lengths.size(); ++a) {
    auto const n = grid.lengths[a];
    stride /= n;
    auto const here = rank / stride % n;
    for (auto const there : {here - 1, here + 1}) {
      bool const outside = (there < 0 || there >= n) && grid.periods[a] == 0;
      found.out.push_back(outside ? MPI_PROC_NULL : rank + ((there + n) % n - here) * stride);
    }
  }
  found.in = found.out;
  return found;
}

Neighbours neighbours_in_graph(MPI_Comm comm, int rank) {
  int count = 0;
  PMPI_Graph_neighbors_count(comm, rank, &count);
  Neighbours found;
  found.out.resize(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(comm, rank, count, found.out.data());
  found.in = found.out;
  return found;
}

Neighbours neighbours_by_lists(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  Neighbours found{std::vector<int>(static_cast<std::size_t>(in)), std::vector<int>(static_cast<std::size_t>(out))};
  std::vector<int> weights(static_cast<std::size_t>(std::max({in, out, 1})));
  PMPI_Dist_graph_neighbors(comm, in, found.in.data(), weights.data(), out, found.out.data(), weights.data());
  return found;
}

int kind_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  return kind;
}

/// Everybody's lists on all ranks; nothing where there are too many. Collective.
std::vector<Neighbours> gathered_lists(MPI_Comm comm, Neighbours const& mine, int size) {
  std::array<int, 2> const degrees{static_cast<int>(mine.in.size()), static_cast<int>(mine.out.size())};
  std::vector<std::array<int, 2>> all(static_cast<std::size_t>(size));
  PMPI_Allgather(degrees.data(), 2, MPI_INT, all.data(), 2, MPI_INT, comm);
  std::vector<int> counts;
  std::int64_t total = 0;
  for (auto const& [in, out] : all) {
    counts.push_back(in + out);
    total += std::int64_t{in} + out;
  }
  if (total > 2 * most_edges) return {};
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  auto together = mine.in;
  together.insert(together.end(), mine.out.begin(), mine.out.end());
  std::vector<int> lists(static_cast<std::size_t>(total));
  PMPI_Allgatherv(together.data(), static_cast<int>(together.size()), MPI_INT, lists.data(), counts.data(),
                  begins.data(), MPI_INT, comm);
  std::vector<Neighbours> found;
  auto next = lists.begin();
  for (auto const& [in, out] : all) {
    found.push_back({{next, next + in}, {next + in, next + in + out}});
    next += in + out;
  }
  return found;
}

/// What one rank sends below comes from above to the other, also where both are one rank.
int opposite(int slot) { return slot ^ 1; }

/// All edges in the order of senders and of their blocks. Several of one pair of ranks are matched in the order of
/// their lists. Nothing where the two ends' lists do not fit.
std::optional<std::vector<NeighbourEdge>> matched(std::vector<Neighbours> const& all, bool grid) {
  std::map<std::pair<int, int>, std::vector<int>> slots;  // of the receiver, by (sender, receiver)
  std::size_t expected = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t k = 0; k < all[r].in.size(); ++k) {
      if (all[r].in[k] < 0) continue;
      slots[{all[r].in[k], static_cast<int>(r)}].push_back(static_cast<int>(k));
      ++expected;
    }
  }
  std::map<std::pair<int, int>, std::size_t> taken;
  std::vector<NeighbourEdge> edges;
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t k = 0; k < all[r].out.size(); ++k) {
      auto const to = all[r].out[k];
      if (to < 0) continue;
      auto const slot = static_cast<int>(k);
      auto const pair = std::pair(static_cast<int>(r), to);
      auto const nth = taken[pair]++;
      auto const& here = slots[pair];
      if (nth >= here.size()) return std::nullopt;
      edges.push_back({pair.first, slot, to, grid ? opposite(slot) : here[nth]});
    }
  }
  if (edges.size() != expected) return std::nullopt;
  return edges;
}

/// This rank's edges alone, those of one pair in the order of the sender's blocks.
std::vector<NeighbourEdge> own_edges(Neighbours const& mine, int me, bool grid) {
  std::vector<NeighbourEdge> edges;
  for (std::size_t k = 0; k < mine.out.size(); ++k) {
    if (mine.out[k] < 0 || mine.out[k] == me) continue;
    edges.push_back({me, static_cast<int>(k), mine.out[k], 0});
  }
  std::vector<NeighbourEdge> coming;
  std::vector<int> from_me;
  for (std::size_t k = 0; k < mine.in.size(); ++k) {
    auto const slot = static_cast<int>(k);
    if (mine.in[k] == me) from_me.push_back(slot);
    if (mine.in[k] < 0 || mine.in[k] == me) continue;
    coming.push_back({mine.in[k], grid ? opposite(slot) : slot, me, slot});
  }
  std::ranges::stable_sort(coming, {}, &NeighbourEdge::out);
  edges.insert(edges.end(), coming.begin(), coming.end());
  std::size_t nth = 0;
  for (std::size_t k = 0; k < mine.out.size() && nth < from_me.size(); ++k) {
    if (mine.out[k] != me) continue;
    auto const slot = static_cast<int>(k);
    edges.push_back({me, slot, me, grid ? opposite(slot) : from_me[nth]});
    ++nth;
  }
  return edges;
}

/// See Neighbourhood::pairs_tie_all. What rank r sends is node r, what it takes node size + r, and an edge ties two.
/// False where a rank has no edge, and so no length.
bool tie_all(std::vector<NeighbourEdge> const& edges, int size) {
  std::vector<int> head(2 * static_cast<std::size_t>(size));
  std::iota(head.begin(), head.end(), 0);
  auto const find = [&](int r) {
    while (head[static_cast<std::size_t>(r)] != r) {
      auto& above = head[static_cast<std::size_t>(r)];
      r = above = head[static_cast<std::size_t>(above)];
    }
    return r;
  };
  std::vector<char> used(head.size(), 0);
  for (auto const& e : edges) {
    head[static_cast<std::size_t>(find(e.from))] = find(size + e.to);
    used[static_cast<std::size_t>(e.from)] = used[static_cast<std::size_t>(size + e.to)] = 1;
  }
  for (int r = 0; r < size; ++r) {
    bool const sends = used[static_cast<std::size_t>(r)] != 0;
    bool const takes = used[static_cast<std::size_t>(size + r)] != 0;
    auto const all = find(edges.empty() ? 0 : edges.front().from);
    if ((!sends && !takes) || (sends && find(r) != all) || (takes && find(size + r) != all)) return false;
  }
  return true;
}

/// Identifies a graph by a hash of its edges.
std::uint64_t hash_of(std::vector<NeighbourEdge> const& edges) {
  auto hash = fnv_offset;
  for (auto const& e : edges) {
    for (auto const word : {e.from, e.out, e.to, e.in}) hash = fnv1a(static_cast<std::uint32_t>(word), hash);
  }
  return hash;
}

}  // namespace

Neighbours neighbours_of(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  switch (kind_of(comm)) {
    case MPI_CART:
      return neighbours_on(grid_of(comm), rank);
    case MPI_GRAPH:
      return neighbours_in_graph(comm, rank);
    case MPI_DIST_GRAPH:
      return neighbours_by_lists(comm);
    default:
      return {};
  }
}

std::shared_ptr<Neighbourhood> neighbourhood_of(MPI_Comm comm, Record const& record) {
  auto const kind = kind_of(comm);
  if (kind != MPI_CART && kind != MPI_GRAPH && kind != MPI_DIST_GRAPH) return nullptr;
  bool const grid = kind == MPI_CART;
  auto const size = record.size;
  auto made = std::make_shared<Neighbourhood>();
  made->mine = neighbours_of(comm);
  std::vector<Neighbours> all;
  if (grid) {
    auto const g = grid_of(comm);
    made->text = fmt::format("{} grid", fmt::join(g.lengths, "x"));
    bool const few = 2 * std::int64_t{size} * static_cast<std::int64_t>(g.lengths.size()) <= most_edges;
    for (int r = 0; few && r < size; ++r) all.push_back(neighbours_on(g, r));
  } else if (kind == MPI_GRAPH) {
    int nodes = 0;
    int count = 0;
    PMPI_Graphdims_get(comm, &nodes, &count);
    for (int r = 0; count <= most_edges && r < size; ++r) all.push_back(neighbours_in_graph(comm, r));
    made->text = "graph";
  } else {
    all = gathered_lists(comm, made->mine, size);
    made->text = "distributed graph";
  }
  made->known = !all.empty();
  if (made->known) {
    auto edges = matched(all, grid);
    if (!edges) made->why_not = "graph whose lists of neighbours do not fit each other";
    made->edges = std::move(edges).value_or(std::vector<NeighbourEdge>{});
    made->pairs_tie_all = tie_all(made->edges, size);
  } else {
    made->edges = own_edges(made->mine, record.rank, grid);
  }
  made->text += fmt::format(" {:016x}", hash_of(made->edges));
  for (std::size_t i = 0; i < made->edges.size(); ++i) {
    auto& e = made->edges[i];
    if (e.from == record.rank || e.to == record.rank) made->own.push_back(static_cast<std::int32_t>(i));
    e.from = record.ours->position(e.from);
    e.to = record.ours->position(e.to);
  }
  // Those of a grid are at most as many as it has axes.
  auto most = grid ? 0 : NeighbourRoutes::straight(size, made->edges).channels();
  if (!grid && !made->known) PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT32_T, MPI_MAX, comm);
  if (most > most_channels) {
    made->why_not = fmt::format("graph with more than {} edges between two ranks", most_channels);
  }
  return made;
}

}  // namespace allport::dropin
