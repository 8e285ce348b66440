// What a rank sends of its tasks' outputs, forwards of others', and takes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "execution.h"

namespace allport::tasks {

namespace {

Task task_of(Letter::Header const& header) {
  auto const high = static_cast<std::uint64_t>(header[1]) >> 32;
  return {static_cast<std::uint16_t>(high >> 16), static_cast<std::uint16_t>(high),
          static_cast<std::int32_t>(header[1]), static_cast<std::int32_t>(header[2] >> 32),
          static_cast<std::int32_t>(header[2])};
}

}  // namespace

/// What, the task (two words), output or input, contribution, 0.
Letter::Header Execution::header_of(What what, Task t, std::int64_t index, std::int64_t contribution) {
  auto const word = [](std::int64_t high, std::int32_t low) { return high << 32 | static_cast<std::uint32_t>(low); };
  return {what, word(static_cast<std::int64_t>(t.kind) << 16 | t.layer, t.i), word(t.j, t.k), index, contribution, 0};
}

Execution::Handing Execution::handing(Task task, int output, Block block) const {
  Handing handing{output, std::move(block), {}, {}};
  auto const owner = graph_.owner(task);
  graph_.children(task, [&](Edge const& edge) {
    if (edge.carries != Carries::data || edge.output != output) return;
    auto const rank = graph_.owner(edge.child);
    if (rank == me_) {
      handing.here.push_back(edge);
    }
    if (rank != owner) handing.ranks.push_back(positions_[static_cast<std::size_t>(rank)]);
  });
  return handing;
}

void Execution::hand_on(Task task, Handing handing, bool own) {
  for (auto const& edge : handing.here) frontier_.fulfil(edge.child, Given{edge.input, 0, handing.block});
  if (handing.ranks.empty()) return;
  auto const source = positions_[static_cast<std::size_t>(graph_.owner(task))];
  Multicast const multicast{source, DestinationSet::of(ids_, handing.ranks), options_.way, {}};
  auto const hops = share(ids_, multicast, positions_[static_cast<std::size_t>(me_)]).hops;
  if (hops.empty()) return;
  auto const leaving = leave({handing.block, task, handing.output, static_cast<int>(hops.size()), own});
  for (auto const& hop : hops) {
    queue(ranks_[static_cast<std::size_t>(hop.next)], header_of(output_of, task, handing.output), leaving);
  }
  if (!own && !handing.block.bytes.empty()) report_.forwarded += static_cast<std::int64_t>(hops.size());
}

std::int64_t Execution::leave(Leaving leaving) {
  auto at = leaving_.size();
  if (free_leaving_.empty()) {
    leaving_.push_back(std::move(leaving));
  } else {
    at = free_leaving_.back();
    free_leaving_.pop_back();
    leaving_[at] = std::move(leaving);
  }
  return static_cast<std::int64_t>(at);
}

void Execution::queue(Rank to, Letter::Header const& header, std::int64_t leaving) {
  ++unsent_;
  outgoing_.push_back({to, header, leaving_[static_cast<std::size_t>(leaving)].block, leaving});
}

bool Execution::leaves(Task task, int output) const {
  return std::ranges::any_of(
      leaving_, [&](Leaving const& l) { return l.own && l.left > 0 && l.task == task && l.output == output; });
}

void Execution::left(std::int64_t leaving) {
  std::scoped_lock const hold(mutex_);
  --unsent_;
  auto& one = leaving_[static_cast<std::size_t>(leaving)];
  if (--one.left > 0) return;
  one.block = {};
  free_leaving_.push_back(static_cast<std::size_t>(leaving));
  if (one.own && !leaves(one.task, one.output)) fulfil_sent(one.task, one.output);
}

void Execution::fulfil_sent(Task task, int output) {
  graph_.children(task, [&](Edge const& edge) {
    if (edge.carries == Carries::sent && edge.output == output) frontier_.fulfil(edge.child, std::nullopt);
  });
}

void Execution::record_message(Record::Deed deed, Rank peer, Letter::Header const& header, std::int64_t bytes) {
  if (!options_.record || bytes == 0) return;
  auto const now = since_begin(Clock::now());
  auto const task = task_of(header);
  auto name = graph_.name(task);
  std::scoped_lock const hold(mutex_);
  report_.records.push_back({deed, Kernel::none, 0, peer, task, std::move(name), bytes, now, now});
}

void Execution::arrived(Letter&& letter) {
  auto const task = task_of(letter.header);
  record_message(Record::Deed::receive, letter.from, letter.header, letter.bytes);
  auto const index = static_cast<int>(letter.header[3]);
  auto block = pool_->adopt(letter);
  if (letter.header[0] == failure) {
    std::scoped_lock const hold(mutex_);
    stopped_ = true;
    return;
  }
  if (letter.header[0] == contribution_to) {
    std::scoped_lock const hold(mutex_);
    frontier_.fulfil(task, Given{index, static_cast<int>(letter.header[4]), std::move(block)});
    return;
  }
  auto one = handing(task, index, std::move(block));
  std::scoped_lock const hold(mutex_);
  if (!stopped_) hand_on(task, std::move(one), false);
}

bool Execution::talk(bool caller) {
  if (only_caller_talks_ && !caller) return false;
  bool moved = false;
  try {
    std::vector<Outgoing> outgoing;
    {
      std::scoped_lock const hold(mutex_);
      outgoing.swap(outgoing_);
    }
    for (auto const& one : outgoing) {
      mailbox_.send(one.to, one.header, one.block.bytes, one.leaving);
      record_message(Record::Deed::send, one.to, one.header, std::ssize(one.block.bytes));
    }
    moved = mailbox_.poll([&](Letter&& letter) { arrived(std::move(letter)); },
                          [&](std::int64_t leaving) { left(leaving); }) ||
            !outgoing.empty();
    if (idle() && mailbox_.finish()) {
      std::scoped_lock const hold(mutex_);
      auto const unfinished = frontier_.waiting();
      if (!stopped_ && unfinished > 0) {
        failure_ = fmt::format("{} tasks wait for inputs that never come: {}; graph::check() finds why", unfinished,
                               frontier_.waiting_text(8));
      }
      over_ = true;
    }
  } catch (std::exception const& error) {
    fail(error, "messages of the graph");
  }
  watch(moved);
  return moved;
}

}  // namespace allport::tasks
