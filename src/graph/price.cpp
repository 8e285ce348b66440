#include "allport/graph/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "along.h"
#include "deliveries.h"

namespace allport::graph {

namespace {

class Pricing {
 public:
  Pricing(TaskGraph const& graph, Machine const& machine, Carrier const& carrier, PriceOptions const& options)
      : graph_(graph),
        machine_(machine),
        carrier_(carrier),
        options_(options),
        rates_(machine, options.factor),
        links_(machine),
        along_(carrier, links_, machine.ranks(), options.segment),
        axis_seconds_(static_cast<std::size_t>(machine.axes()), 0.0),
        chain_axis_seconds_(axis_seconds_) {}

  Price run() {
    Price price;
    auto const ranks = std::min(options_.ranks, graph_.ranks());
    double most = 0;
    for (int x = 0; x < ranks; ++x) most = std::max(most, rank_seconds(sampled(x, ranks)));
    price.work = Seconds(most / options_.workers);
    price.links = Seconds(link_seconds(static_cast<double>(graph_.ranks()) / ranks));
    auto const [chain, elsewhere] = chain_seconds();
    price.chain = Seconds(chain);
    // What the chain's own messages take of the links is in the chain.
    auto const others = std::max(0.0, price.links.value() - mean_link_seconds(chain_axis_seconds_));
    auto const busy = std::max(price.work.value(), others);
    price.total = Seconds(std::max({chain, price.links.value(), std::hypot(busy, elsewhere)}));
    return price;
  }

 private:
  /// One of each of so many equal parts, at another place in each, so that no row of a grid is all that is seen.
  [[nodiscard]] Rank sampled(int x, int parts) const {
    constexpr double golden = 0.6180339887498949;
    auto const shift = parts < graph_.ranks() ? std::fmod(x * golden, 1.0) : 0.0;
    return static_cast<Rank>((x + shift) * graph_.ranks() / parts);
  }

  double rank_seconds(Rank rank) {
    auto const all = graph_.steps();
    auto const parts = std::min<std::int64_t>(options_.steps, all);
    double sum = 0;
    for (std::int64_t p = 0; p < parts; ++p) {
      auto const from = all * p / parts;
      auto const to = all * (p + 1) / parts;
      auto const times = static_cast<double>(to - from);
      graph_.tasks(rank, (from + to - 1) / 2, [&](Task task) {
        sum += times * task_seconds(task);
        send(task, times);
      });
    }
    return sum;
  }

  [[nodiscard]] double task_seconds(Task task) {
    auto const own = rates_.seconds(graph_.work(task));
    if (!graph_.gang(task, gang_) || gang_.members.size() < 2) return own;
    // Members of one gang, and gangs of one shape, say the same: the first of a step stands for them.
    auto const key = std::pair(task.kind, task.k);
    auto const [known, is_new] = talks_.try_emplace(key, 0.0);
    if (is_new) known->second = along_.talk(graph_, gang_);
    return own + known->second;
  }

  void send(Task task, double times) {
    leaving_.read(graph_, task);
    leaving_.deliveries(graph_, task, [&](Delivery const& delivery) {
      carrier_.hops(delivery, [&](Hop const& hop) {
        ends_ += 2 * times;
        load(hop, times, axis_seconds_);
      });
    });
  }

  void load(Hop const& hop, double times, std::vector<double>& axis_seconds) const {
    machine_.route(machine_.node_of(hop.from), machine_.node_of(hop.to), [&](LinkId l) {
      auto const axis = static_cast<std::size_t>(axis_of(machine_.link_port(l)));
      axis_seconds[axis] += times * static_cast<double>(hop.bytes) / machine_.bandwidth(l).value();
    });
  }

  [[nodiscard]] double link_seconds(double scale) const {
    auto const ends = ends_ * machine_.rates().overhead.value() / graph_.ranks();
    return std::max(ends, mean_link_seconds(axis_seconds_)) * scale;
  }

  /// Of the busiest axis.
  [[nodiscard]] double mean_link_seconds(std::vector<double> const& axis_seconds) const {
    double longest = 0;
    for (int a = 0; a < machine_.axes(); ++a) {
      auto const& axis = machine_.axis(a);
      auto const per_line = axis.length == 1 ? 0 : axis.wraps ? 2 * axis.length : 2 * (axis.length - 1);
      auto const links = static_cast<double>(per_line) * machine_.nodes() / axis.length;
      if (links > 0) longest = std::max(longest, axis_seconds[static_cast<std::size_t>(a)] / links);
    }
    return longest;
  }

  /// All of the chain, and what of it the rank that has most of it is not busy with: work on other ranks, and on one
  /// worker while the others of that rank have none of it.
  std::pair<double, double> chain_seconds() {
    std::map<Rank, double> on;
    Task at;
    bool found = false;
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      graph_.entries(r, [&](Task task) {
        if (!found || graph_.priority(task) > graph_.priority(at)) at = task;
        found = true;
      });
    }
    double now = 0;
    while (found) {
      auto const seconds = task_seconds(at);
      now += seconds;
      on[graph_.owner(at)] += seconds;
      auto const next = most_urgent(at);
      if (!next) break;
      leaving_.read(graph_, next->first);
      now = arrival(next->first, next->second, now);
      at = next->second.edge.child;
    }
    double most = 0;
    for (auto const& [rank, seconds] : on) most = std::max(most, seconds);
    return {now, now - most / options_.workers};
  }

  /// The child of highest priority, of all members where the task is one of a gang, with its parent.
  std::optional<std::pair<Task, Heir>> most_urgent(Task task) {
    std::optional<std::pair<Task, Heir>> best;
    double highest = 0;
    std::vector<Task> parents{task};
    if (graph_.gang(task, gang_)) parents = gang_.members;
    for (auto const parent : parents) {
      leaving_.read(graph_, parent);
      for (auto const& heir : leaving_.heirs()) {
        auto const priority = graph_.priority(heir.edge.child);
        if (best && priority <= highest) continue;
        best = {parent, heir};
        highest = priority;
      }
    }
    return best;
  }

  /// When a child has what its parent, which leaving_ holds and which is done `now`, gives it. All that the parent
  /// sends takes its links.
  double arrival(Task parent, Heir const& heir, double now) {
    auto until = now;
    if (heir.edge.carries == Carries::sum) until += sum_seconds(parent, heir);
    leaving_.deliveries(graph_, parent, [&](Delivery const& delivery) {
      if (delivery.what != Collective::broadcast) return;
      auto const there =
          along_.book(delivery, now, heir.owner, [&](Hop const& hop) { load(hop, 1, chain_axis_seconds_); });
      if (heir.owner != leaving_.owner() && takes(heir.edge.child, delivery.output)) until = std::max(until, there);
    });
    return until;
  }

  [[nodiscard]] bool takes(Task child, int output) const {
    return std::ranges::any_of(leaving_.heirs(), [&](Heir const& heir) {
      return heir.edge.child == child && heir.edge.carries == Carries::data && heir.edge.output == output;
    });
  }

  double sum_seconds(Task parent, Heir const& heir) {
    contributors_.clear();
    graph_.contributors(heir.edge.child, heir.edge.input, [&](Task t) { contributors_.push_back(graph_.owner(t)); });
    auto const root = std::ranges::find(contributors_, heir.owner) - contributors_.begin();
    auto const bytes = graph_.output(parent, heir.edge.output).bytes(graph_.element());
    if (contributors_.size() < 2 || bytes == 0) return 0;
    return along_.alone({heir.edge.child, heir.edge.input, Collective::reduce, contributors_, static_cast<int>(root),
                         bytes, graph_.element()},
                        heir.owner);
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  Carrier const& carrier_;
  PriceOptions const& options_;
  Rates rates_;
  Links links_;
  Along along_;
  std::vector<double> axis_seconds_;
  std::vector<double> chain_axis_seconds_;  // of the chain's own messages
  double ends_ = 0;
  std::map<std::pair<std::uint16_t, std::int32_t>, double> talks_;
  Leaving leaving_;
  Gang gang_;
  std::vector<Rank> contributors_;
};

}  // namespace

Price price(TaskGraph const& graph, Machine const& machine, Carrier const& carrier, PriceOptions const& options) {
  ensure(graph.ranks() <= machine.ranks(), "machine", machine.ranks(), fmt::format("{} ranks", graph.ranks()),
         "take a larger machine");
  ensure(graph.steps() > 0, "graph", graph.steps(), "a graph that has steps", "simulate it");
  ensure(options.steps >= 1 && options.ranks >= 1, "steps, ranks", std::min(options.steps, options.ranks),
         "at least one of each");
  ensure(options.workers >= 1, "workers", options.workers, "a number of workers >= 1");
  return Pricing(graph, machine, carrier, options).run();
}

}  // namespace allport::graph
