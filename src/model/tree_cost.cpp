#include "tree_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "allport/model/link_loads.h"

namespace allport::model {
namespace {

using Message = std::pair<Rank, Rank>;

/// Serves one message at a time: a node's injection or memory, a part's connection to its siblings or its injection.
struct Server {
  double seconds_per_byte = 0.0;
  double free = 0.0;      ///< from when on
  double messages = 0.0;  ///< of one segment
};
using Servers = std::unordered_map<std::int64_t, Server>;

/// The routes of the first segment, and what all segments load.
class Tree {
 public:
  Tree(Machine const& machine, std::span<Message const> messages, int lanes)
      : machine_(machine), messages_(messages), lanes_(static_cast<std::size_t>(lanes)) {
    for (std::size_t i = 0; i < messages.size(); ++i) sends_[messages[i].first].push_back(i);
  }

  /// When the last rank has the first `bytes`.
  double first(double bytes) {
    using Ready = std::pair<double, Rank>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    ready.emplace(0.0, messages_.front().first);
    double last = 0.0;
    std::vector<double> left;
    while (!ready.empty()) {
      auto const [now, rank] = ready.top();
      ready.pop();
      last = std::max(last, now);
      auto const mine = sends_.find(rank);
      if (mine == sends_.end()) continue;
      left.clear();
      for (auto const i : mine->second) {
        auto const start = left.size() < lanes_ ? now : std::max(now, left[left.size() - lanes_]);
        auto const [gone, there] = send(messages_[i], start + overhead(), bytes);
        left.push_back(gone);
        ready.emplace(there + overhead(), messages_[i].second);
      }
    }
    return last;
  }

  /// Seconds between segments of `bytes`; first() has been there before.
  [[nodiscard]] double period(double bytes, int window) const {
    auto const& rates = machine_.rates();
    auto period = (2.0 * overhead() + longest_ + bytes * slowest_) / window;
    for (auto const& [link, count] : load_) period = std::max(period, count * bytes / machine_.bandwidth(link).value());
    for (auto const& [rank, sent] : sends_) {
      auto const ends = sent.size() + (rank == messages_.front().first ? 0 : 1);
      period = std::max(period, static_cast<double>(ends) * overhead());
    }
    for (auto const& [node, out] : out_) {
      if (rates.ports > 0) period = std::max(period, out * bytes * slowest_ / rates.ports);
    }
    for (auto const* servers : {&caps_, &inside_}) {
      for (auto const& [key, s] : *servers) period = std::max(period, s.messages * bytes * s.seconds_per_byte);
    }
    return period;
  }

 private:
  struct Sent {
    double gone;   ///< the sender is free again
    double there;  ///< the last byte is
  };

  [[nodiscard]] double overhead() const { return machine_.rates().overhead.value(); }

  Sent send(Message const& m, double now, double bytes) {
    auto const from = machine_.node_of(m.first);
    auto const to = machine_.node_of(m.second);
    return from == to ? send_inside(m, now, bytes) : send_over(m.first, from, to, now, bytes);
  }

  /// Key of what a part has one of; level -1: the node.
  [[nodiscard]] std::int64_t key(int level, Rank rank) const {
    auto const part = level < 0 ? machine_.node_of(rank) : rank / machine_.levels().ranks_of_part(level);
    return (std::int64_t{level} + 1) << 32 | part;
  }

  /// When a message of `rank` that leaves its parts of level `from` and further in may begin.
  double through_caps(Rank rank, int from, double begin, double bytes) {
    auto const& levels = machine_.levels();
    auto const each = [&](auto&& visit) {
      auto const node = machine_.rates().injection.value();
      if (from < 0 && node > 0.0) visit(caps_[key(-1, rank)], node);
      for (int l = std::max(from, 0); l < levels.size(); ++l) {
        if (levels[l].injection.value() > 0.0) visit(caps_[key(l, rank)], levels[l].injection.value());
      }
    };
    each([&](Server const& cap, double) { begin = std::max(begin, cap.free); });
    each([&](Server& cap, double rate) { cap = {1.0 / rate, begin + bytes / rate, cap.messages + 1.0}; });
    return begin;
  }

  /// Over the part's connection to its siblings, or through the node's memory.
  Sent send_inside(Message const& m, double now, double bytes) {
    auto const& levels = machine_.levels();
    auto const l = levels.parting(m.first, m.second);
    if (l == levels.size()) return {now, now};  // a rank to itself
    auto const& level = levels[l];
    bool const memory = level.bandwidth.value() <= 0.0;
    auto& server = inside_[key(memory ? -1 : l, m.first)];
    server.seconds_per_byte = memory ? copy_seconds_per_byte(machine_, 1.0) : 1.0 / level.bandwidth.value();
    auto const end = through_caps(m.first, l, std::max(now, server.free), bytes) + bytes * server.seconds_per_byte;
    server.free = end;
    server.messages += 1.0;
    longest_ = std::max(longest_, level.latency.value());
    slowest_ = std::max(slowest_, server.seconds_per_byte);
    return {end, end + level.latency.value()};
  }

  /// Virtual cut-through: the head goes on as soon as it is there.
  Sent send_over(Rank rank, Node from, Node to, double now, double bytes) {
    Sent sent{-1.0, now};
    auto head = now;
    double latency = 0.0;
    machine_.route(from, to, [&](LinkId link) {
      auto const each = 1.0 / machine_.bandwidth(link).value();
      auto begin = std::max(head, link_free_[link]);
      if (sent.gone < 0.0) begin = through_caps(rank, -1, begin, bytes);
      auto const end = std::max(begin + bytes * each, sent.there);
      link_free_[link] = end;
      load_[link] += 1.0;
      if (sent.gone < 0.0) sent.gone = end;
      head = begin + machine_.latency(link).value();
      sent.there = end + machine_.latency(link).value();
      latency += machine_.latency(link).value();
      slowest_ = std::max(slowest_, each);
    });
    out_[from] += 1.0;
    longest_ = std::max(longest_, latency);
    return sent;
  }

  Machine const& machine_;
  std::span<Message const> messages_;
  std::size_t lanes_;
  std::unordered_map<Rank, std::vector<std::size_t>> sends_;
  std::unordered_map<LinkId, double> link_free_;
  std::unordered_map<LinkId, double> load_;  // messages
  Servers caps_;
  Servers inside_;
  std::unordered_map<Node, double> out_;  // messages that leave a node
  double longest_ = 0.0;                  // latency of a route
  double slowest_ = 0.0;                  // seconds per byte of a link, or of a connection within a node
};

/// Every message is between ranks, and who sends it has the data before.
void ensure_tree(Machine const& machine, std::span<Message const> messages) {
  std::unordered_set<Rank> have;
  for (auto const& [from, to] : messages) {
    ensure(std::min(from, to) >= 0 && std::max(from, to) < machine.ranks(), "messages",
           fmt::format("{} -> {}", from, to), "ranks of the machine");
    if (have.empty()) have.insert(from);
    ensure(have.contains(from), "messages", fmt::format("{} -> {}", from, to), "a sender that has the data by then");
    have.insert(to);
  }
}

}  // namespace

Seconds t_tree(Machine const& machine, std::span<Message const> messages, Bytes message, Bytes segment, int window,
               int lanes) {
  ensure(message.value() >= 0, "message", message.value(), "bytes >= 0");
  ensure(segment.value() >= 1, "segment", segment.value(), "bytes >= 1");
  ensure(window >= 1, "window", window, "at least 1 segment in flight");
  ensure(lanes >= 1, "lanes", lanes, "at least 1 send at a time");
  ensure_tree(machine, messages);
  if (messages.empty() || message.value() == 0) return {};
  auto const whole = std::min(segment.value(), message.value());
  auto const full = message.value() / whole;
  auto const rest = message.value() % whole;
  Tree tree(machine, messages, lanes);
  auto time = tree.first(static_cast<double>(whole));
  if (full > 1) time += static_cast<double>(full - 1) * tree.period(static_cast<double>(whole), window);
  if (rest > 0) time += tree.period(static_cast<double>(rest), window);
  return Seconds(time);
}

}  // namespace allport::model
