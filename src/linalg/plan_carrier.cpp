// Edges of a plan's graph as they travel: as tasks send, and for 1D LU by the schedules that the plan has priced.
#include <algorithm>
#include <map>

#include "allport/linalg/graphs.h"
#include "allport/tasks/carrier.h"
#include "lu_tasks.h"

namespace allport {

namespace {

using namespace gemm_detail;
using lu_detail::Seats;

/// The lines of a grid by the ranks that they hold, and what their schedules send.
class Lines {
 public:
  explicit Lines(Pricer& pricer) : pricer_(pricer) {}

  void add(std::vector<Rank> const& members) {
    auto key = members;
    std::ranges::sort(key);
    lines_.try_emplace(std::move(key), members);
  }

  void hops(graph::Delivery const& delivery, graph::Carrier::VisitHop visit) {
    std::vector<Rank> key(delivery.ranks.begin(), delivery.ranks.end());
    std::ranges::sort(key);
    auto const line = lines_.find(key);
    ensure(line != lines_.end(), "delivery", key.size(), "ranks that are a line of the grid");
    auto const& members = line->second;
    auto const root = std::ranges::find(members, delivery.ranks[static_cast<std::size_t>(delivery.root)]);
    auto const& group = pricer_.group(members);
    std::vector<Rank> at_position(members.size());
    for (std::size_t x = 0; x < members.size(); ++x)
      at_position[static_cast<std::size_t>(group.position[x])] = members[x];
    for (auto hop :
         hops_of_step(group, step_of(delivery, static_cast<int>(root - members.begin())), delivery.element)) {
      hop.from = at_position[static_cast<std::size_t>(hop.from)];
      hop.to = at_position[static_cast<std::size_t>(hop.to)];
      visit(hop);
    }
  }

 private:
  static Step step_of(graph::Delivery const& delivery, int root) {
    Step step{.root = root, .elements = delivery.bytes / delivery.element};
    if (delivery.what == Collective::reduce) step.kind = Step::Kind::reduce;
    if (delivery.what == Collective::allreduce) {
      step.kind = Step::Kind::allreduce;
      step.root = 0;
    }
    return step;
  }
  std::vector<graph::Hop> const& hops_of_step(Group const& group, Step const& step, std::int64_t element) {
    auto const& schedule = pricer_.schedule(group, step, element);
    auto const [known, is_new] = hops_.try_emplace(&schedule);
    if (is_new) {
      std::vector<Rank> positions(static_cast<std::size_t>(schedule.ranks()));
      for (std::size_t x = 0; x < positions.size(); ++x) positions[x] = static_cast<Rank>(x);
      graph::hops_of(schedule, positions, [&](graph::Hop const& hop) { known->second.push_back(hop); });
    }
    return known->second;
  }

  Pricer& pricer_;
  std::map<std::vector<Rank>, std::vector<Rank>> lines_;
  std::map<Schedule const*, std::vector<graph::Hop>> hops_;  // between positions
};

/// Of 1D: the one row of ranks.
class LuCarrier final : public graph::Carrier {
 public:
  explicit LuCarrier(LuPlan const& plan) : plan_(plan), lines_(plan.schedules->pricer) {
    lines_.add(Seats(plan.chosen, plan.options).members({}, lu_detail::Way::row));
  }
  void hops(graph::Delivery const& delivery, VisitHop visit) const override { lines_.hops(delivery, visit); }

 private:
  LuPlan plan_;  // with the schedules
  mutable Lines lines_;
};

}  // namespace

std::unique_ptr<graph::Carrier> plan_carrier(GemmPlan const& plan) {
  return tasks::carrier(plan.machine, plan.options.mapping);
}
std::unique_ptr<graph::Carrier> plan_carrier(LuPlan const& plan) {
  if (lu_detail::is_by_tasks(plan.chosen.algorithm)) return tasks::carrier(plan.machine, plan.options.mapping);
  return std::make_unique<LuCarrier>(plan);
}

}  // namespace allport
