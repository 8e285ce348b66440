// How long a schedule takes on a machine: every segment of every stream over every link that it crosses.
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
///   fifo  one at a time, whole segments, in the order in which their heads arrive; a segment that crosses several
///   links
///         starts on the next one as soon as its head is there (virtual cut-through)
///   fair  all at once, as fluid: a message waits for the latency of its way, then flows over all its links at max-min
///         fair rates, recomputed whenever one starts or ends; a send is complete when the last byte has arrived
enum class Sharing : std::uint8_t { fifo, fair };

/// Who spends o at the ends of messages (Solomonik11, slide 21).
///   parallel  an engine for each stream: o delays a stream, streams do not wait for each other
///   serial    the rank's one processor, in the order in which its message ends become ready
enum class Overheads : std::uint8_t { parallel, serial };

/// events: one event after the other; recurrence: the same times from each stream's recurrence, without a queue, which
/// is exact where no two streams share anything; automatic: recurrence where it is exact.
enum class Engine : std::uint8_t { automatic, events, recurrence };

[[nodiscard]] Sharing parse_sharing(std::string_view text);      ///< throws Error (here and below)
[[nodiscard]] Overheads parse_overheads(std::string_view text);  ///< "parallel", "serial"
[[nodiscard]] Engine parse_engine(std::string_view text);        ///< "auto", "events", "recurrence"
[[nodiscard]] std::string_view name(Engine engine);

struct Options {
  Sharing sharing = Sharing::fifo;
  Overheads overheads = Overheads::parallel;
  Engine engine = Engine::automatic;
  /// Messages of at most so many bytes leave before their receive is posted; larger ones wait for it (rendezvous).
  std::int64_t eager = 0;
  /// Rendezvous costs a request and an answer, one latency of the route each; false: it is known at once.
  bool handshake = false;
  bool latency_weights = false;  ///< fair: a message's share is inverse to the latency of its way
  std::int64_t header = 0;       ///< bytes that every message carries beside its own
  /// Node of each rank; empty: as the machine counts them. With a placement ports mean nothing and messages are routed.
  std::vector<Node> placement;
  /// Place of each rank among the machine's ranks, as a mapping says it; instead of `placement`, where it matters which
  /// host of a node a rank is on. There may be fewer ranks than places.
  std::vector<Rank> places;
  bool trace = false;  ///< keep what every end, link and operator did, and what made it wait (tens of bytes each)
  std::int64_t trace_limit = 20'000'000;
  /// Refuse what would take more than so many seconds of one core, with the segments that would not; 0: never refuse.
  double most_seconds = 0.0;
  /// Called now and then with the fraction of segments that have arrived.
  std::function<void(double)> progress;
};

enum class Deed : std::uint8_t { send, link, receive, combine, copy };
[[nodiscard]] std::string_view name(Deed deed);

/// Something that took time: o at a message's end, a segment on a link, an operator, a copy in memory.
struct Record {
  double begin = 0.0;  ///< seconds
  double end = 0.0;
  std::int64_t cause = -1;  ///< the record whose end let this one begin
  LinkId link = -1;
  std::int64_t segment = 0;
  Rank rank = 0;  ///< link: the sender
  std::int32_t op = 0;
  std::int32_t peer = -1;
  Deed what = Deed::link;
};

struct Counts {
  std::int64_t streams = 0;
  std::int64_t messages = 0;   ///< segments of all streams
  std::int64_t hops = 0;       ///< messages x links that each crosses
  std::int64_t events = 0;     ///< of the queue; 0 for the recurrence
  std::int64_t contended = 0;  ///< links that more than one stream crosses
};

struct Result {
  double seconds = 0.0;           ///< until the last rank is done
  std::vector<double> ranks;      ///< until each is done
  std::vector<double> link_busy;  ///< by LinkId, seconds at full rate
  std::vector<double> link_bytes;
  Counts counts;
  Engine engine = Engine::events;
  std::string engine_why;        ///< why not the recurrence
  std::vector<Record> timeline;  ///< with Options::trace, in the order in which they began to be known
  std::int64_t last = -1;        ///< record that ended the run; its causes are the critical path

  /// The records from the first to the one that made the last rank late.
  [[nodiscard]] std::vector<Record> critical_path() const;
};

/// Runs all ranks of the schedule on the machine, from time 0 on every rank. Deterministic.
/// Beside the links: injection (what a node's own sends put on all its links together), ports (links that a node drives
/// at once), tau (sends that leave while m - 1 others do take 1 + (m - 1) tau times as long, Chan06), the reduction
/// operator (one per node at a time, Solomonik11, slide 31), copies in a node's memory between its ranks.
/// Memory: some hundred bytes a stream; with the trace, 64 bytes a record.
/// @throws Error(schedule) when a stream has no other end or runs over a dead link, or when nothing can move any more
/// @throws Error(argument) when options do not fit: placement, places, eager < 0, an engine that is not exact here
/// @throws Error(unsupported) when it would take more than options.most_seconds
[[nodiscard]] Result simulate(Schedule const& schedule, Machine const& machine, Options const& options = {});

}  // namespace allport::sim
