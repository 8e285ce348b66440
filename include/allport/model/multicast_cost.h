// What a multicast or a reduction costs: the closed forms of Solomonik11 and Chan06, and the price of trees through
// which segments stream.
#pragma once

#include <cstdint>

#include "allport/machine/machine.h"
#include "allport/model/link_loads.h"

namespace allport::model {

/// All that a node's outgoing links carry at once: the sum over its live links, of its fastest `ports` ones if the
/// machine limits them, capped by injection, the node's and that of all parts of a level. B_n of Solomonik11, slide 20
/// for the root of an undamaged torus (2d * b_link). Zero on a machine of one node.
[[nodiscard]] BytesPerSecond link_sum(Machine const& machine, Node node);

/// Number of link-disjoint rectangular trees (Solomonik11, slide 4): 2d for d wrapped axes longer than 1, d as soon as
/// one is open, 1 on a single node.
[[nodiscard]] int rectangular_trees(Machine const& machine);

/// B_n of the rectangular multicast: that many trees, each as fast as the slowest axis (every tree crosses all of
/// them), capped by ports and injection: 2d * b on an isotropic torus, d * b on a mesh. Zero on a machine of one node.
[[nodiscard]] BytesPerSecond rectangular_bandwidth(Machine const& machine);

/// The symbols of Solomonik11, slides 20, 21 and 31.
struct MulticastTerms {
  BytesPerSecond bandwidth{};  ///< B_n; 0: nothing is sent (one node)
  Seconds overhead{};          ///< o
  Seconds latency{};           ///< L
  int axes = 0;                ///< d, axes longer than 1
  Seconds path{};              ///< path overhead: sum over axes of n_a * (2o + L_a)
};

/// Terms of a machine, with B_n of rectangular_bandwidth and the path n_0 + n_1 + ... of its axes (Solomonik11's
/// d * P^(1/d) where all axes are alike).
[[nodiscard]] MulticastTerms multicast_terms(Machine const& machine);

/// Terms of a cubic torus, P^(1/d) needs no integer: B_n = 2d * link, path = d * P^(1/d) * (2o + L).
/// @pre axes >= 1, nodes >= 1
[[nodiscard]] MulticastTerms cubic_terms(double nodes, int axes, BytesPerSecond link, Seconds overhead,
                                         Seconds latency);

/// Rectangular multicast: m/B_n + 2(d + 1)o + 3L + path (Solomonik11, slide 20).
[[nodiscard]] Seconds t_mcast(Bytes message, MulticastTerms const& terms);

/// Binomial multicast without contention: log2(P) * (m/B_n + 2o + L), real logarithm as in Solomonik11, slide 21. What
/// B_n means there is open: 2d links for the published curves, one link for code that sends one copy at a time.
[[nodiscard]] Seconds t_bnm(Bytes message, double nodes, BytesPerSecond bandwidth, Seconds overhead, Seconds latency);

/// Rectangular reduction of doubles: max[m/(8 gamma), 3m/beta, m/B_n] + 2(d + 1)o + 3L + path (Solomonik11, slide 31).
/// @param adds gamma, additions of doubles per second; 0 leaves its term out, as 0 does for `memory` (beta)
[[nodiscard]] Seconds t_red(Bytes message, MulticastTerms const& terms, FlopsPerSecond adds, BytesPerSecond memory);

/// Seconds per byte of the reduction operator on doubles: one addition per 8 bytes, three passes over memory, whichever
/// is slower (Solomonik11, slide 31).
[[nodiscard]] double operator_seconds_per_byte(Machine const& machine);

/// Binomial multicast on a real machine: sum over rounds of m * (slowest link with its contention) + 2o + path, the
/// rounds one after the other. Reductions go up the same tree, over the links of the messages' own routes, and add the
/// operator in every round.
/// @pre 0 <= root < machine.ranks()
[[nodiscard]] Seconds t_binomial(Machine const& machine, Bytes message, Rank root, bool combines = false);
/// The same from the loads of another placement of the ranks.
[[nodiscard]] Seconds t_binomial(Machine const& machine, Bytes message, BinomialLoads const& loads,
                                 bool combines = false);

/// Trees through which segments stream, store and forward.
struct StreamedTrees {
  std::int64_t depth = 1;    ///< hops from the root to the farthest node, or from the deepest leaf to the root
  int parts = 1;             ///< trees at work at the same time; the message is cut in as many slices
  int fan_out = 1;           ///< most children of one node in one tree
  int sharing = 1;           ///< most streams on one directed link (1: the trees are link-disjoint)
  int turns = 1;             ///< 2: up the trees and down again, so that a segment passes every node twice
  bool combines = false;     ///< a reduction: every node applies the operator to every segment it receives
  Bytes segment{64 * 1024};  ///< at most
  int window = 2;            ///< segments in flight per stream
};

/// Time per segment once the pipeline is full, for segments of `segment` bytes on all parts at once: the slowest of its
/// links (with `sharing`, tau, ports and injection), of the CPU overhead of its messages, of its operator, and of the
/// window (a segment returns its slot after one hop). A node drives each of its links for one stream per `sharing`, so
/// it sends sends = min(parts * fan_out, links * sharing) segments per period. Its leader handles
/// parts + sends + parts * rounds_within() messages per period: one of each tree comes from (goes to) another node, and
/// each tree has its own binomial tree within the node.
[[nodiscard]] Seconds segment_period(Machine const& machine, StreamedTrees const& trees, Bytes segment);

/// Fill of the pipeline, depth hops of 2o + L + segment/b (+ operator), then one period for each further segment of the
/// largest slice: (depth + segments - 1) * segment/b where bandwidth is all that counts [derived]. Machines with
/// several ranks per node add, once per turn, the binomial tree within the node, one segment deep, and what the last
/// tree's first segment waits there for the other trees': (parts - 1)(1 + rounds_within()) overheads [derived; beside
/// the simulator in tests/select/prices_simulated.cpp]. 0 bytes cost one empty message per hop.
/// @pre trees.depth >= 0, parts, fan_out, sharing, window >= 1, segment >= 1 byte, message >= 0 bytes
[[nodiscard]] Seconds t_streamed(Machine const& machine, StreamedTrees const& trees, Bytes message);

/// Two trees, once round a ring of nodes in either direction, half of the message each (Solomonik11, slide 33).
[[nodiscard]] StreamedTrees streamed_ring(std::int64_t nodes, bool combines, Bytes segment, int window);
/// One tree, a line of nodes from a root that has `before` nodes on its one side and the rest on its other side.
/// @pre 0 <= before < nodes
[[nodiscard]] StreamedTrees streamed_line(std::int64_t nodes, std::int64_t before, bool combines, Bytes segment,
                                          int window);

}  // namespace allport::model
