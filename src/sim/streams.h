// A schedule's linked program placed on a machine, the input of the engines.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/schedule/linked.h"
#include "allport/sim.h"

namespace allport::sim {

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// A linked program placed on a machine.
class Streams {
 public:
  /// @throws Error(schedule) if an operation is invalid, a stream has one end only, or a send has no route
  Streams(Schedule const& schedule, Machine const& machine, Options const& options);

  [[nodiscard]] Machine const& machine() const { return machine_; }
  [[nodiscard]] Schedule const& schedule() const { return schedule_; }
  [[nodiscard]] LinkedProgram const& linked() const { return linked_; }
  [[nodiscard]] std::vector<LinkedOp> const& ops() const { return linked_.ops(); }
  [[nodiscard]] LinkedOp const& op(OpId i) const { return linked_.op(i); }
  [[nodiscard]] OpId size() const { return linked_.size(); }
  [[nodiscard]] Node node(Rank rank) const { return nodes_.empty() ? machine_.node_of(rank) : nodes_[at(rank)]; }
  /// The rank's place in the machine: its own number, or the next free place of the node that it was placed on.
  [[nodiscard]] Rank place(Rank rank) const { return places_.empty() ? rank : places_[at(rank)]; }
  [[nodiscard]] std::int32_t window() const { return schedule_.cut().window; }
  /// The port of a send; with a placement sends are routed.
  [[nodiscard]] Port leaves_by(LinkedOp const& send) const { return nodes_.empty() ? send.port : any_port; }

  /// The link that a message to `target` takes out of `node`; -1 at the target.
  [[nodiscard]] LinkId next_link(LinkedOp const& send, Node node, Node target) const;
  /// Calls visit(LinkId) for each link of a send.
  template <class Visit>
  void route(LinkedOp const& send, Visit&& visit) const {
    auto const target = node(send.peer);
    for (auto here = node(send.rank);;) {
      auto const link = next_link(send, here, target);
      if (link < 0) return;
      visit(link);
      here = *machine_.neighbour(here, machine_.link_port(link));
      if (leaves_by(send) != any_port) return;
    }
  }

 private:
  void check_links() const;

  Schedule const& schedule_;
  Machine const& machine_;
  LinkedProgram linked_;
  std::vector<Node> nodes_;  // placement of ranks
  std::vector<Rank> places_;
};

}  // namespace allport::sim
