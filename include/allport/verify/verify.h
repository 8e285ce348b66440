// Proves a schedule on a machine before it runs, or reports counterexamples.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport::verify {

/// Kinds of errors, in the order of a report: an earlier kind usually causes the later ones.
enum class Kind : std::uint8_t {
  program,        ///< an invalid operation: peer, length, slot, dependence or alignment
  unmatched,      ///< a send without a receive, or a receive without a send
  mismatch,       ///< the two ends of a stream disagree on length, segment or piece
  no_link,        ///< the port does not lead to the peer
  dead_link,      ///< the message's route crosses a dead link
  race,           ///< two unordered accesses to the same bytes, one of them a write
  ring_overflow,  ///< a race in a ring: its window is longer than the ring
  deadlock,       ///< a cycle of waits
  missing,        ///< bytes that are never received, or forwarded before they have arrived
  wrong,          ///< bytes of another source, destination or offset than the contract requires
  doubled,        ///< an output byte delivered twice
  contribution,   ///< a reduction in which a rank's contribution is missing or counted twice
  shared_link,    ///< two trees on one link; a finding only with Options::disjoint
};
[[nodiscard]] std::string_view name(Kind kind);

/// A counterexample: the rank, its operation and the segment at which the schedule violates its contract.
struct Finding {
  Kind kind = Kind::program;
  Rank rank = -1;
  std::int32_t op = -1;       ///< index in the rank's program; -1: no single operation
  std::int64_t segment = -1;  ///< step of the operation's stream; -1: all of it
  std::string piece;          ///< "bytes [1024, 2048) of root 0's message"; empty if no data are concerned
  std::string message;        ///< one sentence
};

struct Counts {
  std::int64_t operations = 0;
  std::int64_t streams = 0;      ///< pairs of a send and its receive
  std::int64_t messages = 0;     ///< segments sent, summed over all ranks
  std::int64_t segments = 0;     ///< distinct pairs (channel, step of the stream)
  std::int64_t bytes_moved = 0;  ///< sum over all streams
  std::int64_t scratch = 0;      ///< bytes, maximum over ranks
  std::int64_t depth = 0;        ///< messages in the longest dependence chain of first segments
};

struct LoadBin {
  std::int64_t low = 0;   ///< bytes, inclusive
  std::int64_t high = 0;  ///< bytes, inclusive
  std::int64_t links = 0;
};

/// Bytes on the machine's directed links. Messages within a node use none.
struct Links {
  std::int64_t present = 0;  ///< physical directed links of the machine
  std::int64_t used = 0;
  std::int64_t bytes = 0;  ///< sum over links, so a message counts once per hop
  std::int64_t max = 0;    ///< over used links, like min and mean
  std::int64_t min = 0;
  double mean = 0.0;
  std::string max_name;  ///< "(0,1)+x -> (1,1)"
  std::vector<LoadBin> histogram;
  std::vector<std::int64_t> by_port;  ///< bytes per axis and direction, indexed by Port
  bool disjoint = true;               ///< no link carries two trees (channels t and t + trees are one tree)
  std::string shared_name;            ///< the first link with two trees, by LinkId
  int shared_trees[2] = {-1, -1};
};

struct Time {
  Seconds busiest{};         ///< max over links of load / bandwidth, and over nodes of the injection and port caps
  std::string busiest_name;  ///< the link or node
  /// Lower bound by latency and by bandwidth for any schedule of this contract on this machine; 0: unknown.
  /// Simulations, prices and reports are compared with it.
  Seconds lower_bound{};
  Seconds bandwidth_bound{};  ///< the bound by bandwidth alone, to compare with link loads
  double gap = 0.0;           ///< busiest / bandwidth_bound; 0 if unknown
};

struct Report {
  bool ok = false;
  std::vector<Finding> findings;  ///< the first is minimal: earliest kind, segment and hop, then lowest rank
  std::int64_t found = 0;         ///< number of all findings, including those beyond Options::max_findings
  std::string algorithm;
  std::string machine;
  Contract contract;
  Cut cut;
  int trees = 0;
  Counts counts;
  Links links;
  Time time;
  /// Whether a reduction combines adjacent intervals of ranks, left operand first, so that it suits non-commutative
  /// operators. True for data movers.
  bool rank_ordered = true;
  double elapsed = 0.0;  ///< seconds of the proof
};

struct Options {
  bool links = true;      ///< compute loads, disjointness and times; dead links are always checked
  bool disjoint = false;  ///< two trees on one link are a finding
  /// Node of each rank, if ranks are only some of the machine's or in another order; empty: the machine's order. With a
  /// placement ports are ignored, messages are routed, and boxes of ranks are intervals.
  std::vector<Node> placement{};
  int max_findings = 20;
  std::int64_t max_operations = 40'000'000;  ///< about 150 bytes of memory each
  /// Called from time to time with the phase and its completed fraction; may be empty.
  std::function<void(std::string_view phase, double fraction)> progress{};
};

/// Proves, for all ranks of the schedule:
///   1. validity: every operation is valid, and every send has exactly one receive of the same stream;
///   2. no race: accesses to the same bytes, one of them a write, are ordered by the rank's own dependences;
///   3. no deadlock with synchronous sends and one receive posted per stream (window 1): a schedule that ends in this
///      strictest model ends with any buffering, since a segment that can move remains able to;
///   4. delivery: every required byte arrives exactly once and is the right one; a reduction holds every rank's
///      contribution exactly once (count and 128-bit fingerprint; a failing byte is rerun with exact multisets);
///   5. loads of all links, and whether the trees share one.
/// By 2 the result does not depend on timing, so one execution, symbolic and in any order, stands for all.
/// @pre schedule.ranks() == machine.ranks(), or a node of the machine for each in options.placement; the schedule has a
/// contract (not Collective::none)
/// @throws Error(argument) on a broken precondition, Error(memory) beyond options.max_operations. A wrong schedule does
///         not throw; it is reported.
[[nodiscard]] Report prove(Schedule const& schedule, Machine const& machine, Options const& options = {});

/// Text for a terminal: result, counts, links, then the findings.
[[nodiscard]] std::string to_text(Report const& report);
[[nodiscard]] std::string to_json(Report const& report);

}  // namespace allport::verify
