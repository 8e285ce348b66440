#include "recurrence.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inside.h"
#include "network.h"

namespace allport::sim {

namespace {

constexpr std::int32_t history = 32;  // segments of a stream whose times are stored
constexpr std::int32_t chunk = 16;    // segments of a stream computed in one go

/// A send with its receive.
struct Unit {
  OpId send = 0;
  OpId receive = 0;
  double bandwidth = 0.0;
  double latency = 0.0;
  double offered = 0.0;  // when the last segment left the processor
  double posted = 0.0;   // when the receive was posted
  double launched = 0.0;
  double link = 0.0;      // when the link is free
  double received = 0.0;  // when the receive's processor is free
  double ready = 0.0;     // when the send was posted
};

class Recurrence {
 public:
  Recurrence(Streams const& streams, Options const& options)
      : streams_(streams),
        options_(options),
        overhead_(streams.machine().rates().overhead.value()),
        done_(at(streams.size()) * history) {}

  void run(Result& into) {
    collect();
    sort();
    std::int32_t longest = 0;
    for (auto const& u : units_) longest = std::max(longest, streams_.op(u.send).segments);
    for (std::int32_t begin = 0; begin < longest; begin += step_) {
      for (auto& unit : units_) advance(unit, begin, begin + step_);
      if (options_.progress) options_.progress(std::min(1.0, static_cast<double>(begin + step_) / longest));
    }
    into.ranks.assign(at(streams_.schedule().ranks()), 0.0);
    for (auto const& u : units_) {
      for (auto const r : {u.send, u.receive}) {
        auto const& row = streams_.op(r);
        auto& end = into.ranks[at(row.rank)];
        end = std::max(end, done(r, row.segments - 1));
      }
    }
    into.seconds = into.ranks.empty() ? 0.0 : std::ranges::max(into.ranks);
  }

 private:
  [[nodiscard]] double& done(OpId r, std::int32_t segment) { return done_[at(r) * history + at(segment % history)]; }

  void collect() {
    auto const& machine = streams_.machine();
    for (OpId i = 0; i < streams_.size(); ++i) {
      auto const& row = streams_.op(i);
      if (row.kind != OpKind::send) continue;
      auto unit = Unit{i, row.partner};
      streams_.route(row, [&](LinkId l) {
        unit.bandwidth = machine.bandwidth(l).value();
        unit.latency = machine.latency(l).value();
      });
      units_.push_back(unit);
    }
  }

  // Sorts units topologically by dependences between segments of equal number. Dependences on earlier segments do not
  // constrain the order, as long as a step is not longer than their lag.
  void sort() {
    std::vector<std::uint32_t> unit_of(streams_.size());
    for (std::uint32_t u = 0; u < units_.size(); ++u) {
      unit_of[units_[u].send] = u;
      unit_of[units_[u].receive] = u;
    }
    std::vector<std::uint32_t> waits(units_.size(), 0);
    auto const each_need = [&](std::uint32_t u, auto&& visit) {
      for (auto const r : {units_[u].send, units_[u].receive}) {
        for (auto const& n : streams_.linked().needs(r)) visit(n);
      }
    };
    for (std::uint32_t u = 0; u < units_.size(); ++u) {
      each_need(u, [&](Need const& n) { waits[u] += n.lag == 0 ? 1 : 0; });
    }
    std::vector<std::uint32_t> order;
    order.reserve(units_.size());
    for (std::uint32_t u = 0; u < units_.size(); ++u) {
      if (waits[u] == 0) order.push_back(u);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (auto const r : {units_[order[i]].send, units_[order[i]].receive}) {
        for (auto const w : streams_.linked().wakes(r)) {
          for (auto const& n : streams_.linked().needs(w)) {
            if (n.op == r && n.lag == 0 && --waits[unit_of[w]] == 0) order.push_back(unit_of[w]);
          }
        }
      }
    }
    if (order.size() < units_.size()) {
      auto const stuck = std::ranges::find_if(waits, [](std::uint32_t w) { return w > 0; });
      throw Error(ErrorKind::schedule, fmt::format("{} waits for itself; allport schedule verify shows the cycle",
                                                   streams_.linked().text(units_[at(stuck - waits.begin())].send)));
    }
    std::vector<std::uint32_t> place(units_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (std::uint32_t u = 0; u < units_.size(); ++u) {
      each_need(u, [&](Need const& n) {
        if (n.lag > 0 && place[unit_of[n.op]] >= place[u]) step_ = std::min(step_, n.lag);
      });
    }
    std::vector<Unit> sorted;
    sorted.reserve(units_.size());
    for (auto const u : order) sorted.push_back(units_[u]);
    units_ = std::move(sorted);
  }

  [[nodiscard]] double needed(OpId r, std::int32_t i, double time) {
    for (auto const& n : streams_.linked().needs(r)) {
      if (i >= n.lag) time = std::max(time, done(n.op, i - n.lag));
    }
    if (i >= streams_.window()) time = std::max(time, done(r, i - streams_.window()));
    return time;
  }

  void advance(Unit& u, std::int32_t begin, std::int32_t end) {
    auto const& row = streams_.op(u.send);
    end = std::min(end, row.segments);
    for (auto i = begin; i < end; ++i) {
      auto const bytes = row.bytes(i);
      u.ready = needed(u.send, i, u.ready);
      u.posted = needed(u.receive, i, u.posted);
      u.offered = std::max(u.ready, u.offered) + overhead_;
      u.launched = std::max(u.launched, bytes <= options_.eager ? u.offered : std::max(u.offered, u.posted));
      auto const seconds = static_cast<double>(bytes + options_.header) / u.bandwidth;
      auto arrived = 0.0;
      if (options_.sharing == Sharing::fifo) {
        u.link = std::max(u.launched, u.link) + seconds;
        arrived = u.link + u.latency;
      } else {  // latency first; both ends finish at the same time
        u.link = u.launched + u.latency + seconds;
        arrived = u.link;
      }
      done(u.send, i) = u.link;
      u.received = std::max(std::max(arrived, u.posted), u.received) + overhead_;
      done(u.receive, i) = u.received;
    }
  }

  Streams const& streams_;
  Options const& options_;
  double overhead_;
  std::int32_t step_ = chunk;
  std::vector<Unit> units_;
  std::vector<double> done_;
};

}  // namespace

std::string shared_by_streams(Streams const& streams, Options const& options) {
  auto const& machine = streams.machine();
  auto const& rates = machine.rates();
  if (options.sharing == Sharing::fair && streams.window() > 1) return "segments of one stream share their link";
  if (options.handshake) return "rendezvous takes time";
  if (rates.overhead.value() > 0.0 && options.overheads == Overheads::serial) return "streams share processors";
  if (rates.tau > 0.0) return "simultaneous sends slow each other down (tau)";
  if (rates.tau_short > 0.0) return "simultaneous sends start one after the other (tau_short)";
  if (rates.ports > 0 && rates.ports < 2 * machine.axes()) return "streams share ports";
  if (injection_binds(machine)) return "streams share the injection limit";
  for (auto const& level : machine.levels().all()) {
    if (level_binds(machine, level)) return fmt::format("streams share a {}'s injection limit", level.name);
  }
  if (streams.window() > chunk) return fmt::format("the window is longer than {} segments", chunk);
  std::vector<bool> used(at(machine.link_ids()), false);
  std::string why;
  for (OpId i = 0; i < streams.size() && why.empty(); ++i) {
    auto const& row = streams.op(i);
    for (auto const& n : streams.linked().needs(i)) {
      if (n.lag == Dependence::whole || n.lag > chunk) why = "an operation waits for the whole of another";
      if (streams.op(n.op).segments < row.segments) why = "an operation waits for one with fewer segments";
    }
    if (row.kind == OpKind::combine || row.kind == OpKind::copy) why = "nodes combine or copy";
    if (row.kind != OpKind::send) continue;
    int hops = 0;
    streams.route(row, [&](LinkId l) {
      if (used[at(l)]) why = fmt::format("streams share the link {}", machine.link_name(l));
      used[at(l)] = true;
      ++hops;
    });
    if (hops != 1) why = "messages cross more than one link, or none";
  }
  return why;
}

void run_recurrence(Streams const& streams, Options const& options, Result& into) {
  Recurrence(streams, options).run(into);
}

}  // namespace allport::sim
