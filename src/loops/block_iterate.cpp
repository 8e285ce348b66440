// Runs blocks as their faces arrive.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <tuple>

#include "block_state.h"

namespace allport::loops {

namespace {

constexpr int yields_before_nap = 100;
constexpr auto nap = std::chrono::microseconds(50);
/// Interval between polls while blocks run and nothing new is to be sent.
constexpr auto between_polls = std::chrono::microseconds(100);

Face opposite(Face face) { return {face.axis, !face.high}; }

}  // namespace

void BlockEngine::State::iterate(std::int64_t count, Body body) {
  ensure(!broken, "iterate", iteration, "blocks whose last iteration did not fail", "fill() them anew");
  std::string wrong;
  if (count < 0) wrong = fmt::format("count = {}: expected at least 0 iterations", count);
  comm.ensure_all_well(wrong);
  comm.ensure_agreement("iterations, whether blocks were filled, and whether faces are sent",
                        4 * count + (stale ? 2 : 0) + (options.send ? 1 : 0));
  if (count == 0) return;
  if (teams.leaders() != leaders) spread_over_leaders();
  ready.assign(static_cast<std::size_t>(leaders), {});
  target = iteration + count;
  left = count * static_cast<std::int64_t>(objects.size());
  over = stopped = false;
  error.clear();
  if (options.send && stale) {
    for (auto& [block, object] : objects) give_faces(object);
  }
  {
    std::scoped_lock const hold(mutex);
    for (auto& [block, object] : objects) queue_if_ready(object);
  }
  teams.run([&](int leader, Team& team) { work(leader, options.helped ? teams.shared() : team, body); });
  iteration = target;
  stale = !options.send;
  broken = stopped;
  if (stale) {
    for (auto& [block, object] : objects) object.arrived = {};
  }
  if (broken) {
    for (auto& [block, object] : objects) {
      object.iteration = iteration;
      object.queued = false;
    }
  }
  comm.ensure_all_well(error);
  // A rank that stopped because of another rank's error was notified by a message.
  ensure(!broken, "iterate", target, "bodies that do not throw");
}

void BlockEngine::State::work(int leader, Team& team, Body body) {
  using Clock = std::chrono::steady_clock;
  int idle = 0;
  auto communicated = Clock::now();
  while (!over) {
    if (auto* const object = next(leader)) {
      idle = 0;
      run(*object, leader, team, body);
      bool const late = comm.size() > 1 && Clock::now() - communicated > between_polls;
      if (late || hurry.load(std::memory_order_relaxed)) {
        communicate(leader == 0);
        communicated = Clock::now();
      }
      continue;
    }
    if (communicate(leader == 0) || (options.helped && teams.shared().help())) {
      idle = 0;
      continue;
    }
    if (++idle < yields_before_nap) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap);
    }
  }
}

/// Lowest iteration first, then blocks that other ranks wait for, then the lower number.
BlockEngine::State::Object* BlockEngine::State::next(int leader) {
  std::scoped_lock const hold(mutex);
  auto& mine = ready[static_cast<std::size_t>(leader)];
  if (mine.empty() || stopped) return nullptr;
  auto const first = std::ranges::min_element(
      mine, {}, [](Object const* o) { return std::tuple(o->iteration, o->exposed ? 0 : 1, o->block); });
  auto* const object = *first;
  *first = mine.back();
  mine.pop_back();
  ++busy;
  return object;
}

void BlockEngine::State::run(Object& object, int leader, Team& team, Body body) {
  try {
    run_body(object, leader, team, body);
  } catch (std::exception const& caught) {
    fail(fmt::format("block {} in iteration {} on rank {}: {}", object.block, object.iteration, me, caught.what()));
  } catch (...) {
    fail(fmt::format("block {} in iteration {} on rank {}: an exception", object.block, object.iteration, me));
  }
  std::scoped_lock const hold(mutex);
  --busy;
}

void BlockEngine::State::run_body(Object& object, int leader, Team& team, Body body) {
  auto const before = now();
  body(object, team);
  auto const after = now();
  object.taken += (after - before) * (options.helped ? 1 : team.size());
  {
    std::scoped_lock const hold(mutex);
    if (options.record) {
      records.push_back({BlockRecord::Deed::run, leader, -1, object.block, object.iteration, 0, before, after});
    }
    object.arrived[static_cast<std::size_t>(object.iteration % 2)] = 0;
    ++object.iteration;
  }
  if (options.send) give_faces(object);
  std::scoped_lock const hold(mutex);
  object.queued = false;
  --left;
  queue_if_ready(object);
}

/// Copies faces to blocks of this rank directly into their halos: a block in the previous iteration reads its other
/// copy.
void BlockEngine::State::give_faces(Object& object) {
  for (auto const& link : object.links) {
    auto const to = opposite(link.face);
    auto data = packed(object, link.face, object.iteration);
    auto const owner = owners[static_cast<std::size_t>(link.beyond)];
    if (owner == me) {
      unpack(*find(link.beyond), to, object.iteration, data.data());
      count_face(link.beyond, object.iteration);
    } else {
      post({face_of_block, link.beyond, to.number(), object.iteration, 0}, owner, std::move(data));
    }
  }
}

void BlockEngine::State::count_face(std::int64_t block, std::int64_t of) {
  std::scoped_lock const hold(mutex);
  auto& object = *find(block);
  ++object.arrived[static_cast<std::size_t>(of % 2)];
  queue_if_ready(object);
}

void BlockEngine::State::queue_if_ready(Object& object) {
  if (object.queued || object.iteration >= target) return;
  auto const here = object.arrived[static_cast<std::size_t>(object.iteration % 2)];
  if (options.send && here < object.links.size()) return;
  object.queued = true;
  ready[static_cast<std::size_t>(object.leader)].push_back(&object);
}

void BlockEngine::State::fail(std::string const& what) {
  {
    std::scoped_lock const hold(mutex);
    if (error.empty()) error = what;
  }
  if (stopped.exchange(true)) return;
  for (Rank r = 0; r < comm.size(); ++r) {
    if (r != me) post({failure, 0, 0, 0, 0}, r, {});
  }
}

}  // namespace allport::loops
