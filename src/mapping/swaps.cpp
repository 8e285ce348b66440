#include "swaps.h"

#include <algorithm>

#include "allport/pattern/loads.h"

namespace allport::mapping {

namespace {

constexpr double of_a_dead_link = 1e6;  // factor of a dead link's load, so that it outweighs any other

}  // namespace

Swaps::Swaps(Machine const& machine, Pattern const& pattern, std::vector<Rank> places)
    : machine_(machine),
      out_(pattern.flows()),
      in_(pattern.flows().reversed()),
      place_(std::move(places)),
      rank_at_(at(machine.ranks()), -1),
      links_(at(machine.link_ids())) {
  auto const bytes = link_bytes(machine, pattern, place_);
  for (Rank r = 0; r < pattern.ranks(); ++r) rank_at_[at(place_[at(r)])] = r;
  node_.reserve(at(machine.ranks()));
  for (Rank place = 0; place < machine.ranks(); ++place) node_.push_back(machine.node_of(place));
  for (int a = 0; a < machine.axes(); ++a) {
    axes_.push_back({machine.axis(a).length, machine.stride(a), machine.axis(a).wraps});
  }
  coord_.reserve(at(machine.nodes()) * axes_.size());
  for (Node node = 0; node < machine.nodes(); ++node) {
    for (int a = 0; a < machine.axes(); ++a) coord_.push_back(machine.coord(node, a));
  }
  std::vector<double> of_port;
  for (Port p = 0; p < 2 * machine.axes(); ++p) {
    auto const& axis = machine.axis(axis_of(p));
    of_port.push_back(axis.length > 1 ? 1.0 / axis.bandwidth.value() : 0.0);
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    links_[l].bytes = bytes[l];
    links_[l].scale = of_port[l % of_port.size()];
    hop_bytes_ += bytes[l];
  }
  for (auto const& e : machine.exceptions()) {
    auto const l = machine.link(e.node, e.out);
    auto& scale = links_[at(l)].scale;
    scale = e.dead ? of_a_dead_link * scale : 1.0 / machine.bandwidth(l).value();
  }
}

Rank Swaps::beside(Rank place, Port p) const {
  auto const ranks_per_node = machine_.ranks_per_node();
  auto const node = machine_.neighbour(node_[at(place)], p);
  return node ? rank_at_[at(*node) * at(ranks_per_node) + at(place % ranks_per_node)] : -1;
}

double Swaps::largest() const {
  double most = 0.0;
  for (auto const& l : links_) most = std::max(most, static_cast<double>(l.bytes) * l.scale);
  return most;
}

double Swaps::weigh(double seconds) const {
  auto x = seconds * unit_;
  for (int i = 0; i < squarings_; ++i) x *= x;
  return x;
}

void Swaps::measure(double unit, int squarings) {
  unit_ = 1.0 / unit;
  squarings_ = squarings;
  sum_ = 0.0;
  for (auto const& l : links_) sum_ += weigh(static_cast<double>(l.bytes) * l.scale);
}

bool Swaps::crosses(Rank r, double seconds) {
  auto const crossed = [&](Rank from, Rank to) {
    bool found = false;
    route(node_at(from), node_at(to), [&](std::size_t l) {
      ++looked_at_;
      found = static_cast<double>(links_[l].bytes) * links_[l].scale >= seconds;
      return !found;
    });
    return found;
  };
  return std::ranges::any_of(out_.of(r), [&](Flow const& f) { return crossed(r, f.peer); }) ||
         std::ranges::any_of(in_.of(r), [&](Flow const& f) { return crossed(f.peer, r); });
}

void Swaps::change(Node from, Node to, std::int64_t bytes) {
  std::int64_t hops = 0;
  route(from, to, [&](std::size_t i) {
    auto& l = links_[i];
    if (l.stamp != now_) {
      l.stamp = now_;
      l.before = l.bytes;
      touched_.push_back(i);
    }
    l.bytes += bytes;
    ++hops;
    return true;
  });
  hop_bytes_ += hops * bytes;
  looked_at_ += hops;
}

/// Adds (sign 1) or removes (-1) all messages of two ranks; those between the two count once.
void Swaps::messages(Rank a, Rank b, std::int64_t sign) {
  auto const here = node_at(a);
  auto const there = node_at(b);
  for (auto const& f : out_.of(a)) change(here, node_at(f.peer), sign * f.bytes);
  for (auto const& f : in_.of(a)) change(node_at(f.peer), here, sign * f.bytes);
  for (auto const& f : out_.of(b)) {
    if (f.peer != a) change(there, node_at(f.peer), sign * f.bytes);
  }
  for (auto const& f : in_.of(b)) {
    if (f.peer != a) change(node_at(f.peer), there, sign * f.bytes);
  }
}

void Swaps::exchange(Rank a, Rank b) {
  std::swap(place_[at(a)], place_[at(b)]);
  rank_at_[at(place_[at(a)])] = a;
  rank_at_[at(place_[at(b)])] = b;
}

Swaps::Change Swaps::swap(Rank a, Rank b) {
  ++now_;
  touched_.clear();
  last_a_ = a;
  last_b_ = b;
  hop_bytes_before_ = hop_bytes_;
  sum_before_ = sum_;
  messages(a, b, -1);
  exchange(a, b);
  messages(a, b, +1);
  double more = 0.0;
  for (auto const i : touched_) {
    auto const& l = links_[i];
    if (l.bytes == l.before) continue;
    more += weigh(static_cast<double>(l.bytes) * l.scale) - weigh(static_cast<double>(l.before) * l.scale);
  }
  sum_ += more;
  return {more, static_cast<double>(hop_bytes_ - hop_bytes_before_)};
}

void Swaps::undo() {
  for (auto const i : touched_) links_[i].bytes = links_[i].before;
  exchange(last_a_, last_b_);
  hop_bytes_ = hop_bytes_before_;
  sum_ = sum_before_;
}

}  // namespace allport::mapping
