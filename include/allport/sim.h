// Simulates the time of a schedule on a machine: every segment of every stream on every link that it crosses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport::sim {

/// How messages share a directed link.
///   fifo  one at a time, whole segments, in the order in which their heads arrive; on a route of several links a
///         segment starts on the next link as soon as its head arrives there (virtual cut-through)
///   fair  all at once, as fluid: a message waits for the latency of its route, then flows over all its links at
///         max-min fair rates, recomputed whenever a message starts or ends; a send is complete when its last byte has
///         arrived
enum class Sharing : std::uint8_t { fifo, fair };

/// How the overhead o of message ends is spent (Solomonik11, slide 21).
///   parallel  an engine for each stream: o delays a stream, streams do not wait for each other
///   serial    the rank's one processor, in the order in which its message ends become ready
enum class Overheads : std::uint8_t { parallel, serial };

/// events: one event after the other. recurrence: the same times by a recurrence for each stream, without a queue,
/// which is exact if no two streams share anything. automatic: recurrence if it is exact.
enum class Engine : std::uint8_t { automatic, events, recurrence };

[[nodiscard]] Sharing parse_sharing(std::string_view text);      ///< throws Error (here and below)
[[nodiscard]] Overheads parse_overheads(std::string_view text);  ///< "parallel", "serial"
[[nodiscard]] Engine parse_engine(std::string_view text);        ///< "auto", "events", "recurrence"
[[nodiscard]] std::string_view name(Engine engine);

struct Options {
  Sharing sharing = Sharing::fifo;
  Overheads overheads = Overheads::parallel;
  Engine engine = Engine::automatic;
  /// Messages of at most this many bytes are sent before their receive is posted; longer ones wait for it (rendezvous).
  std::int64_t eager = 0;
  /// A rendezvous costs a request and an answer, each one latency of the route; false: no time.
  bool handshake = false;
  bool latency_weights = false;  ///< fair: a message's share is inversely proportional to the latency of its route
  std::int64_t header = 0;       ///< additional bytes of every message
  /// Node of each rank; empty: the machine's order. With a placement ports are ignored and messages are routed.
  std::vector<Node> placement;
  /// Place of each rank in the machine, as in a Mapping; use it instead of `placement` if the position within the node
  /// matters. There may be fewer ranks than places.
  std::vector<Rank> places;
  bool trace = false;  ///< record the activity of every message end, link and operator, and what it waited for
  std::int64_t trace_limit = 20'000'000;
  /// Throw if the simulation would take more than so many seconds of one core; the error suggests longer segments; 0:
  /// never.
  double most_seconds = 0.0;
  /// Called from time to time with the fraction of segments that have arrived.
  std::function<void(double)> progress;
};

enum class Activity : std::uint8_t { send, link, receive, combine, copy };
[[nodiscard]] std::string_view name(Activity activity);

/// An activity: o at a message's end, a segment on a link, an operator, a copy in memory.
struct Record {
  double begin = 0.0;  ///< seconds
  double end = 0.0;
  std::int64_t cause = -1;  ///< the record whose end enabled this one
  LinkId link = -1;
  std::int64_t segment = 0;
  Rank rank = 0;  ///< link: the sender
  std::int32_t op = 0;
  std::int32_t peer = -1;
  Activity activity = Activity::link;
};

struct Counts {
  std::int64_t streams = 0;
  std::int64_t messages = 0;   ///< segments of all streams
  std::int64_t hops = 0;       ///< messages x links that each crosses
  std::int64_t events = 0;     ///< events of the queue; 0 for the recurrence
  std::int64_t contended = 0;  ///< links that more than one stream crosses
};

struct Result {
  double seconds = 0.0;           ///< until the last rank has finished
  std::vector<double> ranks;      ///< until each rank has finished
  std::vector<double> link_busy;  ///< by LinkId, seconds at full rate
  std::vector<double> link_bytes;
  Counts counts;
  Engine engine = Engine::events;
  std::string engine_why;        ///< why the recurrence was not used
  std::vector<Record> timeline;  ///< with Options::trace, in the order of recording
  std::int64_t last = -1;        ///< the record that ended the run; its chain of causes is the critical path

  /// The records of the critical path, from the first to the last.
  [[nodiscard]] std::vector<Record> critical_path() const;
};

/// Runs all ranks of the schedule on the machine, from time 0 on every rank. Deterministic.
/// Besides links it models injection (total rate of a node's own sends), ports (links that a node drives at once), tau
/// (m simultaneous sends take 1 + (m - 1) tau times as long, Chan06), the reduction operator (one per node at a time,
/// Solomonik11, slide 31), and copies in a node's memory between its ranks.
/// Memory: about a hundred bytes per stream; with a trace, 64 bytes per record.
/// @throws Error(schedule) if a stream has one end only or crosses a dead link, or on deadlock @throws Error(argument)
/// for invalid options: placement, places, eager < 0, an engine that is not exact here @throws Error(unsupported) if it
/// would take more than options.most_seconds
[[nodiscard]] Result simulate(Schedule const& schedule, Machine const& machine, Options const& options = {});

}  // namespace allport::sim
