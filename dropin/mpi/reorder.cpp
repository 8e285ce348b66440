#include "reorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/pattern/pattern.h"
#include "allport/select/rank_order.h"
#include "handback/world_ranks.h"
#include "state.h"

namespace allport::dropin {
namespace {

/// To each neighbour: topologies do not say how many. So many that links count, and not only how far it is.
constexpr std::int64_t bytes_to_neighbour = 64 * 1024;
/// Ranks from which on orders are not refined: a program waits for its communicator.
constexpr int most_refined = 4096;

/// Whether there are links that are known to lie between the ranks.
bool may_reorder(State const& s) {
  return s.active && s.reorders && !s.guessed && (!s.without_links || s.policy == Policy::always);
}

/// Of each member, its rank in the best order; empty: it stays. Rank 0 of the communicator alone asks.
std::vector<int> best_ranks(char const* call, FunctionRef<Pattern()> pattern, std::vector<Rank> const& members) {
  auto& s = state();
  std::string told;
  std::vector<int> ranks;
  try {
    MappingTask const task(s.world->machine(), pattern(), members);
    auto const choice = choose_order(task, {.refined = task.ranks() <= most_refined ? 2 : 0});
    told = fmt::format("{}: {}", task.pattern().name(), choice.reason);
    if (choice.best != 0) {
      std::map<Rank, int> rank_at;
      auto const& places = choice.chosen().places;
      for (std::size_t r = 0; r < places.size(); ++r) rank_at[places[r]] = static_cast<int>(r);
      for (auto const place : members) ranks.push_back(rank_at.at(place));
    }
  } catch (std::exception const& e) {
    told = fmt::format("{}: ranks stay where they are: {}", call, e.what());
    ranks.clear();
  }
  if (s.explains) fmt::print(stderr, "allport: {}\n", told);
  Lock const lock;
  if (s.counting) s.orders += told + '\n';
  return ranks;
}

/// @param valid   whether this rank's arguments are any: where somebody's are not, the library has its say
/// @param pattern who sends to whom; asked on rank 0 alone
std::optional<MPI_Comm> ordered(char const* call, MPI_Comm comm, bool valid, int nodes,
                                FunctionRef<Pattern()> pattern) {
  auto const& s = state();
  if (!may_reorder(s) || comm == MPI_COMM_NULL) return std::nullopt;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) return std::nullopt;
  auto members = handback::world_ranks(comm);
  if (members.empty()) return std::nullopt;  // alike on all: some are of another job
  int mine = valid && nodes > 1 && nodes <= static_cast<int>(members.size()) ? 1 : 0;
  int all = 0;
  if (PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || all == 0) return std::nullopt;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  members.resize(static_cast<std::size_t>(nodes));
  std::vector<int> ranks;
  if (rank == 0) ranks = best_ranks(call, pattern, members);
  int count = static_cast<int>(ranks.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, comm);
  if (count == 0) return std::nullopt;
  ranks.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(ranks.data(), count, MPI_INT, 0, comm);
  auto const in = rank < count;
  MPI_Comm made = MPI_COMM_NULL;
  if (PMPI_Comm_split(comm, in ? 0 : MPI_UNDEFINED, in ? ranks[static_cast<std::size_t>(rank)] : 0, &made) !=
      MPI_SUCCESS) {
    return std::nullopt;
  }
  return made;
}

Pattern grid_pattern(std::vector<std::int32_t> const& lengths, int const periods[]) {
  CartGrid grid{lengths, true, true};
  for (int a = 0; a < grid.axes(); ++a) grid.periodic = grid.periodic && periods[a] != 0;
  std::vector<Message> messages;
  for (Rank r = 0; r < grid.ranks(); ++r) {
    for (int a = 0; a < grid.axes(); ++a) {
      auto const length = grid.length(a);
      auto const here = grid.coord(r, a);
      for (auto const there : {here - 1, here + 1}) {
        if ((there < 0 || there >= length) && periods[a] == 0) continue;
        auto const to = r + ((there + length) % length - here) * grid.stride(a);
        if (to != r) messages.push_back({r, to, bytes_to_neighbour});
      }
    }
  }
  auto name = fmt::format("MPI_Cart_create of {}", grid.text());
  auto const ranks = grid.ranks();
  return Pattern::of_messages(std::move(name), ranks, messages, std::move(grid));
}

Pattern graph_pattern(int nodes, int const index[], int const edges[]) {
  std::vector<Message> messages;
  for (int r = 0; r < nodes; ++r) {
    for (int e = r == 0 ? 0 : index[r - 1]; e < index[r]; ++e) {
      if (edges[e] != r) messages.push_back({r, edges[e], bytes_to_neighbour});
    }
  }
  return Pattern::of_messages(fmt::format("MPI_Graph_create of {} nodes", nodes), nodes, messages);
}

}  // namespace

std::optional<MPI_Comm> ordered_for_grid(MPI_Comm comm, int axes, int const lengths[], int const periods[]) {
  std::int64_t nodes = 1;
  bool valid = axes >= 1 && axes <= max_grid_axes && lengths != nullptr && periods != nullptr;
  for (int a = 0; valid && a < axes; ++a) {
    valid = lengths[a] >= 1;
    nodes *= lengths[a];
    valid = valid && nodes <= std::int64_t{1} << 30;
  }
  return ordered("MPI_Cart_create", comm, valid, static_cast<int>(valid ? nodes : 0), [&] {
    return grid_pattern({lengths, lengths + axes}, periods);
  });
}

std::optional<MPI_Comm> ordered_for_graph(MPI_Comm comm, int nodes, int const index[], int const edges[]) {
  bool valid = nodes >= 1 && index != nullptr && edges != nullptr;
  for (int r = 0, before = 0; valid && r < nodes; before = index[r++]) {
    valid = index[r] >= before &&
            std::all_of(edges + before, edges + index[r], [&](int to) { return to >= 0 && to < nodes; });
  }
  return ordered("MPI_Graph_create", comm, valid, valid ? nodes : 0,
                 [&] { return graph_pattern(nodes, index, edges); });
}

}  // namespace allport::dropin
