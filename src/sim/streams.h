// All ranks' operations in a compact table, with the two ends of every stream joined: what the engines run on.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "allport/sim/simulate.h"

namespace allport::sim {

using RowId = std::uint32_t;
inline constexpr RowId no_row = std::numeric_limits<RowId>::max();

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Row {
  std::int64_t length = 0;
  std::int64_t segment = 1;
  RowId partner = no_row;
  std::int32_t segments = 0;
  std::uint32_t needs = 0;  ///< first of its dependences
  std::uint32_t wakes = 0;  ///< first of those that wait for it
  Rank rank = 0;
  Rank peer = -1;
  std::int32_t channel = 0;
  OpKind kind = OpKind::receive;
  Port port = any_port;

  [[nodiscard]] std::int64_t bytes(std::int64_t i) const { return i + 1 < segments ? segment : length - i * segment; }
};

struct Need {
  RowId row = 0;
  std::int32_t lag = 0;
};

/// A schedule laid out on a machine.
class Streams {
 public:
  /// @throws Error(schedule) when an operation cannot be or a stream has no other end
  Streams(Schedule const& schedule, Machine const& machine, std::vector<Node> const& placement);

  [[nodiscard]] Machine const& machine() const { return machine_; }
  [[nodiscard]] Schedule const& schedule() const { return schedule_; }
  [[nodiscard]] std::vector<Row> const& rows() const { return rows_; }
  [[nodiscard]] Row const& row(RowId r) const { return rows_[r]; }
  [[nodiscard]] RowId size() const { return static_cast<RowId>(rows_.size()); }
  [[nodiscard]] std::span<Need const> needs(RowId r) const {
    return {needs_.data() + rows_[r].needs, needs_.data() + end_of(r, &Row::needs, needs_.size())};
  }
  [[nodiscard]] std::span<RowId const> wakes(RowId r) const {
    return {wakes_.data() + rows_[r].wakes, wakes_.data() + end_of(r, &Row::wakes, wakes_.size())};
  }
  [[nodiscard]] RowId first(Rank rank) const { return first_[at(rank)]; }
  [[nodiscard]] std::int32_t index(RowId r) const { return static_cast<std::int32_t>(r - first(rows_[r].rank)); }
  [[nodiscard]] Node node(Rank rank) const {
    return placement_.empty() ? machine_.node_of(rank) : placement_[at(rank)];
  }
  [[nodiscard]] std::int32_t window() const { return schedule_.cut().window; }

  /// The link that a message to `target` takes out of `node`; -1 when it is there. `row`: the send whose port decides.
  [[nodiscard]] LinkId next_link(Row const& row, Node node, Node target) const;
  /// Calls visit(LinkId) for each link of a send.
  template <class Visit>
  void route(Row const& send, Visit&& visit) const {
    auto const target = node(send.peer);
    for (auto here = node(send.rank);;) {
      auto const link = next_link(send, here, target);
      if (link < 0) return;
      visit(link);
      here = *machine_.neighbour(here, machine_.link_port(link));
      if (send.port != any_port) return;
    }
  }
  /// "rank 4's send to 6 on channel 2".
  [[nodiscard]] std::string text(RowId r) const;

 private:
  [[nodiscard]] std::size_t end_of(RowId r, std::uint32_t Row::*begin, std::size_t last) const {
    return r + 1 < rows_.size() ? rows_[r + 1].*begin : last;
  }
  void add(Rank rank, Program const& program);
  void check(Rank rank, Program const& program, std::int32_t index) const;
  void join();
  void reverse_needs();
  void check_links() const;

  Schedule const& schedule_;
  Machine const& machine_;
  std::vector<Node> const& placement_;
  std::vector<Row> rows_;
  std::vector<Need> needs_;
  std::vector<RowId> wakes_;
  std::vector<RowId> first_;  // of each rank, and the end
};

}  // namespace allport::sim
