#include "allport/loops/balance.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "allport/base/error.h"

namespace allport::loops {

namespace {

using Owners = std::vector<int>;

/// Minimum relative gain for swapping two objects.
constexpr double clear_gain = 0.01;

void check(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds) {
  ensure(owners.size() == loads.size(), "owners", owners.size(), "as many as loads");
  ensure(!speeds.empty(), "speeds", speeds.size(), "at least one owner");
  for (auto const speed : speeds) ensure(speed > 0, "speed", speed, "above 0");
  for (auto const load : loads) ensure(load >= 0, "load", load, "at least 0");
  for (auto const owner : owners) {
    ensure(owner >= 0 && owner < static_cast<int>(speeds.size()), "owner", owner, "one of those with speeds");
  }
}

void check(Ties const& ties, std::size_t objects) {
  ensure(ties.empty() || ties.size() == objects, "ties", ties.size(), "as many as loads, or none");
  for (auto const& of_one : ties) {
    for (auto const& tie : of_one) {
      ensure(tie.object >= 0 && static_cast<std::size_t>(tie.object) < objects, "tie", tie.object,
             "one of the objects");
    }
  }
}

/// Time of every owner.
std::vector<double> times(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds) {
  std::vector<double> all(speeds.size());
  for (std::size_t o = 0; o < loads.size(); ++o) {
    auto const owner = static_cast<std::size_t>(owners[o]);
    all[owner] += loads[o] / speeds[owner];
  }
  return all;
}

std::vector<std::size_t> heaviest_first(std::vector<double> const& loads) {
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t o) { return loads[o]; });
  return order;
}

double mean_time(std::vector<double> const& loads, std::vector<double> const& speeds) {
  return std::accumulate(loads.begin(), loads.end(), 0.0) / std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

/// The owner that would finish first with `load` added.
std::size_t first_done(std::vector<double> const& took, double load, std::vector<double> const& speeds) {
  std::size_t best = 0;
  for (std::size_t o = 1; o < took.size(); ++o) {
    if (took[o] + load / speeds[o] < took[best] + load / speeds[best]) best = o;
  }
  return best;
}

Owners greedy(std::vector<double> const& loads, std::vector<double> const& speeds) {
  Owners owners(loads.size());
  std::vector<double> took(speeds.size());
  std::vector<int> count(speeds.size());
  for (auto const o : heaviest_first(loads)) {
    auto to = first_done(took, loads[o], speeds);
    // Objects without load are distributed round robin.
    if (loads[o] == 0) to = static_cast<std::size_t>(std::ranges::min_element(count) - count.begin());
    owners[o] = static_cast<int>(to);
    took[to] += loads[o] / speeds[to];
    ++count[to];
  }
  return owners;
}

/// Moves objects from one owner at a time.
class Refinement {
 public:
  Refinement(std::vector<double> const& loads, Owners owners, std::vector<double> const& speeds, Ties const& ties)
      : loads_(loads), owners_(std::move(owners)), speeds_(speeds), ties_(ties), has_(speeds.size()) {
    took_ = times(loads_, owners_, speeds_);
    for (auto const o : heaviest_first(loads_)) {
      if (loads_[o] > 0) has_[static_cast<std::size_t>(owners_[o])].push_back(o);
    }
  }

  /// An owner above `enough` gives objects away until it has the mean, or no move helps. Stopping at `enough` would
  /// leave it just below the limit, which small changes of the measured times exceed again.
  Owners run(double mean, double enough) {
    std::vector<bool> is_done(speeds_.size());
    while (true) {
      auto const from = fullest(is_done);
      if (from == speeds_.size() || took_[from] <= enough) return std::move(owners_);
      auto partner = first_done(took_, 0, speeds_);
      while (took_[from] > mean) {
        auto const to = give_one(from, enough);
        if (!to) break;
        partner = *to;
      }
      exchange_one(from, partner, mean);
      is_done[from] = true;
    }
  }

 private:
  [[nodiscard]] std::size_t fullest(std::vector<bool> const& is_done) const {
    auto most = speeds_.size();
    for (std::size_t o = 0; o < speeds_.size(); ++o) {
      if (!is_done[o] && (most == speeds_.size() || took_[o] > took_[most])) most = o;
    }
    return most;
  }

  /// Increase of communication between owners if the object moves from one to the other.
  [[nodiscard]] double added(std::size_t object, int from, int to) const {
    double more = 0;
    if (ties_.empty()) return more;
    for (auto const& tie : ties_[object]) {
      auto const other = static_cast<std::size_t>(tie.object);
      if (other == object) continue;
      more += owners_[other] == from ? tie.weight : owners_[other] == to ? -tie.weight : 0.0;
    }
    return more;
  }

  /// The receiving owner.
  std::optional<std::size_t> give_one(std::size_t from, double enough) {
    auto& mine = has_[from];
    auto best = mine.size();
    std::size_t best_to = 0;
    double least = 0;
    for (std::size_t m = 0; m < mine.size(); ++m) {
      auto const o = mine[m];
      auto const consider = [&](std::size_t to, double most) {
        auto const then = took_[to] + loads_[o] / speeds_[to];
        if (to == from || then >= took_[from] || then > most) return;
        auto const more = added(o, static_cast<int>(from), static_cast<int>(to));
        if (best < mine.size() && more >= least) return;
        best = m;
        best_to = to;
        least = more;
      };
      consider(first_done(took_, loads_[o], speeds_), took_[from]);
      if (ties_.empty() && best < mine.size()) break;
      for (std::size_t t = 0; !ties_.empty() && t < ties_[o].size(); ++t) {
        consider(static_cast<std::size_t>(owners_[static_cast<std::size_t>(ties_[o][t].object)]), enough);
      }
    }
    if (best == mine.size()) return std::nullopt;
    move(mine[best], best_to);
    return best_to;
  }

  void move(std::size_t object, std::size_t to) {
    auto const from = static_cast<std::size_t>(owners_[object]);
    took_[from] -= loads_[object] / speeds_[from];
    took_[to] += loads_[object] / speeds_[to];
    owners_[object] = static_cast<int>(to);
    std::erase(has_[from], object);
    has_[to].push_back(object);
  }

  /// Objects of an owner that communicate with another owner's; all, if there is no communication.
  [[nodiscard]] std::vector<std::size_t> beside(std::size_t owner, std::size_t other) const {
    if (ties_.empty()) return has_[owner];
    std::vector<std::size_t> some;
    std::ranges::copy_if(has_[owner], std::back_inserter(some), [&](std::size_t o) {
      return std::ranges::any_of(ties_[o], [&](Tie const& tie) {
        return owners_[static_cast<std::size_t>(tie.object)] == static_cast<int>(other);
      });
    });
    return some;
  }

  /// If the difference of two owners is less than any object's load, two objects that differ by about half of it are
  /// swapped (Charm++'s RefineSwapLB), if the gain is significant; of nearly equal pairs the one that adds least
  /// communication.
  void exchange_one(std::size_t from, std::size_t to, double mean) {
    if (from == to) return;
    auto const mine = beside(from, to);
    auto const theirs = beside(to, from);
    auto const most = [&](std::size_t m, std::size_t t) {
      auto const more = loads_[t] - loads_[m];
      return std::max(took_[from] + more / speeds_[from], took_[to] - more / speeds_[to]);
    };
    auto const now = std::max(took_[from], took_[to]);
    auto least = now;
    for (auto const m : mine) {
      for (auto const t : theirs) least = std::min(least, most(m, t));
    }
    if (least > now - clear_gain * mean) return;
    std::optional<std::pair<std::size_t, std::size_t>> best;
    double best_adds = 0;
    for (auto const m : mine) {
      for (auto const t : theirs) {
        if (most(m, t) > least + clear_gain / 2 * mean) continue;
        auto const adds = added_by_exchange(m, t);
        if (best && adds >= best_adds) continue;
        best = {m, t};
        best_adds = adds;
      }
    }
    move(best->first, to);
    move(best->second, from);
  }

  /// As added(), of two that change places.
  [[nodiscard]] double added_by_exchange(std::size_t one, std::size_t other) const {
    auto more = added(one, owners_[one], owners_[other]) + added(other, owners_[other], owners_[one]);
    if (ties_.empty()) return more;
    for (auto const& tie : ties_[one]) more += static_cast<std::size_t>(tie.object) == other ? 2 * tie.weight : 0.0;
    return more;
  }

  std::vector<double> const& loads_;
  Owners owners_;
  std::vector<double> const& speeds_;
  Ties const& ties_;
  std::vector<double> took_{};
  std::vector<std::vector<std::size_t>> has_;  ///< by owner, those with a load, its own first ones heaviest first
};

}  // namespace

std::string_view name(Balancer balancer) {
  switch (balancer) {
    case Balancer::none:
      return "none";
    case Balancer::greedy:
      return "greedy";
    case Balancer::refine:
      return "refine";
  }
  return "?";
}

Balancer parse_balancer(std::string_view text) {
  for (auto const balancer : {Balancer::none, Balancer::greedy, Balancer::refine}) {
    if (text == name(balancer)) return balancer;
  }
  throw Error::argument("balancer", show(text), "none, greedy or refine");
}

std::vector<int> balanced(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds,
                          BalanceOptions const& options, Ties const& ties) {
  check(loads, owners, speeds);
  check(ties, loads.size());
  ensure(options.tolerance >= 1, "tolerance", options.tolerance, "at least 1, times the mean");
  switch (options.balancer) {
    case Balancer::greedy: {
      // The greedy result may take up to a third longer than the optimum, so possibly longer than the current one.
      auto assigned = greedy(loads, speeds);
      auto const standing = std::ranges::max(times(loads, owners, speeds));
      return standing == 0 || std::ranges::max(times(loads, assigned, speeds)) < standing ? assigned : owners;
    }
    case Balancer::refine: {
      auto const mean = mean_time(loads, speeds);
      return Refinement(loads, owners, speeds, ties).run(mean, options.tolerance * mean);
    }
    case Balancer::none:
      break;
  }
  return owners;
}

double imbalance(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds) {
  check(loads, owners, speeds);
  auto const mean = mean_time(loads, speeds);
  return mean > 0 ? std::ranges::max(times(loads, owners, speeds)) / mean : 1;
}

}  // namespace allport::loops
