#include "reorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/pattern/on_grids.h"
#include "allport/pattern/pattern.h"
#include "allport/select/rank_order.h"
#include "interpose/world_ranks.h"
#include "state.h"

namespace allport::dropin {
namespace {

/// To each neighbour: topologies do not say how many. So many that links count, and not only how far it is.
constexpr std::int64_t bytes_to_neighbour = 64 * 1024;
/// Ranks from which on orders are not refined, and link loads that refinement may look at: a program waits for its
/// communicator.
constexpr int most_refined = 4096;
constexpr std::int64_t effort = 50'000'000;

/// Whether there are links that are known to lie between the ranks.
bool may_reorder(State const& s) {
  return s.active && s.reorders && !s.guessed && (!s.without_links || s.policy == Policy::always);
}

/// Of each member, its rank in the best order; empty: it stays. Rank 0 of the communicator alone asks.
std::vector<int> best_ranks(char const* call, FunctionRef<Pattern()> pattern, std::vector<Rank> const& members) {
  auto& s = state();
  std::string text;
  std::vector<int> ranks;
  try {
    MappingTask const task(s.world->machine(), pattern(), members);
    OrderOptions options;
    options.refined = task.ranks() <= most_refined ? 2 : 0;
    options.refine.effort = effort;
    auto const choice = choose_order(task, options);
    text = fmt::format("{}: {}", task.pattern().name(), choice.reason);
    if (choice.best != 0) {
      std::map<Rank, int> rank_at;
      auto const& places = choice.chosen().places;
      for (std::size_t r = 0; r < places.size(); ++r) rank_at[places[r]] = static_cast<int>(r);
      for (auto const place : members) ranks.push_back(rank_at.at(place));
    }
  } catch (std::exception const& e) {
    text = fmt::format("{}: ranks stay where they are: {}", call, e.what());
    ranks.clear();
  }
  if (s.explains) fmt::print(stderr, "allport: {}\n", text);
  Lock const lock;
  if (s.counting) s.orders += text + '\n';
  return ranks;
}

/// Places of the ranks that a topology's nodes would have, where their order is ours to choose; empty: it is not, on
/// all ranks alike.
/// @param valid  whether this rank's arguments are any: where somebody's are not, the library has its say
std::vector<Rank> nodes_to_order(MPI_Comm comm, bool valid, int nodes) {
  if (!may_reorder(state()) || comm == MPI_COMM_NULL) return {};
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) return {};
  auto members = interpose::world_ranks(comm);
  if (members.empty()) return {};  // some are of another job
  int mine = valid && nodes > 1 && nodes <= static_cast<int>(members.size()) ? 1 : 0;
  int all = 0;
  if (PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || all == 0) return {};
  members.resize(static_cast<std::size_t>(nodes));
  return members;
}

/// The nodes' processes in another order.
struct NewOrder {
  MPI_Comm comm = MPI_COMM_NULL;  ///< none where this rank is no node
  std::vector<int> ranks;         ///< in there, by rank in the old communicator; empty: all stay
};

/// @param members  of nodes_to_order()
/// @param pattern  who sends to whom; asked on rank 0 alone
std::optional<NewOrder> ordered(char const* call, MPI_Comm comm, std::vector<Rank> const& members,
                                FunctionRef<Pattern()> pattern) {
  if (members.empty()) return std::nullopt;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  NewOrder order;
  if (rank == 0) order.ranks = best_ranks(call, pattern, members);
  int count = static_cast<int>(order.ranks.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, comm);
  if (count == 0) return order;
  order.ranks.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(order.ranks.data(), count, MPI_INT, 0, comm);
  auto const in = rank < count;
  if (PMPI_Comm_split(comm, in ? 0 : MPI_UNDEFINED, in ? order.ranks[static_cast<std::size_t>(rank)] : 0,
                      &order.comm) != MPI_SUCCESS) {
    return std::nullopt;
  }
  return order;
}

Pattern grid_pattern(std::vector<std::int32_t> const& lengths, int const periods[]) {
  auto const axes = static_cast<int>(lengths.size());
  CartGrid const grid{lengths, true, std::vector<bool>(periods, periods + axes)};
  std::vector<std::int64_t> const one_cell(lengths.size(), 1);
  return halo(grid, 2 * axes + 1, one_cell, bytes_to_neighbour)
      .named(fmt::format("MPI_Cart_create of {}", grid.text()));
}

Pattern graph_pattern(int nodes, int const index[], int const edges[]) {
  std::vector<Message> messages;
  for (int r = 0; r < nodes; ++r) {
    for (int e = r == 0 ? 0 : index[r - 1]; e < index[r]; ++e) {
      messages.push_back({r, edges[e], bytes_to_neighbour});
    }
  }
  return Pattern::of_messages(fmt::format("MPI_Graph_create of {} nodes", nodes), nodes, messages);
}

/// An edge of a distributed graph: from, to, weight.
using WeightedEdge = std::array<int, 3>;

/// Everybody's edges on rank 0; nothing elsewhere.
std::vector<WeightedEdge> gathered(MPI_Comm comm, std::vector<WeightedEdge> const& mine) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  int const count = static_cast<int>(3 * mine.size());
  std::vector<int> counts(static_cast<std::size_t>(size));
  PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<WeightedEdge> all(static_cast<std::size_t>(begins.back() + counts.back()) / 3);
  PMPI_Gatherv(mine.data(), count, MPI_INT, all.data(), counts.data(), begins.data(), MPI_INT, 0, comm);
  return all;
}

Pattern dist_graph_pattern(int nodes, std::vector<WeightedEdge> const& edges) {
  std::vector<Message> messages;
  for (auto const& [from, to, weight] : edges) {
    if (weight > 0) messages.push_back({from, to, weight * bytes_to_neighbour});
  }
  return Pattern::of_messages(fmt::format("MPI_Dist_graph_create of {} nodes", nodes), nodes, messages);
}

std::optional<NewOrder> ordered_for_edges(char const* call, MPI_Comm comm, bool valid,
                                          std::vector<WeightedEdge> const& mine) {
  int size = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &size) != MPI_SUCCESS) return std::nullopt;
  valid = valid && std::ranges::all_of(mine, [&](WeightedEdge const& e) {
            return std::min(e[0], e[1]) >= 0 && std::max(e[0], e[1]) < size;
          });
  auto const members = nodes_to_order(comm, valid, size);
  if (members.empty()) return std::nullopt;
  auto const edges = gathered(comm, mine);
  return ordered(call, comm, members, [&] { return dist_graph_pattern(size, edges); });
}

/// What one node is given by and gives to, with weights, if there are any.
struct Lists {
  std::vector<int> in, in_weights, out, out_weights;
};

/// Swaps a node's list for that of the node that this process is now.
void swap_list(MPI_Comm comm, int to, int from, std::vector<int>& list) {
  int const count = static_cast<int>(list.size());
  int coming = 0;
  PMPI_Sendrecv(&count, 1, MPI_INT, to, 0, &coming, 1, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
  std::vector<int> other(static_cast<std::size_t>(coming));
  PMPI_Sendrecv(list.data(), count, MPI_INT, to, 1, other.data(), coming, MPI_INT, from, 1, comm, MPI_STATUS_IGNORE);
  list = std::move(other);
}

Ordered outcome_of(std::optional<NewOrder> const& order) {
  if (!order) return {};
  if (order->ranks.empty()) return {true, std::nullopt};
  return {true, order->comm};
}

}  // namespace

Ordered ordered_for_grid(MPI_Comm comm, int axes, int const lengths[], int const periods[]) {
  std::int64_t nodes = 1;
  bool valid = axes >= 1 && axes <= max_grid_axes && lengths != nullptr && periods != nullptr;
  for (int a = 0; valid && a < axes; ++a) {
    valid = lengths[a] >= 1;
    nodes *= lengths[a];
    valid = valid && nodes <= std::int64_t{1} << 30;
  }
  auto const members = nodes_to_order(comm, valid, static_cast<int>(valid ? nodes : 0));
  return outcome_of(ordered("MPI_Cart_create", comm, members, [&] {
    return grid_pattern({lengths, lengths + axes}, periods);
  }));
}

Ordered ordered_for_graph(MPI_Comm comm, int nodes, int const index[], int const edges[]) {
  bool valid = nodes >= 1 && index != nullptr && edges != nullptr;
  for (int r = 0, before = 0; valid && r < nodes; before = index[r++]) {
    valid = index[r] >= before &&
            std::all_of(edges + before, edges + index[r], [&](int to) { return to >= 0 && to < nodes; });
  }
  auto const members = nodes_to_order(comm, valid, valid ? nodes : 0);
  return outcome_of(ordered("MPI_Graph_create", comm, members, [&] { return graph_pattern(nodes, index, edges); }));
}

Ordered ordered_for_dist_graph(MPI_Comm comm, int n, int const sources[], int const degrees[], int const destinations[],
                               int const weights[]) {
  bool valid = n == 0 || (n > 0 && sources != nullptr && degrees != nullptr && weights != nullptr);
  std::vector<WeightedEdge> edges;
  for (int i = 0, e = 0; valid && i < n; ++i) {
    valid = degrees[i] >= 0 && (degrees[i] == 0 || destinations != nullptr);
    for (int k = 0; valid && k < degrees[i]; ++k, ++e) {
      edges.push_back({sources[i], destinations[e], weights == MPI_UNWEIGHTED ? 1 : weights[e]});
    }
  }
  return outcome_of(ordered_for_edges("MPI_Dist_graph_create", comm, valid, edges));
}

std::optional<int> made_of_adjacent(MPI_Comm comm, int in, int const sources[], int const source_weights[], int out,
                                    int const destinations[], int const destination_weights[], MPI_Info info,
                                    MPI_Comm* made) {
  bool const weighted = source_weights != MPI_UNWEIGHTED && destination_weights != MPI_UNWEIGHTED;
  bool const valid = in >= 0 && out >= 0 && (in == 0 || (sources != nullptr && source_weights != nullptr)) &&
                     (out == 0 || (destinations != nullptr && destination_weights != nullptr));
  int rank = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return std::nullopt;
  Lists lists;
  if (valid && in > 0) lists.in.assign(sources, sources + in);
  if (valid && out > 0) lists.out.assign(destinations, destinations + out);
  if (valid && weighted && in > 0) lists.in_weights.assign(source_weights, source_weights + in);
  if (valid && weighted && out > 0) lists.out_weights.assign(destination_weights, destination_weights + out);
  std::vector<WeightedEdge> edges;
  for (std::size_t e = 0; e < lists.out.size(); ++e) {
    edges.push_back({rank, lists.out[e], weighted ? lists.out_weights[e] : 1});
  }
  auto order = ordered_for_edges("MPI_Dist_graph_create_adjacent", comm, valid, edges);
  if (!order) return std::nullopt;
  if (order->ranks.empty()) {
    return PMPI_Dist_graph_create_adjacent(comm, in, sources, source_weights, out, destinations, destination_weights,
                                           info, 0, made);
  }
  // Who has rank r now is node r, whose lists the old rank r has.
  int me = 0;
  PMPI_Comm_rank(order->comm, &me);
  auto const from = order->ranks[static_cast<std::size_t>(me)];
  for (auto* const list : {&lists.in, &lists.in_weights, &lists.out, &lists.out_weights}) {
    swap_list(order->comm, rank, from, *list);
  }
  auto const weights = [&](std::vector<int> const& list) -> int const* {
    return !weighted ? MPI_UNWEIGHTED : list.empty() ? MPI_WEIGHTS_EMPTY : list.data();
  };
  auto const code = PMPI_Dist_graph_create_adjacent(order->comm, static_cast<int>(lists.in.size()), lists.in.data(),
                                                    weights(lists.in_weights), static_cast<int>(lists.out.size()),
                                                    lists.out.data(), weights(lists.out_weights), info, 0, made);
  PMPI_Comm_free(&order->comm);
  return code;
}

}  // namespace allport::dropin
