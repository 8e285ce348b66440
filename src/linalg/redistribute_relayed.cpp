// Whether redistribute() sends from neighbour to neighbour, its schedule, and the load of the links.
#include <algorithm>
#include <deque>
#include <mutex>

#include "allport/comm/planned_schedule.h"
#include "allport/machine/dimensions.h"
#include "allport/machine/link_bytes.h"
#include "allport/tasks/transport.h"
#include "redistribute_plan.h"

namespace allport::detail {
namespace {

/// On more ranks a table of all pairs would cost as much as the messages.
constexpr Rank most_in_table = 256;
/// On more ranks the load of the links is not computed, because a plan compares many distributions.
constexpr Rank most_priced = 64;
/// Bytes of a rank below which starting a schedule takes longer than the messages, and above which it is not used.
constexpr std::int64_t least_relayed = std::int64_t(64) << 10;
constexpr std::int64_t most_relayed = std::int64_t(256) << 20;

/// Elements of each row part of `from` in each row part of `to`: at [part of from][part of to].
std::vector<std::vector<Index>> shared(AxisDistribution const& from, AxisDistribution const& to) {
  std::vector<std::vector<Index>> all(static_cast<std::size_t>(from.parts()));
  for (int p = 0; p < from.parts(); ++p) {
    for (auto const& overlap : overlaps(from, p, to)) all[static_cast<std::size_t>(p)].push_back(overlap.count);
  }
  return all;
}

/// Bytes of every pair of positions, [source * positions + destination]; 0 for a position to itself.
std::vector<std::int64_t> pairs_of(Mapping const& mapping, Distribution const& from, Distribution const& to,
                                   std::int64_t element) {
  auto const n = static_cast<std::size_t>(mapping.ranks());
  auto const rows = shared(from.rows(), to.rows());
  auto const cols = shared(from.cols(), to.cols());
  struct Target {
    std::size_t row, col, place;
  };
  std::vector<Target> targets;  // in the order of ranks, without those that have no part of `to`
  std::vector<std::size_t> ranks;
  for (std::size_t d = 0; d < n; ++d) {
    auto const there = to.position(static_cast<Rank>(d));
    if (there.row < 0) continue;
    auto const place = static_cast<std::size_t>(mapping.place(static_cast<Rank>(d)));
    targets.push_back({static_cast<std::size_t>(there.row), static_cast<std::size_t>(there.col), place});
    ranks.push_back(d);
  }
  std::vector<std::int64_t> bytes(n * n, 0);
  for (std::size_t s = 0; s < n; ++s) {
    auto const at = from.position(static_cast<Rank>(s));
    if (at.row < 0) continue;
    auto const& heights = rows[static_cast<std::size_t>(at.row)];
    auto const& widths = cols[static_cast<std::size_t>(at.col)];
    auto* const line = &bytes[static_cast<std::size_t>(mapping.place(static_cast<Rank>(s))) * n];
    for (std::size_t x = 0; x < targets.size(); ++x) {
      auto const& t = targets[x];
      if (ranks[x] != s) line[t.place] = heights[t.row] * widths[t.col] * element;
    }
  }
  return bytes;
}

/// Bytes that the busiest rank sends and receives together.
std::int64_t busiest(std::vector<std::int64_t> const& bytes, std::size_t ranks) {
  std::int64_t most = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    std::int64_t sum = 0;
    for (std::size_t x = 0; x < ranks; ++x) sum += bytes[r * ranks + x] + bytes[x * ranks + r];
    most = std::max(most, sum);
  }
  return most;
}

bool is_routed_by_axes(Machine const& machine) {
  return machine.ranks() <= most_in_table && tasks::default_tree(machine) == MulticastTree::axes;
}

/// The table of pairs if a schedule pays.
std::optional<std::vector<std::int64_t>> worth_relaying(Machine const& machine, Mapping const& mapping,
                                                        Distribution const& from, Distribution const& to,
                                                        std::int64_t element) {
  auto const ranks = machine.ranks();
  if (ranks < 3 || from == to || !is_routed_by_axes(machine)) return std::nullopt;
  auto pairs = pairs_of(mapping, from, to, element);
  auto const most = busiest(pairs, static_cast<std::size_t>(ranks));
  if (most < least_relayed || most > most_relayed) return std::nullopt;
  return pairs;
}

/// A cache of the last all-to-alls, of any communicator. An operation needs each of its own several times: for its
/// memory, its traffic, and its run.
class AllToAllCache {
 public:
  /// @param make  () -> std::optional<Contract>
  template <class Make>
  std::optional<Contract> find(Mapping const& mapping, Distribution const& from, Distribution const& to,
                               std::int64_t element, Make const& make) {
    std::scoped_lock const hold(mutex_);
    for (auto const& one : all_) {
      if (one.element == element && one.from == from && one.to == to && one.mapping == mapping) return one.contract;
    }
    constexpr std::size_t most = 8;
    auto contract = make();
    if (all_.size() == most) all_.pop_front();
    all_.push_back({mapping, from, to, element, contract});
    return contract;
  }

 private:
  struct One {
    Mapping mapping;
    Distribution from, to;
    std::int64_t element = 0;
    std::optional<Contract> contract;
  };
  std::mutex mutex_;
  std::deque<One> all_;
};

/// Bytes on every link of a machine for an all-to-all by axes: equal parts of each block take the axes in rotated
/// orders, and half-way round a ring each direction takes one half.
class RelayedBytes {
 public:
  /// @param pairs  bytes of every pair of positions, [source * positions + destination]
  RelayedBytes(Machine const& machine, std::vector<std::int64_t> const& pairs)
      : machine_(machine), ranks_(static_cast<std::size_t>(machine.ranks())), loads_(machine) {
    std::vector<Dimension> lines;
    for (auto const& dim : dimensions(machine)) {
      if (dim.axis >= 0 && dim.length > 1) lines.push_back(dim);
    }
    for (std::size_t first = 0; first < lines.size(); ++first) {
      std::vector<double> held;
      for (auto const b : pairs) held.push_back(static_cast<double>(b) / static_cast<double>(lines.size()));
      for (std::size_t k = 0; k < lines.size(); ++k) move(lines[(first + k) % lines.size()], held);
    }
  }

  /// Of the busiest link.
  [[nodiscard]] Seconds longest() const { return loads_.longest(); }
  /// Of the mean link of the busiest axis.
  [[nodiscard]] Seconds mean() const {
    std::vector<double> sums(static_cast<std::size_t>(machine_.axes()), 0.0);
    std::vector<double> links(sums.size(), 0.0);
    for (LinkId link = 0; link < machine_.link_ids(); ++link) {
      auto const out = machine_.link_port(link);
      auto const axis = static_cast<std::size_t>(axis_of(out));
      sums[axis] += loads_.seconds(link).value();
      links[axis] += machine_.neighbour(machine_.link_source(link), out) ? 1 : 0;
    }
    double most = 0;
    for (std::size_t a = 0; a < sums.size(); ++a) most = std::max(most, links[a] > 0 ? sums[a] / links[a] : 0.0);
    return Seconds(most);
  }

 private:
  /// Sends the blocks held[position * positions + destination] along one axis to the destination's coordinate.
  void move(Dimension const& dim, std::vector<double>& held) {
    std::vector<double> moved(held.size(), 0.0);
    std::vector<double> sent(static_cast<std::size_t>(dim.length));  // by coordinate on the axis
    std::vector<std::size_t> place;
    for (std::size_t r = 0; r < ranks_; ++r) place.push_back(static_cast<std::size_t>(dim.of(static_cast<Rank>(r))));
    for (std::size_t at = 0; at < ranks_; ++at) {
      std::ranges::fill(sent, 0.0);
      auto const first = at - place[at] * static_cast<std::size_t>(dim.stride);  // of the line
      for (std::size_t d = 0; d < ranks_; ++d) {
        auto const b = held[at * ranks_ + d];
        sent[place[d]] += b;
        moved[(first + place[d] * static_cast<std::size_t>(dim.stride)) * ranks_ + d] += b;
      }
      for (Rank goal = 0; goal < dim.length; ++goal) {
        if (auto const b = sent[static_cast<std::size_t>(goal)]; b > 0) along(dim, static_cast<Rank>(at), goal, b);
      }
    }
    held.swap(moved);
  }
  void along(Dimension const& dim, Rank at, Rank goal, double bytes) {
    auto const up = dim.wraps ? (goal - dim.of(at) + dim.length) % dim.length : goal - dim.of(at);
    if (up == 0) return;
    if (dim.wraps && 2 * up == dim.length) {
      steps(dim, at, up, 1, bytes / 2);
      steps(dim, at, up, -1, bytes / 2);
    } else if (up > 0 && (!dim.wraps || 2 * up < dim.length)) {
      steps(dim, at, up, 1, bytes);
    } else {
      steps(dim, at, dim.wraps ? dim.length - up : -up, -1, bytes);
    }
  }
  void steps(Dimension const& dim, Rank at, Rank hops, int direction, double bytes) {
    for (Rank h = 0; h < hops; ++h) {
      loads_.add(machine_.link(machine_.node_of(at), port(dim.axis, direction)), bytes);
      at = dim.with(at, (dim.of(at) + direction + dim.length) % dim.length);
    }
  }

  Machine const& machine_;
  std::size_t ranks_;
  LinkBytes loads_;
};

/// The all-to-all of a redistribution if a schedule pays; cached. @pre is_routed_by_axes(machine)
std::optional<Contract> exchanged(Machine const& machine, Mapping const& mapping, Distribution const& from,
                                  Distribution const& to, std::int64_t element) {
  static AllToAllCache cache;
  return cache.find(mapping, from, to, element, [&]() -> std::optional<Contract> {
    auto pairs = worth_relaying(machine, mapping, from, to, element);
    if (!pairs) return std::nullopt;
    return with_blocks(Collective::alltoall, machine.ranks(), 0,
                       BlockTable::per_pair(std::move(*pairs), machine.ranks()));
  });
}

/// Nothing for a schedule that sends every block directly: messages do the same.
std::optional<Schedule> unless_straight(Schedule schedule) {
  if (schedule.algorithm() == "pairs") return std::nullopt;
  return schedule;
}

}  // namespace

std::optional<Schedule> relayed(Communicator const& comm, Distribution const& from, Distribution const& to,
                                std::int64_t element) {
  if (!comm.is_box() || !is_routed_by_axes(comm.machine())) return std::nullopt;
  auto const contract = exchanged(comm.machine(), comm.mapping(), from, to, element);
  if (!contract) return std::nullopt;
  return unless_straight(comm.schedule_for(*contract));
}

std::optional<Schedule> relayed(Machine const& machine, std::optional<Mapping> const& mapping, Distribution const& from,
                                Distribution const& to, std::int64_t element) {
  if (!is_routed_by_axes(machine)) return std::nullopt;
  auto const contract = exchanged(machine, mapping ? *mapping : Mapping::identity(machine.ranks()), from, to, element);
  if (!contract) return std::nullopt;
  struct Last {
    std::mutex mutex;
    std::optional<Machine> machine;
    std::optional<Schedule> schedule;
  };
  static Last last;  // the caller examines all ranks one after the other
  std::scoped_lock const hold(last.mutex);
  if (!last.schedule || last.machine != machine || !(last.schedule->contract() == *contract)) {
    last.schedule = planned_schedule(machine, *contract);
    last.machine = machine;
  }
  return unless_straight(*last.schedule);
}

std::optional<Seconds> relayed_seconds(Machine const& machine, std::optional<Mapping> const& mapping,
                                       Distribution const& from, Distribution const& to, std::int64_t element) {
  if (machine.ranks() > most_priced) return std::nullopt;
  auto const places = mapping ? *mapping : Mapping::identity(machine.ranks());
  auto const pairs = worth_relaying(machine, places, from, to, element);
  if (!pairs) return std::nullopt;
  RelayedBytes const loads(machine, *pairs);
  // Blocks that pass through busy ranks arrive late, when other links are idle again: 1.2 to 1.6 times the busiest link
  // was measured where it had 1.5 times the mean, 1.1 times where all were equal.
  return loads.longest() * 2.0 - loads.mean();
}

}  // namespace allport::detail
