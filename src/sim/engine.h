// The event-driven engine: starts operations when they are ready, and models message ends and operators.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "inside.h"
#include "queue.h"
#include "streams.h"

namespace allport::sim {

class Network;

class Tracer {
 public:
  Tracer(bool on, std::int64_t limit) : on_(on), limit_(limit) {}
  [[nodiscard]] bool on() const { return on_; }
  /// Stores a record and returns its number; -1 without a trace.
  std::int64_t keep(Record const& record);
  std::vector<Record> take() { return std::move(records_); }

 private:
  bool on_;
  std::int64_t limit_;
  std::vector<Record> records_;
};

/// Reserved time of a server; `cause`: the record that it waited for.
struct Booking {
  double begin = 0.0;
  double end = 0.0;
  std::int64_t cause = -1;
};
/// Reserves `seconds` of a server, from `now` on at the earliest.
[[nodiscard]] Booking book(Server& server, double now, double seconds, std::int64_t cause);

class EventEngine {
 public:
  EventEngine(Streams const& streams, Options const& options);
  ~EventEngine();
  EventEngine(EventEngine const&) = delete;
  EventEngine& operator=(EventEngine const&) = delete;

  void run(Result& into);

  // Called by networks.
  void at_time(double time, EventKind kind, OpId row, std::int32_t segment, std::int64_t cause,
               std::uint32_t token = 0) {
    queue_.push({time, cause, row, segment, token, kind});
  }
  [[nodiscard]] Tracer& tracer() { return tracer_; }
  [[nodiscard]] Streams const& streams() const { return streams_; }
  [[nodiscard]] Inside& inside() { return inside_; }
  [[nodiscard]] Options const& options() const { return options_; }
  [[nodiscard]] double bytes_on_wire(OpId send, std::int32_t segment) const {
    return static_cast<double>(streams_.op(send).bytes(segment) + options_.header);
  }

 private:
  struct State {
    std::int32_t posted = 0;
    std::int32_t done = 0;
    std::int32_t offered = 0;   ///< send: left the processor; receive: arrived
    std::int32_t launched = 0;  ///< send: given to the network; receive: handed to the processor
    std::uint64_t landed = 0;   ///< bit i: segment done + i is complete
    std::uint64_t came = 0;     ///< receive, bit i: segment offered + i has arrived
  };

  [[nodiscard]] bool may_go(OpId r) const;
  void advance(OpId r);
  void post(OpId r);
  void offer(OpId send);
  void launch(OpId send);
  void carry(OpId send, std::int32_t segment);
  /// Reserves a server for a message end, operator or copy of operation r, records it, and returns the server's new
  /// state.
  Server const& serve(Server& server, OpId r, std::int32_t segment, double seconds, Activity activity);
  /// The same for the memory and cores of a rank's node, which serve copies and operators one after the other.
  Server const& occupy(OpId r, std::int32_t segment, double seconds_per_byte, Activity activity);
  /// Reserves the path of a message to a sibling part of the same node.
  Server const& pass(Inside::Path const& path, OpId send, std::int32_t segment);
  void take_in(OpId receive);
  void complete(OpId r, std::int32_t segment);
  void compute(OpId r, std::int32_t segment);
  void handle(Event const& e);
  [[nodiscard]] Server& processor(OpId r);
  [[noreturn]] void stalled() const;

  Streams const& streams_;
  Options const& options_;
  std::int32_t window_;
  double overhead_ = 0.0;
  double operator_ = 0.0;  // seconds per byte
  double copy_ = 0.0;
  Tracer tracer_;
  std::vector<State> states_;
  std::vector<Server> processors_;  // of ranks, or of rows
  std::vector<Server> memory_;      // of nodes
  Inside inside_;
  std::vector<double> rank_end_;
  std::vector<double> offered_at_;  // with a handshake: by segment in a send's window
  EventQueue queue_;
  std::unique_ptr<Network> network_;
  double now_ = 0.0;
  std::int64_t cause_ = -1;  // record of the current event
  std::int64_t last_ = -1;
  double end_ = 0.0;
  std::int64_t left_ = 0;  // rows
  std::int64_t arrivals_ = 0;
};

}  // namespace allport::sim
