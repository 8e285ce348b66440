// Static mapping by Scotch, if Allport was built with it. Scotch does not know bandwidths: every hop has the same cost,
// and a node takes as many ranks as it has places in the job.
#include "rows.h"

#ifdef ALLPORT_SCOTCH
#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

extern "C" {
#include <scotch.h>
}
#endif

namespace allport::mapping {

#ifdef ALLPORT_SCOTCH

namespace {

constexpr double imbalance = 0.01;
constexpr SCOTCH_Num most_nodes =
    1 << 15;  // nodes mapped in one stage; 4,096 take seconds, 262,144 more than 5 minutes
constexpr SCOTCH_Num most_boxes = 1 << 14;
constexpr double heaviest = 1 << 16;  // weights of edges are scaled to 1 .. this, or less

/// Vertices and edges in Scotch's format: each edge is listed at both ends.
struct Graph {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> peers;
  std::vector<SCOTCH_Num> weights;

  [[nodiscard]] SCOTCH_Num vertices() const { return static_cast<SCOTCH_Num>(first.size()) - 1; }
};

/// The communication graph: one edge for both directions between two ranks. Scotch sums weights times hops in a
/// SCOTCH_Num and crashes on overflow; so the result is empty if even weights of 1 overflow.
std::optional<Graph> communication(Pattern const& pattern, std::int64_t most_hops) {
  Graph g;
  auto const in = pattern.flows().reversed();
  std::vector<std::int64_t> bytes;
  std::vector<std::pair<Rank, std::int64_t>> row;
  std::int64_t most = 1;
  double sum = 0.0;
  for (Rank r = 0; r < pattern.ranks(); ++r) {
    row.clear();
    for (auto const& f : pattern.flows().of(r)) row.emplace_back(f.peer, f.bytes);
    for (auto const& f : in.of(r)) row.emplace_back(f.peer, f.bytes);
    std::ranges::sort(row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0 && row[i].first == row[i - 1].first) {
        bytes.back() += row[i].second;
      } else {
        g.peers.push_back(row[i].first);
        bytes.push_back(row[i].second);
      }
      sum += static_cast<double>(row[i].second);
      most = std::max(most, bytes.back());
    }
    g.first.push_back(static_cast<SCOTCH_Num>(g.peers.size()));
  }
  auto const limit = 0.5 * static_cast<double>(std::numeric_limits<SCOTCH_Num>::max()) / static_cast<double>(most_hops);
  auto const edges = static_cast<double>(bytes.size());
  if (edges > limit) return std::nullopt;
  auto const scale = std::min(heaviest / static_cast<double>(most), (limit - edges) / std::max(sum, 1.0));
  for (auto const b : bytes) {
    g.weights.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(static_cast<double>(b) * scale)));
  }
  return g;
}

/// An upper bound of the longest route between two nodes.
std::int64_t most_hops(Machine const& machine) {
  std::int64_t hops = 1;
  for (int a = 0; a < machine.axes(); ++a) hops += machine.axis(a).length;
  return hops;
}

/// Nodes of the job, and the job's places on each.
std::map<Node, std::vector<Rank>> slots_of(MappingTask const& task) {
  std::map<Node, std::vector<Rank>> slots;
  for (auto const place : task.allocation()) slots[task.machine().node_of(place)].push_back(place);
  for (auto& [node, places] : slots) std::ranges::sort(places);
  return slots;
}

/// A torus or mesh, or some nodes of it; the first axis is fastest.
struct Target {
  std::vector<SCOTCH_Num> lengths;  // including axes of length 1
  bool wraps = false;
  std::vector<SCOTCH_Num> part;  // empty: all nodes

  [[nodiscard]] SCOTCH_Num nodes() const {
    SCOTCH_Num n = 1;
    for (auto const l : lengths) n *= l;
    return n;
  }
};

Target whole(Machine const& machine) {
  Target t{{}, true, {}};
  for (int a = 0; a < machine.axes(); ++a) {
    t.lengths.push_back(machine.axis(a).length);
    t.wraps = t.wraps && (machine.axis(a).wraps || machine.axis(a).length == 1);
  }
  return t;
}

/// For each vertex a node of the target, or an index into its part if it has one; empty if Scotch fails.
std::optional<std::vector<SCOTCH_Num>> map_graph(Graph& vertices, Target target, SCOTCH_Num strategy_flag) {
  std::vector<SCOTCH_Num> found(static_cast<std::size_t>(vertices.vertices()), 0);
  auto const parts = target.part.empty() ? target.nodes() : static_cast<SCOTCH_Num>(target.part.size());
  if (parts == 1 || found.empty()) return found;
  if (vertices.peers.empty()) {
    for (std::size_t v = 0; v < found.size(); ++v) found[v] = static_cast<SCOTCH_Num>(v) % parts;
    return found;
  }
  std::erase(target.lengths, 1);
  SCOTCH_Graph built, graph;
  SCOTCH_Arch all, part;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&built);
  SCOTCH_graphInit(&graph);
  SCOTCH_archInit(&all);
  SCOTCH_archInit(&part);
  SCOTCH_stratInit(&strategy);
  auto const dimensions = static_cast<SCOTCH_Num>(target.lengths.size());
  bool fine = SCOTCH_graphBuild(&built, 0, vertices.vertices(), vertices.first.data(), vertices.first.data() + 1,
                                nullptr, nullptr, static_cast<SCOTCH_Num>(vertices.peers.size()), vertices.peers.data(),
                                vertices.weights.data()) == 0;
#ifdef SCOTCH_OPTIONNUMDETERMINISTIC
  // From version 7 on Scotch starts a thread for each core, and its result depends on their timing.
  SCOTCH_Context one_thread;
  SCOTCH_contextInit(&one_thread);
  fine = fine && SCOTCH_contextThreadSpawn(&one_thread, 1, nullptr) == 0;
  fine = fine && SCOTCH_contextBindGraph(&one_thread, &built, &graph) == 0;
  auto* const source = &graph;
#else
  auto* const source = &built;
#endif
  fine = fine && (target.wraps ? SCOTCH_archTorusX(&all, dimensions, target.lengths.data())
                               : SCOTCH_archMeshX(&all, dimensions, target.lengths.data())) == 0;
  fine = fine && (target.part.empty() || SCOTCH_archSub(&part, &all, parts, target.part.data()) == 0);
  fine = fine && SCOTCH_stratGraphMapBuild(&strategy, strategy_flag, parts, imbalance) == 0;
  fine = fine && SCOTCH_graphMap(source, target.part.empty() ? &all : &part, &strategy, found.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&part);
  SCOTCH_archExit(&all);
  SCOTCH_graphExit(&graph);
#ifdef SCOTCH_OPTIONNUMDETERMINISTIC
  SCOTCH_contextExit(&one_thread);
#endif
  SCOTCH_graphExit(&built);
  if (!fine) return std::nullopt;
  return found;
}

/// The machine divided into at most most_boxes boxes of equal size, as far as its lengths have divisors.
struct Boxes {
  Target boxes, box;  // the torus or mesh of boxes; the inside of each box

  explicit Boxes(Target const& all) : boxes(all), box{std::vector<SCOTCH_Num>(all.lengths.size(), 1), false, {}} {
    while (boxes.nodes() > most_boxes) {
      auto const longest = static_cast<std::size_t>(std::ranges::max_element(boxes.lengths) - boxes.lengths.begin());
      auto& left = boxes.lengths[longest];
      SCOTCH_Num divisor = 2;
      while (left % divisor != 0) ++divisor;
      left /= divisor;
      box.lengths[longest] *= divisor;
    }
  }

  /// The machine's node at a position inside a box.
  [[nodiscard]] SCOTCH_Num node(SCOTCH_Num of_box, SCOTCH_Num inside) const {
    SCOTCH_Num node = 0, stride = 1;
    for (std::size_t a = 0; a < box.lengths.size(); ++a) {
      auto const m = boxes.lengths[a], n = box.lengths[a];
      node += stride * (of_box % m * n + inside % n);
      of_box /= m;
      inside /= n;
      stride *= m * n;
    }
    return node;
  }
};

/// The coordinate of a node along an axis.
SCOTCH_Num along(Target const& t, SCOTCH_Num node, std::size_t axis) {
  for (std::size_t a = 0; a < axis; ++a) node /= t.lengths[a];
  return node % t.lengths[axis];
}

/// Mirrors the inside of a box if that brings its ranks nearer to the ranks in other boxes that they communicate with.
void face_neighbours(Graph const& g, Boxes const& all, std::vector<SCOTCH_Num> const& box_of,
                     std::vector<SCOTCH_Num> const& members, std::vector<SCOTCH_Num>& inside) {
  for (std::size_t a = 0; a < all.box.lengths.size(); ++a) {
    auto const n = all.box.lengths[a], m = all.boxes.lengths[a];
    if (n == 1 || m == 1) continue;
    double outwards = 0.0;  // bytes times distance from the middle; negative: mirror
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto const v = static_cast<std::size_t>(members[i]);
      auto const here = along(all.boxes, box_of[v], a);
      auto const arm = 2.0 * along(all.box, inside[i], a) - (n - 1);
      for (auto e = static_cast<std::size_t>(g.first[v]); e < static_cast<std::size_t>(g.first[v + 1]); ++e) {
        auto offset = along(all.boxes, box_of[static_cast<std::size_t>(g.peers[e])], a) - here;
        if (all.boxes.wraps && 2 * std::abs(offset) > m) offset = -offset;
        outwards += offset == 0 ? 0.0 : arm * g.weights[e] * (offset > 0 ? 1 : -1);
      }
    }
    if (outwards >= 0.0) continue;
    SCOTCH_Num stride = 1;
    for (std::size_t b = 0; b < a; ++b) stride *= all.box.lengths[b];
    for (auto& place : inside) place += stride * (n - 1 - 2 * along(all.box, place, a));
  }
}

/// Scotch's time grows faster than linearly in the target: a large machine is mapped in two stages, ranks to boxes,
/// then the ranks of a box to its nodes.
std::optional<std::vector<SCOTCH_Num>> map_by_boxes(Graph& g, Target const& target) {
  Boxes const all(target);
  auto const box_of = map_graph(g, all.boxes, SCOTCH_STRATQUALITY);
  if (!box_of) return std::nullopt;
  std::vector<std::vector<SCOTCH_Num>> members(static_cast<std::size_t>(all.boxes.nodes()));
  std::vector<SCOTCH_Num> number(box_of->size());  // within its box
  for (std::size_t v = 0; v < box_of->size(); ++v) {
    auto& of_box = members[static_cast<std::size_t>((*box_of)[v])];
    number[v] = static_cast<SCOTCH_Num>(of_box.size());
    of_box.push_back(static_cast<SCOTCH_Num>(v));
  }
  std::vector<SCOTCH_Num> nodes(box_of->size());
  for (std::size_t b = 0; b < members.size(); ++b) {
    Graph inner;
    for (auto const v : members[b]) {
      auto const end = static_cast<std::size_t>(g.first[static_cast<std::size_t>(v) + 1]);
      for (auto e = static_cast<std::size_t>(g.first[static_cast<std::size_t>(v)]); e < end; ++e) {
        auto const peer = static_cast<std::size_t>(g.peers[e]);
        if ((*box_of)[peer] != static_cast<SCOTCH_Num>(b)) continue;
        inner.peers.push_back(number[peer]);
        inner.weights.push_back(g.weights[e]);
      }
      inner.first.push_back(static_cast<SCOTCH_Num>(inner.peers.size()));
    }
    auto inside = map_graph(inner, all.box, SCOTCH_STRATQUALITY);
    if (!inside) return std::nullopt;
    face_neighbours(g, all, *box_of, members[b], *inside);
    for (std::size_t i = 0; i < members[b].size(); ++i) {
      nodes[static_cast<std::size_t>(members[b][i])] = all.node(static_cast<SCOTCH_Num>(b), (*inside)[i]);
    }
  }
  return nodes;
}

/// Breadth-first search for the nearest node.
class Nearest {
 public:
  explicit Nearest(Machine const& machine) : machine_(machine), seen_(at(machine.nodes()), 0) {}

  /// The nearest node with fits(node); of several the one with the smallest number.
  /// @pre such a node exists
  template <class Fits>
  Node with(Node from, Fits&& fits) {
    ++now_;
    std::vector<Node> layer{from}, next;
    seen_[at(from)] = now_;
    while (!layer.empty()) {
      std::ranges::sort(layer);
      for (auto const node : layer) {
        if (fits(node)) return node;
      }
      next.clear();
      for (auto const node : layer) {
        for (Port p = 0; p < 2 * machine_.axes(); ++p) {
          auto const there = machine_.neighbour(node, p);
          if (!there || seen_[at(*there)] == now_) continue;
          seen_[at(*there)] = now_;
          next.push_back(*there);
        }
      }
      layer.swap(next);
    }
    return from;
  }

 private:
  Machine const& machine_;
  std::vector<std::int64_t> seen_;  // number of the search that has seen the node
  std::int64_t now_ = 0;
};

}  // namespace

Ordered scotch(MappingTask const& task) {
  auto graph = communication(task.pattern(), most_hops(task.machine()));
  if (!graph) return {{}, "its weights times hops do not fit Scotch's integers"};
  auto const slots = slots_of(task);
  auto target = whole(task.machine());
  bool const all = static_cast<Node>(slots.size()) == task.machine().nodes();
  if (!all) {
    for (auto const& [node, places] : slots) target.part.push_back(node);
  }
  bool const large = static_cast<Node>(slots.size()) > most_nodes;
  if (large && !all) {
    return {{}, fmt::format("Scotch takes minutes for more than {} nodes that are not the whole machine", most_nodes)};
  }
  // Scotch's random number generator is global to the process.
  static std::mutex one_at_a_time;
  auto const lock = std::lock_guard(one_at_a_time);
  SCOTCH_randomReset();
  auto const found = large ? map_by_boxes(*graph, target) : map_graph(*graph, target, SCOTCH_STRATQUALITY);
  if (!found) return {{}, "Scotch could not map this graph"};
  // Scotch balances within 1 %: ranks beyond a node's places go to the nearest node with a free place.
  std::vector<std::vector<Rank>> left(at(task.machine().nodes()));
  for (auto const& [node, places_of_node] : slots) left[at(node)] = places_of_node;
  auto const slots_at = [&](Node n) -> std::vector<Rank>& { return left[at(n)]; };
  std::vector<Rank> places(at(task.ranks()), -1), over;
  for (Rank r = 0; r < task.ranks(); ++r) {
    auto const to = (*found)[at(r)];
    auto const node = static_cast<Node>(all ? to : target.part[static_cast<std::size_t>(to)]);
    auto& free = slots_at(node);
    if (free.empty()) {
      over.push_back(r);
      places[at(r)] = node;
    } else {
      places[at(r)] = free.front();
      free.erase(free.begin());
    }
  }
  auto nearest = Nearest(task.machine());
  for (auto const r : over) {
    auto const node = nearest.with(static_cast<Node>(places[at(r)]), [&](Node n) { return !slots_at(n).empty(); });
    auto& free = slots_at(node);
    places[at(r)] = free.front();
    free.erase(free.begin());
  }
  return {std::move(places), ""};
}

#else

Ordered scotch(MappingTask const&) {
  return {{}, "Allport was built without Scotch; install it (Debian: libscotch-dev) and build again"};
}

#endif

}  // namespace allport::mapping
