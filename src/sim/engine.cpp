#include "engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "network.h"

namespace allport::sim {

namespace {

/// Advances `first` past the run of set bits at bit 0 of `bits`, whose bit i stands for first + i; false if bit 0 is
/// not set.
bool pass_prefix(std::uint64_t& bits, std::int32_t& first) {
  auto const run = std::countr_one(bits);
  first += run;
  bits = run == 64 ? 0 : bits >> run;
  return run > 0;
}

}  // namespace

std::int64_t Tracer::keep(Record const& record) {
  if (!on_) return -1;
  ensure(static_cast<std::int64_t>(records_.size()) < limit_, "trace_limit", limit_, "as many records as the run has",
         "trace a smaller run, use longer segments, or raise the limit");
  records_.push_back(record);
  return static_cast<std::int64_t>(records_.size()) - 1;
}

Booking book(Server& server, double now, double seconds, std::int64_t cause) {
  auto booking = Booking{now, 0.0, cause};
  if (server.free > now) booking = {server.free, 0.0, server.last};
  booking.end = booking.begin + seconds;
  server.free = booking.end;
  return booking;
}

EventEngine::EventEngine(Streams const& streams, Options const& options)
    : streams_(streams),
      options_(options),
      window_(streams.window()),
      overhead_(streams.machine().rates().overhead.value()),
      operator_(model::operator_seconds_per_byte(streams.machine())),
      copy_(model::copy_seconds_per_byte(streams.machine(), 1.0)),
      tracer_(options.trace, options.trace_limit),
      states_(streams.size()),
      memory_(at(streams.machine().nodes())),
      inside_(streams),
      rank_end_(at(streams.schedule().ranks()), 0.0),
      left_(streams.size()) {
  ensure(streams.window() <= 64, "window", streams.window(), "at most 64 segments in flight per stream");
  if (overhead_ > 0.0) {
    processors_.resize(options.overheads == Overheads::serial ? at(streams.schedule().ranks()) : streams.size());
  }
  if (options.handshake) offered_at_.resize(at(streams.size()) * at(streams.window()));
  network_ = options.sharing == Sharing::fifo ? fifo_network(*this) : fair_network(*this);
}

EventEngine::~EventEngine() = default;

Server& EventEngine::processor(OpId r) {
  return processors_[options_.overheads == Overheads::serial ? at(streams_.op(r).rank) : r];
}

bool EventEngine::may_go(OpId r) const {
  auto const& state = states_[r];
  auto const& row = streams_.op(r);
  auto const i = state.posted;
  if (i == row.segments || i - state.done == window_) return false;
  return streams_.linked().ready(r, i, [this](OpId other) { return states_[other].done; });
}

void EventEngine::advance(OpId r) {
  while (may_go(r)) post(r);
}

void EventEngine::post(OpId r) {
  auto const& row = streams_.op(r);
  auto const segment = states_[r].posted++;
  switch (row.kind) {
    case OpKind::receive: {
      auto const& send = states_[row.partner];
      if (send.launched < send.offered) launch(row.partner);
      take_in(r);
      break;
    }
    case OpKind::send:
      if (overhead_ > 0.0) {
        auto const& server = serve(processor(r), r, segment, overhead_, Activity::send);
        at_time(server.free, EventKind::left_processor, r, segment, server.last);
      } else {
        offer(r);
      }
      break;
    default:
      compute(r, segment);
  }
}

void EventEngine::offer(OpId send) {
  auto const segment = states_[send].offered++;
  if (options_.handshake) offered_at_[at(send) * at(streams_.window()) + at(segment % streams_.window())] = now_;
  launch(send);
}

// Starts sends in order, each when its receive is posted, or at once if it is eager.
void EventEngine::launch(OpId send) {
  auto& state = states_[send];
  auto const& row = streams_.op(send);
  auto const& receive = states_[row.partner];
  while (state.launched < state.offered) {
    auto const segment = state.launched;
    bool const eager = row.bytes(segment) <= options_.eager;
    if (!eager && receive.posted <= segment) return;
    ++state.launched;
    if (!eager && options_.handshake) {
      // The request is sent with the offer; the answer once the request has arrived and the receive is posted.
      auto const latency = path_latency(streams_, row) + inside_.latency(row.rank, row.peer);
      auto const asked = offered_at_[at(send) * at(streams_.window()) + at(segment % streams_.window())];
      at_time(std::max(now_, asked + latency) + latency, EventKind::granted, send, segment, cause_);
    } else {
      carry(send, segment);
    }
  }
}

void EventEngine::take_in(OpId receive) {
  auto& state = states_[receive];
  while (state.launched < std::min(state.offered, state.posted)) {
    auto const segment = state.launched++;
    ++arrivals_;
    if (overhead_ > 0.0) {
      auto const& server = serve(processor(receive), receive, segment, overhead_, Activity::receive);
      at_time(server.free, EventKind::received, receive, segment, server.last);
    } else {
      complete(receive, segment);
    }
  }
}

// To another node over the network; within a node over the level's links, or through its memory.
void EventEngine::carry(OpId send, std::int32_t segment) {
  auto const& row = streams_.op(send);
  if (streams_.node(row.rank) != streams_.node(row.peer)) {
    network_->start(send, segment, now_, cause_);
    return;
  }
  auto const path = inside_.path(row.rank, row.peer);
  auto const& server =
      path.server == nullptr ? occupy(send, segment, copy_, Activity::copy) : pass(path, send, segment);
  at_time(server.free, EventKind::sent, send, segment, server.last);
  at_time(server.free + path.latency, EventKind::arrived, send, segment, server.last);
}

Server const& EventEngine::serve(Server& server, OpId r, std::int32_t segment, double seconds, Activity activity) {
  auto const& row = streams_.op(r);
  auto const booked = book(server, now_, seconds, cause_);
  server.last = tracer_.keep(
      {booked.begin, booked.end, booked.cause, -1, segment, row.rank, streams_.linked().index(r), row.peer, activity});
  return server;
}

Server const& EventEngine::pass(Inside::Path const& path, OpId send, std::int32_t segment) {
  auto const& row = streams_.op(send);
  auto const bytes = bytes_on_wire(send, segment);
  auto begin = now_;
  auto cause = cause_;
  auto const wait = [&](Server const& s) {
    if (s.free <= begin) return;
    begin = s.free;
    cause = s.last;
  };
  wait(*path.server);
  inside_.each_cap(row.rank, path.level, [&](Server const& s, double) { wait(s); });
  auto const end = begin + bytes / path.bandwidth;
  auto const record =
      tracer_.keep({begin, end, cause, -1, segment, row.rank, streams_.linked().index(send), row.peer, Activity::copy});
  *path.server = {end, record};
  inside_.each_cap(row.rank, path.level, [&](Server& s, double rate) { s = {begin + bytes / rate, record}; });
  return *path.server;
}

Server const& EventEngine::occupy(OpId r, std::int32_t segment, double seconds_per_byte, Activity activity) {
  auto const& row = streams_.op(r);
  auto const seconds = static_cast<double>(row.bytes(segment)) * seconds_per_byte;
  return serve(memory_[at(streams_.node(row.rank))], r, segment, seconds, activity);
}

void EventEngine::compute(OpId r, std::int32_t segment) {
  bool const combines = streams_.op(r).kind == OpKind::combine;
  auto const& cores = occupy(r, segment, combines ? operator_ : copy_, combines ? Activity::combine : Activity::copy);
  at_time(cores.free, EventKind::computed, r, segment, cores.last);
}

void EventEngine::complete(OpId r, std::int32_t segment) {
  auto& state = states_[r];
  state.landed |= std::uint64_t{1} << (segment - state.done);
  if (!pass_prefix(state.landed, state.done)) return;  // an earlier one is still in flight
  auto const& row = streams_.op(r);
  if (state.done == row.segments) {
    --left_;
    rank_end_[at(row.rank)] = now_;
    if (now_ >= end_) {
      end_ = now_;
      last_ = cause_;
    }
  }
  advance(r);
  for (auto const w : streams_.linked().wakes(r)) advance(w);
}

void EventEngine::handle(Event const& e) {
  switch (e.kind) {
    case EventKind::left_processor:
      offer(e.row);
      break;
    case EventKind::granted:
      carry(e.row, e.segment);
      break;
    case EventKind::network:
      network_->handle(e);
      break;
    case EventKind::arrived: {
      auto const receive = streams_.op(e.row).partner;
      states_[receive].came |= std::uint64_t{1} << (e.segment - states_[receive].offered);
      // A short last segment can arrive before the one ahead of it.
      pass_prefix(states_[receive].came, states_[receive].offered);
      take_in(receive);
      break;
    }
    default:  // sent, received, computed
      complete(e.row, e.segment);
  }
}

void EventEngine::stalled() const {
  for (OpId r = 0; r < streams_.size(); ++r) {
    auto const& state = states_[r];
    auto const& row = streams_.op(r);
    if (state.done == row.segments) continue;
    std::string why = "its window is full";
    if (state.posted == row.segments || state.posted - state.done < streams_.window()) {
      why = row.kind == OpKind::send ? "its receive is not posted" : "nothing arrives";
      for (auto const& n : streams_.linked().needs(r)) {
        if (state.posted < row.segments && streams_.linked().holds_back(n, state.posted, states_[n.op].done)) {
          why = fmt::format("it waits for {}", streams_.linked().text(n.op));
        }
      }
    }
    throw Error(
        ErrorKind::schedule,
        fmt::format("the schedule stops at {:.6g} s: {} has done {} of {} segments, {}; allport schedule verify "
                    "shows the cycle",
                    now_, streams_.linked().text(r), state.done, row.segments, why));
  }
  throw Error(ErrorKind::schedule, "the schedule stops");
}

void EventEngine::run(Result& into) {
  std::int64_t total = 0;
  for (auto const& row : streams_.ops()) total += row.kind == OpKind::receive ? row.segments : 0;
  // Receives first, so that they are posted before their messages arrive.
  for (auto const kind : {OpKind::receive, OpKind::send, OpKind::combine, OpKind::copy}) {
    for (OpId r = 0; r < streams_.size(); ++r) {
      if (streams_.op(r).kind == kind) advance(r);
    }
  }
  network_->settle(0.0);
  std::int64_t events = 0;
  for (;;) {
    if (!queue_.more_now()) network_->settle(now_);
    if (!queue_.more_now()) {
      if (!queue_.more_later()) break;
      queue_.go_on();
    }
    auto const e = queue_.take();
    now_ = e.time;
    cause_ = e.cause;
    handle(e);
    if ((++events & 0xfffff) == 0 && options_.progress && total > 0) {
      options_.progress(static_cast<double>(arrivals_) / static_cast<double>(total));
    }
  }
  if (left_ > 0) stalled();
  into.seconds = end_;
  into.ranks = std::move(rank_end_);
  into.counts.events = events;
  into.timeline = tracer_.take();
  into.last = last_;
}

}  // namespace allport::sim
