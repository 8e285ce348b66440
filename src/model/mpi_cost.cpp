#include "allport/model/mpi_cost.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "base/recent.h"
#include "rounds.h"

namespace allport::model {

namespace {

/// Rounds that several collectives are made of. Root-relative ones are taken for root 0: they differ little with it.
struct Patterns {
  Round ring;                    ///< every rank to the next one, all at once; the last one to the first
  Round chain;                   ///< without the last one
  std::vector<Round> exchange;   ///< ranks that differ in bit k swap
  Round fan;                     ///< rank 0 to all others at once
  double shifts_per_byte = 0.0;  ///< sum over distances 1 .. P-1 of the round "every rank to the one so far on"
  Seconds shifts_path{};
  double all_per_byte = 0.0;  ///< all P (P - 1) messages at once
};

/// Counts messages between ranks; those within a node are copies in its memory.
class Counter {
 public:
  Counter(Machine const& machine, std::span<Rank const> places)
      : machine_(machine), places_(places), links_(machine), within_(static_cast<std::size_t>(machine.nodes())) {}

  void add(Rank from, Rank to) {
    auto const a = node_of(from);
    auto const b = node_of(to);
    links_.add(a, b);
    if (a == b && from != to) copies_ = std::max(copies_, ++within_[static_cast<std::size_t>(a)]);
  }

  /// The round of all messages since the last one, each `weight` times.
  Round take(double weight = 1.0) {
    auto const copy = copy_seconds_per_byte(machine_, copies_);
    auto const round = Round{links_.flows(), weight * std::max(links_.seconds_per_byte(), copy), links_.path()};
    links_.clear();
    if (copies_ > 0) std::fill(within_.begin(), within_.end(), 0);
    copies_ = 0;
    return round;
  }

 private:
  [[nodiscard]] Node node_of(Rank rank) const {
    return machine_.node_of(places_.empty() ? rank : places_[static_cast<std::size_t>(rank)]);
  }

  Machine const& machine_;
  std::span<Rank const> places_;
  LinkLoads links_;
  std::vector<std::int32_t> within_;
  std::int32_t copies_ = 0;
};

/// All distances, or an even choice of at most `most`; each stands for `weight` distances.
void count_shifts(Machine const& machine, std::span<Rank const> places, Patterns& into, Rank most) {
  auto const ranks = machine.ranks();
  auto one = Counter(machine, places);
  auto all = Counter(machine, places);
  auto const tried = std::min(ranks - 1, most);
  auto const weight = tried > 0 ? static_cast<double>(ranks - 1) / tried : 0.0;
  for (Rank i = 0; i < tried; ++i) {
    auto const distance = static_cast<Rank>(1 + static_cast<std::int64_t>(i) * (ranks - 1) / tried);
    for (Rank r = 0; r < ranks; ++r) {
      auto const to = static_cast<Rank>((static_cast<std::int64_t>(r) + distance) % ranks);
      one.add(r, to);
      all.add(r, to);
    }
    auto const round = one.take();
    into.shifts_per_byte += weight * round.seconds_per_byte;
    into.shifts_path += weight * round.path;
  }
  into.all_per_byte = all.take(weight).seconds_per_byte;
}

Patterns count(Machine const& machine, std::span<Rank const> places, bool with_shifts) {
  Patterns p;
  auto const ranks = machine.ranks();
  auto counter = Counter(machine, places);
  for (Rank r = 0; r + 1 < ranks; ++r) counter.add(r, r + 1);
  p.chain = counter.take();
  for (Rank r = 0; r < ranks && ranks > 1; ++r) counter.add(r, (r + 1) % ranks);
  p.ring = counter.take();
  for (int k = 0; k < rounds_of(ranks); ++k) {
    // The sample keeps whole neighbourhoods of ranks: contention is between near ones.
    auto const bit = Rank{1} << k;
    auto const last = std::min<std::int64_t>(ranks, std::max<std::int64_t>(mpi_exact_ranks, std::int64_t{2} * bit));
    for (Rank r = 0; r < last; ++r) {
      if ((r ^ bit) < ranks) counter.add(r, r ^ bit);
    }
    p.exchange.push_back(counter.take());
  }
  for (Rank r = 1; r < ranks; ++r) counter.add(0, r);
  p.fan = counter.take();
  constexpr Rank most_distances = 64;
  if (with_shifts)
    count_shifts(machine, places, p, std::max<Rank>(1, std::min<Rank>(most_distances, (1 << 19) / ranks)));
  return p;
}

/// A pure function of machine and places, so one small cache serves every thread.
std::shared_ptr<Patterns const> patterns(Machine const& machine, std::span<Rank const> places, bool with_shifts) {
  struct Key {
    Machine machine;
    std::vector<Rank> places;
    bool with_shifts = false;
  };
  static Recent<Key, Patterns> recent(16);
  auto const fits = [&](Key const& known) {
    return (known.with_shifts || !with_shifts) && std::ranges::equal(known.places, places) && known.machine == machine;
  };
  return recent.get(fits, {machine, {places.begin(), places.end()}, with_shifts},
                    [&] { return count(machine, places, with_shifts); });
}

/// The binomial tree over rank order.
Seconds binomial(Machine const& machine, Bytes message, Rank root, std::span<Rank const> places,
                 bool combines = false) {
  if (places.empty()) return t_binomial(machine, message, root, combines);
  std::vector<Node> nodes(places.size());
  std::ranges::transform(places, nodes.begin(), [&](Rank place) { return machine.node_of(place); });
  return t_binomial(machine, message, binomial_loads(machine, root, nodes, combines), combines);
}

class Price {
 public:
  Price(Machine const& machine, std::span<Rank const> places, bool with_shifts = false)
      : patterns_(patterns(machine, places, with_shifts)),
        overhead_(2.0 * machine.rates().overhead.value()),
        operator_(operator_seconds_per_byte(machine)),
        ranks_(machine.ranks()) {}

  [[nodiscard]] Patterns const& rounds() const { return *patterns_; }
  [[nodiscard]] double ranks() const { return static_cast<double>(ranks_); }
  [[nodiscard]] double overhead() const { return overhead_; }
  [[nodiscard]] double round(Round const& r, double bytes, bool combines = false) const {
    return overhead_ + r.path.value() + bytes * (r.seconds_per_byte + (combines ? operator_ : 0.0));
  }

  /// P - 1 rounds round the ring, `block` bytes each.
  [[nodiscard]] double ring(double block, bool combines) const {
    return (ranks() - 1.0) * round(rounds().ring, block, combines);
  }
  /// Rounds of 1, 2, 4 ... blocks between ranks that differ in bit 0, 1, 2 ...; of P blocks in all.
  [[nodiscard]] double doubling(double block, bool combines) const {
    auto sum = 0.0;
    auto held = 1.0;
    for (auto const& r : rounds().exchange) {
      auto const sent = std::min(held, ranks() - held);
      sum += round(r, sent * block, combines);
      held += sent;
    }
    return sum;
  }
  /// The whole in every round.
  [[nodiscard]] double swapping(double bytes, bool combines) const {
    auto sum = 0.0;
    for (auto const& r : rounds().exchange) sum += round(r, bytes, combines);
    return sum;
  }
  /// Segments through all ranks in a row, by the best of a few sizes.
  [[nodiscard]] double chain(double bytes, bool combines) const {
    auto best = (ranks() - 1.0) * round(rounds().chain, bytes, combines);
    for (auto segment = 1024.0; segment < bytes; segment *= 2.0) {
      auto const hop = round(rounds().chain, segment, combines);
      auto const period = hop - rounds().chain.path.value();
      best = std::min(best, (ranks() - 1.0) * hop + (bytes / segment - 1.0) * period);
    }
    return best;
  }

 private:
  std::shared_ptr<Patterns const> patterns_;
  double overhead_;
  double operator_;
  Rank ranks_;
};

void check(Machine const& machine, std::span<Rank const> places, Rank root, Bytes bytes) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine");
  ensure(bytes.value() >= 0, "bytes", bytes.value(), "bytes >= 0");
  ensure(places.empty() || places.size() == static_cast<std::size_t>(machine.ranks()), "places", places.size(),
         "none, or one of every rank of the machine");
}

double of(Bytes bytes) { return static_cast<double>(bytes.value()); }

}  // namespace

Seconds mpi_bcast(Machine const& machine, Rank root, Bytes message, std::span<Rank const> places) {
  check(machine, places, root, message);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places);
  auto const share = of(message) / price.ranks();
  auto const spread = price.doubling(share, false);
  auto const best = std::min({binomial(machine, message, root, places).value(), price.chain(of(message), false),
                              spread + price.ring(share, false), spread + price.doubling(share, false)});
  return Seconds(best);
}

Seconds mpi_reduce(Machine const& machine, Rank root, Bytes message, std::span<Rank const> places) {
  check(machine, places, root, message);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places);
  auto const share = of(message) / price.ranks();
  return Seconds(std::min({binomial(machine, message, root, places, true).value(), price.chain(of(message), true),
                           price.doubling(share, true) + price.doubling(share, false)}));
}

Seconds mpi_scatter(Machine const& machine, Rank root, Bytes block, std::span<Rank const> places) {
  check(machine, places, root, block);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places);
  auto const& fan = price.rounds().fan;
  auto const linear = price.round(fan, of(block)) + (price.ranks() - 2.0) * 0.5 * price.overhead();
  return Seconds(std::min(price.doubling(of(block), false), linear));
}

Seconds mpi_allgather(Machine const& machine, Bytes block, std::span<Rank const> places) {
  check(machine, places, 0, block);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places);
  return Seconds(std::min(price.ring(of(block), false), price.doubling(of(block), false)));
}

Seconds mpi_reduce_scatter(Machine const& machine, Bytes block, std::span<Rank const> places) {
  check(machine, places, 0, block);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places);
  return Seconds(std::min(price.ring(of(block), true), price.doubling(of(block), true)));
}

Seconds mpi_allreduce(Machine const& machine, Bytes message, std::span<Rank const> places) {
  check(machine, places, 0, message);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places);
  auto const share = of(message) / price.ranks();
  return Seconds(
      std::min({price.swapping(of(message), true), price.doubling(share, true) + price.doubling(share, false),
                price.ring(share, true) + price.ring(share, false)}));
}

Seconds mpi_alltoall(Machine const& machine, Bytes block, std::span<Rank const> places) {
  check(machine, places, 0, block);
  if (machine.ranks() == 1) return {};
  auto const price = Price(machine, places, true);
  auto const& p = price.rounds();
  auto const others = price.ranks() - 1.0;
  auto const pairwise = others * price.overhead() + p.shifts_path.value() + of(block) * p.shifts_per_byte;
  auto const bruck = price.swapping(of(block) * price.ranks() / 2.0, false);
  auto const longest = others > 0.0 ? p.shifts_path.value() / others : 0.0;
  auto const at_once = others * price.overhead() + longest + of(block) * p.all_per_byte;
  return Seconds(std::min({pairwise, bruck, at_once}));
}

Seconds mpi_barrier(Machine const& machine, std::span<Rank const> places) {
  check(machine, places, 0, Bytes(0));
  return Seconds(Price(machine, places).swapping(0.0, false));
}

}  // namespace allport::model
