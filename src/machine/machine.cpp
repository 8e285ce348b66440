// Coordinates, neighbours, links and boxes of a machine.
#include "allport/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace allport {

namespace {

auto by_link(LinkException const& e) { return std::pair(e.node, e.out); }

void check_rate(double value, std::string_view name) {
  ensure(std::isfinite(value) && value >= 0.0, name, value, "a finite number >= 0", "", ErrorKind::machine);
}

void check_axis(Axis const& axis, std::size_t a) {
  auto const name = [a](std::string_view field) { return fmt::format("axes[{}].{}", a, field); };
  ensure(axis.length >= 1, name("length"), axis.length, "a length >= 1", "", ErrorKind::machine);
  check_rate(axis.bandwidth.value(), name("bandwidth"));
  check_rate(axis.latency.value(), name("latency"));
  ensure(axis.length == 1 || axis.bandwidth.value() > 0.0, name("bandwidth"), axis.bandwidth.value(),
         "bytes per second > 0 on an axis that has links", "name dead links one by one as exceptions",
         ErrorKind::machine);
}

void check_rates(NodeRates const& rates) {
  check_rate(rates.overhead.value(), "overhead");
  ensure(rates.tau >= 0.0 && rates.tau <= 1.0, "tau", rates.tau, "a number in 0..1", "", ErrorKind::machine);
  ensure(std::isfinite(rates.tau_short), "tau_short", rates.tau_short, "a finite number", "", ErrorKind::machine);
  ensure(rates.ports >= 0, "ports", rates.ports, "a number of links >= 0 (0: all)", "", ErrorKind::machine);
  check_rate(rates.injection.value(), "injection");
  check_rate(rates.flops.value(), "flops");
  check_rate(rates.adds.value(), "adds");
  check_rate(rates.memory_bandwidth.value(), "memory_bandwidth");
  ensure(rates.memory.value() >= 0, "memory", rates.memory.value(), "bytes >= 0 (0: unknown)", "", ErrorKind::machine);
}

}  // namespace

char axis_letter(int a) {
  ensure(a >= 0 && a < max_axes, "axis", a, fmt::format("0..{}", max_axes - 1));
  return "xyzuvwst"[a];
}

Machine::Machine(std::string name, std::vector<Axis> axes, NodeRates rates, Levels levels,
                 std::vector<LinkException> exceptions, Calibration calibration)
    : name_(std::move(name)),
      axes_(std::move(axes)),
      rates_(rates),
      levels_(std::move(levels)),
      exceptions_(std::move(exceptions)),
      calibration_(std::move(calibration)) {
  ensure(!axes_.empty() && axes_.size() <= max_axes, "axes", static_cast<int>(axes_.size()),
         fmt::format("1 to {} axes", max_axes), "", ErrorKind::machine);
  check_rates(rates_);
  calibration_.check();
  std::int64_t ranks = levels_.ranks();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    check_axis(axes_[a], a);
    stride_[a] = nodes_;
    ranks *= axes_[a].length;
    ensure(ranks <= std::numeric_limits<Rank>::max(), "machine", name_, "fewer than 2^31 ranks",
           "shorten an axis or lower ranks_per_node", ErrorKind::machine);
    nodes_ *= axes_[a].length;
  }
  std::sort(exceptions_.begin(), exceptions_.end(),
            [](auto const& l, auto const& r) { return by_link(l) < by_link(r); });
  for (std::size_t i = 0; i < exceptions_.size(); ++i) {
    auto const& e = exceptions_[i];
    ensure(e.node >= 0 && e.node < nodes_, "exception.node", e.node, fmt::format("a node in 0..{}", nodes_ - 1), "",
           ErrorKind::machine);
    ensure(e.out >= 0 && e.out < 2 * this->axes() && neighbour(e.node, e.out).has_value(), "exception.out",
           static_cast<int>(e.out), "a port behind which there is a link", "", ErrorKind::machine);
    check_rate(e.bandwidth.value(), "exception.bandwidth");
    ensure(!std::isnan(e.latency.value()) && !std::isinf(e.latency.value()), "exception.latency", e.latency.value(),
           "finite seconds (negative: as the axis)", "", ErrorKind::machine);
    if (i > 0 && by_link(exceptions_[i - 1]) == by_link(e)) {
      throw Error::argument("exception", link_name(link(e.node, e.out)), "each directed link at most once",
                            "merge the two entries", ErrorKind::machine);
    }
    has_dead_links_ = has_dead_links_ || e.dead;
  }
}

MpiTimes const* Machine::mpi_times(std::string_view collective) const {
  auto const& all = calibration_.mpi;
  auto const at = std::find_if(all.begin(), all.end(), [&](auto const& t) { return t.collective == collective; });
  return at == all.end() ? nullptr : &*at;
}

Coord Machine::coord(Node n) const {
  ensure(n >= 0 && n < nodes_, "node", n, "a node of the machine (0 <= node < nodes())");
  Coord c{};
  for (int a = 0; a < axes(); ++a) {
    c[static_cast<std::size_t>(a)] = coord(n, a);
  }
  return c;
}

Node Machine::node(Coord const& c) const {
  Node n = 0;
  for (int a = 0; a < axes(); ++a) {
    auto const x = c[static_cast<std::size_t>(a)];
    ensure(x >= 0 && x < axis(a).length, "coordinate", x, "0 <= coordinate < length on every axis");
    n += x * stride(a);
  }
  return n;
}

std::optional<Node> Machine::neighbour(Node n, Port p) const {
  ensure(p >= 0 && p < 2 * axes(), "port", static_cast<int>(p), "0 <= port < 2 * axes()");
  auto const a = axis_of(p);
  auto const length = axis(a).length;
  auto const x = coord(n, a);
  auto const y = x + sign_of(p);
  if (length == 1) {
    return std::nullopt;
  }
  if (y >= 0 && y < length) {
    return n + sign_of(p) * stride(a);
  }
  return axis(a).wraps ? std::optional(n - sign_of(p) * (length - 1) * stride(a)) : std::nullopt;
}

std::string Machine::link_name(LinkId l) const {
  ensure(l >= 0 && l < link_ids(), "link", l, "0 <= link < link_ids()");
  auto const text = [this](Node n) {
    auto const c = coord(n);
    return fmt::format("({})", fmt::join(c.begin(), c.begin() + axes(), ","));
  };
  auto const p = link_port(l);
  auto const to = neighbour(link_source(l), p);
  return fmt::format("{}{}{} -> {}", text(link_source(l)), sign_of(p) > 0 ? '+' : '-', axis_letter(axis_of(p)),
                     to ? text(*to) : "nowhere");
}

namespace {

LinkException const* find_exception(std::vector<LinkException> const& all, Node node, Port out) {
  if (all.empty()) {
    return nullptr;
  }
  auto const at = std::lower_bound(all.begin(), all.end(), std::pair(node, out),
                                   [](auto const& e, auto const& key) { return by_link(e) < key; });
  return at != all.end() && by_link(*at) == std::pair(node, out) ? &*at : nullptr;
}

}  // namespace

bool Machine::dead(LinkId l) const {
  if (!has_dead_links_) {
    return false;
  }
  auto const* e = find_exception(exceptions_, link_source(l), link_port(l));
  return e != nullptr && e->dead;
}

bool Machine::is_like(Machine const& other) const {
  return axes_ == other.axes_ && rates_ == other.rates_ && levels_ == other.levels_ &&
         exceptions_ == other.exceptions_ && calibration_ == other.calibration_;
}

BytesPerSecond Machine::bandwidth(LinkId l) const {
  if (exceptions_.empty()) return axis(axis_of(link_port(l))).bandwidth;
  auto const* e = find_exception(exceptions_, link_source(l), link_port(l));
  return e != nullptr && e->bandwidth.value() > 0.0 ? e->bandwidth : axis(axis_of(link_port(l))).bandwidth;
}

Seconds Machine::latency(LinkId l) const {
  if (exceptions_.empty()) return axis(axis_of(link_port(l))).latency;
  auto const* e = find_exception(exceptions_, link_source(l), link_port(l));
  return e != nullptr && e->latency.value() >= 0.0 ? e->latency : axis(axis_of(link_port(l))).latency;
}

std::vector<Rank> places_on(Machine const& machine, std::span<Node const> node_of_rank) {
  std::vector<Rank> places;
  places.reserve(node_of_rank.size());
  std::vector<std::int32_t> taken(static_cast<std::size_t>(machine.nodes()), 0);
  for (auto const n : node_of_rank) {
    ensure(n >= 0 && n < machine.nodes(), "node_of_rank", n, "a node of the machine");
    places.push_back(n * machine.ranks_per_node() + taken[static_cast<std::size_t>(n)]++ % machine.ranks_per_node());
  }
  return places;
}

std::int64_t Machine::links() const {
  std::int64_t sum = 0;
  for (auto const& a : axes_) {
    auto const per_line = a.length == 1 ? 0 : 2 * (a.wraps ? a.length : a.length - 1);
    sum += static_cast<std::int64_t>(nodes_ / a.length) * per_line;
  }
  return sum;
}

std::int32_t Machine::offset(std::int32_t from, std::int32_t to, int a) const {
  auto const length = axis(a).length;
  auto const direct = to - from;
  if (!axis(a).wraps) {
    return direct;
  }
  auto const up = direct < 0 ? direct + length : direct;
  return up <= length - up ? up : up - length;
}

std::int32_t Machine::hops(Node from, Node to) const {
  std::int32_t sum = 0;
  for (int a = 0; a < axes(); ++a) {
    sum += std::abs(offset(coord(from, a), coord(to, a), a));
  }
  return sum;
}

Machine Machine::box(Coord const& lo, Coord const& hi) const {
  auto axes = axes_;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    auto const length = axes_[a].length;
    ensure(lo[a] >= 0 && lo[a] < length, "lo", lo[a], "0 <= coordinate < length on every axis");
    ensure(hi[a] >= 0 && hi[a] < length, "hi", hi[a], "0 <= coordinate < length on every axis");
    ensure(lo[a] <= hi[a] || axes_[a].wraps, "hi", hi[a], "hi >= lo on an axis that does not wrap");
    axes[a].length = lo[a] <= hi[a] ? hi[a] - lo[a] + 1 : length - lo[a] + hi[a] + 1;
    axes[a].wraps = axes_[a].wraps && axes[a].length == length;
  }
  auto const text = [this](Coord const& c) {
    return fmt::format("({})", fmt::join(c.begin(), c.begin() + this->axes(), ","));
  };
  Machine sub(fmt::format("{} in {}..{}", name_, text(lo), text(hi)), std::move(axes), rates_, levels_);
  std::vector<LinkException> kept;
  for (auto e : exceptions_) {
    Coord c{};
    bool inside = true;
    for (int a = 0; a < this->axes(); ++a) {
      auto const i = static_cast<std::size_t>(a);
      c[i] = (coord(e.node, a) - lo[i] + axes_[i].length) % axes_[i].length;
      inside = inside && c[i] < sub.axis(a).length;
    }
    if (inside && sub.neighbour(sub.node(c), e.out)) {
      e.node = sub.node(c);
      kept.push_back(e);
    }
  }
  auto const whole = sub.nodes() == nodes() && lo == Coord{};
  if (kept.empty() && !(whole && !calibration_.empty())) {
    return sub;
  }
  return {sub.name_, sub.axes_, rates_, levels_, std::move(kept), whole ? calibration_ : Calibration{}};
}

}  // namespace allport
