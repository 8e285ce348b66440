// Faces, blocks and failures between ranks.
#include <algorithm>

#include "block_state.h"

namespace allport::loops {

double BlockEngine::State::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void BlockEngine::State::post(MessageName const& name, Rank to, Data data) {
  std::scoped_lock const hold(mutex);
  leaving.emplace(tokens, std::move(data));
  outgoing.push_back({name, to, tokens++});
  hurry.store(true, std::memory_order_relaxed);
}

/// This rank will send only in response to received messages.
bool BlockEngine::State::quiet() {
  std::scoped_lock const hold(mutex);
  return (left == 0 || (stopped && busy == 0)) && outgoing.empty() && leaving.empty();
}

bool BlockEngine::State::communicate(bool caller) {
  if (only_caller_calls_mpi && !caller) return false;
  std::unique_lock const alone(communicating, std::try_to_lock);
  if (!alone.owns_lock() || over) return false;
  bool moved = false;
  try {
    std::deque<Outgoing> now_out;
    std::vector<std::span<std::byte const>> data;
    {
      std::scoped_lock const hold(mutex);
      now_out.swap(outgoing);
      hurry.store(false, std::memory_order_relaxed);
      for (auto const& one : now_out) data.emplace_back(leaving.at(one.token));
    }
    for (std::size_t o = 0; o < now_out.size(); ++o) {
      auto const& one = now_out[o];
      Rank const to = comm.position(one.to);
      Multicast const multicast{
          comm.position(me), DestinationSet::of(multicasts.ids(), std::span(&to, 1)), MulticastTree::flat, {}};
      multicasts.send(multicast, one.name, data[o], one.token);
      if (options.record && !data[o].empty()) {
        std::scoped_lock const hold(mutex);
        records.push_back({BlockRecord::Deed::send, 0, one.to, one.name[1], one.name[3],
                           static_cast<std::int64_t>(data[o].size()), now(), now()});
      }
    }
    moved = multicasts.poll([&](Multicasts::Message&& message) { arrived(std::move(message)); },
                            [&](std::int64_t token) {
                              std::scoped_lock const hold(mutex);
                              leaving.erase(token);
                            }) ||
            !now_out.empty();
    if (quiet() && multicasts.finish()) over = true;
  } catch (std::exception const& caught) {
    // Communication itself has failed: other ranks cannot be notified.
    std::scoped_lock const hold(mutex);
    if (error.empty()) error = caught.what();
    stopped = true;
    over = true;
  }
  return moved;
}

void BlockEngine::State::arrived(Multicasts::Message&& message) {
  auto const& name = message.name;
  if (name[0] == failure) {
    stopped = true;
    return;
  }
  auto const block = name[1];
  if (options.record && message.bytes > 0) {
    std::scoped_lock const hold(mutex);
    records.push_back(
        {BlockRecord::Deed::receive, 0, comm.at_position(message.source), block, name[3], message.bytes, now(), now()});
  }
  if (name[0] == whole_block) {
    auto object = made(block);
    allocate(object);
    for (auto& memory : object.memory) std::copy_n(message.data.get(), message.bytes, memory.get());
    objects.insert_or_assign(block, std::move(object));
    std::scoped_lock const hold(mutex);
    --left;
    return;
  }
  if (name[0] == piece_of_block) {
    take_piece(block, name[2], message.data.get());
    std::scoped_lock const hold(mutex);
    --left;
    return;
  }
  unpack(*find(block), {static_cast<int>(name[2] / 2), name[2] % 2 != 0}, name[3], message.data.get());
  count_face(block, name[3]);
}

}  // namespace allport::loops
