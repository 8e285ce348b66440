#include "allport/tasks/summary.h"

#include <algorithm>
#include <array>
#include <bit>

namespace allport::tasks {

namespace {

enum Word {
  seconds,
  busy,
  tasks,
  flops,
  control,
  forwarded,
  peak,
  messages_out,
  messages_in,
  bytes_out,
  bytes_in,
  words
};

}  // namespace

Summary summarize(RunReport const& mine, Communicator const& comm) {
  auto const bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  auto const& sent = mine.count.traffic;
  std::array<std::int64_t, words> const own{bits(mine.seconds),     bits(mine.busy_seconds), mine.count.tasks,
                                            bits(mine.count.flops), mine.control_messages,   mine.forwarded,
                                            mine.peak_bytes,        sent.messages_sent,      sent.messages_received,
                                            sent.bytes_sent,        sent.bytes_received};
  auto const all = comm.all_gather(own);
  Summary sum;
  for (std::size_t r = 0; r < all.size(); r += words) {
    auto const* const w = all.data() + r;
    auto const number = [&](Word which) { return std::bit_cast<double>(w[which]); };
    sum.seconds = std::max(sum.seconds, number(seconds));
    sum.busy_seconds += number(busy);
    sum.tasks += w[tasks];
    sum.flops += number(flops);
    sum.control_messages += w[control];
    sum.forwarded += w[forwarded];
    sum.peak_bytes = std::max(sum.peak_bytes, w[peak]);
    sum.traffic.push_back({w[messages_out], w[messages_in], w[bytes_out], w[bytes_in]});
  }
  return sum;
}

}  // namespace allport::tasks
