#include "gang_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ranges>
#include <utility>

#include "allport/comm/messages.h"
#include "allport/graph/transport.h"

namespace allport::tasks {

namespace {

Block copy_of(std::span<std::byte const> data) {
  std::shared_ptr<std::byte> memory(new std::byte[data.size()], std::default_delete<std::byte[]>());
  if (!data.empty()) std::memcpy(memory.get(), data.data(), data.size());
  return {memory, {memory.get(), data.size()}};
}

}  // namespace

GangEndpoint::GangEndpoint(TaskGraph const& graph, Gang const& gang, Task task, Post post, Await await)
    : gang_(gang.members.front()),
      me_(static_cast<int>(std::ranges::find(gang.members, task) - gang.members.begin())),
      post_(std::move(post)),
      await_(std::move(await)),
      sent_(gang.members.size(), 0),
      received_(gang.members.size(), 0) {
  for (auto const member : gang.members) ranks_.push_back(graph.owner(member));
  ensure(me_ < members(), "gang", graph.name(task), "a task among the members of its own gang", "",
         ErrorKind::schedule);
}

void GangEndpoint::ensure_other(char const* what, int member) const {
  ensure(member >= 0 && member < members() && member != me_, what, member,
         fmt::format("another member, in 0..{}", members() - 1));
}

void GangEndpoint::send(int to, std::span<std::byte const> data) {
  ensure_other("to", to);
  ensure(static_cast<std::int64_t>(data.size()) <= longest_message.value(), "data", data.size(),
         "at most 2^30 bytes a message", "", ErrorKind::unsupported);
  post_({gang_, true, me_, sent_[static_cast<std::size_t>(to)]++}, rank_of(to), copy_of(data));
}

std::vector<std::byte> GangEndpoint::receive(int from) {
  ensure_other("from", from);
  auto const block = await_({gang_, true, from, received_[static_cast<std::size_t>(from)]++});
  return {block.bytes.begin(), block.bytes.end()};
}

GangEndpoint::TreePosition const& GangEndpoint::position_of(Collective what, int root) {
  ensure(root >= 0 && root < members(), "root", root, fmt::format("a member, in 0..{}", members() - 1));
  auto const [at, fresh] = positions_.try_emplace({what == Collective::allreduce, root});
  auto& position = at->second;
  if (!fresh) return position;
  auto const member = [&](Rank rank) { return static_cast<int>(std::ranges::find(ranks_, rank) - ranks_.begin()); };
  // The broadcast phase gives the position: a reduction uses the same tree upwards, and the hops of an allreduce begin
  // with the upward ones.
  bool const both = what == Collective::allreduce;
  auto up = both ? members() - 1 : 0;
  auto const call = both ? Collective::allreduce : Collective::broadcast;
  graph::in_gangs()->hops({gang_, 0, call, ranks_, root, 1, 1, true}, [&](graph::Hop const& hop) {
    if (up-- > 0) return;
    if (hop.to == rank_of(me_)) position.parent = member(hop.from);
    if (hop.from == rank_of(me_)) position.children.push_back(member(hop.to));
  });
  return position;
}

void GangEndpoint::ensure_length(Block const& block, std::span<std::byte const> data, int from) const {
  ensure(block.bytes.size() == data.size(), "data", data.size(),
         fmt::format("{} bytes, as member {} has in the same collective", block.bytes.size(), from), "",
         ErrorKind::mismatch);
}

void GangEndpoint::broadcast(int root, std::span<std::byte> data) {
  send_down(position_of(Collective::broadcast, root), data);
}

void GangEndpoint::reduce(int root, std::span<std::byte> data, Combine const& combine) {
  add_up(position_of(Collective::reduce, root), data, combine);
}

void GangEndpoint::allreduce(std::span<std::byte> data, Combine const& combine) {
  auto const& position = position_of(Collective::allreduce, 0);
  add_up(position, data, combine);
  send_down(position, data);
}

void GangEndpoint::send_down(TreePosition const& position, std::span<std::byte> data) {
  auto const number = collectives_++;
  if (data.empty() || members() == 1) return;
  Block block;
  if (position.parent >= 0) {
    block = await_({gang_, false, position.parent, number});
    ensure_length(block, data, position.parent);
    std::memcpy(data.data(), block.bytes.data(), data.size());
  } else {
    block = copy_of(data);
  }
  for (auto const child : position.children) post_({gang_, false, me_, number}, rank_of(child), block);
}

/// Children with the shortest route below them first, as graph::in_gangs() orders them.
void GangEndpoint::add_up(TreePosition const& position, std::span<std::byte> data, Combine const& combine) {
  auto const number = collectives_++;
  if (data.empty()) return;
  for (auto const child : position.children | std::views::reverse) {
    auto const block = await_({gang_, false, child, number});
    ensure_length(block, data, child);
    combine(data.data(), block.bytes.data(), data.data(), static_cast<std::int64_t>(data.size()));
  }
  if (position.parent >= 0) post_({gang_, false, me_, number}, rank_of(position.parent), copy_of(data));
}

}  // namespace allport::tasks
