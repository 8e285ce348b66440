#include "allport/linalg/redistribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <span>

#include "checks.h"
#include "redistribute_pack.h"
#include "redistribute_plan.h"

namespace allport {
namespace {

using detail::Message;
using detail::Overlap;
using detail::Pace;
using detail::Round;
using detail::Side;

constexpr int message_tag = 4090;
// A round's messages in flight. The buffer outlives the transfers, whose destructors wait for them.
template <class T>
struct Flight {
  Round round;
  std::unique_ptr<T[]> buffer;  // data to send, then to receive; not used if contiguous in the matrix
  Index capacity = 0;
  T* received = nullptr;
  bool unpacked = false;
  Transfer send;
  Transfer receive;
};

template <class T>
class Exchange {
 public:
  Exchange(Matrix<T const> const& from, Matrix<T> const& to)
      : comm_(to.comm()),
        from_(from.part()),
        to_(to.part()),
        sends_(detail::side_of(from.distribution(), to.distribution(), comm_.rank(), true)),
        receives_(detail::side_of(to.distribution(), from.distribution(), comm_.rank(), false)),
        rounds_(detail::rounds_of(sends_, receives_)),
        limit_(detail::window_bytes(rounds_, sizeof(T)) / static_cast<Index>(sizeof(T))),
        pace_(comm_) {}

  // Posts the rounds in order, with at most `limit_` buffered elements at a time. The oldest unfinished round of all
  // ranks is always posted on both of its ends, so it finishes whatever the windows of other ranks are.
  void run(std::function<void(Pace&)> const& copy_local_part) {
    bool copied = false;
    for (auto const& round : rounds_) {
      auto const need = buffered(round);
      while (!flights_.empty() && in_flight_ + need > limit_) {
        if (!copied) {
          copied = true;
          copy_local_part(pace_);
        } else {
          finish_oldest();
        }
      }
      post(round, need);
      finish_ready();
    }
    if (!copied) {
      copy_local_part(pace_);
    }
    while (!flights_.empty()) {
      finish_ready();
      if (!flights_.empty()) {
        finish_oldest();
      }
    }
  }

 private:
  Overlap const& send_rows(Message const& m) const { return sends_.rows[static_cast<std::size_t>(m.row_part)]; }
  Overlap const& send_cols(Message const& m) const { return sends_.cols[static_cast<std::size_t>(m.col_part)]; }
  Overlap const& receive_rows(Message const& m) const { return receives_.rows[static_cast<std::size_t>(m.row_part)]; }
  Overlap const& receive_cols(Message const& m) const { return receives_.cols[static_cast<std::size_t>(m.col_part)]; }

  T const* send_in_place(Message const& m) const { return detail::in_one_piece(from_, send_rows(m), send_cols(m)); }
  T* receive_in_place(Message const& m) const { return detail::in_one_piece(to_, receive_rows(m), receive_cols(m)); }

  // Elements of a round in pack buffers.
  Index buffered(Round const& round) const {
    auto const send = round.send && !send_in_place(*round.send) ? round.send->elements : 0;
    return send + (round.receive && !receive_in_place(*round.receive) ? round.receive->elements : 0);
  }

  void post(Round const& round, Index need) {
    auto& flight = flights_.emplace_back();
    flight.round = round;
    take_buffer(flight, need);
    auto* next = flight.buffer.get();
    if (round.receive) {
      auto const elements = static_cast<std::size_t>(round.receive->elements);
      flight.received = receive_in_place(*round.receive);
      flight.unpacked = flight.received != nullptr;
      if (!flight.unpacked) {
        flight.received = next;
        next += elements;
      }
      flight.receive = comm_.start_receive(std::as_writable_bytes(std::span(flight.received, elements)),
                                           round.receive->peer, message_tag);
    }
    if (round.send) {
      auto const elements = static_cast<std::size_t>(round.send->elements);
      auto const* sent = send_in_place(*round.send);
      if (!sent) {
        detail::pack(from_, send_rows(*round.send), send_cols(*round.send), next, pace_);
        sent = next;
      }
      flight.send = comm_.start_send(std::as_bytes(std::span(sent, elements)), round.send->peer, message_tag);
    }
  }

  // Reuses the buffer of a finished round; allocates a new one only if all buffers stay within the limit.
  void take_buffer(Flight<T>& flight, Index need) {
    if (need == 0) {
      return;
    }
    auto const fits = [&](auto const& spare) { return spare.second >= need && in_flight_ + spare.second <= limit_; };
    auto const found = std::ranges::find_if(spare_, fits);
    if (found != spare_.end()) {
      flight.buffer = std::move(found->first);
      flight.capacity = found->second;
      spare_.erase(found);
    } else {
      for (Index held = in_flight_ + spare_elements(); held + need > limit_; held = in_flight_ + spare_elements()) {
        spare_.pop_back();
      }
      flight.buffer = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(need));
      flight.capacity = need;
    }
    in_flight_ += flight.capacity;
  }

  Index spare_elements() const {
    Index sum = 0;
    for (auto const& spare : spare_) {
      sum += spare.second;
    }
    return sum;
  }

  void unpack_received(Flight<T>& flight) {
    if (flight.round.receive && !flight.unpacked) {
      auto const& m = *flight.round.receive;
      detail::unpack<T>(flight.received, receive_rows(m), receive_cols(m), to_, pace_);
      flight.unpacked = true;
    }
  }

  void retire(Flight<T>& flight) {
    in_flight_ -= flight.capacity;
    if (flight.buffer) {
      spare_.emplace_back(std::move(flight.buffer), flight.capacity);
    }
  }

  void finish_oldest() {
    auto& oldest = flights_.front();
    oldest.receive.wait();
    unpack_received(oldest);
    oldest.send.wait();
    retire(oldest);
    flights_.pop_front();
  }

  void finish_ready() {
    constexpr std::size_t tested = 32;  // at a time: linear cost in the number of ranks
    for (std::size_t k = 0; k < std::min(tested, flights_.size()); ++k) {
      if (!flights_[k].unpacked && flights_[k].receive.test()) {
        unpack_received(flights_[k]);
      }
    }
    while (!flights_.empty() && flights_.front().receive.test() && flights_.front().send.test()) {
      unpack_received(flights_.front());
      retire(flights_.front());
      flights_.pop_front();
    }
  }

  Communicator const& comm_;
  Part<T const> from_;
  Part<T> to_;
  Side sends_;
  Side receives_;
  std::vector<Round> rounds_;
  Index limit_;
  Pace pace_;
  std::vector<std::pair<std::unique_ptr<T[]>, Index>> spare_;
  std::deque<Flight<T>> flights_;
  Index in_flight_ = 0;
};

/// Exchanges all data by one all-to-all: packed, sent from neighbour to neighbour, unpacked.
template <class T>
void exchange_by(Schedule const& schedule, Matrix<T const> const& from, Matrix<T> const& to) {
  auto const& comm = to.comm();
  auto const& contract = schedule.contract();
  auto const me = comm.position(comm.rank());
  Pace pace(comm);
  auto const buffer = [](std::int64_t bytes) {
    return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(bytes) / sizeof(T));
  };
  auto const at = [](std::unique_ptr<T[]> const& memory, std::int64_t offset) {
    return memory.get() + offset / static_cast<std::int64_t>(sizeof(T));
  };
  auto const sent = buffer(contract.input_bytes(me));
  auto const received = buffer(contract.output_bytes(me));
  auto const sends = detail::side_of(from.distribution(), to.distribution(), comm.rank(), true);
  for (auto const& m : sends.messages) {
    detail::pack(from.part(), sends.rows[static_cast<std::size_t>(m.row_part)],
                 sends.cols[static_cast<std::size_t>(m.col_part)],
                 at(sent, contract.input_offset(me, comm.position(m.peer))), pace);
  }
  auto const bytes = [](std::unique_ptr<T[]> const& memory, std::int64_t length) {
    return std::as_writable_bytes(std::span(memory.get(), static_cast<std::size_t>(length) / sizeof(T)));
  };
  auto transfer =
      comm.start(schedule, {bytes(sent, contract.input_bytes(me)), bytes(received, contract.output_bytes(me))});
  detail::copy_local(from.distribution(), from.part(), to.distribution(), to.part(), comm.rank(), pace);
  transfer.wait();
  auto const receives = detail::side_of(to.distribution(), from.distribution(), comm.rank(), false);
  for (auto const& m : receives.messages) {
    detail::unpack<T>(at(received, contract.output_offset(me, comm.position(m.peer))),
                      receives.rows[static_cast<std::size_t>(m.row_part)],
                      receives.cols[static_cast<std::size_t>(m.col_part)], to.part(), pace);
  }
}

// Whether two local parts share memory. Parts with equal ld, such as two blocks of rows of one array, may interleave.
template <class T>
bool overlap(Matrix<T const> const& x, Matrix<T const> const& y) {
  if (x.local_rows() == 0 || x.local_cols() == 0 || y.local_rows() == 0 || y.local_cols() == 0) {
    return false;
  }
  std::less<> const before;
  if (!before(x.data(), y.data() + y.local_rows() + (y.local_cols() - 1) * y.ld()) ||
      !before(y.data(), x.data() + x.local_rows() + (x.local_cols() - 1) * x.ld())) {
    return false;
  }
  if (x.ld() != y.ld()) {
    return true;
  }
  auto const shift = ((y.data() - x.data()) % x.ld() + x.ld()) % x.ld();  // y's first row relative to x's
  return shift < x.local_rows() || shift + y.local_rows() > x.ld();
}

}  // namespace

template <class T>
void redistribute(Matrix<std::type_identity_t<T> const> const& from, Matrix<T> const& to) {
  auto const& comm = to.comm();
  detail::on_all(comm, [&] {
    from.check("from");
    detail::check_operand("to", to, from.rows(), from.cols(), from.comm());
    ensure(!overlap<T>(from, to), "to", "memory of from", "memory of its own", "redistribute into another array");
  });
  detail::or_give_up(comm, "redistribute", [&] {
    if (auto const schedule = detail::relayed(comm, from.distribution(), to.distribution(), sizeof(T))) {
      return exchange_by<T>(*schedule, from, to);
    }
    Exchange<T> exchange(from, to);
    exchange.run([&](Pace& pace) {
      detail::copy_local(from.distribution(), from.part(), to.distribution(), to.part(), comm.rank(), pace);
    });
  });
}

ALLPORT_INSTANCES(ALLPORT_REDISTRIBUTE_INSTANCE, );

}  // namespace allport
