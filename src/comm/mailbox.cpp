#include "allport/comm/mailbox.h"

#include <mpi.h>

#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/comm/messages.h"
#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {

namespace {

using engine::check;

constexpr int letter_tag = 0;  // a header, and the data behind it where they are short
constexpr int data_tag = 1;    // data of a header before it: MPI keeps the order of two messages on one way
constexpr std::int64_t inline_bytes = 4096;
constexpr int at_once = 16;
constexpr std::size_t alignment = 64;

std::shared_ptr<std::byte[]> aligned(std::int64_t bytes) {
  auto* const memory =
      static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(bytes), std::align_val_t(alignment)));
  return {memory, [](std::byte* p) { ::operator delete[](p, std::align_val_t(alignment)); }};
}

/// What goes before the data.
struct Envelope {
  Letter::Header header{};
  std::int64_t bytes = 0;  ///< of data
};

}  // namespace

struct Mailbox::State {
  struct Sending {
    std::vector<std::byte> packed;  ///< envelope, and short data behind it
    std::int64_t token = -1;
    int requests = 0;
  };

  explicit State(Communicator const& comm_) : comm(comm_) {
    EngineGuard const hold(*comm.lock());
    check(MPI_Comm_dup(comm.mpi(), &mpi), "MPI_Comm_dup", comm.rank());
    check(MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", comm.rank());
  }

  void start(void const* data, std::int64_t bytes, Rank to, int tag, std::size_t sending) {
    auto request = MPI_REQUEST_NULL;
    check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, mpi, &request), "MPI_Isend", comm.rank(), to);
    requests.push_back(request);
    of_request.push_back(static_cast<std::ptrdiff_t>(sending));
    ++sendings[sending].requests;
  }

  /// A place of `all` that nothing is in flight from.
  template <class T>
  static std::size_t place(std::vector<T>& all, std::vector<std::size_t>& free) {
    if (free.empty()) {
      all.emplace_back();
      return all.size() - 1;
    }
    auto const at = free.back();
    free.pop_back();
    return at;
  }

  /// Requests that have completed are taken out; what they were for is told.
  bool complete(FunctionRef<void(Letter&&)> arrived, FunctionRef<void(std::int64_t)> left) {
    if (requests.empty()) return false;
    int count = 0;
    done.resize(requests.size());
    check(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, done.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome", comm.rank());
    if (count <= 0) return false;
    std::vector<std::int64_t> gone;
    std::vector<Letter> come;
    for (int d = 0; d < count; ++d) {
      auto const what = of_request[static_cast<std::size_t>(done[static_cast<std::size_t>(d)])];
      if (what < 0) {
        auto const at = static_cast<std::size_t>(-what - 1);
        come.push_back(std::move(receiving[at]));
        free_receiving.push_back(at);
      } else {
        auto& sending = sendings[static_cast<std::size_t>(what)];
        if (--sending.requests > 0) continue;
        if (sending.token >= 0) gone.push_back(sending.token);
        free_sending.push_back(static_cast<std::size_t>(what));
      }
    }
    std::size_t kept = 0;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      if (requests[r] == MPI_REQUEST_NULL) continue;
      requests[kept] = requests[r];
      of_request[kept++] = of_request[r];
    }
    requests.resize(kept);
    of_request.resize(kept);
    for (auto const token : gone) left(token);
    for (auto& letter : come) take(std::move(letter), arrived);
    return true;
  }

  void take(Letter&& letter, FunctionRef<void(Letter&&)> arrived) {
    ++taken;
    arrived(std::move(letter));
  }

  /// One message that has come, if any has.
  bool receive(FunctionRef<void(Letter&&)> arrived) {
    int there = 0;
    auto message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, letter_tag, mpi, &there, &message, &status), "MPI_Improbe", comm.rank());
    if (there == 0) return false;
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    incoming.resize(static_cast<std::size_t>(length));
    check(MPI_Mrecv(incoming.data(), length, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv", comm.rank(),
          status.MPI_SOURCE);
    Envelope envelope;
    std::memcpy(&envelope, incoming.data(), sizeof(envelope));
    Letter letter{status.MPI_SOURCE, envelope.header, nullptr, envelope.bytes};
    if (envelope.bytes == 0) {
      take(std::move(letter), arrived);
      return true;
    }
    traffic += Traffic{0, 1, 0, envelope.bytes};
    letter.data = aligned(envelope.bytes);
    if (envelope.bytes <= inline_bytes) {
      std::memcpy(letter.data.get(), incoming.data() + sizeof(envelope), static_cast<std::size_t>(envelope.bytes));
      take(std::move(letter), arrived);
      return true;
    }
    auto request = MPI_REQUEST_NULL;
    check(
        MPI_Irecv(letter.data.get(), static_cast<int>(envelope.bytes), MPI_BYTE, letter.from, data_tag, mpi, &request),
        "MPI_Irecv", comm.rank(), letter.from);
    auto const at = place(receiving, free_receiving);
    receiving[at] = std::move(letter);
    requests.push_back(request);
    of_request.push_back(-static_cast<std::ptrdiff_t>(at) - 1);
    return true;
  }

  Communicator comm;
  MPI_Comm mpi = MPI_COMM_NULL;
  std::vector<MPI_Request> requests;
  std::vector<std::ptrdiff_t> of_request;  ///< >= 0: a sending; -1 - i: receiving i
  std::vector<int> done;
  std::vector<Sending> sendings;
  std::vector<std::size_t> free_sending;
  std::vector<Letter> receiving;
  std::vector<std::size_t> free_receiving;
  std::vector<std::byte> incoming;
  Traffic traffic;
  std::int64_t control = 0;
  std::int64_t sent = 0;
  std::int64_t taken = 0;
  MPI_Request wave = MPI_REQUEST_NULL;  ///< a sum over all ranks of what was sent and what was taken
  std::array<std::int64_t, 2> mine{};
  std::array<std::int64_t, 2> all{-1, -1};
  std::array<std::int64_t, 2> before{-1, -1};
  bool finished = false;
};

Mailbox::Mailbox(Communicator const& comm) : state_(std::make_unique<State>(comm)) {}

Mailbox::~Mailbox() {
  auto& s = *state_;
  if (!engine::mpi_is_up()) return;
  EngineGuard const hold(*s.comm.lock());
  if (s.finished) MPI_Comm_free(&s.mpi);
}

bool Mailbox::any_thread() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided), "MPI_Query_thread", 0);
  return provided >= MPI_THREAD_SERIALIZED;
}

void Mailbox::send(Rank to, Letter::Header const& header, std::span<std::byte const> data, std::int64_t token) {
  auto& s = *state_;
  auto const bytes = static_cast<std::int64_t>(data.size());
  ensure(to >= 0 && to < s.comm.size(), "to", to, "a rank of the communicator");
  ensure(bytes <= longest_message.value(), "data", bytes, "at most 2^30 bytes a message", "", ErrorKind::unsupported);
  EngineGuard const hold(*s.comm.lock());
  auto const at = State::place(s.sendings, s.free_sending);
  auto& sending = s.sendings[at];
  sending.token = token;
  sending.requests = 0;
  Envelope const envelope{header, bytes};
  bool const together = bytes <= inline_bytes;
  sending.packed.resize(sizeof(envelope) + (together ? data.size() : 0));
  std::memcpy(sending.packed.data(), &envelope, sizeof(envelope));
  if (together && bytes > 0) std::memcpy(sending.packed.data() + sizeof(envelope), data.data(), data.size());
  ++s.sent;
  if (bytes > 0) {
    s.traffic += Traffic{1, 0, bytes, 0};
  } else {
    ++s.control;
  }
  s.start(sending.packed.data(), static_cast<std::int64_t>(sending.packed.size()), to, letter_tag, at);
  if (!together) s.start(data.data(), bytes, to, data_tag, at);
}

bool Mailbox::poll(FunctionRef<void(Letter&&)> arrived, FunctionRef<void(std::int64_t token)> left) {
  auto& s = *state_;
  EngineGuard const hold(*s.comm.lock());
  bool moved = s.complete(arrived, left);
  for (int i = 0; i < at_once && s.receive(arrived); ++i) moved = true;
  return moved;
}

std::size_t Mailbox::leaving() const {
  std::size_t count = 0;
  for (auto const& sending : state_->sendings) count += sending.requests > 0 ? 1 : 0;
  return count;
}

bool Mailbox::finish() {
  auto& s = *state_;
  if (s.finished) return true;
  EngineGuard const hold(*s.comm.lock());
  if (s.wave == MPI_REQUEST_NULL) {
    s.mine = {s.sent, s.taken};
    check(MPI_Iallreduce(s.mine.data(), s.all.data(), 2, MPI_INT64_T, MPI_SUM, s.mpi, &s.wave), "MPI_Iallreduce",
          s.comm.rank());
  }
  int done = 0;
  check(MPI_Test(&s.wave, &done, MPI_STATUS_IGNORE), "MPI_Test", s.comm.rank());
  if (done == 0) return false;
  // Two equal sums in a row: between the two nothing was sent, and all that was sent before had been taken.
  s.finished = s.all[0] == s.all[1] && s.all == s.before;
  s.before = s.all;
  return s.finished;
}

Traffic Mailbox::counted() const { return state_->traffic; }
std::int64_t Mailbox::control_messages() const { return state_->control; }

}  // namespace allport
