#include "summary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace allport::tasks {

namespace {

/// What a rank sends to the others.
struct Words {
  enum Word : std::size_t {
    seconds,
    busy,
    tasks,
    flops,
    control,
    forwarded,
    dropped,
    peak,
    transit,
    messages_out,
    messages_in,
    bytes_out,
    bytes_in,
    count
  };
};

}  // namespace

void RunReport::add(RunReport next) {
  for (auto& record : next.records) {
    record.begin += seconds;
    record.end += seconds;
    records.push_back(std::move(record));
  }
  count.tasks += next.count.tasks;
  count.flops += next.count.flops;
  count.traffic += next.count.traffic;
  control_messages += next.control_messages;
  forwarded += next.forwarded;
  dropped += next.dropped;
  peak_bytes = std::max(peak_bytes, next.peak_bytes);
  seconds += next.seconds;
  busy_seconds += next.busy_seconds;
}

Summary summarize(RunReport const& mine, Communicator const& comm) {
  auto const bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  auto const& sent = mine.count.traffic;
  std::array<std::int64_t, Words::count> const own{bits(mine.seconds),     bits(mine.busy_seconds), mine.count.tasks,
                                                   bits(mine.count.flops), mine.control_messages,   mine.forwarded,
                                                   mine.dropped,           mine.peak_bytes,         mine.peak_transit,
                                                   sent.messages_sent,     sent.messages_received,  sent.bytes_sent,
                                                   sent.bytes_received};
  auto const all = comm.all_gather(own);
  Summary sum;
  for (std::size_t r = 0; r < all.size(); r += Words::count) {
    auto const* const w = all.data() + r;
    auto const number = [&](Words::Word which) { return std::bit_cast<double>(w[which]); };
    sum.seconds = std::max(sum.seconds, number(Words::seconds));
    sum.busy_seconds += number(Words::busy);
    sum.tasks += w[Words::tasks];
    sum.flops += number(Words::flops);
    sum.control_messages += w[Words::control];
    sum.forwarded += w[Words::forwarded];
    sum.dropped += w[Words::dropped];
    sum.peak_bytes = std::max(sum.peak_bytes, w[Words::peak]);
    sum.peak_transit = std::max(sum.peak_transit, w[Words::transit]);
    sum.traffic.push_back({w[Words::messages_out], w[Words::messages_in], w[Words::bytes_out], w[Words::bytes_in]});
  }
  return sum;
}

}  // namespace allport::tasks
