// Proves a schedule on a machine before anything runs, or says in one sentence where it goes wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport::verify {

/// What went wrong. The order is that of a report: an earlier kind usually causes the later ones.
enum class Kind : std::uint8_t {
  program,        ///< an operation that cannot be: peer, length, slot, dependence or alignment
  unmatched,      ///< a send without its receive, or a receive without its send
  mismatch,       ///< the two ends of a stream disagree about length, segment or piece
  no_link,        ///< the port does not lead to the peer
  dead_link,      ///< the message's route crosses a dead link
  race,           ///< two accesses to the same bytes, one of them a write, without an order between them
  ring_overflow,  ///< the same about a ring: its window is longer than its slots
  deadlock,       ///< a cycle of waits
  missing,        ///< bytes that are never received, or sent on before they are there
  wrong,          ///< bytes of another source, destination or offset than promised
  doubled,        ///< an output byte that is delivered twice
  contribution,   ///< a reduction in which a rank is missing or counted twice
  shared_link,    ///< two trees over one link; a finding only with Options::disjoint
};
[[nodiscard]] std::string_view name(Kind kind);

/// A counterexample: the rank, the operation of its program and the segment at which the schedule breaks its contract.
struct Finding {
  Kind kind = Kind::program;
  Rank rank = -1;
  std::int32_t op = -1;       ///< index in the rank's program; -1: no single operation
  std::int64_t segment = -1;  ///< step of the operation's stream; -1: all of it
  std::string piece;          ///< "bytes [1024, 2048) of root 0's message"; empty where no data are concerned
  std::string message;        ///< one sentence
};

struct Counts {
  std::int64_t operations = 0;
  std::int64_t streams = 0;      ///< pairs of a send and its receive
  std::int64_t messages = 0;     ///< segments sent, summed over all ranks
  std::int64_t segments = 0;     ///< distinct ones: (channel, step of the stream)
  std::int64_t bytes_moved = 0;  ///< over all streams, once per rank-to-rank message
  std::int64_t scratch = 0;      ///< bytes, largest of all ranks
  std::int64_t depth = 0;        ///< messages in the longest chain of dependences of first segments
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
  std::int64_t bytes = 0;  ///< summed over links, so a message counts once per hop
  std::int64_t max = 0;    ///< over used links, as are min and mean
  std::int64_t min = 0;
  double mean = 0.0;
  std::string max_name;  ///< "(0,1)+x -> (1,1)"
  std::vector<LoadBin> histogram;
  std::vector<std::int64_t> by_port;  ///< bytes per axis and direction, indexed by Port
  bool disjoint = true;               ///< no link carries two trees (channels t and t + trees are one tree)
  std::string shared_name;            ///< the first link that does, by LinkId
  int shared_trees[2] = {-1, -1};
};

struct Time {
  Seconds busiest{};         ///< max over links of load / bandwidth, and over nodes of the injection and port caps
  std::string busiest_name;  ///< the link or node
  /// No schedule for this contract on this machine is faster, by latency or by bandwidth: what simulations, prices and
  /// reports are compared with; 0: none known.
  Seconds lower_bound{};
  Seconds bandwidth_bound{};  ///< its part by bandwidth alone, which is what loads of links can be compared with
  double gap = 0.0;           ///< busiest / bandwidth_bound; 0 where none is known
};

struct Report {
  bool ok = false;
  std::vector<Finding> findings;  ///< the first is minimal: earliest kind, segment and hop, then lowest rank
  std::int64_t found = 0;         ///< all findings, also those beyond Options::max_findings
  std::string algorithm;
  std::string machine;
  Contract contract;
  Cut cut;
  int trees = 0;
  Counts counts;
  Links links;
  Time time;
  /// A reduction combines neighbouring intervals of ranks, left operand first, so it also serves operators that do not
  /// commute. True for data movers.
  bool rank_ordered = true;
  double elapsed = 0.0;  ///< seconds that the proof took
};

struct Options {
  bool links = true;      ///< loads, disjointness and times; dead links are always looked for
  bool disjoint = false;  ///< two trees over one link are a finding
  /// Node of each rank, for ranks that are not all of the machine's, or placed otherwise; empty: as the machine counts
  /// them. With a placement ports mean nothing, messages are routed, and boxes of ranks are intervals.
  std::vector<Node> placement{};
  int max_findings = 20;
  std::int64_t max_operations = 40'000'000;  ///< about 150 bytes of memory each
  /// Called now and then with the phase and its finished fraction; may be empty.
  std::function<void(std::string_view phase, double fraction)> progress{};
};

/// Proves, for all ranks of the schedule:
///   1. every operation is possible, and every send has exactly one receive of the same stream;
///   2. no race: accesses to the same bytes, one of them a write, are ordered by the rank's own dependences;
///   3. no deadlock with synchronous sends and one receive posted per stream (window 1): what ends in this strictest
///   model ends with any buffering, since a segment
///      that may move stays able to (the order of moves does not matter);
///   4. delivery: every required byte arrives exactly once and is the right one; a reduction holds every rank's
///      contribution exactly once (count and 128-bit fingerprint; a failing byte is rerun with exact multisets);
///   5. loads of all links, and whether the trees share one.
/// By 2 the result does not depend on timing, so one execution, symbolic and in any order, stands for all.
/// @pre schedule.ranks() == machine.ranks(), or a node of the machine for each in options.placement; the schedule has a
/// contract (not Collective::none)
/// @throws Error(argument) on a broken precondition, Error(memory) beyond options.max_operations. A wrong schedule does
///         not throw; it is reported.
[[nodiscard]] Report prove(Schedule const& schedule, Machine const& machine, Options const& options = {});

/// Text for a terminal: the verdict, the counts, the links, then the findings.
[[nodiscard]] std::string to_text(Report const& report);
[[nodiscard]] std::string to_json(Report const& report);

}  // namespace allport::verify
