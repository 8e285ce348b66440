// Bytes and trees on every link, and the lower bound on time that follows from them.
#pragma once

#include <vector>

#include "findings.h"
#include "space.h"

namespace allport::verify {

class Loads {
 public:
  Loads(Machine const& machine, Schedule const& schedule, Options const& options, Findings& findings);

  /// Adds the route of one send: through its port, or dimension by dimension; within a node it has no link.
  /// @pre peer in range
  void add(Rank rank, std::int32_t index, Op const& op);
  void finish(Report& report);

 private:
  void cross(LinkId link, Rank rank, std::int32_t index, Op const& op);
  void histogram(std::vector<std::int64_t>& used, Links& into) const;
  void times(Report& report) const;
  [[nodiscard]] Node node_of(Rank rank) const;

  Machine const& machine_;
  Schedule const& schedule_;
  Options const& options_;
  Findings& findings_;
  std::vector<std::int64_t> bytes_;
  std::vector<std::int16_t> tree_;  // + 1; 0: unused
  LinkId shared_ = -1;
  int shared_trees_[2] = {-1, -1};
};

}  // namespace allport::verify
