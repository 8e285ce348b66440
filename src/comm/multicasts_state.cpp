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
using engine::segments_in_flight;

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
      comm.cached("multicasts", [&] { return std::make_shared<SpareChannels>(comm.lock()); }));
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
  channel.messages = comm.duplicate();
  channel.pieces = comm.duplicate();
  return channel;
}

SpareChannels::~SpareChannels() {
  if (!engine::mpi_is_up()) return;
  EngineGuard const hold(*lock_);
  for (auto& channel : spare_) {
    MPI_Comm_free(&channel.messages);
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

int Multicasts::State::row_of(MessageHeader const& header, Hop const& hop) const {
  if (!goes_on(hop)) return -1;
  if (header.tree == MulticastTree::prefix) return ids.common_prefix(ids.of(me), ids.of(hop.next));
  return header.tree == MulticastTree::axes ? header.hops : -1;
}

bool Multicasts::State::goes_on(Hop const& hop) const {
  return hop.set.size() > (hop.set.contains(ids.position(hop.next)) ? 1 : 0);
}

void Multicasts::State::add_hop(HeldMessage& held, Hop const& hop, std::optional<DestinationSet> set) {
  Outgoing out;
  out.to = comm.at_position(hop.next);
  out.header = held.header;
  if (held.from) ++out.header.hops;
  out.row = row_of(out.header, hop);
  out.header.use = channel.uses;
  out.header.number = numbers[static_cast<std::size_t>(out.to)]++;
  auto const alone = !goes_on(hop);
  if (!held.from) out.header.segment = alone ? last_segment(held.header.bytes, hop) : segment_of(held.header);
  if (alone) {
    out.header.intervals = MessageHeader::alone;
  } else {
    out.set = std::move(set);
  }
  held.hops.push_back(std::move(out));
  ++sent;
}

void Multicasts::State::add_hops(HeldMessage& held, std::vector<Hop> const& hops) {
  auto const most = static_cast<std::size_t>(options.intervals);
  for (auto const& hop : hops) {
    if (held.header.intervals == MessageHeader::routed) {
      add_hop(held, hop, std::nullopt);
      continue;
    }
    // Whom a chain or another tree goes to next depends on all of its set: only prefix routing takes any part.
    if (held.header.tree != MulticastTree::prefix) {
      add_hop(held, hop, hop.set);
      continue;
    }
    auto const& wanted = hop.set.intervals();
    for (std::size_t i = 0; i < wanted.size(); i += most) {
      auto const end = std::min(i + most, wanted.size());
      auto part = hop;
      part.set = DestinationSet(std::vector<Positions>(wanted.begin() + static_cast<std::ptrdiff_t>(i),
                                                       wanted.begin() + static_cast<std::ptrdiff_t>(end)));
      add_hop(held, part, part.set);
    }
  }
}

Forwarding Multicasts::State::share_of(engine::UnpackedMessage const& unpacked) const {
  auto const& header = unpacked.header;
  if (header.intervals == MessageHeader::alone) return {true, {}};
  if (!unpacked.set) {
    auto own = share(ids, route(header.name), me, &*table);
    return {own.deliver, std::move(own.hops)};
  }
  return forwarding_of(ids, {header.source, *unpacked.set, header.tree, header.split, header.order}, me, &*table);
}

void Multicasts::State::start(Own const& message, std::span<std::byte const> data, std::int64_t token, bool is_urgent) {
  auto const& [name, what, routed, segment] = message;
  auto const bytes = static_cast<std::int64_t>(data.size());
  ensure(bytes <= longest_message.value(), "data", bytes, "at most 2^30 bytes a message", "", ErrorKind::unsupported);
  EngineGuard const hold(*comm.lock());
  auto const own = share(ids, what, me, &*table);
  HeldMessage held;
  held.header = {name, 0, bytes, segment, me, routed ? MessageHeader::routed : 0, what.tree, what.split, what.order};
  held.data = data.data();
  held.there = bytes;
  held.token = token;
  held.is_urgent = is_urgent;
  add_hops(held, own.hops);
  clean = false;
  if (own.deliver) {
    auto copy = bytes > 0 ? aligned(bytes) : nullptr;
    if (bytes > 0) std::memcpy(copy.get(), data.data(), data.size());
    arrivals.push_back({me, name, std::move(copy), bytes});
  }
  (is_urgent ? urgent : waiting).push_back(std::move(held));
}

std::size_t Multicasts::State::place(HeldMessage held) {
  if (free.empty()) {
    all.push_back(std::move(held));
    return all.size() - 1;
  }
  auto const at = free.back();
  free.pop_back();
  all[at] = std::move(held);
  return at;
}

void Multicasts::State::request(MPI_Request r, Pending what) {
  requests.push_back(r);
  pending.push_back(what);
}

void Multicasts::State::start_hop(std::size_t at, std::size_t h) {
  auto& out = all[at].hops[h];
  out.packet = engine::pack_message(out.header, out.set, all[at].data);
  if (out.header.carries_data()) out.sent = out.header.bytes;
  auto r = MPI_REQUEST_NULL;
  auto const length = static_cast<int>(out.packet.size());
  // A message to be forwarded by its receiver is stored here until the receiver accepts it; one for the receiver only
  // is always accepted.
  auto const send = out.row >= 0 ? MPI_Issend : MPI_Isend;
  check(send(out.packet.data(), length, MPI_BYTE, out.to, out.row + 1, channel.messages, &r), "MPI_Isend", comm.rank(),
        out.to);
  ++out.open;
  request(r, {at, static_cast<std::int64_t>(h)});
  if (out.header.bytes > 0) {
    traffic += Traffic{1, 0, out.header.bytes, 0};
    if (all[at].from) ++forwarded;
  } else {
    ++control;
  }
  if (options.watch) options.watch({true, out.to, out.header.number, out.header.name, out.header.bytes});
}

void Multicasts::State::post_receives(std::size_t at) {
  auto& held = all[at];
  auto const bytes = held.header.bytes;
  auto const segment = held.header.segment;
  while (held.asked < bytes && held.asked - held.there < segments_in_flight * segment) {
    auto const length = std::min(segment, bytes - held.asked);
    auto r = MPI_REQUEST_NULL;
    check(MPI_Irecv(held.memory.get() + held.asked, static_cast<int>(length), MPI_BYTE, *held.from,
                    static_cast<int>(held.header.number % tags), channel.pieces, &r),
          "MPI_Irecv", comm.rank(), *held.from);
    request(r, {at, -1, held.asked / segment});
    held.asked += length;
  }
}

void Multicasts::State::send_pieces(std::size_t at) {
  auto& held = all[at];
  for (std::size_t h = 0; h < held.hops.size(); ++h) {
    auto& out = held.hops[h];
    while (out.sent < held.header.bytes && out.open < segments_in_flight) {
      auto const length = std::min(out.header.segment, held.header.bytes - out.sent);
      if (out.sent + length > held.there) break;
      auto r = MPI_REQUEST_NULL;
      check(MPI_Isend(held.data + out.sent, static_cast<int>(length), MPI_BYTE, out.to,
                      static_cast<int>(out.header.number % tags), channel.pieces, &r),
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
  auto& held = all[at];
  if (held.there < held.header.bytes) return;
  if (held.from && !std::exchange(held.taken, true)) take(held);
  auto const has_left = [&](Outgoing const& out) { return out.open == 0 && out.sent == held.header.bytes; };
  if (std::ranges::all_of(held.hops, has_left)) release(at);
}

void Multicasts::State::take(HeldMessage const& held) {
  ++taken;
  auto const& header = held.header;
  if (header.bytes > 0) traffic += Traffic{0, 1, 0, header.bytes};
  if (options.watch) options.watch({false, *held.from, header.number, header.name, header.bytes});
  if (held.deliver) arrivals.push_back({header.source, header.name, held.memory, header.bytes});
}

void Multicasts::State::release(std::size_t at) {
  auto& held = all[at];
  if (held.row >= 0) {
    transit[static_cast<std::size_t>(held.row)] -= in_transit(held);
    transit_now -= in_transit(held);
  }
  if (!held.from) {
    if (!held.is_urgent) --in_flight;
    if (held.token >= 0) gone.push_back(held.token);
  }
  held = {};
  free.push_back(at);
}

std::int64_t Multicasts::State::in_transit(HeldMessage const& held) {
  return held.header.bytes + static_cast<std::int64_t>(sizeof(MessageHeader));
}

void Multicasts::State::start_own(HeldMessage own) {
  auto const at = place(std::move(own));
  for (std::size_t h = 0; h < all[at].hops.size(); ++h) start_hop(at, h);
  pump(at);
}

bool Multicasts::State::start_own() {
  bool const started = !urgent.empty();
  for (; !urgent.empty(); urgent.pop_front()) start_own(std::move(urgent.front()));
  auto const before = waiting.size();
  for (; !waiting.empty() && in_flight < options.sends; waiting.pop_front()) {
    ++in_flight;
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
    auto& held = all[what.at];
    if (what.hop >= 0) {
      --held.hops[static_cast<std::size_t>(what.hop)].open;
    } else {
      held.ahead |= std::uint64_t{1} << (what.segment - held.there / held.header.segment);
      for (; (held.ahead & 1) != 0; held.ahead >>= 1) {
        held.there = std::min(held.there + held.header.segment, held.header.bytes);
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
    check(MPI_Improbe(MPI_ANY_SOURCE, tag, channel.messages, &there, &message, &status), "MPI_Improbe", comm.rank());
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
  auto const unpacked = engine::unpack_message(incoming);
  if (unpacked.header.use != channel.uses) return drop(unpacked.header, status.MPI_SOURCE);
  auto const mine = share_of(unpacked);
  HeldMessage held;
  held.header = unpacked.header;
  held.from = status.MPI_SOURCE;
  held.deliver = mine.deliver;
  if (unpacked.header.bytes > 0) {
    bool const given = mine.deliver && options.allocate;
    held.memory =
        given ? options.allocate(unpacked.header.name, unpacked.header.bytes) : aligned(unpacked.header.bytes);
  }
  held.data = held.memory.get();
  if (unpacked.header.carries_data()) {
    if (!unpacked.data.empty()) std::memcpy(held.memory.get(), unpacked.data.data(), unpacked.data.size());
    held.there = held.asked = unpacked.header.bytes;
  }
  if (!mine.deliver && status.MPI_TAG > 0) {
    held.row = status.MPI_TAG - 1;
    transit[static_cast<std::size_t>(held.row)] += in_transit(held);
    transit_peak = std::max(transit_peak, transit_now += in_transit(held));
  }
  add_hops(held, mine.hops);
  auto const at = place(std::move(held));
  for (std::size_t h = 0; h < all[at].hops.size(); ++h) start_hop(at, h);
  pump(at);
  return true;
}

}  // namespace allport
