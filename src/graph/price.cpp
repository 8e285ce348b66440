#include "allport/graph/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "along.h"
#include "deliveries.h"
#include "delivery_costs.h"
#include "machine/link_bytes.h"

namespace allport::graph {

namespace {

/// Steps of the chain that are followed in one piece, since messages of one are still in flight in the next.
constexpr int fewest_chained = 4;
/// Maximum number of edges of a gang's members that are searched for the chain's next task: most members differ only in
/// the ranks.
constexpr std::size_t most_edges = 4096;
/// Maximum product of ranks and steps up to which all messages are counted.
constexpr std::int64_t most_whole = 4096;

class Pricing {
 public:
  Pricing(TaskGraph const& graph, Machine const& machine, Transport const& transport, PriceOptions const& options)
      : graph_(graph),
        machine_(machine),
        transport_(transport),
        options_(options),
        is_small_(graph.ranks() * graph.steps() <= most_whole),
        rates_(machine, options.factor),
        links_(machine, false),
        along_(transport, links_, machine.ranks(), options.segment),
        loads_(machine),
        chain_loads_(machine) {}

  Price run() {
    Price price;
    auto const ranks = std::min(options_.ranks, graph_.ranks());
    double most = 0;
    for (int x = 0; x < ranks; ++x) most = std::max(most, rank_seconds(sampled(x, ranks)));
    price.work = Seconds(most / options_.workers);
    price.links = Seconds(is_small_ ? busiest_link() : link_seconds(static_cast<double>(graph_.ranks()) / ranks));
    auto const [chain, elsewhere] = chain_seconds();
    price.chain = Seconds(chain);
    // What the chain's own messages take of the links is in the chain.
    auto const others = std::max(0.0, price.links.value() - chain_loads_.mean_link());
    auto const busy = std::max(price.work.value(), others);
    price.total = Seconds(std::max({chain, price.links.value(), overlapped(busy, elsewhere, meets_)}));
    return price;
  }

 private:
  /// One of each of so many equal parts, at another place in each, so that no row of a grid is all that is seen.
  [[nodiscard]] Rank sampled(int x, int parts) const {
    constexpr double golden = 0.6180339887498949;
    auto const shift = parts < graph_.ranks() ? std::fmod(x * golden, 1.0) : 0.0;
    return static_cast<Rank>((x + shift) * graph_.ranks() / parts);
  }

  /// Steps that are looked at, one after the other from `first` on, for `times` as many.
  struct Stretch {
    std::int64_t first = 0;
    std::int64_t count = 0;
    double times = 0;
  };

  /// All steps in equal parts, in each of which the middle `together` steps stand for the others.
  template <class Visit>
  void each_stretch(std::int64_t looked_at, std::int64_t together, Visit&& visit) const {
    auto const all = graph_.steps();
    auto const parts = std::max<std::int64_t>(1, std::min(looked_at, all) / together);
    for (std::int64_t p = 0; p < parts; ++p) {
      auto const from = all * p / parts;
      auto const steps = all * (p + 1) / parts - from;
      auto const count = std::min(together, steps);
      visit(Stretch{from + (steps - count) / 2, count, static_cast<double>(steps) / static_cast<double>(count)});
    }
  }

  double rank_seconds(Rank rank) {
    double sum = 0;
    each_stretch(options_.steps, options_.together, [&](Stretch const& s) {
      for (auto step = s.first; step < s.first + s.count; ++step) {
        graph_.tasks(rank, step, [&](Task task) {
          sum += s.times * task_seconds(task, true);
          if (!is_small_) send(task, s.times);
        });
      }
    });
    return sum;
  }

  /// @param of_worker  without what travels while its worker does something else
  [[nodiscard]] double task_seconds(Task task, bool of_worker) {
    auto const own = rates_.seconds(graph_.work(task));
    if (!graph_.gang(task, gang_) || gang_.members.size() < 2 || (gang_.exchanges && of_worker)) return own;
    // Members of one gang say the same, and in an algorithm's numbering differ in `i`.
    auto const key = std::tuple(task.kind, task.layer, task.j, task.k);
    auto const [known, is_new] = gang_seconds_.try_emplace(key, 0.0);
    if (is_new) known->second = along_.gang_seconds(graph_, gang_);
    return own + known->second;
  }

  void send(Task task, double times) {
    leaving_.read(graph_, task);
    auto const add = [&](Delivery const& delivery) {
      transport_.hops(delivery, [&](Hop const& hop) {
        ends_ += 2 * times;
        loads_.add(hop, times);
      });
    };
    leaving_.deliveries(graph_, task, add);
    if (graph_.gang(task, gang_)) each_expected_of(graph_, gang_, task, add);
  }

  [[nodiscard]] double link_seconds(double scale) const {
    auto const ends = ends_ * machine_.rates().overhead.value() / graph_.ranks();
    return std::max(ends, loads_.mean_link()) * scale;
  }

  /// Of all messages, or what their ends take of the mean rank.
  double busiest_link() {
    LinkBytes loads(machine_);
    std::int64_t hops = 0;
    auto const add = [&](Hop const& hop) {
      ++hops;
      loads.add(machine_.node_of(hop.from), machine_.node_of(hop.to), static_cast<double>(hop.bytes));
    };
    for (std::int64_t step = 0; step < graph_.steps(); ++step) {
      for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
        graph_.tasks(rank, step, [&](Task task) {
          leaving_.read(graph_, task);
          leaving_.deliveries(graph_, task, [&](Delivery const& delivery) { transport_.hops(delivery, add); });
          if (graph_.gang(task, gang_)) {
            each_expected_of(graph_, gang_, task, [&](Delivery const& delivery) { transport_.hops(delivery, add); });
          }
        });
      }
    }
    auto const ends = 2.0 * static_cast<double>(hops) * machine_.rates().overhead.value() / graph_.ranks();
    return std::max(ends, loads.longest().value());
  }

  /// All of the chain, and what of it the rank that has most of it is not busy with: work on other ranks, and on one
  /// worker while the others of that rank have none of it.
  std::pair<double, double> chain_seconds() {
    if (graph_.steps() > options_.chained && graph_.leads(0)) {
      each_stretch(options_.chained, std::max(options_.together, fewest_chained), [&](Stretch const& s) {
        chain_times_ = s.times;
        follow(*graph_.leads(s.first), s.first + s.count);
      });
    } else if (auto const first = first_of_all()) {
      follow(*first, std::numeric_limits<std::int64_t>::max());
    }
    double most = 0;
    for (auto const& [rank, seconds] : chain_on_) most = std::max(most, seconds);
    return {chain_, chain_ - most / options_.workers};
  }

  [[nodiscard]] std::optional<Task> first_of_all() const {
    std::optional<Task> first;
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      graph_.entries(r, [&](Task task) {
        if (!first || graph_.priority(task) > graph_.priority(*first)) first = task;
      });
    }
    return first;
  }

  /// From a task to the end, or to the first task of step `end`.
  void follow(Task at, std::int64_t end) {
    auto const begin = now_;
    while (graph_.step(at) < end) {
      auto const seconds = task_seconds(at, false);
      meets_ = meets_ || seconds > rates_.seconds(graph_.work(at));
      now_ += seconds;
      chain_on_[graph_.owner(at)] += seconds * chain_times_;
      auto const next = most_urgent(at);
      if (!next) break;
      leaving_.read(graph_, next->first);
      now_ = arrival(next->first, next->second, now_);
      at = next->second.edge.child;
    }
    chain_ += (now_ - begin) * chain_times_;
  }

  /// The child of highest priority, of all members where the task is one of a gang, with its parent. Of equal ones the
  /// first that waits for data.
  std::optional<std::pair<Task, Consumer>> most_urgent(Task task) {
    std::optional<std::pair<Task, Consumer>> best;
    std::pair<double, bool> highest;
    std::vector<Task> parents{task};
    if (graph_.gang(task, gang_)) parents = gang_.members;
    std::size_t seen = 0;
    for (auto const parent : parents) {
      if (seen > most_edges) break;
      leaving_.read(graph_, parent);
      seen += leaving_.consumers().size();
      for (auto const& consumer : leaving_.consumers()) {
        std::pair const urgency(graph_.priority(consumer.edge.child), consumer.edge.kind != EdgeKind::order);
        if (best && urgency <= highest) continue;
        best = {parent, consumer};
        highest = urgency;
      }
    }
    return best;
  }

  /// When a child has what its parent, which leaving_ holds and which is done `now`, gives it. All that the parent
  /// sends takes its links.
  double arrival(Task parent, Consumer const& consumer, double now) {
    auto until = now;
    if (consumer.edge.kind == EdgeKind::sum) until += sum_seconds(parent, consumer);
    leaving_.deliveries(graph_, parent, [&](Delivery const& delivery) {
      if (delivery.what != Collective::broadcast) return;
      auto const there =
          along_.book(delivery, now, consumer.owner, [&](Hop const& hop) { chain_loads_.add(hop, chain_times_); });
      if (consumer.owner != leaving_.owner() && takes(consumer.edge.child, delivery.output))
        until = std::max(until, there);
    });
    return until;
  }

  [[nodiscard]] bool takes(Task child, int output) const {
    return std::ranges::any_of(leaving_.consumers(), [&](Consumer const& consumer) {
      return consumer.edge.child == child && consumer.edge.kind == EdgeKind::data && consumer.edge.output == output;
    });
  }

  double sum_seconds(Task parent, Consumer const& consumer) {
    auto const sum = delivery_of_sum(graph_, parent, consumer, contributors_);
    return sum.ranks.size() > 1 && sum.bytes > 0 ? along_.alone(sum, consumer.owner) : 0;
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  Transport const& transport_;
  PriceOptions const& options_;
  bool is_small_;  // all messages are looked at, not those of samples
  Rates rates_;
  Links links_;
  Along along_;
  AxisLoads loads_;
  AxisLoads chain_loads_;  // of the chain's own messages
  double ends_ = 0;
  double chain_ = 0;
  double chain_times_ = 1;  // what is followed stands for so many
  double now_ = 0;
  bool meets_ = false;  // members of a gang, on the chain
  std::map<Rank, double> chain_on_;
  std::map<std::tuple<std::uint16_t, std::uint16_t, std::int32_t, std::int32_t>, double> gang_seconds_;
  Leaving leaving_;
  Gang gang_;
  std::vector<Rank> contributors_;
};

}  // namespace

double overlapped(double busy, double elsewhere, bool meets) {
  auto const p = meets ? 1.5 : 2.0;
  return std::pow(std::pow(busy, p) + std::pow(elsewhere, p), 1 / p);
}

std::array<std::size_t, 2> a_quarter_away(std::size_t member, std::size_t members) {
  auto const quarter = (members + 2) / 4;
  return {(member + quarter) % members, (member + members - quarter) % members};
}

Price price(TaskGraph const& graph, Machine const& machine, Transport const& transport, PriceOptions const& options) {
  ensure(graph.ranks() <= machine.ranks(), "machine", machine.ranks(), fmt::format("{} ranks", graph.ranks()),
         "take a larger machine");
  ensure(graph.steps() > 0, "graph", graph.steps(), "a graph with steps", "simulate it");
  ensure(std::min({options.steps, options.together, options.ranks, options.chained}) >= 1,
         "steps, together, ranks, chained", std::min({options.steps, options.together, options.ranks, options.chained}),
         "at least one of each");
  ensure(options.workers >= 1, "workers", options.workers, "a number of workers >= 1");
  return Pricing(graph, machine, transport, options).run();
}

}  // namespace allport::graph
