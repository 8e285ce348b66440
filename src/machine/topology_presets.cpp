// One-line specs of networks that are no grids: fattree:16x4/4, dragonfly:a=8,p=4,h=4, rails:32x8, random:64,6,1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <random>
#include <utility>

#include "allport/base/error.h"
#include "allport/machine/machine.h"
#include "allport/machine/topology.h"

namespace allport {
namespace {

/// What is read of a spec, with errors that show it.
class Spec {
 public:
  explicit Spec(std::string_view all) : all_(all), rest_(all) {}

  [[noreturn]] void refuse(std::string_view part, std::string const& expected) const {
    throw Error(ErrorKind::machine,
                fmt::format("network '{}': '{}': expected {}\n"
                            "  grammar: fattree:LEAVESxHOSTS[/OVERSUBSCRIPTION], fattree:k=PORTS, "
                            "dragonfly:a=SWITCHES,p=NODES,h=GLOBAL_LINKS[,host=BANDWIDTH], rails:BOXESxGPUS,\n"
                            "           full:N, hypercube:N, ring:N, random:N,DEGREE,SEED, or a machine's spec\n"
                            "  example: fattree:16x4/4",
                            all_, part, expected));
  }
  /// Takes `text` if it comes next.
  bool takes(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void wants(std::string_view text) {
    if (!takes(text)) refuse(rest_, fmt::format("'{}'", text));
  }
  Vertex number(char const* what, Vertex least = 1) {
    Vertex value = 0;
    auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < least) refuse(rest_, fmt::format("{}, a number of at least {}", what, least));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  void ends() const {
    if (!rest_.empty()) refuse(rest_, "nothing more");
  }
  /// Throws unless so many vertices can be numbered.
  Vertex few(std::int64_t vertices) const {
    if (vertices > (std::int64_t{1} << 24)) refuse(all_, "at most 16,777,216 vertices");
    return static_cast<Vertex>(vertices);
  }

 private:
  std::string_view all_;
  std::string_view rest_;
};

/// Links in both directions, in multiples of one link's bandwidth.
class Cables {
 public:
  Cables() : one_(Machine::parse("torus:2").axis(0)) {}
  void join(Vertex a, Vertex b, double units = 1) {
    links_.push_back({a, b, one_.bandwidth * units, one_.latency});
    links_.push_back({b, a, one_.bandwidth * units, one_.latency});
  }
  [[nodiscard]] std::vector<TopologyLink> all() && { return std::move(links_); }

 private:
  Axis one_;
  std::vector<TopologyLink> links_;
};

Topology two_level_tree(Spec& spec, std::string name) {
  auto const leaves = spec.number("leaf switches");
  spec.wants("x");
  auto const hosts = spec.number("nodes of a leaf switch");
  auto const over = spec.takes("/") ? spec.number("the oversubscription, nodes for each link upwards") : 1;
  spec.ends();
  if (hosts % over != 0) spec.refuse(fmt::format("/{}", over), fmt::format("a divisor of {} nodes of a leaf", hosts));
  auto const spines = hosts / over;
  auto const compute = spec.few(std::int64_t{leaves} * hosts);
  Cables cables;
  for (Vertex n = 0; n < compute; ++n) cables.join(n, compute + n / hosts);
  for (Vertex leaf = 0; leaf < leaves; ++leaf)
    for (Vertex spine = 0; spine < spines; ++spine) cables.join(compute + leaf, compute + leaves + spine);
  return {std::move(name), compute, leaves + spines, std::move(cables).all()};
}

Topology three_level_tree(Spec& spec, std::string name) {
  auto const k = spec.number("ports of a switch", 2);
  spec.ends();
  if (k % 2 != 0) spec.refuse(fmt::format("{}", k), "an even number of ports");
  auto const half = k / 2;
  auto const compute = spec.few(std::int64_t{k} * half * half);
  Vertex const edge = compute, middle = edge + k * half, core = middle + k * half;
  Cables cables;
  for (Vertex n = 0; n < compute; ++n) cables.join(n, edge + n / half);
  for (Vertex pod = 0; pod < k; ++pod) {
    for (Vertex a = 0; a < half; ++a) {
      for (Vertex b = 0; b < half; ++b) {
        cables.join(edge + pod * half + a, middle + pod * half + b);
        cables.join(middle + pod * half + a, core + a * half + b);
      }
    }
  }
  return {std::move(name), compute, 2 * k * half + half * half, std::move(cables).all()};
}

Topology dragonfly(Spec& spec, std::string name) {
  spec.wants("a=");
  auto const a = spec.number("switches of a group");
  spec.wants(",p=");
  auto const p = spec.number("nodes of a switch");
  spec.wants(",h=");
  auto const h = spec.number("global links of a switch");
  auto const host = spec.takes(",host=") ? spec.number("bandwidth of a node's link") : 1;
  spec.ends();
  auto const groups = spec.few(std::int64_t{a} * h + 1);
  auto const compute = spec.few(std::int64_t{groups} * a * p);
  Cables cables;
  for (Vertex n = 0; n < compute; ++n) cables.join(n, compute + n / p, host);
  for (Vertex group = 0; group < groups; ++group) {
    auto const first = compute + group * a;
    for (Vertex s = 0; s < a; ++s)
      for (Vertex t = s + 1; t < a; ++t) cables.join(first + s, first + t);
    // Link j of a group leads to the j-th group after it, whose link back is its j-th from the end.
    for (Vertex j = 0; j < groups - 1; ++j) {
      auto const other = (group + j + 1) % groups;
      if (group < other) cables.join(first + j / h, compute + other * a + (groups - 2 - j) / h);
    }
  }
  return {std::move(name), compute, groups * a, std::move(cables).all()};
}

Topology rails(Spec& spec, std::string name) {
  auto const boxes = spec.number("boxes");
  spec.wants("x");
  auto const gpus = spec.number("GPUs of a box");
  spec.ends();
  auto const compute = spec.few(std::int64_t{boxes} * gpus);
  Cables cables;
  for (Vertex n = 0; n < compute; ++n) {
    cables.join(n, compute + n / gpus, 12);
    cables.join(n, compute + boxes + n % gpus, 1);
  }
  return {std::move(name), compute, boxes + gpus, std::move(cables).all()};
}

Topology full(Spec& spec, std::string name) {
  auto const n = spec.number("nodes");
  spec.ends();
  spec.few(std::int64_t{n} * (n - 1));
  Cables cables;
  for (Vertex a = 0; a < n; ++a)
    for (Vertex b = a + 1; b < n; ++b) cables.join(a, b);
  return {std::move(name), n, 0, std::move(cables).all()};
}

Topology ring(Spec& spec, std::string name) {
  auto const n = spec.few(spec.number("nodes"));
  spec.ends();
  Cables cables;
  for (Vertex a = 0; a + 1 < n; ++a) cables.join(a, a + 1);
  if (n > 2) cables.join(n - 1, 0);
  return {std::move(name), n, 0, std::move(cables).all()};
}

Topology hypercube(Spec& spec, std::string name) {
  auto const n = spec.few(spec.number("nodes"));
  spec.ends();
  if ((n & (n - 1)) != 0) spec.refuse(fmt::format("{}", n), "a power of two");
  Cables cables;
  for (Vertex a = 0; a < n; ++a)
    for (Vertex bit = 1; bit < n; bit *= 2)
      if ((a & bit) == 0) cables.join(a, a | bit);
  return {std::move(name), n, 0, std::move(cables).all()};
}

/// Random pairs of link ends (the configuration model); pairs that may not be are exchanged with random others.
/// At most half of all pairs; nothing if none were found.
std::optional<std::vector<std::pair<Vertex, Vertex>>> few_random_pairs(Vertex n, Vertex degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto const below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::vector<Vertex> ends;
  for (Vertex v = 0; v < n; ++v) ends.insert(ends.end(), static_cast<std::size_t>(degree), v);
  for (auto x = ends.size(); x > 1; --x) std::swap(ends[x - 1], ends[below(x)]);
  std::vector<std::vector<Vertex>> linked(static_cast<std::size_t>(n));
  auto const may = [&](Vertex a, Vertex b) {
    return a != b &&
           std::ranges::find(linked[static_cast<std::size_t>(a)], b) == linked[static_cast<std::size_t>(a)].end();
  };
  auto const put = [&](Vertex a, Vertex b) {
    linked[static_cast<std::size_t>(a)].push_back(b);
    linked[static_cast<std::size_t>(b)].push_back(a);
  };
  auto const drop = [&](Vertex a, Vertex b) {
    auto& of = linked[static_cast<std::size_t>(a)];
    of.erase(std::ranges::find(of, b));
    auto& back = linked[static_cast<std::size_t>(b)];
    back.erase(std::ranges::find(back, a));
  };
  std::vector<std::pair<Vertex, Vertex>> pairs, left;
  for (std::size_t x = 0; x < ends.size(); x += 2) {
    auto const a = ends[x], b = ends[x + 1];
    if (may(a, b)) {
      put(a, b);
      pairs.emplace_back(a, b);
    } else {
      left.emplace_back(a, b);
    }
  }
  for (int tries = 0; !left.empty() && !pairs.empty() && tries < 1 << 20; ++tries) {
    auto const [a, b] = left.back();
    auto& other = pairs[below(pairs.size())];
    auto const [c, d] = other;
    drop(c, d);
    if (may(a, c) && may(b, d) && (a != b || c != d)) {
      put(a, c);
      if (may(b, d)) {
        put(b, d);
        other = {a, c};
        pairs.emplace_back(b, d);
        left.pop_back();
        continue;
      }
      drop(a, c);
    }
    put(c, d);
  }
  if (!left.empty()) return std::nullopt;
  return pairs;
}

std::optional<std::vector<std::pair<Vertex, Vertex>>> random_pairs(Vertex n, Vertex degree, std::uint64_t seed) {
  if (2 * degree < n) return few_random_pairs(n, degree, seed);
  auto without = few_random_pairs(n, n - 1 - degree, seed);
  if (!without) return without;
  for (auto& [a, b] : *without)
    if (a > b) std::swap(a, b);
  std::ranges::sort(*without);
  std::vector<std::pair<Vertex, Vertex>> pairs;
  for (Vertex a = 0; a < n; ++a) {
    for (Vertex b = a + 1; b < n; ++b)
      if (!std::ranges::binary_search(*without, std::pair(a, b))) pairs.emplace_back(a, b);
  }
  return pairs;
}

Topology random_regular(Spec& spec, std::string name) {
  auto const n = spec.few(spec.number("nodes"));
  spec.wants(",");
  auto const degree = spec.number("links of a node");
  spec.wants(",");
  auto const seed = spec.number("a seed", 0);
  spec.ends();
  if (degree >= n || std::int64_t{n} * degree % 2 != 0)
    spec.refuse(fmt::format("{},{}", n, degree), "fewer links a node than nodes, and an even product of the two");
  auto const pairs = random_pairs(n, degree, static_cast<std::uint64_t>(seed));
  if (!pairs) spec.refuse(fmt::format("{},{}", n, degree), "a smaller degree: no such graph was found");
  Cables cables;
  for (auto const& [a, b] : *pairs) cables.join(a, b);
  return {std::move(name), n, 0, std::move(cables).all()};
}

}  // namespace

Topology Topology::parse(std::string_view text) {
  using Make = Topology (*)(Spec&, std::string);
  constexpr std::array<std::pair<std::string_view, Make>, 8> kinds{{{"fattree:k=", &three_level_tree},
                                                                    {"fattree:", &two_level_tree},
                                                                    {"dragonfly:", &dragonfly},
                                                                    {"rails:", &rails},
                                                                    {"full:", &full},
                                                                    {"ring:", &ring},
                                                                    {"hypercube:", &hypercube},
                                                                    {"random:", &random_regular}}};
  Spec spec(text);
  for (auto const& [start, make] : kinds)
    if (spec.takes(start)) return make(spec, std::string(text));
  return of(Machine::parse(text));
}

}  // namespace allport
