// Local search on the largest link load.
#include <algorithm>
#include <cmath>
#include <random>

#include "allport/mapping/score.h"
#include "index.h"

namespace allport {

namespace {

using mapping::at;

constexpr double hot = 0.9;       // of the largest load
constexpr double of_hops = 0.02;  // what a link's load itself counts beside its eighth power
constexpr int random_partners = 3;
constexpr int passes = 40;

double potential(double x) {
  auto const x2 = x * x;
  auto const x4 = x2 * x2;
  return x4 * x4 + of_hops * x;
}

class Search {
 public:
  Search(Machine const& machine, Pattern const& pattern, std::vector<Rank> places, std::int64_t effort)
      : machine_(machine),
        out_(pattern.flows()),
        in_(pattern.flows().reversed()),
        place_(std::move(places)),
        rank_at_(at(machine.ranks()), -1),
        scale_(at(machine.link_ids()), 0.0),
        before_(at(machine.link_ids()), 0),
        stamp_(at(machine.link_ids()), 0),
        left_(effort) {
    load_ = link_bytes(machine, pattern, place_);
    for (Rank r = 0; r < pattern.ranks(); ++r) rank_at_[at(place_[at(r)])] = r;
    std::vector<double> of_port;
    for (Port p = 0; p < 2 * machine.axes(); ++p) {
      auto const& axis = machine.axis(axis_of(p));
      of_port.push_back(axis.length > 1 ? 1.0 / axis.bandwidth.value() : 0.0);
    }
    for (std::size_t l = 0; l < scale_.size(); ++l) scale_[l] = of_port[l % of_port.size()];
    for (auto const& e : machine.exceptions()) {
      auto const l = machine.link(e.node, e.out);
      // A dead link is no link to go over: its load weighs more than any other's.
      scale_[at(l)] = e.dead ? 1e6 * scale_[at(l)] : 1.0 / machine.bandwidth(l).value();
    }
  }

  void run() {
    auto least = largest();
    for (int pass = 0, idle = 0; pass < passes && left_ > 0 && idle < 3 && largest() > 0.0; ++pass) {
      auto const swaps = one_pass();
      auto const now = largest();
      if (swaps == 0) break;
      idle = now < 0.999 * least ? 0 : idle + 1;
      least = std::min(least, now);
    }
  }
  [[nodiscard]] std::vector<Rank> take() { return std::move(place_); }
  [[nodiscard]] double largest() const {
    double most = 0.0;
    for (std::size_t l = 0; l < load_.size(); ++l) most = std::max(most, static_cast<double>(load_[l]) * scale_[l]);
    return most;
  }

 private:
  /// Calls visit(link) along Machine::route, until it says that it has seen enough.
  template <class Visit>
  void route(Node from, Node to, Visit&& visit) {
    for (int a = 0; a < machine_.axes(); ++a) {
      auto const x = machine_.coord(from, a);
      auto steps = machine_.offset(x, machine_.coord(to, a), a);
      if (steps == 0) continue;
      auto const p = port(a, steps);
      auto const stride = machine_.stride(a);
      auto const last = (machine_.axis(a).length - 1) * stride;
      auto const line = from - x * stride;
      for (auto left = std::abs(steps); left > 0; --left) {
        if (!visit(at(machine_.link(from, p)))) return;
        if (steps > 0) {
          from = from - line == last ? line : from + stride;
        } else {
          from = from == line ? line + last : from - stride;
        }
      }
    }
  }

  void change(Rank from, Rank to, std::int64_t bytes) {
    route(machine_.node_of(place_[at(from)]), machine_.node_of(place_[at(to)]), [&](std::size_t l) {
      if (stamp_[l] != now_) {
        stamp_[l] = now_;
        before_[l] = load_[l];
        touched_.push_back(l);
      }
      load_[l] += bytes;
      --left_;
      return true;
    });
  }
  /// Adds (sign 1) or takes away (-1) all messages of two ranks, those between them once.
  void messages(Rank a, Rank b, std::int64_t sign) {
    for (auto const& f : out_.of(a)) change(a, f.peer, sign * f.bytes);
    for (auto const& f : in_.of(a)) change(f.peer, a, sign * f.bytes);
    for (auto const& f : out_.of(b)) {
      if (f.peer != a) change(b, f.peer, sign * f.bytes);
    }
    for (auto const& f : in_.of(b)) {
      if (f.peer != a) change(f.peer, b, sign * f.bytes);
    }
  }
  void exchange(Rank a, Rank b) {
    std::swap(place_[at(a)], place_[at(b)]);
    rank_at_[at(place_[at(a)])] = a;
    rank_at_[at(place_[at(b)])] = b;
  }

  bool try_swap(Rank a, Rank b) {
    if (a == b || machine_.node_of(place_[at(a)]) == machine_.node_of(place_[at(b)])) return false;
    ++now_;
    touched_.clear();
    messages(a, b, -1);
    exchange(a, b);
    messages(a, b, +1);
    double gain = 0.0;
    for (auto const l : touched_) {
      if (load_[l] == before_[l]) continue;
      auto const unit = scale_[l] / top_;
      gain += potential(static_cast<double>(before_[l]) * unit) - potential(static_cast<double>(load_[l]) * unit);
    }
    if (gain > 1e-9) return true;
    for (auto const l : touched_) load_[l] = before_[l];
    exchange(a, b);
    return false;
  }

  /// Whether a message of the rank crosses a link that is nearly as loaded as the most loaded one.
  bool is_hot(Rank r) {
    auto const crosses = [&](Rank from, Rank to) {
      bool found = false;
      route(machine_.node_of(place_[at(from)]), machine_.node_of(place_[at(to)]), [&](std::size_t l) {
        --left_;
        found = static_cast<double>(load_[l]) * scale_[l] >= hot * top_;
        return !found;
      });
      return found;
    };
    return std::ranges::any_of(out_.of(r), [&](Flow const& f) { return crosses(r, f.peer); }) ||
           std::ranges::any_of(in_.of(r), [&](Flow const& f) { return crosses(f.peer, r); });
  }

  /// The rank in the same seat of a neighbouring node; -1 where none of this job is.
  Rank beside(Rank place, Port p) const {
    auto const node = machine_.neighbour(machine_.node_of(place), p);
    if (!node) return -1;
    return rank_at_[at(*node * machine_.ranks_per_node() + place % machine_.ranks_per_node())];
  }

  bool improve(Rank r) {
    auto const tried = [&](Rank other) { return other >= 0 && left_ > 0 && try_swap(r, other); };
    auto const ports = static_cast<Port>(2 * machine_.axes());
    for (Port p = 0; p < ports; ++p) {
      if (tried(beside(place_[at(r)], p))) return true;
    }
    auto const peers = out_.of(r);
    for (std::size_t i = 0; i < std::min<std::size_t>(peers.size(), 4); ++i) {
      auto const where = place_[at(peers[random_() % peers.size()].peer)];
      if (tried(beside(where, static_cast<Port>(random_() % static_cast<unsigned>(ports))))) return true;
    }
    for (int i = 0; i < random_partners; ++i) {
      if (tried(static_cast<Rank>(random_() % place_.size()))) return true;
    }
    return false;
  }

  std::int64_t one_pass() {
    top_ = largest();
    std::int64_t swaps = 0;
    for (Rank r = 0; r < static_cast<Rank>(place_.size()) && left_ > 0; ++r) {
      if (is_hot(r) && improve(r)) ++swaps;
    }
    return swaps;
  }

  Machine const& machine_;
  Flows const& out_;
  Flows const in_;
  std::vector<Rank> place_;
  std::vector<Rank> rank_at_;       // by place; -1: not the job's
  std::vector<std::int64_t> load_;  // by link, here and below
  std::vector<double> scale_;       // seconds per byte
  std::vector<std::int64_t> before_;
  std::vector<std::uint32_t> stamp_;
  std::vector<std::size_t> touched_;
  std::uint32_t now_ = 0;
  double top_ = 0.0;
  std::int64_t left_;
  std::minstd_rand random_{1};
};

}  // namespace

std::vector<Rank> refine(Machine const& machine, Pattern const& pattern, std::vector<Rank> places,
                         RefineOptions const& options) {
  check_places(machine, pattern.ranks(), places);
  ensure(options.effort >= 0, "effort", options.effort, "a number >= 0");
  auto search = Search(machine, pattern, places, options.effort);
  auto const before = search.largest();
  search.run();
  return search.largest() <= before ? search.take() : places;
}

}  // namespace allport
