// Chunks and connections of an MSCCL file.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "allport/schedule/linked.h"
#include "msccl_blocks.h"

namespace allport::msccl {
namespace {

using Stream = std::tuple<Rank, Rank, std::int32_t>;  // source, target, channel

/// The greatest number of bytes that divides all offsets and lengths of an operation.
std::int64_t grain(Op const& op) {
  auto g = op.length;
  bool const is_cut = op.segments() > 1;
  if (is_cut) g = std::gcd(g, op.segment);
  for (auto const* slot : {&op.from, &op.with, &op.into}) {
    if (slot->buffer == Buffer::none) continue;
    g = std::gcd(g, slot->offset);
  }
  return g;
}

/// Channels such that no GPU has two connections to one peer, or too many peers, on one of them.
class Channels {
 public:
  Channels(Rank ranks, MscclLimits const& limits)
      : limits_(limits),
        sends_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(limits.channels)),
        receives_(sends_.size()) {}

  int add(Stream const& s) {
    auto const [source, target, channel] = s;
    if (std::pair(source, target) != pair_) next_ = 0;
    pair_ = {source, target};
    for (; next_ < limits_.channels; ++next_) {
      auto& out = sends_[at(source)];
      auto& in = receives_[at(target)];
      if (out == limits_.peers || in == limits_.peers) continue;
      ++out;
      ++in;
      return next_++;
    }
    throw Error(ErrorKind::unsupported,
                fmt::format("MSCCL cannot express this schedule: the streams from rank {} to rank {}, or those to all "
                            "their peers, need more than {} channels of {} peers",
                            source, target, limits_.channels, limits_.peers));
  }

 private:
  [[nodiscard]] std::size_t at(Rank r) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(limits_.channels) + static_cast<std::size_t>(next_);
  }

  MscclLimits const& limits_;
  std::vector<int> sends_;
  std::vector<int> receives_;
  std::pair<Rank, Rank> pair_{-1, -1};
  int next_ = 0;
};

}  // namespace

Plan plan(Schedule const& schedule, MscclLimits const& limits) {
  auto const& contract = schedule.contract();
  Plan made;
  LinkedProgram const linked(schedule);
  Program program;
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    schedule.program(r, program);
    for (auto const& op : program.ops) made.chunk = std::gcd(made.chunk, grain(op));
    made.chunk = std::gcd(std::gcd(made.chunk, contract.input_bytes(r)), contract.output_bytes(r));
  }
  std::vector<Stream> streams;
  for (auto const& op : linked.ops()) {
    if (op.kind == OpKind::send) streams.emplace_back(op.rank, op.peer, op.channel);
  }
  std::ranges::sort(streams);
  Channels channels(schedule.ranks(), limits);
  for (auto const& s : streams) {
    auto const channel = channels.add(s);
    made.channel_of[s] = channel;
    made.channels = std::max(made.channels, channel + 1);
  }
  return made;
}

}  // namespace allport::msccl
