#include "multicasts.h"

#include <mpi.h>

#include <fmt/format.h>

#include <utility>

#include "allport/base/error.h"
#include "allport/comm/messages.h"
#include "mpi_errors.h"
#include "multicasts_state.h"

namespace allport {

namespace {

using engine::check;

constexpr int messages_at_once = 16;

}  // namespace

bool Multicasts::State::drop(MessageHeader const& header, Rank from) {
  ++dropped;
  if (!comm.checks()) return true;
  throw Error(
      ErrorKind::schedule,
      fmt::format("rank {} got a message of {} bytes from rank {} that was sent after the end of its run; a rank "
                  "must not send after its last contribution to finish()",
                  comm.rank(), header.bytes, from));
}

Multicasts::Multicasts(Communicator const& comm, TopologyIds ids, MulticastOptions options, Route route)
    : state_(std::make_unique<State>(comm, std::move(ids), std::move(options), std::move(route))) {}

Multicasts::~Multicasts() {
  auto& s = *state_;
  if (!engine::mpi_is_up() || !s.clean || s.channel.messages == MPI_COMM_NULL) return;
  EngineGuard const hold(*s.comm.lock());
  MPI_Comm_free(&s.channel.messages);
  MPI_Comm_free(&s.channel.pieces);
}

TopologyIds const& Multicasts::ids() const { return state_->ids; }

bool Multicasts::any_thread() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided), "MPI_Query_thread", 0);
  return provided >= MPI_THREAD_SERIALIZED;
}

void Multicasts::send(Multicast const& what, MessageName const& name, std::span<std::byte const> data,
                      std::int64_t token, bool urgent, Bytes segment) {
  auto& s = *state_;
  ensure(what.source == s.me, "source", what.source, fmt::format("{}, this rank's position", s.me));
  ensure(segment.value() >= 0 && segment <= longest_message, "segment", segment, "0 to 1 GiB");
  s.start({name, what, false, segment.value()}, data, token, urgent);
}

void Multicasts::send(MessageName const& name, std::span<std::byte const> data, std::int64_t token) {
  auto& s = *state_;
  ensure(static_cast<bool>(s.route), "route", "none", "a function that returns the destinations of a message");
  s.start({name, s.route(name), true, 0}, data, token, false);
}

bool Multicasts::poll(Arrived arrived, Left left) {
  auto& s = *state_;
  EngineGuard const hold(*s.comm.lock());
  bool moved = s.complete();
  moved = s.start_own() || moved;
  for (int i = 0; i < messages_at_once && s.receive(); ++i) moved = true;
  for (auto const token : std::exchange(s.gone, {})) {
    if (left) left(token);
  }
  while (!s.arrivals.empty()) {
    auto message = std::move(s.arrivals.front());
    s.arrivals.pop_front();
    moved = true;
    arrived(std::move(message));
  }
  return moved;
}

bool Multicasts::finish(FunctionRef<bool()> is_wrong) {
  auto& s = *state_;
  EngineGuard const hold(*s.comm.lock());
  if (!s.agreed) {
    if (s.wave == MPI_REQUEST_NULL) {
      // The callbacks for received messages and completed sends may send more.
      if (!s.arrivals.empty() || !s.requests.empty() || !s.gone.empty()) return false;
      s.mine = {s.sent, s.taken, is_wrong && is_wrong() ? 1 : 0};
      check(MPI_Iallreduce(s.mine.data(), s.sums.data(), static_cast<int>(s.mine.size()), MPI_INT64_T, MPI_SUM,
                           s.channel.messages, &s.wave),
            "MPI_Iallreduce", s.comm.rank());
    }
    int over = 0;
    check(MPI_Test(&s.wave, &over, MPI_STATUS_IGNORE), "MPI_Test", s.comm.rank());
    if (over == 0) return false;
    // Two equal sums in a row: between them nothing was sent, and all earlier messages had been received.
    s.agreed = s.sums[0] == s.sums[1] && s.sums == s.before;
    s.before = s.sums;
  }
  if (!s.agreed || !s.requests.empty()) return false;
  s.agreed = false;
  s.wrong = s.sums[2] > 0;
  s.before = {-1, -1, 0};
  s.clean = true;
  return true;
}

bool Multicasts::may_be_over() const {
  auto const& s = *state_;
  if (s.agreed) return true;
  // The last sum equals the one before it, and no message arrives after it.
  return s.wave != MPI_REQUEST_NULL && s.before[0] >= 0 && s.before[0] == s.before[1] && s.mine[1] == s.taken;
}

bool Multicasts::any_wrong() const { return state_->wrong; }

void Multicasts::give_back() {
  auto& s = *state_;
  EngineGuard const hold(*s.comm.lock());
  s.spare->give_back(std::exchange(s.channel, {}));
}

bool Multicasts::has_open_requests() const { return !state_->requests.empty(); }
Traffic Multicasts::counted() const { return state_->traffic; }
std::int64_t Multicasts::control_messages() const { return state_->control; }
std::int64_t Multicasts::forwarded() const { return state_->forwarded; }
std::int64_t Multicasts::dropped() const { return state_->dropped; }
std::int64_t Multicasts::peak_transit() const { return state_->transit_peak; }

}  // namespace allport
