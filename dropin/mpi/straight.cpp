// Short blocks whose lengths only some ranks know, straight from rank to rank.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "operation.h"
#include "requests.h"

namespace allport::dropin {

/// Blocks that were short when they were looked at last: each rank sends what it has and takes what is its, without
/// telling the lengths first. Right whatever the lengths are now.
Transfer Operation::run_straight() {
  auto const& ours = *record_->ours;
  auto const me = record_->rank;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  std::span<std::byte const> kept;
  std::span<std::byte> kept_at;
  auto const send = [&](Rank position, std::span<std::byte const> data) {
    if (auto const to = ours.at_position(position); to == me) {
      kept = data;
    } else {
      out.push_back({data, to});
    }
  };
  auto const take = [&](Rank position, std::span<std::byte> data) {
    if (auto const from = ours.at_position(position); from == me) {
      kept_at = data;
    } else {
      in.push_back({data, from});
    }
  };
  if (call_.what == Function::gatherv) {
    send(root_, buffers_.input);
  } else {
    out.reserve(in_.blocks.size());
    in_.each_block(buffers_.input, in_store_, [&](auto b, auto block) { send(static_cast<Rank>(b), block); });
  }
  if (call_.what == Function::scatterv) {
    take(root_, buffers_.output);
  } else {
    in.reserve(out_.blocks.size());
    out_.each_block(buffers_.output, out_store_, [&](auto b, auto block) { take(static_cast<Rank>(b), block); });
  }
  if (kept.size() != kept_at.size()) {
    throw Error(ErrorKind::mismatch,
                fmt::format("rank {} sends {} bytes to itself, but expects {}; counts times datatypes must agree", me,
                            kept.size(), kept_at.size()));
  }
  if (kept.data() != kept_at.data()) std::ranges::copy(kept, kept_at.begin());
  ours.exchange(out, in, [] { move_others(); });
  return {};
}

}  // namespace allport::dropin
