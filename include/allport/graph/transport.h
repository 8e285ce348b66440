// Which messages transfer the data of an edge to other ranks. The caller of count, price or simulate passes it in.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// The communication of several ranks for one output, one sum, or one collective of a gang.
struct Delivery {
  Task task;       ///< the producer of an output, the consumer of a sum, or the first member of a gang
  int output = 0;  ///< index of the output; for a sum, of the input
  Collective what = Collective::broadcast;  ///< broadcast: an output; reduce: a sum; else the gang's collective
  /// The participants. An output: its owner, then the others in the order in which children() names them. A sum: the
  /// owners of its contributors, in their order. A gang: its members.
  std::span<Rank const> ranks;
  int root = 0;  ///< index in `ranks`
  std::int64_t bytes = 0;
  std::int64_t element = 1;
  bool in_gang = false;                ///< a collective of Gang::collectives
  int parts = 1;                       ///< of an output: TaskGraph::parts()
  SumTree sum_tree = SumTree::halves;  ///< of a sum: TaskGraph::sum_tree()
  Task whole{};                        ///< of an output: TaskGraph::whole()
};

/// The messages of one delivery from one rank to another.
struct Hop {
  Rank from = 0;
  Rank to = 0;
  std::int64_t bytes = 0;
  std::int64_t messages = 1;
};

/// Expands a delivery into point-to-point messages (hops). A rank's outgoing hops are visited after the incoming hops
/// that they depend on: in a broadcast after the first that reaches the rank, in a reduction after all of them.
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

/// The root sends to all, or all send to the root: one message per target.
[[nodiscard]] std::unique_ptr<Transport> flat();
/// From each rank to the next one, in ascending order around from the root.
[[nodiscard]] std::unique_ptr<Transport> chain();
/// Binomial trees (Solomonik11, slide 20), over the ranks in ascending order around from the root.
[[nodiscard]] std::unique_ptr<Transport> binomial();
/// Up to this many members an allreduce of a gang goes directly to the root and back: two messages in a row, where a
/// binomial tree needs four.
inline constexpr int few_members = 4;
/// Collectives of gangs: binomial trees, except allreduces of at most few_members.
[[nodiscard]] std::unique_ptr<Transport> in_gangs();
/// @throws Error that lists the names: flat, chain, binomial
[[nodiscard]] std::unique_ptr<Transport> transport(std::string_view name);

/// The messages of a schedule whose rank i is members[i], for transports that choose among schedules.
void hops_of(Schedule const& schedule, std::span<Rank const> members, Transport::VisitHop visit);

}  // namespace allport::graph
