// Local search on the largest link load: threshold accepting (Dueck and Scheuer 1990), then descent.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include "allport/mapping/score.h"
#include "swaps.h"

namespace allport {

namespace {

using mapping::at;
using mapping::Swaps;

constexpr double hot = 0.9;        // share of the largest load from which a link counts as busy
constexpr double of_hops = 0.5;    // weight of a relative change of hop-bytes; that of the norm of link loads is 1
constexpr int rounds = 60;         // of threshold accepting, in which the threshold falls to 0
constexpr int samples = 400;       // sampled swaps that set the first threshold
constexpr int fewest_a_rank = 40;  // swaps per rank; with fewer, descent alone is better
constexpr int most_a_rank = 4000;
constexpr int random_partners = 3;
constexpr int passes = 40;

class Search {
 public:
  Search(Machine const& machine, Pattern const& pattern, std::vector<Rank> places, RefineOptions const& options)
      : swaps_(machine, pattern, std::move(places)),
        ports_(static_cast<unsigned>(2 * machine.axes())),
        ranks_per_node_(static_cast<unsigned>(machine.ranks_per_node())),
        most_(options.effort),
        most_hop_bytes_(options.most_hop_bytes > 0.0 ? options.most_hop_bytes
                                                     : std::numeric_limits<double>::infinity()),
        heat_(options.heat) {
    keep();
  }

  std::vector<Rank> run() {
    if (perfect()) return std::move(best_);
    if (heat_ > 0.0 && swaps_.ranks() > 2) anneal();
    for (int const squarings : {3, 5}) descend(squarings);
    return std::move(best_);
  }

 private:
  /// Merit of a mapping, lower is better: hop-bytes beyond the limit, the largest load, hop-bytes.
  using Merit = std::tuple<double, double, double>;

  [[nodiscard]] bool has_effort() const { return swaps_.looked_at() < most_; }
  [[nodiscard]] bool too_many_hops() const { return swaps_.hop_bytes() > most_hop_bytes_; }

  /// Whether the mapping is optimal: with one rank per node every byte crosses at least one link. Here no byte crosses
  /// more, and all links take equally long.
  [[nodiscard]] bool perfect() const {
    if (ranks_per_node_ > 1) return false;
    double bytes = 0.0;
    for (Rank r = 0; r < swaps_.ranks(); ++r) {
      for (auto const& f : swaps_.sent(r)) bytes += f.peer == r ? 0.0 : static_cast<double>(f.bytes);
    }
    if (swaps_.hop_bytes() > bytes) return false;
    auto const& machine = swaps_.machine();
    double rates = 0.0;
    for (Node node = 0; node < machine.nodes(); ++node) {
      for (Port p = 0; p < static_cast<Port>(ports_); ++p) {
        if (machine.neighbour(node, p)) rates += machine.bandwidth(machine.link(node, p)).value();
      }
    }
    return swaps_.largest() * rates <= bytes * (1.0 + 1e-9);
  }

  /// Stores the mapping if it is the best so far; returns its largest load.
  double keep() {
    auto const largest = swaps_.largest();
    auto const merit = Merit(too_many_hops() ? swaps_.hop_bytes() : 0.0, largest, swaps_.hop_bytes());
    if (best_.empty() || merit < least_) {
      least_ = merit;
      best_ = swaps_.places();
    }
    return largest;
  }

  /// Merit difference of a swap: relative change of the norm of link loads, and of the hop-bytes.
  [[nodiscard]] double difference(Swaps::Change const& change) const {
    if (change.hop_bytes > 0.0 && too_many_hops()) return std::numeric_limits<double>::infinity();
    auto const sum = swaps_.sum() - change.sum;
    auto const hop_bytes = swaps_.hop_bytes() - change.hop_bytes;
    auto const of_loads = sum > 0.0 ? change.sum / sum / std::exp2(squarings_) : change.sum;
    return of_loads + of_hops * (hop_bytes > 0.0 ? change.hop_bytes / hop_bytes : change.hop_bytes);
  }

  /// False if no link has any load.
  bool begin_round(int squarings) {
    auto const top = keep();
    if (top <= 0.0) return false;
    squarings_ = squarings;
    swaps_.measure(top, squarings);
    hot_.clear();
    for (Rank r = 0; r < swaps_.ranks(); ++r) {
      if (swaps_.crosses(r, hot * top)) hot_.push_back(r);
    }
    return true;
  }

  [[nodiscard]] unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  /// A rank near a place: on a neighbouring node, or on the same node if it has several ranks.
  Rank near(Rank place) {
    auto const p = below(ports_ + (ranks_per_node_ > 1 ? 1 : 0));
    if (p < ports_) return swaps_.beside(place, static_cast<Port>(p));
    auto const node = place / static_cast<Rank>(ranks_per_node_);
    return swaps_.rank_at(node * static_cast<Rank>(ranks_per_node_) + static_cast<Rank>(below(ranks_per_node_)));
  }
  /// The other rank of one of the rank's messages; -1: it has none.
  Rank peer_of(Rank r) {
    auto const sent = swaps_.sent(r);
    auto const received = swaps_.received(r);
    if (sent.empty() && received.empty()) return -1;
    auto const i = below(sent.size() + received.size());
    return i < sent.size() ? sent[i].peer : received[i - sent.size()].peer;
  }

  std::pair<Rank, Rank> propose() {
    auto const n = static_cast<std::size_t>(swaps_.ranks());
    auto const any = [&] { return static_cast<Rank>(below(n)); };
    auto const some_hot = [&] { return hot_.empty() ? any() : hot_[below(hot_.size())]; };
    auto const r = below(2) == 0 ? any() : some_hot();
    auto const kind = below(8);
    if (kind < 4) {
      auto const peer = peer_of(r);
      return {r, peer < 0 ? any() : near(swaps_.places()[at(peer)])};
    }
    if (kind < 6) return {r, near(swaps_.places()[at(r)])};
    return {r, kind < 7 ? any() : some_hot()};
  }

  /// Tries the swap of two ranks on different nodes; returns the merit difference.
  std::optional<double> swapped(Rank a, Rank b) {
    if (a < 0 || b < 0 || a == b || !swaps_.apart(a, b)) return std::nullopt;
    return difference(swaps_.swap(a, b));
  }

  void anneal() {
    if (!begin_round(3)) return;
    auto const before = swaps_.looked_at();
    double worse = 0.0;
    std::int64_t tried = 0, worsened = 0;
    for (int i = 0; i < samples; ++i) {
      auto const [a, b] = propose();
      auto const d = swapped(a, b);
      if (!d) continue;
      swaps_.undo();
      ++tried;
      if (*d > 0.0 && std::isfinite(*d)) {
        worse += *d;
        ++worsened;
      }
    }
    if (worsened == 0) return;
    auto const each = 1 + (swaps_.looked_at() - before) / tried;
    auto const a_rank = std::min<std::int64_t>((most_ - most_ / 8) / each / swaps_.ranks(), most_a_rank);
    if (a_rank < fewest_a_rank) return;
    auto const in_round = a_rank * swaps_.ranks() / rounds;
    for (int round = 0; round < rounds && has_effort() && begin_round(3); ++round) {
      auto const left = 1.0 - static_cast<double>(round) / (rounds - 1);
      auto const threshold = heat_ * worse / static_cast<double>(worsened) * left * left;
      for (std::int64_t i = 0; i < in_round; ++i) {
        auto const [a, b] = propose();
        auto const d = swapped(a, b);
        if (d && *d > threshold - least_gain) swaps_.undo();
      }
    }
    keep();
  }

  bool improved(Rank a, Rank b) {
    if (!has_effort()) return false;
    auto const d = swapped(a, b);
    if (d && *d > -least_gain) swaps_.undo();
    return d && *d <= -least_gain;
  }

  bool improve(Rank r) {
    for (unsigned p = 0; p < ports_; ++p) {
      if (improved(r, swaps_.beside(swaps_.places()[at(r)], static_cast<Port>(p)))) return true;
    }
    for (int i = 0; i < 4; ++i) {
      auto const peer = peer_of(r);
      if (peer >= 0 && improved(r, near(swaps_.places()[at(peer)]))) return true;
    }
    for (int i = 0; i < random_partners; ++i) {
      if (improved(r, static_cast<Rank>(below(at(swaps_.ranks()))))) return true;
    }
    return false;
  }

  /// Descent from the best mapping: moves ranks away from the busiest links.
  void descend(int squarings) {
    double least = std::numeric_limits<double>::infinity();
    for (int pass = 0, idle = 0; pass < passes && has_effort() && idle < 3; ++pass) {
      if (!begin_round(squarings)) return;
      auto const now = swaps_.largest();
      idle = now < 0.999 * least ? 0 : idle + 1;
      least = std::min(least, now);
      bool any = false;
      for (auto const r : hot_) any = improve(r) || any;
      if (!any) break;
    }
    keep();
  }

  static constexpr double least_gain = 1e-12;

  Swaps swaps_;
  unsigned ports_, ranks_per_node_;
  std::int64_t most_;
  double most_hop_bytes_;
  double heat_;
  int squarings_ = 3;
  std::vector<Rank> hot_;  // ranks with a message over a link that is nearly as loaded as the most loaded one
  std::vector<Rank> best_;
  Merit least_;
  std::minstd_rand random_{1};
};

}  // namespace

std::vector<Rank> refine(Machine const& machine, Pattern const& pattern, std::vector<Rank> places,
                         RefineOptions const& options) {
  check_places(machine, pattern.ranks(), places);
  ensure(options.effort >= 0, "effort", options.effort, "a number >= 0");
  ensure(options.heat >= 0.0, "heat", options.heat, "a number >= 0");
  ensure(options.most_hop_bytes >= 0.0, "most_hop_bytes", options.most_hop_bytes, "a number >= 0");
  return Search(machine, pattern, std::move(places), options).run();
}

}  // namespace allport
