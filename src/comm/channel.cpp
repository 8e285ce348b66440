#include "allport/comm/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/comm/messages.h"
#include "backoff.h"
#include "channel_forms.h"
#include "multicasts.h"
#include "stall.h"

namespace allport {

namespace {

// Numbers of a message's name.
constexpr std::size_t tag_at = 0;
constexpr std::size_t content_at = 1;
constexpr std::size_t number_at = 2;
constexpr std::size_t source_at = 3;

constexpr std::int64_t highest_tag = std::numeric_limits<std::int32_t>::max();  // an MPI_Status has an int
constexpr int polls_per_look = 64;        // at the stall watch, while nothing moves
constexpr int polls_before_report = 200;  // that a receive waits: most messages come sooner

std::string_view described(Channel::Content content) {
  return content == Channel::Content::object ? "an object (received by recv)" : "a buffer (received by Recv)";
}

std::string described(Channel::Wanted wanted) {
  auto text = wanted.source == Channel::any_source ? std::string("any rank") : fmt::format("rank {}", wanted.source);
  if (wanted.tag != Channel::any_tag) text += fmt::format(", tag {}", wanted.tag);
  return text;
}

bool is_wanted(Channel::Envelope const& of, Channel::Wanted wanted) {
  return (wanted.source == Channel::any_source || of.source == wanted.source) &&
         (wanted.tag == Channel::any_tag || of.tag == wanted.tag);
}

}  // namespace

struct Channel::State {
  State(Communicator const& comm_, ChannelOptions options)
      : comm(comm_), lock(comm.lock()), forms(comm, std::move(options)) {
    std::string trouble;
    try {
      stall = engine::StallOptions::from_environment();
    } catch (Error const& e) {
      trouble = e.what();
    }
    comm.ensure_all_well(trouble);
    stall.checks = comm.checks();
    MulticastOptions how;
    how.allocate = [this](MessageName const& name, std::int64_t bytes) { return memory(name, bytes); };
    all.emplace(comm, forms.ids(), std::move(how));
  }

  void ensure_open() const {
    ensure(!closed, "channel", "closed", "one that is open", "messages are sent and received before close()",
           ErrorKind::mismatch);
  }

  void ensure_wanted(Wanted wanted) const {
    ensure(wanted.source == any_source || (wanted.source >= 0 && wanted.source < comm.size()), "source", wanted.source,
           fmt::format("a rank in 0..{}, or {} for any", comm.size() - 1, any_source));
    ensure(wanted.tag >= any_tag, "tag", wanted.tag, fmt::format("0 or more, or {} for any", any_tag));
  }

  std::int64_t start(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data, Content content,
                     std::vector<std::byte> owned = {}) {
    ensure_open();
    ensure(tag >= 0 && tag <= highest_tag, "tag", tag, fmt::format("0 to {}", highest_tag));
    std::vector<Rank> places;
    for (auto const rank : to) {
      ensure(rank >= 0 && rank < comm.size(), "dest", rank, fmt::format("ranks in 0..{}", comm.size() - 1));
      places.push_back(comm.position(rank));
    }
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    auto const bytes = static_cast<std::int64_t>(data.size());
    ensure(bytes <= longest_message.value(), "data", bytes, "at most 2^30 bytes a message", "", ErrorKind::unsupported);
    auto const number = numbers++;
    if (places.empty()) return number;
    MessageName name{};
    name[tag_at] = tag;
    name[content_at] = static_cast<std::int64_t>(content);
    name[number_at] = number;
    name[source_at] = comm.rank();
    auto const how = forms.form(places, bytes);
    auto m = multicast_by(how.tree, all->ids(), comm.position(comm.rank()), DestinationSet::of(all->ids(), places),
                          {.spread = static_cast<std::uint64_t>(number)});
    m.split = how.split;
    under_way.emplace(number, std::move(owned));
    all->send(m, name, data, number, false, how.segment);
    poll();
    return number;
  }

  /// Memory of a message that comes in: that of the receive that waits for it, if it fits there.
  std::shared_ptr<std::byte[]> memory(MessageName const& name, std::int64_t bytes);

  bool poll() {
    if (closed) return false;
    return all->poll([&](Multicasts::Message&& m) { arrived(std::move(m)); },
                     [&](std::int64_t token) { under_way.erase(token); });
  }

  void arrived(Multicasts::Message&& m) {
    stored.push_back({{static_cast<Rank>(m.name[source_at]), m.name[tag_at], m.bytes, m.name[number_at],
                       static_cast<Content>(m.name[content_at])},
                      std::move(m.data)});
  }

  std::deque<Message>::iterator first(Wanted wanted) {
    return std::ranges::find_if(stored, [&](Message const& m) { return is_wanted(m.envelope, wanted); });
  }

  /// Progresses communication until done(), which is called after each poll; other threads get the lock in between.
  /// `what` describes what is waited for, for the stall watch.
  void wait_until(FunctionRef<bool()> done, FunctionRef<std::string()> what) {
    engine::StallWatch watch(stall, comm.mpi());
    engine::Backoff backoff(forms.machine());
    for (int idle = 0;; lock->pause()) {
      bool const moved = poll();
      if (done()) return;
      if (moved) {
        idle = 0;
        backoff.moved();
        watch.moved();
        continue;
      }
      comm.progress();
      backoff.idle(lock.get());
      if (++idle % polls_per_look == 0) watch.check(what);
    }
  }

  [[nodiscard]] std::string left() const {
    if (stored.empty()) return {};
    auto const& e = stored.front().envelope;
    return fmt::format(
        "channel: rank {} has not received {} messages, the first of rank {} with tag {} and {} bytes; "
        "expected that every message is received before the channel is closed",
        comm.rank(), stored.size(), e.source, e.tag, e.bytes);
  }

  /// One step of a rank that sends nothing until a message comes. Once no rank will send any more, all ranks are here:
  /// closes the channel and returns true, or throws on every rank if any has reported an error.
  bool closes(std::string const& waits_for, std::string const& failure) {
    auto const is_wrong = [&] {
      report = {failure, waits_for, left()};
      return report.is_wrong();
    };
    if (!all->finish(is_wrong)) return false;
    closed = true;
    bool const wrong = all->any_wrong();
    all->give_back();
    if (wrong) {
      for (auto const* text : {&report.failure, &report.waits_for, &report.left}) {
        comm.ensure_all_well(*text, ErrorKind::mismatch);
      }
    }
    return true;
  }

  void ensure_content(Envelope const& e, Content content) const {
    ensure(e.content == content, "message",
           fmt::format("of rank {} with tag {} is {}", e.source, e.tag, described(e.content)),
           std::string(described(content)), "", ErrorKind::mismatch);
  }

  /// Waits for a wanted message, which remains stored.
  void await(Wanted wanted) {
    auto const waits_for = fmt::format(
        "channel: rank {} waits for a message from {}, and no rank will send one: every other rank waits or "
        "has closed the channel",
        comm.rank(), described(wanted));
    int polls = 0;
    auto const here = [&] {
      if (closed || first(wanted) != stored.end()) return true;
      return ++polls > polls_before_report && closes(waits_for, "");
    };
    wait_until(here, [&] { return fmt::format("a message of a channel from {}", described(wanted)); });
    ensure_open();
  }

  /// Waits for a wanted message, and until this rank has forwarded it. @param into  memory for it, of a buffer
  Message take(Wanted wanted, Content content, std::optional<std::span<std::byte>> into);

  void wait_sent(std::int64_t number) {
    ensure_started(number);
    wait_until([&] { return closed || !under_way.contains(number); },
               [&] { return fmt::format("message {} of this rank on a channel to be sent", number); });
  }

  void ensure_started(std::int64_t number) const {
    ensure(number >= 0 && number < numbers, "number", number, "that of a message that was started");
  }

  /// What a rank that waits reports to the others: errors, if no message can come any more.
  struct Report {
    std::string failure{};
    std::string waits_for{};
    std::string left{};

    [[nodiscard]] bool is_wrong() const { return !failure.empty() || !waits_for.empty() || !left.empty(); }
  };

  /// Where a receive wants its message.
  struct Posted {
    std::span<std::byte> into{};
    Wanted wanted{};
    bool used = false;  ///< a message is coming into it
  };

  /// The one receive that waits.
  class Receiving {
   public:
    explicit Receiving(State& state) : state_(state) {
      ensure(!state_.receives, "receive", "called by two threads at a time", "one at a time");
      state_.receives = true;
    }
    ~Receiving() {
      state_.receives = false;
      state_.posted.reset();
    }
    Receiving(Receiving const&) = delete;
    Receiving& operator=(Receiving const&) = delete;

   private:
    State& state_;
  };

  Communicator comm;
  std::shared_ptr<EngineLock> lock;
  ChannelForms forms;
  engine::StallOptions stall{};
  std::optional<Multicasts> all{};
  std::map<std::int64_t, std::vector<std::byte>> under_way{};  ///< own messages, by number, with owned data
  std::deque<Message> stored{};                                ///< received, in the order in which they came
  std::shared_ptr<Posted> posted{};
  Report report{};  ///< the latest
  std::int64_t numbers = 0;
  bool receives = false;
  bool closed = false;
};

std::shared_ptr<std::byte[]> Channel::State::memory(MessageName const& name, std::int64_t bytes) {
  Envelope const coming{static_cast<Rank>(name[source_at]), name[tag_at], bytes, name[number_at],
                        static_cast<Content>(name[content_at])};
  bool const fits = posted && !posted->used && coming.content == Content::buffer && is_wanted(coming, posted->wanted) &&
                    bytes > 0 && std::ssize(posted->into) >= bytes;
  if (fits) {
    posted->used = true;
    return {posted->into.data(), [](std::byte*) {}};
  }
  constexpr std::align_val_t alignment{64};
  auto* const memory = static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(bytes), alignment));
  return {memory, [](std::byte* p) { ::operator delete[](p, std::align_val_t{64}); }};
}

Channel::Message Channel::State::take(Wanted wanted, Content content, std::optional<std::span<std::byte>> into) {
  ensure_open();
  ensure_wanted(wanted);
  Receiving const now(*this);
  auto const here = std::make_shared<Posted>(Posted{into.value_or(std::span<std::byte>()), wanted});
  if (first(wanted) == stored.end()) {
    if (into) posted = here;
    await(wanted);
  }
  // What comes into the buffer is what is received, also if another message was complete before it.
  auto const is_meant = [&](Message const& m) {
    return here->used ? m.data.get() == here->into.data() && m.envelope.bytes > 0 : is_wanted(m.envelope, wanted);
  };
  auto found = stored.end();
  auto const is_complete = [&] {
    found = std::ranges::find_if(stored, is_meant);
    return found != stored.end();
  };
  wait_until(is_complete, [&] { return fmt::format("the rest of a message of a channel from {}", described(wanted)); });
  if (!here->used) posted.reset();  // what comes from now on must not come into the buffer
  auto message = *found;
  auto const& envelope = message.envelope;
  ensure_content(envelope, content);
  ensure(!into || envelope.bytes <= std::ssize(*into), "buf", fmt::format("{} bytes", into ? into->size() : 0),
         fmt::format("at least the {} of the message of rank {} with tag {}", envelope.bytes, envelope.source,
                     envelope.tag));
  stored.erase(found);
  // This rank may call nothing for a long time after this, and those behind it would wait.
  wait_until([&] { return message.data.use_count() <= 1; },
             [&] { return fmt::format("ranks that get a message of rank {} from here", envelope.source); });
  if (into && !here->used && envelope.bytes > 0) {
    std::memcpy(into->data(), message.data.get(), static_cast<std::size_t>(envelope.bytes));
  }
  return message;
}

Channel::Channel(Communicator const& comm, ChannelOptions options)
    : state_(std::make_unique<State>(comm, std::move(options))) {}

Channel::~Channel() {
  // MPI may still write into memory of messages and sums under way, and to free communicators is collective.
  if (!state_->closed) static_cast<void>(state_.release());
}

std::int64_t Channel::start(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data,
                            Content content) {
  EngineGuard const hold(*state_->lock);
  return state_->start(to, tag, data, content);
}

std::int64_t Channel::post(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data,
                           Content content) {
  EngineGuard const hold(*state_->lock);
  std::vector<std::byte> owned(data.begin(), data.end());
  auto const here = std::span<std::byte const>(owned);  // the memory stays where it is
  return state_->start(to, tag, here, content, std::move(owned));
}

void Channel::send(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data) {
  EngineGuard const hold(*state_->lock);
  state_->wait_sent(state_->start(to, tag, data, Content::buffer));
}

bool Channel::is_sent(std::int64_t number) {
  EngineGuard const hold(*state_->lock);
  state_->ensure_started(number);
  state_->poll();
  return !state_->under_way.contains(number);
}

void Channel::wait_sent(std::int64_t number) {
  EngineGuard const hold(*state_->lock);
  state_->wait_sent(number);
}

std::optional<Channel::Envelope> Channel::probe(Wanted wanted) {
  EngineGuard const hold(*state_->lock);
  state_->ensure_open();
  state_->ensure_wanted(wanted);
  state_->poll();
  auto const found = state_->first(wanted);
  return found == state_->stored.end() ? std::nullopt : std::optional(found->envelope);
}

Channel::Message Channel::receive(Wanted wanted, Content content) {
  EngineGuard const hold(*state_->lock);
  return state_->take(wanted, content, {});
}

Channel::Envelope Channel::receive(std::span<std::byte> into, Wanted wanted) {
  EngineGuard const hold(*state_->lock);
  return state_->take(wanted, Content::buffer, into).envelope;
}

void Channel::progress() {
  EngineGuard const hold(*state_->lock);
  state_->poll();
}

void Channel::close(std::string const& failure) {
  EngineGuard const hold(*state_->lock);
  auto& s = *state_;
  s.wait_until([&] { return s.closed || s.closes("", failure); },
               [] { return std::string("every other rank to close a channel, or to wait in a receive of it"); });
}

bool Channel::is_closed() const {
  EngineGuard const hold(*state_->lock);
  return state_->closed;
}

Communicator const& Channel::comm() const { return state_->comm; }

}  // namespace allport
