#include "redistribute_plan.h"

#include <algorithm>

#include "allport/comm/messages.h"
#include "allport/linalg/redistribute.h"

namespace allport {
namespace detail {
namespace {

// Rounds are in flight together up to so many bytes of pack buffers; a single round may exceed it.
constexpr std::int64_t window = std::int64_t(256) << 20;

// visit(part of theirs, my local index, their local index, length) for each run of part `part`, cut at their blocks.
template <class Visit>
void cut_at_blocks(AxisDistribution const& mine, int part, AxisDistribution const& theirs, Visit&& visit) {
  for (auto const& run : mine.runs(part)) {
    for (Index done = 0; done < run.length;) {
      auto const there = theirs.run_at(run.global + done);
      auto const length = std::min(there.length, run.length - done);
      visit(theirs.owner(run.global + done), run.local + done, there.local, length);
      done += length;
    }
  }
}

Rank ranks_of(Distribution const& a, Distribution const& b) {
  return 1 + std::max(*std::ranges::max_element(a.grid()), *std::ranges::max_element(b.grid()));
}

}  // namespace

std::vector<Overlap> overlaps(AxisDistribution const& mine, int part, AxisDistribution const& theirs) {
  std::vector<Overlap> shared(static_cast<std::size_t>(theirs.parts()));
  cut_at_blocks(mine, part, theirs, [&](int other, Index local, Index, Index length) {
    auto& overlap = shared[static_cast<std::size_t>(other)];
    overlap.count += length;
    if (!overlap.spans.empty() && overlap.spans.back().local + overlap.spans.back().length == local) {
      overlap.spans.back().length += length;
    } else {
      overlap.spans.push_back({local, length});
    }
  });
  return shared;
}

std::vector<Common> common(AxisDistribution const& from, int p, AxisDistribution const& to, int q) {
  std::vector<Common> shared;
  cut_at_blocks(from, p, to, [&](int other, Index source, Index target, Index length) {
    if (other != q) {
      return;
    }
    if (!shared.empty()) {
      auto& last = shared.back();
      if (last.from + last.length == source && last.to + last.length == target) {
        last.length += length;
        return;
      }
    }
    shared.push_back({source, target, length});
  });
  return shared;
}

Side side_of(Distribution const& mine, Distribution const& theirs, Rank rank, bool sending) {
  Side side;
  auto const at = mine.position(rank);
  if (at.row < 0) {
    return side;
  }
  side.rows = overlaps(mine.rows(), at.row, theirs.rows());
  side.cols = overlaps(mine.cols(), at.col, theirs.cols());
  auto const ranks = ranks_of(mine, theirs);
  for (int c = 0; c < theirs.cols().parts(); ++c) {
    auto const cols = side.cols[static_cast<std::size_t>(c)].count;
    for (int r = 0; cols > 0 && r < theirs.rows().parts(); ++r) {
      auto const rows = side.rows[static_cast<std::size_t>(r)].count;
      auto const peer = theirs.rank_at(r, c);
      if (rows > 0 && peer != rank) {
        auto const distance = ((sending ? peer - rank : rank - peer) + ranks) % ranks;
        side.messages.push_back({distance, peer, r, c, rows * cols});
      }
    }
  }
  std::ranges::sort(side.messages, {}, &Message::distance);
  return side;
}

std::vector<Round> rounds_of(Side const& sends, Side const& receives) {
  std::vector<Round> rounds;
  auto s = sends.messages.begin();
  auto r = receives.messages.begin();
  while (s != sends.messages.end() || r != receives.messages.end()) {
    auto const send_first = r == receives.messages.end() || (s != sends.messages.end() && s->distance <= r->distance);
    auto const receive_first =
        s == sends.messages.end() || (r != receives.messages.end() && r->distance <= s->distance);
    Round round;
    if (send_first) {
      round.send = &*s++;
    }
    if (receive_first) {
      round.receive = &*r++;
    }
    rounds.push_back(round);
  }
  return rounds;
}

std::int64_t window_bytes(std::vector<Round> const& rounds, std::int64_t element) {
  std::int64_t all = 0;
  std::int64_t largest = window;
  for (auto const& round : rounds) {
    all += round.elements() * element;
    largest = std::max(largest, round.elements() * element);
  }
  return std::min(all, largest);
}

}  // namespace detail

namespace {

Bytes relays_memory(Schedule const& schedule, Rank position) {
  auto const& contract = schedule.contract();
  return Bytes(contract.input_bytes(position) + contract.output_bytes(position) + schedule.program(position).scratch);
}

}  // namespace

Traffic redistribution_traffic(Communicator const& comm, Distribution const& from, Distribution const& to,
                               std::int64_t element) {
  auto const schedule = detail::relayed(comm, from, to, element);
  if (!schedule) return redistribution_traffic(from, to, comm.rank(), element);
  return traffic(schedule->program(comm.position(comm.rank())));
}

Traffic redistribution_traffic(Machine const& machine, std::optional<Mapping> const& mapping, Distribution const& from,
                               Distribution const& to, Rank rank, std::int64_t element) {
  auto const schedule = detail::relayed(machine, mapping, from, to, element);
  if (!schedule) return redistribution_traffic(from, to, rank, element);
  return traffic(schedule->program(mapping ? mapping->place(rank) : rank));
}

Traffic redistribution_traffic(Distribution const& from, Distribution const& to, Rank rank, std::int64_t element) {
  Traffic traffic;
  for (auto const& message : detail::side_of(from, to, rank, true).messages) {
    traffic.messages_sent += messages_for(Bytes(message.elements * element));
    traffic.bytes_sent += message.elements * element;
  }
  for (auto const& message : detail::side_of(to, from, rank, false).messages) {
    traffic.messages_received += messages_for(Bytes(message.elements * element));
    traffic.bytes_received += message.elements * element;
  }
  return traffic;
}

Bytes redistribution_memory(Communicator const& comm, Distribution const& from, Distribution const& to,
                            std::int64_t element) {
  if (auto const schedule = detail::relayed(comm, from, to, element)) {
    return relays_memory(*schedule, comm.position(comm.rank()));
  }
  return redistribution_memory(from, to, comm.rank(), element);
}

Bytes redistribution_memory(Machine const& machine, std::optional<Mapping> const& mapping, Distribution const& from,
                            Distribution const& to, Rank rank, std::int64_t element) {
  if (auto const schedule = detail::relayed(machine, mapping, from, to, element)) {
    return relays_memory(*schedule, mapping ? mapping->place(rank) : rank);
  }
  return redistribution_memory(from, to, rank, element);
}

Bytes redistribution_memory(Distribution const& from, Distribution const& to, Rank rank, std::int64_t element) {
  auto const sends = detail::side_of(from, to, rank, true);
  auto const receives = detail::side_of(to, from, rank, false);
  return Bytes(detail::window_bytes(detail::rounds_of(sends, receives), element));
}

}  // namespace allport
