#include "multicasts_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <ranges>
#include <utility>

#include "allport/base/error.h"
#include "allport/comm/messages.h"
#include "mpi_errors.h"

namespace allport {

namespace {

using engine::check;

constexpr std::int64_t window = 8;    // segments of a message on one way at a time
constexpr std::int64_t tags = 32000;  // MPI has 32767 at least
constexpr std::size_t alignment = 64;

std::shared_ptr<std::byte[]> aligned(std::int64_t bytes) {
  auto* const memory =
      static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(bytes), std::align_val_t(alignment)));
  return {memory, [](std::byte* p) { ::operator delete[](p, std::align_val_t(alignment)); }};
}

}  // namespace

std::shared_ptr<SpareChannels> SpareChannels::of(Communicator const& comm) {
  return std::static_pointer_cast<SpareChannels>(
      comm.keep("multicasts", [&] { return std::make_shared<SpareChannels>(comm.lock()); }));
}

MulticastChannel SpareChannels::take(Communicator const& comm) {
  constexpr std::size_t by_turns = 2;
  MulticastChannel channel;
  if (spare_.size() >= by_turns) {
    channel = spare_.front();
    spare_.pop_front();
    ++channel.uses;
    return channel;
  }
  channel.letters = comm.duplicate();
  channel.pieces = comm.duplicate();
  return channel;
}

SpareChannels::~SpareChannels() {
  if (!engine::mpi_is_up()) return;
  EngineGuard const hold(*lock_);
  for (auto& channel : spare_) {
    MPI_Comm_free(&channel.letters);
    MPI_Comm_free(&channel.pieces);
  }
}

Multicasts::State::State(Communicator const& comm_, TopologyIds ids_, MulticastOptions options_, Route route_)
    : comm(comm_), ids(std::move(ids_)), options(std::move(options_)), route(std::move(route_)) {
  ensure(ids.ranks() == comm.size(), "ids", ids.ranks(),
         fmt::format("IDs of the communicator's {} ranks", comm.size()));
  ensure(options.segment.value() >= 1, "segment", options.segment, "at least 1 byte");
  ensure(options.segment <= longest_message, "segment", options.segment, "at most 1 GiB");
  ensure(options.last_segment.value() >= 0, "last_segment", options.last_segment, "at least 0 bytes");
  ensure(options.last_segment <= longest_message, "last_segment", options.last_segment, "at most 1 GiB");
  ensure(options.intervals >= 1, "intervals", options.intervals, "at least 1 in a message");
  ensure(options.sends >= 1, "sends", options.sends, "at least 1 at a time");
  ensure(options.transit.value() >= 1, "transit", options.transit, "at least 1 byte for each digit");
  me = comm.position(comm.rank());
  table.emplace(ids, me);
  transit.assign(static_cast<std::size_t>(std::max(ids.digits(), most_hops())), 0);
  numbers.assign(static_cast<std::size_t>(comm.size()), 0);
  spare = SpareChannels::of(comm);
  EngineGuard const hold(*comm.lock());
  channel = spare->take(comm);
}

int Multicasts::State::most_hops() const {
  int hops = 0;
  if (ids.machine() == nullptr) return hops;
  for (int a = 0; a < ids.machine()->axes(); ++a) hops += ids.machine()->axis(a).length;
  return hops;
}

std::int64_t Multicasts::State::last_segment(std::int64_t bytes, Hop const& hop) const {
  auto const last = options.last_segment.value();
  bool const in_one = last == 0 || (options.shared_out && bytes > last && is_joined_twice(hop.next));
  return in_one ? std::max<std::int64_t>(bytes, 1) : last;
}

bool Multicasts::State::is_joined_twice(Rank position) const {
  auto const* const machine = ids.machine();
  if (machine == nullptr) return false;
  auto const here = machine->node_of(me);
  auto const there = machine->node_of(position);
  return std::ranges::count_if(std::views::iota(0, 2 * machine->axes()), [&](Port p) {
           return machine->neighbour(here, p) == there && !machine->dead(machine->link(here, p));
         }) > 1;
}

int Multicasts::State::row_of(LetterHead const& head, Hop const& hop) const {
  if (!goes_on(hop)) return -1;
  if (head.tree == MulticastTree::prefix) return ids.common_prefix(ids.of(me), ids.of(hop.next));
  return head.tree == MulticastTree::axes ? head.hops : -1;
}

bool Multicasts::State::goes_on(Hop const& hop) const {
  return hop.set.size() > (hop.set.contains(ids.position(hop.next)) ? 1 : 0);
}

void Multicasts::State::add_hop(Carried& carried, Hop const& hop, std::optional<DestinationSet> set) {
  Outgoing out;
  out.to = comm.at_position(hop.next);
  out.head = carried.head;
  if (carried.from) ++out.head.hops;
  out.row = row_of(out.head, hop);
  out.head.use = channel.uses;
  out.head.number = numbers[static_cast<std::size_t>(out.to)]++;
  auto const alone = !goes_on(hop);
  if (!carried.from) out.head.segment = alone ? last_segment(carried.head.bytes, hop) : options.segment.value();
  if (alone) {
    out.head.intervals = LetterHead::alone;
  } else {
    out.set = std::move(set);
  }
  carried.hops.push_back(std::move(out));
  ++sent;
}

void Multicasts::State::add_hops(Carried& carried, std::vector<Hop> const& hops) {
  auto const most = static_cast<std::size_t>(options.intervals);
  for (auto const& hop : hops) {
    if (carried.head.intervals == LetterHead::routed) {
      add_hop(carried, hop, std::nullopt);
      continue;
    }
    // Whom a chain or another tree goes to next hangs on all of its set: only prefix routing takes any part.
    if (carried.head.tree != MulticastTree::prefix) {
      add_hop(carried, hop, hop.set);
      continue;
    }
    auto const& wanted = hop.set.intervals();
    for (std::size_t i = 0; i < wanted.size(); i += most) {
      auto const end = std::min(i + most, wanted.size());
      auto part = hop;
      part.set = DestinationSet(std::vector<Positions>(wanted.begin() + static_cast<std::ptrdiff_t>(i),
                                                       wanted.begin() + static_cast<std::ptrdiff_t>(end)));
      add_hop(carried, part, part.set);
    }
  }
}

Forwarding Multicasts::State::share_of(engine::Letter const& letter) const {
  auto const& head = letter.head;
  if (head.intervals == LetterHead::alone) return {true, {}};
  if (!letter.set) {
    auto own = share(ids, route(head.name), me, &*table);
    return {own.deliver, std::move(own.hops)};
  }
  return forwarding_of(ids, {head.source, *letter.set, head.tree, head.split, head.order}, me, &*table);
}

void Multicasts::State::start(MessageName const& name, Multicast const& what, bool routed,
                              std::span<std::byte const> data, std::int64_t token, bool is_urgent) {
  auto const bytes = static_cast<std::int64_t>(data.size());
  ensure(bytes <= longest_message.value(), "data", bytes, "at most 2^30 bytes a message", "", ErrorKind::unsupported);
  EngineGuard const hold(*comm.lock());
  auto const own = share(ids, what, me, &*table);
  Carried carried;
  carried.head = {name, 0, bytes, 0, me, routed ? LetterHead::routed : 0, what.tree, what.split, what.order};
  carried.data = data.data();
  carried.there = bytes;
  carried.token = token;
  carried.is_urgent = is_urgent;
  add_hops(carried, own.hops);
  clean = false;
  if (own.deliver) {
    auto copy = bytes > 0 ? aligned(bytes) : nullptr;
    if (bytes > 0) std::memcpy(copy.get(), data.data(), data.size());
    arrivals.push_back({me, name, std::move(copy), bytes});
  }
  (is_urgent ? urgent : waiting).push_back(std::move(carried));
}

std::size_t Multicasts::State::place(Carried carried) {
  if (free.empty()) {
    all.push_back(std::move(carried));
    return all.size() - 1;
  }
  auto const at = free.back();
  free.pop_back();
  all[at] = std::move(carried);
  return at;
}

void Multicasts::State::request(MPI_Request r, Pending what) {
  requests.push_back(r);
  pending.push_back(what);
}

void Multicasts::State::start_hop(std::size_t at, std::size_t h) {
  auto& out = all[at].hops[h];
  out.packet = engine::pack_letter(out.head, out.set, all[at].data);
  if (out.head.carries_data()) out.sent = out.head.bytes;
  auto r = MPI_REQUEST_NULL;
  auto const length = static_cast<int>(out.packet.size());
  // What is handed on stays here until it is taken there; what ends there is always taken.
  auto const send = out.row >= 0 ? MPI_Issend : MPI_Isend;
  check(send(out.packet.data(), length, MPI_BYTE, out.to, out.row + 1, channel.letters, &r), "MPI_Isend", comm.rank(),
        out.to);
  ++out.open;
  request(r, {at, static_cast<std::int64_t>(h)});
  if (out.head.bytes > 0) {
    traffic += Traffic{1, 0, out.head.bytes, 0};
    if (all[at].from) ++forwarded;
  } else {
    ++control;
  }
  if (options.watch) options.watch({true, out.to, out.head.number, out.head.name, out.head.bytes});
}

void Multicasts::State::post_receives(std::size_t at) {
  auto& carried = all[at];
  auto const bytes = carried.head.bytes;
  auto const segment = carried.head.segment;
  while (carried.asked < bytes && carried.asked - carried.there < window * segment) {
    auto const length = std::min(segment, bytes - carried.asked);
    auto r = MPI_REQUEST_NULL;
    check(MPI_Irecv(carried.memory.get() + carried.asked, static_cast<int>(length), MPI_BYTE, *carried.from,
                    static_cast<int>(carried.head.number % tags), channel.pieces, &r),
          "MPI_Irecv", comm.rank(), *carried.from);
    request(r, {at, -1, carried.asked / segment});
    carried.asked += length;
  }
}

void Multicasts::State::send_pieces(std::size_t at) {
  auto& carried = all[at];
  for (std::size_t h = 0; h < carried.hops.size(); ++h) {
    auto& out = carried.hops[h];
    while (out.sent < carried.head.bytes && out.open < window) {
      auto const length = std::min(out.head.segment, carried.head.bytes - out.sent);
      if (out.sent + length > carried.there) break;
      auto r = MPI_REQUEST_NULL;
      check(MPI_Isend(carried.data + out.sent, static_cast<int>(length), MPI_BYTE, out.to,
                      static_cast<int>(out.head.number % tags), channel.pieces, &r),
            "MPI_Isend", comm.rank(), out.to);
      out.sent += length;
      ++out.open;
      request(r, {at, static_cast<std::int64_t>(h)});
    }
  }
}

void Multicasts::State::pump(std::size_t at) {
  if (all[at].from) post_receives(at);
  send_pieces(at);
  auto& carried = all[at];
  if (carried.there < carried.head.bytes) return;
  if (carried.from && !std::exchange(carried.taken, true)) take(carried);
  auto const has_left = [&](Outgoing const& out) { return out.open == 0 && out.sent == carried.head.bytes; };
  if (std::ranges::all_of(carried.hops, has_left)) release(at);
}

void Multicasts::State::take(Carried const& carried) {
  ++taken;
  auto const& head = carried.head;
  if (head.bytes > 0) traffic += Traffic{0, 1, 0, head.bytes};
  if (options.watch) options.watch({false, *carried.from, head.number, head.name, head.bytes});
  if (carried.deliver) arrivals.push_back({head.source, head.name, carried.memory, head.bytes});
}

void Multicasts::State::release(std::size_t at) {
  auto& carried = all[at];
  if (carried.row >= 0) {
    transit[static_cast<std::size_t>(carried.row)] -= in_transit(carried);
    transit_now -= in_transit(carried);
  }
  if (!carried.from) {
    if (!carried.is_urgent) --under_way;
    if (carried.token >= 0) gone.push_back(carried.token);
  }
  carried = {};
  free.push_back(at);
}

std::int64_t Multicasts::State::in_transit(Carried const& carried) {
  return carried.head.bytes + static_cast<std::int64_t>(sizeof(LetterHead));
}

void Multicasts::State::start_own(Carried own) {
  auto const at = place(std::move(own));
  for (std::size_t h = 0; h < all[at].hops.size(); ++h) start_hop(at, h);
  pump(at);
}

bool Multicasts::State::start_own() {
  bool const started = !urgent.empty();
  for (; !urgent.empty(); urgent.pop_front()) start_own(std::move(urgent.front()));
  auto const before = waiting.size();
  for (; !waiting.empty() && under_way < options.sends; waiting.pop_front()) {
    ++under_way;
    start_own(std::move(waiting.front()));
  }
  return started || waiting.size() < before;
}

bool Multicasts::State::complete() {
  if (requests.empty()) return false;
  int count = 0;
  done.resize(requests.size());
  check(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, done.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome", comm.rank());
  if (count <= 0) return false;
  std::vector<std::size_t> moved;
  for (int d = 0; d < count; ++d) {
    auto const& what = pending[static_cast<std::size_t>(done[static_cast<std::size_t>(d)])];
    auto& carried = all[what.at];
    if (what.hop >= 0) {
      --carried.hops[static_cast<std::size_t>(what.hop)].open;
    } else {
      carried.ahead |= std::uint64_t{1} << (what.segment - carried.there / carried.head.segment);
      for (; (carried.ahead & 1) != 0; carried.ahead >>= 1) {
        carried.there = std::min(carried.there + carried.head.segment, carried.head.bytes);
      }
    }
    moved.push_back(what.at);
  }
  std::size_t kept = 0;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (requests[r] == MPI_REQUEST_NULL) continue;
    requests[kept] = requests[r];
    pending[kept++] = pending[r];
  }
  requests.resize(kept);
  pending.resize(kept);
  std::ranges::sort(moved);
  moved.erase(std::ranges::unique(moved).begin(), moved.end());
  for (auto const at : moved) pump(at);
  return true;
}

bool Multicasts::State::probe(MPI_Message& message, MPI_Status& status) {
  int there = 0;
  auto const look = [&](int tag) {
    check(MPI_Improbe(MPI_ANY_SOURCE, tag, channel.letters, &there, &message, &status), "MPI_Improbe", comm.rank());
    return there != 0;
  };
  auto const full = [&](std::int64_t bytes) { return bytes >= options.transit.value(); };
  if (std::ranges::none_of(transit, full)) return look(MPI_ANY_TAG);
  if (look(0)) return true;
  for (std::size_t row = 0; row < transit.size(); ++row) {
    if (!full(transit[row]) && look(static_cast<int>(row) + 1)) return true;
  }
  return false;
}

bool Multicasts::State::receive() {
  auto message = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (!probe(message, status)) return false;
  int length = 0;
  MPI_Get_count(&status, MPI_BYTE, &length);
  incoming.resize(static_cast<std::size_t>(length));
  check(MPI_Mrecv(incoming.data(), length, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv", comm.rank(),
        status.MPI_SOURCE);
  auto const letter = engine::read_letter(incoming);
  if (letter.head.use != channel.uses) return drop(letter.head, status.MPI_SOURCE);
  auto const mine = share_of(letter);
  Carried carried;
  carried.head = letter.head;
  carried.from = status.MPI_SOURCE;
  carried.deliver = mine.deliver;
  if (letter.head.bytes > 0) {
    bool const given = mine.deliver && options.room;
    carried.memory = given ? options.room(letter.head.name, letter.head.bytes) : aligned(letter.head.bytes);
  }
  carried.data = carried.memory.get();
  if (letter.head.carries_data()) {
    if (!letter.data.empty()) std::memcpy(carried.memory.get(), letter.data.data(), letter.data.size());
    carried.there = carried.asked = letter.head.bytes;
  }
  if (!mine.deliver && status.MPI_TAG > 0) {
    carried.row = status.MPI_TAG - 1;
    transit[static_cast<std::size_t>(carried.row)] += in_transit(carried);
    transit_peak = std::max(transit_peak, transit_now += in_transit(carried));
  }
  add_hops(carried, mine.hops);
  auto const at = place(std::move(carried));
  for (std::size_t h = 0; h < all[at].hops.size(); ++h) start_hop(at, h);
  pump(at);
  return true;
}

}  // namespace allport
