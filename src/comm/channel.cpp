#include "allport/comm/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/comm/messages.h"
#include "allport/select/multicast.h"
#include "multicasts.h"

namespace allport {

namespace {

// Numbers of a message's name.
constexpr std::size_t tag_at = 0;
constexpr std::size_t content_at = 1;
constexpr std::size_t number_at = 2;
constexpr std::size_t source_at = 3;

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

TopologyIds ids_for(Machine const& machine) { return TopologyIds(machine, TopologyIds::default_bits(machine.ranks())); }

/// Without a machine there are no axes to follow.
AlgorithmList candidates(Machine const& machine) {
  auto all = unannounced_multicasts();
  if (machine == Machine::flat(machine.ranks())) {
    std::erase_if(all, [](Algorithm const* a) { return a->name == name(MulticastTree::axes); });
  }
  return all;
}

}  // namespace

struct Channel::State {
  State(Communicator const& comm_, ChannelOptions options_) : comm(comm_), options(std::move(options_)) {
    std::string trouble;
    try {
      ensure(options.segment.value() >= 0, "segment", options.segment, "0 or more bytes");
      if (!options.tree.empty()) (void)algorithm(Collective::broadcast, options.tree, among);
    } catch (Error const& e) {
      trouble = e.what();
    }
    comm.ensure_all_well(trouble);
    MulticastOptions how;
    how.allocate = [this](MessageName const& name, std::int64_t bytes) { return memory(name, bytes); };
    all.emplace(comm, ids_for(comm.machine()), std::move(how));
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

  /// The cheapest way to these places; prices of sizes up to the next power of two are the same.
  MulticastForm const& form(std::vector<Rank> const& places, std::int64_t bytes) {
    auto const size =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1))));
    auto const [found, is_new] = forms.try_emplace({places, size});
    if (is_new) {
      auto const& machine = comm.machine();
      auto const contract = multicast_contract(comm.size(), comm.position(comm.rank()), size, places);
      SelectOptions wanted{.algorithm = options.tree, .among = among};
      if (options.segment.value() > 0) wanted.segments = {options.segment.value()};
      found->second = form_of(machine, choose_multicast(machine, contract, wanted));
    }
    return found->second;
  }

  std::int64_t start(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data, Content content,
                     std::vector<std::byte> owned = {}) {
    ensure_open();
    ensure(tag >= 0, "tag", tag, "0 or more");
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
    MessageName name{};
    name[tag_at] = tag;
    name[content_at] = static_cast<std::int64_t>(content);
    name[number_at] = number;
    name[source_at] = comm.rank();
    auto const source = comm.position(comm.rank());
    auto const& how = form(places, bytes);
    auto m = multicast_by(how.tree, all->ids(), source, DestinationSet::of(all->ids(), places),
                          {.spread = static_cast<std::uint64_t>(number)});
    m.split = how.split;
    under_way.emplace(number, std::move(owned));
    all->send(m, name, data, number, false, how.segment);
    return number;
  }

  /// Memory of a message that comes in: that of the receive that waits for it, if it fits there.
  std::shared_ptr<std::byte[]> memory(MessageName const& name, std::int64_t bytes);

  bool poll() {
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

  /// One step of a rank that waits and sends nothing until a message comes. True once no rank will send any more; then
  /// all ranks are here.
  bool waits(std::string const& waits_for, std::string const& failure) {
    auto const is_wrong = [&] { return !waits_for.empty() || !failure.empty() || !stored.empty(); };
    return all->finish(is_wrong);
  }

  /// After waits(), on all ranks.
  void end(std::string const& waits_for, std::string const& failure) {
    closed = true;
    bool const wrong = all->any_wrong();
    all->give_back();
    if (!wrong) return;
    comm.ensure_all_well(failure, ErrorKind::mismatch);
    comm.ensure_all_well(waits_for, ErrorKind::mismatch);
    std::string left;
    if (!stored.empty()) {
      auto const& e = stored.front().envelope;
      left = fmt::format(
          "channel: rank {} has not received {} messages, the first of rank {} with tag {} and {} bytes; "
          "expected that every message is received before the channel is closed",
          comm.rank(), stored.size(), e.source, e.tag, e.bytes);
    }
    comm.ensure_all_well(left, ErrorKind::mismatch);
  }

  void ensure_content(Envelope const& e, Content content) const {
    ensure(e.content == content, "message",
           fmt::format("of rank {} with tag {} is {}", e.source, e.tag, described(e.content)),
           std::string(described(content)), "", ErrorKind::mismatch);
  }

  /// Waits for a wanted message, which remains stored.
  void await(Wanted wanted, std::unique_lock<std::mutex>& hold) {
    auto const waits_for = fmt::format(
        "channel: rank {} waits for a message from {}, and no rank will send one: every other rank waits or "
        "has closed the channel",
        comm.rank(), described(wanted));
    while (true) {
      ensure_open();
      bool const moved = poll();
      if (first(wanted) != stored.end()) return;
      if (moved) continue;
      if (waits(waits_for, "")) {
        end(waits_for, "");
        ensure_open();
      }
      pause(hold);
    }
  }

  static void pause(std::unique_lock<std::mutex>& hold) {
    hold.unlock();
    std::this_thread::yield();
    hold.lock();
  }

  /// Where a receive wants its message.
  struct Posted {
    std::span<std::byte> into{};
    Wanted wanted{};
    bool used = false;      ///< a message is coming into it
    bool released = false;  ///< and it has been forwarded from there
  };

  Communicator comm;
  ChannelOptions options;
  AlgorithmList among = candidates(comm.machine());
  std::optional<Multicasts> all;
  std::mutex mutex;
  std::map<std::pair<std::vector<Rank>, std::int64_t>, MulticastForm> forms;
  std::map<std::int64_t, std::vector<std::byte>> under_way;  ///< own messages, by number, with owned data
  std::deque<Message> stored;                                ///< received, in the order in which they came
  std::shared_ptr<Posted> posted;
  std::int64_t numbers = 0;
  bool closed = false;
};

std::shared_ptr<std::byte[]> Channel::State::memory(MessageName const& name, std::int64_t bytes) {
  auto const here = posted;
  Envelope const coming{static_cast<Rank>(name[source_at]), name[tag_at], bytes, name[number_at],
                        static_cast<Content>(name[content_at])};
  bool const fits = here && !here->used && coming.content == Content::buffer && is_wanted(coming, here->wanted) &&
                    std::ssize(here->into) >= bytes;
  if (fits) {
    here->used = true;
    return {here->into.data(), [here](std::byte*) { here->released = true; }};
  }
  constexpr std::align_val_t alignment{64};
  auto* const memory = static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(bytes), alignment));
  return {memory, [](std::byte* p) { ::operator delete[](p, std::align_val_t{64}); }};
}

Channel::Channel(Communicator const& comm, ChannelOptions options)
    : state_(std::make_unique<State>(comm, std::move(options))) {}

Channel::~Channel() {
  // MPI may still write into memory of messages under way.
  if (!state_->closed && state_->all->has_open_requests()) static_cast<void>(state_.release());
}

std::int64_t Channel::start(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data,
                            Content content) {
  std::unique_lock const hold(state_->mutex);
  auto const number = state_->start(to, tag, data, content);
  state_->poll();
  return number;
}

void Channel::post(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data, Content content) {
  std::unique_lock const hold(state_->mutex);
  std::vector<std::byte> owned(data.begin(), data.end());
  auto const here = std::span<std::byte const>(owned);  // the memory stays where it is
  state_->start(to, tag, here, content, std::move(owned));
  state_->poll();
}

void Channel::send(std::span<Rank const> to, std::int64_t tag, std::span<std::byte const> data) {
  std::unique_lock hold(state_->mutex);
  auto const number = state_->start(to, tag, data, Content::buffer);
  while (state_->poll(), state_->under_way.contains(number)) State::pause(hold);
}

bool Channel::is_sent(std::int64_t number) {
  std::unique_lock const hold(state_->mutex);
  ensure(number >= 0 && number < state_->numbers, "number", number, "that of a message that was started");
  if (!state_->closed) state_->poll();
  return !state_->under_way.contains(number);
}

std::optional<Channel::Envelope> Channel::probe(Wanted wanted) {
  std::unique_lock const hold(state_->mutex);
  state_->ensure_open();
  state_->ensure_wanted(wanted);
  state_->poll();
  auto const found = state_->first(wanted);
  return found == state_->stored.end() ? std::nullopt : std::optional(found->envelope);
}

Channel::Message Channel::receive(Wanted wanted, Content content) {
  std::unique_lock hold(state_->mutex);
  state_->ensure_wanted(wanted);
  state_->await(wanted, hold);
  auto const found = state_->first(wanted);
  state_->ensure_content(found->envelope, content);
  auto message = std::move(*found);
  state_->stored.erase(found);
  return message;
}

Channel::Envelope Channel::receive(std::span<std::byte> into, Wanted wanted) {
  std::unique_lock hold(state_->mutex);
  auto& s = *state_;
  s.ensure_wanted(wanted);
  auto const here = std::make_shared<State::Posted>(State::Posted{into, wanted});
  s.posted = here;
  try {
    s.await(wanted, hold);
  } catch (...) {
    s.posted.reset();
    throw;
  }
  s.posted.reset();
  // What comes into the buffer is what is received, also if another message was complete before it.
  auto const is_here = [&](Message const& m) { return m.data.get() == into.data() && m.envelope.bytes > 0; };
  auto found = s.first(wanted);
  if (here->used) {
    while ((found = std::ranges::find_if(s.stored, is_here)) == s.stored.end()) {
      if (!s.poll()) State::pause(hold);
    }
  }
  auto const envelope = found->envelope;
  s.ensure_content(envelope, Content::buffer);
  ensure(envelope.bytes <= std::ssize(into), "buf", fmt::format("{} bytes", into.size()),
         fmt::format("at least the {} of the message of rank {} with tag {}", envelope.bytes, envelope.source,
                     envelope.tag));
  if (!here->used && envelope.bytes > 0) {
    std::memcpy(into.data(), found->data.get(), static_cast<std::size_t>(envelope.bytes));
  }
  s.stored.erase(found);
  while (here->used && !here->released) {
    if (!s.poll()) State::pause(hold);
  }
  return envelope;
}

void Channel::progress() {
  std::unique_lock const hold(state_->mutex);
  if (!state_->closed) state_->poll();
}

void Channel::close(std::string const& failure) {
  std::unique_lock hold(state_->mutex);
  if (state_->closed) return;
  while (true) {
    if (state_->poll()) continue;
    if (state_->waits("", failure)) return state_->end("", failure);
    State::pause(hold);
  }
}

bool Channel::is_closed() const { return state_->closed; }
Communicator const& Channel::comm() const { return state_->comm; }

}  // namespace allport
