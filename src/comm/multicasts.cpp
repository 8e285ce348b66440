#include "allport/comm/multicasts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "allport/multicast/forward.h"
#include "mpi_errors.h"

namespace allport {
namespace {

/// What a message begins with; then come `intervals` Positions, then the bytes.
struct Head {
  std::uint64_t sequence;  ///< of the source's multicasts
  std::uint64_t tag;
  std::int64_t total;  ///< bytes of the message
  std::int64_t offset;
  std::int64_t bytes;  ///< of this segment
  Rank source;
  std::int32_t intervals;
};

using SharedBytes = std::shared_ptr<std::vector<std::byte> const>;

/// One message to one rank: its own header before bytes that others send too.
struct Outgoing {
  Rank to = -1;
  int row = 0;
  std::vector<std::byte> head;
  std::byte const* bytes = nullptr;
  std::int64_t length = 0;
  SharedBytes keeps;  // of this rank's own
  int buffer = -1;    // of what it hands on
};

std::vector<std::byte> head_of(Head head, DestinationSet const& set) {
  auto const& intervals = set.intervals();
  head.intervals = static_cast<std::int32_t>(intervals.size());
  std::vector<std::byte> packed(sizeof(Head) + intervals.size() * sizeof(Positions));
  std::memcpy(packed.data(), &head, sizeof(Head));
  std::memcpy(packed.data() + sizeof(Head), intervals.data(), intervals.size() * sizeof(Positions));
  return packed;
}

}  // namespace

class Multicasts::Engine {
 public:
  Engine(MPI_Comm comm, TopologyIds ids, Deliver deliver, MulticastOptions options)
      : ids_(std::move(ids)), deliver_(std::move(deliver)), options_(options) {
    int size = 0;
    engine::check(MPI_Comm_size(comm, &size), "MPI_Comm_size", rank_);
    engine::check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank", rank_);
    ensure(ids_.ranks() == size, "ids", ids_.ranks(), fmt::format("IDs of the communicator's {} ranks", size));
    ensure(options.receives >= 1, "receives", options.receives, "at least 1 for each digit");
    ensure(options.segment.value() >= 1, "segment", options.segment, "at least 1 byte");
    ensure(options.segment.value() <= 1 << 30, "segment", options.segment, "at most 1 GiB");
    ensure(options.intervals >= 1, "intervals", options.intervals, "at least 1 in a message");
    ensure(options.sends >= 1, "sends", options.sends, "at least 1 at a time");
    ensure(static_cast<bool>(deliver_), "deliver", 0, "a function that takes what comes");
    table_.emplace(ids_, rank_);
    engine::check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup", rank_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    post_all();
  }

  ~Engine() {
    if (!engine::mpi_is_up()) return;
    for (auto& request : receives_) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm_);
  }

  Engine(Engine const&) = delete;
  Engine& operator=(Engine const&) = delete;

  [[nodiscard]] TopologyIds const& ids() const { return ids_; }
  [[nodiscard]] Counted counted() const { return counted_; }

  void send(DestinationSet const& set, std::uint64_t tag, std::vector<std::byte> bytes) {
    ensure(set.empty() || set.intervals().back().end <= ids_.ranks(), "set",
           set.empty() ? 0 : set.intervals().back().end, fmt::format("positions below {}", ids_.ranks()));
    auto const data = std::make_shared<std::vector<std::byte> const>(std::move(bytes));
    auto const total = static_cast<std::int64_t>(data->size());
    auto const sequence = sequence_++;
    auto const most = static_cast<std::size_t>(options_.intervals);
    auto const does = forward(*table_, set);
    if (does.deliver) {
      mine_.push_back({tag, data});
      ++counted_.sent;
    }
    // Segment by segment to all, so that every group's pipeline starts early.
    for (std::int64_t offset = 0; offset == 0 || offset < total; offset += options_.segment.value()) {
      auto const length = std::min(options_.segment.value(), total - offset);
      for (auto const& hop : does.hops) {
        auto const& all = hop.set.intervals();
        for (std::size_t i = 0; i < all.size(); i += most) {
          auto const end = std::min(i + most, all.size());
          DestinationSet const part(std::vector<Positions>(all.begin() + static_cast<std::ptrdiff_t>(i),
                                                           all.begin() + static_cast<std::ptrdiff_t>(end)));
          auto head = head_of({sequence, tag, total, offset, length, rank_, 0}, part);
          waiting_.push_back({hop.next, row_of(hop.next), std::move(head), data->data() + offset, length, data, -1});
          ++counted_.sent;
        }
      }
    }
  }

  bool progress() {
    bool moved = take_own();
    moved = complete_sends() || moved;
    moved = start_waiting() || moved;
    return receive() || moved;
  }

  void finish() {
    std::array<std::int64_t, 2> last{-1, -1};
    while (true) {
      std::array<std::int64_t, 2> const here{counted_.sent, counted_.received};
      std::array<std::int64_t, 2> all{};
      MPI_Request wave = MPI_REQUEST_NULL;
      engine::check(MPI_Iallreduce(here.data(), all.data(), 2, MPI_INT64_T, MPI_SUM, comm_, &wave), "MPI_Iallreduce",
                    rank_);
      int done = 0;
      while (done == 0) {
        if (!progress()) std::this_thread::yield();
        engine::check(MPI_Test(&wave, &done, MPI_STATUS_IGNORE), "MPI_Test", rank_);
      }
      if (all[0] == all[1] && all == last) break;
      last = all;
    }
    while (!requests_.empty()) complete_sends();
  }

 private:
  struct Own {
    std::uint64_t tag;
    SharedBytes data;
  };
  struct Whole {
    std::vector<std::byte> bytes;
    std::int64_t missing = 0;
  };

  [[nodiscard]] int row_of(Rank next) const { return ids_.common_prefix(table_->id(), ids_.of(next)); }
  [[nodiscard]] std::byte* buffer(int i) { return memory_.data() + static_cast<std::size_t>(i) * buffer_bytes_; }

  void post_all() {
    buffer_bytes_ = sizeof(Head) + static_cast<std::size_t>(options_.intervals) * sizeof(Positions) +
                    static_cast<std::size_t>(options_.segment.value());
    auto const count = static_cast<std::size_t>(ids_.digits() * options_.receives);
    memory_.resize(count * buffer_bytes_);
    receives_.assign(count, MPI_REQUEST_NULL);
    uses_.assign(count, 0);
    for (int i = 0; i < static_cast<int>(count); ++i) post(i);
  }

  void post(int i) {
    auto const code = MPI_Irecv(buffer(i), static_cast<int>(buffer_bytes_), MPI_BYTE, MPI_ANY_SOURCE,
                                i / options_.receives, comm_, &receives_[static_cast<std::size_t>(i)]);
    engine::check(code, "MPI_Irecv", rank_);
  }

  void release(int i) {
    if (--uses_[static_cast<std::size_t>(i)] == 0) post(i);
  }

  bool take_own() {
    bool const some = !mine_.empty();
    while (!mine_.empty()) {
      auto const own = std::move(mine_.front());
      mine_.pop_front();
      ++counted_.received;
      deliver_(rank_, own.tag, *own.data);
    }
    return some;
  }

  bool start_waiting() {
    bool started = false;
    while (!waiting_.empty() && own_sends_ < options_.sends) {
      ++own_sends_;
      start(std::move(waiting_.front()));
      waiting_.pop_front();
      started = true;
    }
    return started;
  }

  /// Header and bytes lie apart; MPI gathers them.
  void start(Outgoing out) {
    auto& kept = sending_.emplace_back(std::move(out));
    std::array<int, 2> const lengths{static_cast<int>(kept.head.size()), static_cast<int>(kept.length)};
    std::array<MPI_Aint, 2> places{};
    MPI_Get_address(kept.head.data(), &places[0]);
    if (kept.length > 0) MPI_Get_address(kept.bytes, &places[1]);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    engine::check(MPI_Type_create_hindexed(kept.length > 0 ? 2 : 1, lengths.data(), places.data(), MPI_BYTE, &type),
                  "MPI_Type_create_hindexed", rank_);
    engine::check(MPI_Type_commit(&type), "MPI_Type_commit", rank_);
    auto& request = requests_.emplace_back(MPI_REQUEST_NULL);
    auto const code = MPI_Isend(MPI_BOTTOM, 1, type, kept.to, kept.row, comm_, &request);
    MPI_Type_free(&type);
    engine::check(code, "MPI_Isend", rank_, kept.to);
  }

  bool complete_sends() {
    if (requests_.empty()) return false;
    done_.resize(std::max(requests_.size(), receives_.size()));
    int count = 0;
    engine::check(
        MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome", rank_);
    if (count <= 0) return false;
    std::sort(done_.begin(), done_.begin() + count, std::greater<>());
    for (int k = 0; k < count; ++k) {
      auto const i = static_cast<std::size_t>(done_[static_cast<std::size_t>(k)]);
      auto const of_buffer = sending_[i].buffer;
      std::swap(sending_[i], sending_.back());
      std::swap(requests_[i], requests_.back());
      sending_.pop_back();
      requests_.pop_back();
      if (of_buffer >= 0) {
        release(of_buffer);
      } else {
        --own_sends_;
      }
    }
    return true;
  }

  bool receive() {
    if (receives_.empty()) return false;
    std::vector<int> came(receives_.size());
    int count = 0;
    engine::check(
        MPI_Testsome(static_cast<int>(receives_.size()), receives_.data(), &count, came.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome", rank_);
    if (count <= 0) return false;
    came.resize(static_cast<std::size_t>(count));
    for (auto const i : came) uses_[static_cast<std::size_t>(i)] = 1;  // this function's
    // What Deliver throws is thrown when all that has come is handed on.
    std::exception_ptr thrown;
    for (auto const i : came) {
      try {
        take(i);
      } catch (...) {
        if (!thrown) thrown = std::current_exception();
      }
      release(i);
    }
    if (thrown) std::rethrow_exception(thrown);
    return true;
  }

  void take(int i) {
    Head head{};
    std::memcpy(&head, buffer(i), sizeof(Head));
    std::vector<Positions> intervals(static_cast<std::size_t>(head.intervals));
    std::memcpy(intervals.data(), buffer(i) + sizeof(Head), intervals.size() * sizeof(Positions));
    auto const* bytes = buffer(i) + sizeof(Head) + intervals.size() * sizeof(Positions);
    auto does = forward(*table_, DestinationSet(std::move(intervals)));
    for (auto const& hop : does.hops) {
      ++counted_.sent;
      ++uses_[static_cast<std::size_t>(i)];
      start({hop.next, row_of(hop.next), head_of(head, hop.set), bytes, head.bytes, nullptr, i});
    }
    ++counted_.received;
    if (does.deliver) put(head, {bytes, static_cast<std::size_t>(head.bytes)});
  }

  void put(Head const& head, std::span<std::byte const> bytes) {
    if (head.bytes == head.total) {
      deliver_(head.source, head.tag, bytes);
      return;
    }
    auto const key = std::pair(head.source, head.sequence);
    auto& whole = parts_[key];
    if (whole.bytes.empty()) {
      whole.bytes.resize(static_cast<std::size_t>(head.total));
      whole.missing = head.total;
    }
    std::ranges::copy(bytes, whole.bytes.begin() + static_cast<std::ptrdiff_t>(head.offset));
    whole.missing -= head.bytes;
    if (whole.missing > 0) return;
    auto const complete = std::move(whole.bytes);
    parts_.erase(key);
    deliver_(head.source, head.tag, complete);
  }

  TopologyIds ids_;
  Deliver deliver_;
  MulticastOptions options_;
  int rank_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::optional<RoutingTable> table_;
  std::size_t buffer_bytes_ = 0;
  std::vector<std::byte> memory_;      // of transit: a buffer for each receive
  std::vector<MPI_Request> receives_;  // those of a digit next to each other
  std::vector<int> uses_;              // of a buffer: sends out of it, and who looks at it
  std::deque<Outgoing> waiting_;       // this rank's own
  std::vector<Outgoing> sending_;
  std::vector<MPI_Request> requests_;  // of sending_
  std::vector<int> done_;
  std::deque<Own> mine_;  // from this rank to itself
  std::map<std::pair<Rank, std::uint64_t>, Whole> parts_;
  std::uint64_t sequence_ = 0;
  int own_sends_ = 0;
  Counted counted_;
};

Multicasts::Multicasts(MPI_Comm comm, TopologyIds ids, Deliver deliver, MulticastOptions options)
    : engine_(std::make_unique<Engine>(comm, std::move(ids), std::move(deliver), options)) {}

Multicasts::~Multicasts() = default;

TopologyIds const& Multicasts::ids() const { return engine_->ids(); }

void Multicasts::send(DestinationSet const& set, std::uint64_t tag, std::vector<std::byte> data) {
  engine_->send(set, tag, std::move(data));
}

bool Multicasts::progress() { return engine_->progress(); }

void Multicasts::finish() { engine_->finish(); }

Multicasts::Counted Multicasts::counted() const { return engine_->counted(); }

}  // namespace allport
