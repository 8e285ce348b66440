// Which messages carry what an edge of a graph carries to other ranks: passed in by who counts, prices or simulates.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// What several ranks do with one output, one sum, or one collective of a gang.
struct Delivery {
  Task task;       ///< whose output travels; for a sum its consumer, for a gang its first member
  int output = 0;  ///< which of its outputs; for a sum the input
  Collective what = Collective::broadcast;  ///< broadcast: an output; reduce: a sum; or what a gang calls
  /// Who takes part. An output: its owner, then the others in the order in which children() names them. A sum: the
  /// owners of its contributors, in their order. A gang: its members.
  std::span<Rank const> ranks;
  int root = 0;  ///< index in `ranks`
  std::int64_t bytes = 0;
  std::int64_t element = 1;
  bool in_gang = false;                ///< what a gang calls, by Gang::collectives
  int parts = 1;                       ///< an output: TaskGraph::parts()
  SumTree sum_tree = SumTree::halves;  ///< a sum: TaskGraph::sum_tree()
  Task whole{};                        ///< an output: TaskGraph::whole()
};

/// A message, or a stream of them: all that goes from one rank to another in one delivery for one reason.
struct Hop {
  Rank from = 0;
  Rank to = 0;
  std::int64_t bytes = 0;
  std::int64_t messages = 1;
};

/// Hops are told in an order in which a rank's own come after those that it waits for: in a broadcast after the first
/// that reaches it, in a reduction after all that reach it.
class Transport {
 public:
  using VisitHop = FunctionRef<void(Hop const&)>;

  Transport() = default;
  Transport(Transport const&) = delete;
  Transport& operator=(Transport const&) = delete;
  virtual ~Transport() = default;
  /// @pre delivery.ranks.size() > 1, delivery.bytes > 0
  virtual void hops(Delivery const& delivery, VisitHop visit) const = 0;
};

/// The root sends to all, or all to the root. A task's data is then sent as often as it has targets.
[[nodiscard]] std::unique_ptr<Transport> flat();
/// From each rank to the next one, in ascending order around from the root.
[[nodiscard]] std::unique_ptr<Transport> chain();
/// Binomial trees (deck 1 slide 20), over the ranks in ascending order around from the root.
[[nodiscard]] std::unique_ptr<Transport> binomial();
/// Members of a gang whose allreduces go straight to the root and back: two messages in a row, not four by a tree.
inline constexpr int few_members = 4;
/// What members of a gang call together: binomial trees, but for the allreduces of few_members at most.
[[nodiscard]] std::unique_ptr<Transport> in_gangs();
/// @throws Error that lists the names: flat, chain, binomial
[[nodiscard]] std::unique_ptr<Transport> transport(std::string_view name);

/// The messages of a schedule, whose ranks stand for `members`, for carriers that choose among schedules.
void hops_of(Schedule const& schedule, std::span<Rank const> members, Transport::VisitHop visit);

}  // namespace allport::graph
