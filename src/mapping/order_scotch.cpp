// Static mapping by Scotch, where the library was there when this one was built. It knows no bandwidths: every hop
// costs it the same, and a node takes as many ranks as it has places in the job.
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
constexpr double heaviest = 1 << 16;  // edges' weights are scaled to 1 .. this, or less

/// The communication graph: one edge for both ways between two ranks, as Scotch wants it, seen from both ends.
/// Scotch adds up weights times hops in a SCOTCH_Num; where these do not fit, it crashes.
struct Edges {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> peers;
  std::vector<SCOTCH_Num> weights;
  bool fits = true;  // false: even with weights of 1 they would not

  Edges(Pattern const& pattern, std::int64_t most_hops) {
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
          peers.push_back(row[i].first);
          bytes.push_back(row[i].second);
        }
        sum += static_cast<double>(row[i].second);
        most = std::max(most, bytes.back());
      }
      first.push_back(static_cast<SCOTCH_Num>(peers.size()));
    }
    // Rounding up to 1 adds at most one for each edge.
    auto const room =
        0.5 * static_cast<double>(std::numeric_limits<SCOTCH_Num>::max()) / static_cast<double>(most_hops);
    auto const edges = static_cast<double>(bytes.size());
    fits = edges <= room;
    auto const scale = std::min(heaviest / static_cast<double>(most), fits ? (room - edges) / std::max(sum, 1.0) : 0.0);
    for (auto const b : bytes) {
      weights.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(static_cast<double>(b) * scale)));
    }
  }
};

/// At least the longest way between two nodes.
std::int64_t most_hops(Machine const& machine) {
  std::int64_t hops = 1;
  for (int a = 0; a < machine.axes(); ++a) hops += machine.axis(a).length;
  return hops;
}

/// Nodes of the job, and how many of its places each has.
std::map<Node, std::vector<Rank>> seats_of(MappingTask const& task) {
  std::map<Node, std::vector<Rank>> seats;
  for (auto const place : task.allocation()) seats[task.machine().node_of(place)].push_back(place);
  for (auto& [node, places] : seats) std::ranges::sort(places);
  return seats;
}

/// A node's number for each rank; nothing when Scotch fails.
std::optional<std::vector<SCOTCH_Num>> map_graph(MappingTask const& task, Edges& edges, std::vector<SCOTCH_Num> nodes) {
  // Scotch's generator of random numbers is one for the process.
  static std::mutex one_at_a_time;
  auto const lock = std::lock_guard(one_at_a_time);
  SCOTCH_randomReset();
  auto const& machine = task.machine();
  std::vector<SCOTCH_Num> lengths;
  bool wraps = true;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length == 1) continue;
    lengths.push_back(machine.axis(a).length);
    wraps = wraps && machine.axis(a).wraps;
  }
  if (lengths.empty()) lengths.push_back(1);
  SCOTCH_Graph graph;
  SCOTCH_Arch whole, part;
  SCOTCH_Strat strategy;
  std::vector<SCOTCH_Num> found(at(task.ranks()), 0);
  SCOTCH_graphInit(&graph);
  SCOTCH_archInit(&whole);
  SCOTCH_archInit(&part);
  SCOTCH_stratInit(&strategy);
  auto const dimensions = static_cast<SCOTCH_Num>(lengths.size());
  bool fine =
      SCOTCH_graphBuild(&graph, 0, task.ranks(), edges.first.data(), edges.first.data() + 1, nullptr, nullptr,
                        static_cast<SCOTCH_Num>(edges.peers.size()), edges.peers.data(), edges.weights.data()) == 0;
  fine = fine && (wraps ? SCOTCH_archTorusX(&whole, dimensions, lengths.data())
                        : SCOTCH_archMeshX(&whole, dimensions, lengths.data())) == 0;
  bool const all = static_cast<Node>(nodes.size()) == machine.nodes();
  fine = fine && (all || SCOTCH_archSub(&part, &whole, static_cast<SCOTCH_Num>(nodes.size()), nodes.data()) == 0);
  fine = fine && SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, static_cast<SCOTCH_Num>(nodes.size()),
                                           imbalance) == 0;
  fine = fine && SCOTCH_graphMap(&graph, all ? &whole : &part, &strategy, found.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&part);
  SCOTCH_archExit(&whole);
  SCOTCH_graphExit(&graph);
  if (!fine) return std::nullopt;
  return found;
}

/// Searches nodes outwards from one.
class Nearest {
 public:
  explicit Nearest(Machine const& machine) : machine_(machine), seen_(at(machine.nodes()), 0) {}

  /// The nearest node for which fits(node), of several the one with the least number.
  /// @pre there is one
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
  std::vector<std::int64_t> seen_;  // in which search
  std::int64_t now_ = 0;
};

}  // namespace

Ordered scotch(MappingTask const& task) {
  auto edges = Edges(task.pattern(), most_hops(task.machine()));
  if (!edges.fits) return {{}, "its weights times hops do not fit Scotch's integers"};
  auto const seats = seats_of(task);
  std::vector<SCOTCH_Num> nodes;
  for (auto const& [node, places] : seats) nodes.push_back(node);
  auto found = std::vector<SCOTCH_Num>(at(task.ranks()), 0);
  if (nodes.size() > 1) {
    auto const mapped = map_graph(task, edges, nodes);
    if (!mapped) return {{}, "Scotch could not map this graph"};
    found = *mapped;
  }
  // Scotch balances to a hundredth: who is over a node's places goes to the nearest node that has one.
  bool const all = static_cast<Node>(nodes.size()) == task.machine().nodes();
  std::vector<std::vector<Rank>> left(at(task.machine().nodes()));
  for (auto const& [node, free] : seats) left[at(node)] = free;
  auto const room_at = [&](Node n) -> std::vector<Rank>& { return left[at(n)]; };
  std::vector<Rank> places(at(task.ranks()), -1), over;
  for (Rank r = 0; r < task.ranks(); ++r) {
    auto const target = static_cast<Node>(all || nodes.size() == 1 ? nodes.size() == 1 ? nodes[0] : found[at(r)]
                                                                   : nodes[at(found[at(r)])]);
    auto& room = room_at(target);
    if (room.empty()) {
      over.push_back(r);
      places[at(r)] = target;
    } else {
      places[at(r)] = room.front();
      room.erase(room.begin());
    }
  }
  auto nearest = Nearest(task.machine());
  for (auto const r : over) {
    auto const node = nearest.with(static_cast<Node>(places[at(r)]), [&](Node n) { return !room_at(n).empty(); });
    auto& room = room_at(node);
    places[at(r)] = room.front();
    room.erase(room.begin());
  }
  return {std::move(places), ""};
}

#else

Ordered scotch(MappingTask const&) {
  return {{}, "Allport was built without Scotch; install it (Debian: libscotch-dev) and build again"};
}

#endif

}  // namespace allport::mapping
