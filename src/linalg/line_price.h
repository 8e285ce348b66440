// Traffic, time and scratch of collectives along lines of a grid, from the very schedules that will run.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/select/scattered.h"
#include "gemm_frame.h"

namespace allport::gemm_detail {

/// A collective along a line.
struct Step {
  enum class Kind : std::uint8_t { broadcast, reduce, allreduce } kind = Kind::broadcast;
  int root = 0;        ///< broadcast, reduce: index in the line
  Index elements = 0;  ///< of the message
};

/// A line of the grid as a piece of the machine.
struct Group {
  int shape = 0;               ///< which of the distinct sub-machines
  std::vector<Rank> position;  ///< member -> rank of the sub-machine
};

/// Makes and prices the schedules of a multiply's steps; remembers what it has seen. The plan asks it what a step
/// costs, the run asks it what to start: what was priced is what runs.
class Pricer {
 public:
  /// @param mapping where the ranks of groups are; none: rank r at place r
  Pricer(Machine const& machine, std::optional<Mapping> const& mapping);

  [[nodiscard]] Group const& group(std::vector<Rank> const& members);
  /// The sub-communicator on which the schedules of these members' steps run. Called by exactly the members.
  [[nodiscard]] Communicator line(Communicator const& comm, std::vector<Rank> const& members);
  [[nodiscard]] Schedule const& schedule(Group const& group, Step const& step, std::int64_t element) {
    return offer(group, step, element).schedule;
  }
  /// What member `index` of the group sends and receives in a collective step.
  [[nodiscard]] Traffic traffic(Group const& group, int index, Step const& step, std::int64_t element);
  [[nodiscard]] Seconds seconds(Group const& group, Step const& step, std::int64_t element);
  [[nodiscard]] std::int64_t scratch(Group const& group, int index, Step const& step, std::int64_t element);
  /// Time of a message between two ranks of the whole machine.
  [[nodiscard]] Seconds message(Rank from, Rank to, std::int64_t bytes) const;

 private:
  /// A sub-machine, with the trees that ranks have which form no box.
  struct Shape {
    Machine machine;
    std::optional<Scattered> trees;
  };
  /// What one rank has to do with a schedule.
  struct Part {
    Traffic traffic;
    std::int64_t scratch = 0;
  };
  struct Offer {
    Schedule schedule;
    Seconds price;
    std::map<Rank, Part> parts;  // by position, as far as asked for
  };
  using Key = std::tuple<int, Step::Kind, Rank, std::int64_t, std::int64_t>;
  Offer& offer(Group const& group, Step const& step, std::int64_t element);
  Part const& part(Group const& group, int index, Step const& step, std::int64_t element);

  [[nodiscard]] Rank place(Rank rank) const { return mapping_.place(rank); }

  Machine const& machine_;
  Mapping mapping_;
  std::map<std::vector<Rank>, Group> groups_;
  std::deque<Shape> shapes_;
  std::map<Key, Offer> offers_;
};

}  // namespace allport::gemm_detail

namespace allport {

/// A Pricer with all that it refers to: it outlives what it was made for.
struct PlannedSchedules {
  PlannedSchedules(Machine const& on, std::optional<Mapping> const& mapping) : machine(on), pricer(machine, mapping) {}
  PlannedSchedules(PlannedSchedules const&) = delete;
  PlannedSchedules& operator=(PlannedSchedules const&) = delete;

  Machine machine;
  gemm_detail::Pricer pricer;
};

}  // namespace allport
