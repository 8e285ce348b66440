// Messages: outputs of this rank's tasks, forwarded ones, and received ones.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "allport/tasks/transport.h"
#include "execution.h"

namespace allport::tasks {

Task Execution::task_of(MessageName const& name) {
  auto const high = static_cast<std::uint64_t>(name[1]) >> 32;
  return {static_cast<std::uint16_t>(high >> 16), static_cast<std::uint16_t>(high), static_cast<std::int32_t>(name[1]),
          static_cast<std::int32_t>(name[2] >> 32), static_cast<std::int32_t>(name[2])};
}

/// Kind, task (two words), output or input, contribution.
MessageName Execution::name_of(What what, Task t, std::int64_t index, std::int64_t contribution) {
  auto const word = [](std::int64_t high, std::int32_t low) { return high << 32 | static_cast<std::uint32_t>(low); };
  return {what, word(static_cast<std::int64_t>(t.kind) << 16 | t.layer, t.i), word(t.j, t.k), index, contribution};
}

Multicast Execution::route(Task task, int output) const {
  auto const owner = graph_.owner(task);
  std::vector<Rank> positions;
  graph_.children(task, [&](Edge const& edge) {
    if (edge.kind != EdgeKind::data || edge.output != output) return;
    auto const rank = graph_.owner(edge.child);
    if (rank != owner) positions.push_back(comm_.position(rank));
  });
  auto const& ids = multicasts_.ids();
  auto const bytes = graph_.output(task, output).bytes(graph_.element());
  TreeChoice const choice{TaskHash()(graph_.whole(task, output)), output, graph_.parts(task, output),
                          detour_of(comm_.machine(), bytes)};
  return trees_.to(comm_.position(owner), DestinationSet::of(ids, positions), choice);
}

Multicast Execution::straight_to(Rank rank) const {
  Rank const to = comm_.position(rank);
  return {comm_.position(me_), DestinationSet::of(multicasts_.ids(), std::span(&to, 1)), MulticastTree::flat, {}};
}

Multicast Execution::multicast_for(Outgoing const& one, std::size_t bytes) const {
  constexpr std::size_t shortest = 4096;
  if (one.name[0] != gang_expected || bytes <= shortest || tree_ != MulticastTree::axes) return *one.to;
  bool const upwards = multicasts_.ids().position(one.to->source) < one.to->set.intervals().front().begin;
  return trees_.to(one.to->source, one.to->set, {TaskHash()(task_of(one.name)), upwards ? 0 : 1});
}

void Execution::give_children_here(Task task, int output, Block const& block) {
  graph_.children(task, [&](Edge const& edge) {
    if (edge.kind != EdgeKind::data || edge.output != output || graph_.owner(edge.child) != me_) return;
    frontier_.fulfil(edge.child, Given{edge.input, 0, block});
  });
}

void Execution::queue(MessageName const& name, std::optional<Multicast> to, Leaving leaving) {
  auto at = leaving_.size();
  if (free_leaving_.empty()) {
    leaving_.push_back(std::move(leaving));
  } else {
    at = free_leaving_.back();
    free_leaving_.pop_back();
    leaving_[at] = std::move(leaving);
  }
  ++unsent_;
  hurry_.store(true, std::memory_order_relaxed);
  outgoing_.push_back({name, std::move(to), static_cast<std::int64_t>(at)});
}

bool Execution::leaves(Task task, int output) const {
  return std::ranges::any_of(leaving_, [&](Leaving const& l) { return l.output == output && l.task == task; });
}

void Execution::left(std::int64_t leaving) {
  std::scoped_lock const hold(mutex_);
  --unsent_;
  auto const one = std::exchange(leaving_[static_cast<std::size_t>(leaving)], {});
  free_leaving_.push_back(static_cast<std::size_t>(leaving));
  if (one.output >= 0 && !leaves(one.task, one.output)) fulfil_sent(one.task, one.output);
}

void Execution::fulfil_sent(Task task, int output) {
  graph_.children(task, [&](Edge const& edge) {
    if (edge.kind == EdgeKind::sent && edge.output == output) frontier_.fulfil(edge.child, std::nullopt);
  });
}

void Execution::record_message(MessageEvent const& event) {
  bool const is_unforeseen = event.name[0] == gang_expected;
  if (event.bytes == 0 || (!is_unforeseen && !options_.record)) return;
  std::scoped_lock const hold(mutex_);
  if (is_unforeseen) unforeseen_ += event.sent ? Traffic{1, 0, event.bytes, 0} : Traffic{0, 1, 0, event.bytes};
  if (!options_.record) return;
  auto const now = since_begin(Clock::now());
  auto const task = task_of(event.name);
  auto name = graph_.name(task);
  auto const activity = event.sent ? Record::Activity::send : Record::Activity::receive;
  report_.records.push_back(
      {activity, Kernel::none, 0, event.peer, event.number, task, std::move(name), event.bytes, now, now});
}

void Execution::arrived(Multicasts::Message&& message) {
  auto const task = task_of(message.name);
  auto const index = static_cast<int>(message.name[3]);
  Block const block{{message.data, message.data.get()}, {message.data.get(), static_cast<std::size_t>(message.bytes)}};
  message.data.reset();
  std::scoped_lock const hold(mutex_);
  if (message.name[0] == failure) {
    stopped_ = true;
  } else if (message.name[0] == contribution_to) {
    arrived_of_sum(message.name, block);
  } else if (message.name[0] == step_up) {
    window_.received_from_child(static_cast<Rank>(message.name[4]), message.name[3]);
    announce_step();
  } else if (message.name[0] == step_down) {
    window_.received_from_parent(message.name[3]);
    announce_step();
  } else if (message.name[0] >= gang_ready) {
    arrived_of_gang(message.name, block);
  } else if (!stopped_) {
    give_children_here(task, index, block);
  }
}

std::shared_ptr<std::byte[]> Execution::memory_for(MessageName const& name, std::int64_t bytes) {
  bool const in_gang = name[0] == gang_expected || name[0] == gang_collective;
  std::int64_t last = 0;
  if (window_.bounds() && (in_gang || name[0] == contribution_to)) {
    last = graph_.step(task_of(name));
  } else if (window_.bounds() && name[0] == output_of) {
    graph_.children(task_of(name), [&](Edge const& edge) {
      if (edge.kind != EdgeKind::data || edge.output != name[3] || graph_.owner(edge.child) != me_) return;
      last = std::max(last, graph_.step(edge.child));
    });
  }
  return pool_->allocate_incoming(bytes, last, !in_gang);
}

void Execution::announce_step() {
  if (stopped_) return;
  auto const news = window_.news(pool_->least_step());
  if (news.to_parent) {
    queue(name_of(step_up, {}, *news.to_parent, me_), straight_to(window_.parent()), {});
  }
  if (!news.to_children) return;
  for (auto const child : window_.children()) {
    queue(name_of(step_down, {}, *news.to_children), straight_to(child), {});
  }
  frontier_.let_run_before(window_.limit());
}

std::string Execution::left_over_text() const {
  auto const others = others_text();
  auto const unfinished = frontier_.waiting();
  if (unfinished == 0) return others;
  return fmt::format("{} tasks wait for inputs that never arrive: {}{}{}; graph::check() finds the cause", unfinished,
                     frontier_.waiting_text(8), others.empty() ? "" : "; ", others);
}

bool Execution::is_wrong() {
  std::scoped_lock const hold(mutex_);
  return !failure_.empty() || (!stopped_ && !left_over_text().empty());
}

bool Execution::look(bool caller) {
  if ((only_caller_calls_mpi_ && !caller) || !network_.try_lock()) return false;
  std::scoped_lock const hold(std::adopt_lock, network_);
  // Another worker may have detected the end meanwhile: another finish() would start a sum that no other rank joins.
  return !over_ && communicate();
}

void Execution::send_sums() {
  for (auto& [rank, to] : sums_to_) {
    while (!to.waiting.empty()) {
      auto const& [one, data] = to.waiting.front();
      auto const bytes = static_cast<std::int64_t>(data.size());
      if (to.bytes > 0 && to.bytes + bytes > sums_in_flight) break;
      to.bytes += bytes;
      sums_leaving_[one.leaving] = {rank, bytes};
      multicasts_.send(*one.to, one.name, data, one.leaving, false);
      to.waiting.pop_front();
    }
  }
}

void Execution::sum_left(std::int64_t leaving) {
  auto const at = sums_leaving_.find(leaving);
  if (at == sums_leaving_.end()) return;
  sums_to_[at->second.first].bytes -= at->second.second;
  sums_leaving_.erase(at);
}

bool Execution::communicate() {
  bool moved = false;
  try {
    std::vector<Outgoing> outgoing;
    std::vector<std::span<std::byte>> data;
    {
      std::scoped_lock const hold(mutex_);
      if (window_.bounds()) announce_step();
      if (frontier_.has_new_members()) announce_ready();
      announce_failure();
      outgoing.swap(outgoing_);
      hurry_.store(false, std::memory_order_relaxed);
      for (auto const& one : outgoing) data.push_back(leaving_[static_cast<std::size_t>(one.leaving)].block.bytes);
    }
    for (std::size_t o = 0; o < outgoing.size(); ++o) {
      auto const& one = outgoing[o];
      if (one.name[0] == contribution_to) {
        sums_to_[one.to->set.intervals().front().begin].waiting.push_back({one, data[o]});
      } else if (one.to) {
        // Messages that start tasks, and those within gangs, overtake outputs.
        multicasts_.send(multicast_for(one, data[o].size()), one.name, data[o], one.leaving, true);
      } else {
        multicasts_.send(one.name, data[o], one.leaving);
      }
    }
    send_sums();
    moved = multicasts_.poll([&](Multicasts::Message&& message) { arrived(std::move(message)); },
                             [&](std::int64_t leaving) {
                               sum_left(leaving);
                               left(leaving);
                             }) ||
            !outgoing.empty();
    has_open_requests_.store(multicasts_.has_open_requests(), std::memory_order_relaxed);
    if (idle() && multicasts_.finish([this] { return is_wrong(); })) {
      std::scoped_lock const hold(mutex_);
      if (!stopped_) failure_ = left_over_text();
      over_ = true;
    }
  } catch (std::bad_alloc const&) {
    // Communication has failed: the remaining messages can be neither received nor abandoned, and termination is not
    // possible.
    give_up(comm_, options_);
  } catch (std::exception const& error) {
    fail(error, "messages of the graph");
  }
  watch(moved);
  return moved;
}

}  // namespace allport::tasks
