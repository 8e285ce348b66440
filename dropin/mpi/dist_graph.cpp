// What MPICH does by itself is in order.
#include "dist_graph.h"

#ifdef OPEN_MPI

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace allport::dropin {
namespace {

/// From, to, weight.
constexpr int words_of_edge = 3;

/// What a rank says to each other one before its edges.
struct EdgeHeader {
  static constexpr int no_edges = 0;
  static constexpr int unweighted = 1;
  static constexpr int weighted = 2;

  int edges = 0;  ///< for that rank; negative: this rank's arguments are wrong
  int weights = no_edges;
};

/// This rank's edges, each for its two ends.
struct GivenEdges {
  std::vector<EdgeHeader> headers;
  std::vector<std::vector<int>> edges;
};

GivenEdges given_edges(int ranks, int n, int const sources[], int const degrees[], int const destinations[],
                       int const weights[]) {
  auto const all = static_cast<std::size_t>(ranks);
  GivenEdges given{std::vector<EdgeHeader>(all), std::vector<std::vector<int>>(all)};
  bool const has_weights = weights != MPI_UNWEIGHTED;
  auto const in_range = [&](int r) { return r >= 0 && r < ranks; };
  bool valid = n == 0 || (n > 0 && sources != nullptr && degrees != nullptr);
  std::int64_t total = 0;
  for (int i = 0; valid && i < n; ++i) {
    valid =
        in_range(sources[i]) && degrees[i] >= 0 && (degrees[i] == 0 || (destinations != nullptr && weights != nullptr));
    for (int k = 0; valid && k < degrees[i]; ++k, ++total) {
      auto const from = sources[i];
      auto const to = destinations[total];
      auto const weight = has_weights ? weights[total] : 1;
      valid = in_range(to) && weight >= 0;
      if (!valid) break;
      for (auto const end : {from, to}) {
        auto& edges = given.edges[static_cast<std::size_t>(end)];
        edges.insert(edges.end(), {from, to, weight});
        if (from == to) break;  // one end
      }
    }
  }
  auto const weights_given = total == 0    ? EdgeHeader::no_edges
                             : has_weights ? EdgeHeader::weighted
                                           : EdgeHeader::unweighted;
  valid = valid && total <= std::numeric_limits<int>::max() / (2 * words_of_edge);
  for (std::size_t r = 0; r < given.headers.size(); ++r) {
    auto const edges = static_cast<int>(given.edges[r].size()) / words_of_edge;
    given.headers[r] = {valid ? edges : -1, weights_given};
  }
  return given;
}

/// Neighbours and weights on one side.
struct WeightedList {
  std::vector<int> ranks;
  std::vector<int> weights;

  void add(int rank, int weight) {
    ranks.push_back(rank);
    weights.push_back(weight);
  }
  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] int const* weights_if(bool any) const {
    return !any ? MPI_UNWEIGHTED : weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
  }
};

}  // namespace

std::optional<int> made_of_edges(MPI_Comm comm, int n, int const sources[], int const degrees[],
                                 int const destinations[], int const weights[], MPI_Info info, int reorder,
                                 MPI_Comm* made) {
  int between_two = 1;
  if (comm == MPI_COMM_NULL) return std::nullopt;
  if (PMPI_Comm_test_inter(comm, &between_two) != MPI_SUCCESS || between_two != 0) return std::nullopt;
  int size = 0;
  int me = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &me);
  auto const given = given_edges(size, made != nullptr ? n : -1, sources, degrees, destinations, weights);
  std::vector<EdgeHeader> from(given.headers.size());
  static_assert(sizeof(EdgeHeader) == 2 * sizeof(int));
  auto code = PMPI_Alltoall(given.headers.data(), 2, MPI_INT, from.data(), 2, MPI_INT, comm);
  if (code != MPI_SUCCESS) return code;
  if (std::ranges::any_of(from, [](EdgeHeader const& h) { return h.edges < 0; })) return std::nullopt;
  auto const counts_of = [](std::vector<EdgeHeader> const& headers) {
    std::vector<int> counts;
    for (auto const& h : headers) counts.push_back(words_of_edge * h.edges);
    return counts;
  };
  auto const begins_of = [](std::vector<int> const& counts) {
    std::vector<int> begins(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    return begins;
  };
  std::vector<int> sent;
  for (auto const& edges : given.edges) sent.insert(sent.end(), edges.begin(), edges.end());
  auto const out_counts = counts_of(given.headers);
  auto const in_counts = counts_of(from);
  auto const in_begins = begins_of(in_counts);
  std::vector<int> taken(static_cast<std::size_t>(in_begins.back() + in_counts.back()));
  code = PMPI_Alltoallv(sent.data(), out_counts.data(), begins_of(out_counts).data(), MPI_INT, taken.data(),
                        in_counts.data(), in_begins.data(), MPI_INT, comm);
  if (code != MPI_SUCCESS) return code;
  WeightedList in;
  WeightedList out;
  for (std::size_t e = 0; e < taken.size(); e += words_of_edge) {
    if (taken[e] == me) out.add(taken[e + 1], taken[e + 2]);
    if (taken[e + 1] == me) in.add(taken[e], taken[e + 2]);
  }
  // A rank that gives no edge may pass any weights.
  auto const most = std::ranges::max_element(from, {}, &EdgeHeader::weights)->weights;
  bool const any = most == EdgeHeader::no_edges ? weights != MPI_UNWEIGHTED : most == EdgeHeader::weighted;
  return PMPI_Dist_graph_create_adjacent(comm, in.size(), in.ranks.data(), in.weights_if(any), out.size(),
                                         out.ranks.data(), out.weights_if(any), info, reorder, made);
}

}  // namespace allport::dropin
#endif
