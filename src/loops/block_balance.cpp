// Moves blocks to other ranks and other leaders.
#include <algorithm>
#include <numeric>
#include <span>
#include <thread>

#include "block_state.h"

namespace allport::loops {

std::vector<double> BlockEngine::State::loads() const {
  std::vector<double> mine(static_cast<std::size_t>(grid.blocks()));
  for (auto const& [block, object] : objects) mine[static_cast<std::size_t>(block)] = object.taken;
  auto all = mine;
  auto const bytes = static_cast<std::int64_t>(mine.size() * sizeof(double));
  if (comm.size() > 1) {
    // One of the numbers that are added is not 0: exact in any order.
    comm.run(comm.schedule_for(Collective::allreduce, 0, Bytes(bytes), sizeof(double)),
             {std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all))}, sum_of<double>());
  }
  return all;
}

/// Of every block, in cells.
Ties BlockEngine::State::faces() const {
  Ties all(static_cast<std::size_t>(grid.blocks()));
  for (std::int64_t b = 0; b < grid.blocks(); ++b) {
    for (auto const face : grid.shared_faces(b)) {
      double cells = 1;
      for (int a = 0; a < grid.axes(); ++a) cells *= a == face.axis ? 1.0 : static_cast<double>(grid.cells(b, a));
      all[static_cast<std::size_t>(b)].push_back({grid.beyond(b, face), cells});
    }
  }
  return all;
}

/// Threads of each rank.
std::vector<double> BlockEngine::State::speeds() const {
  std::int64_t const threads = teams.threads();
  std::vector<double> all;
  for (auto const t : comm.all_gather(std::span(&threads, 1))) all.push_back(static_cast<double>(t));
  return all;
}

/// Before this rank receives so many blocks, or pieces of blocks.
void BlockEngine::State::expect(std::int64_t coming) {
  std::scoped_lock const hold(mutex);
  left = coming;
  target = iteration;
  over = stopped = false;
  error.clear();
}

/// Sends what was posted, and returns when all ranks have received what they expect.
void BlockEngine::State::receive_all() {
  while (!over) {
    if (!communicate(true)) std::this_thread::yield();
  }
  broken = stopped;
  comm.ensure_all_well(error, ErrorKind::mpi);
}

BalanceReport BlockEngine::State::balance(BalanceOptions const& balancing) {
  ensure(!broken, "balance", iteration, "blocks whose last iteration did not fail", "fill() them anew");
  auto const all = loads();
  auto const by_threads = speeds();
  // No measurements before the first iteration.
  bool const measured = std::ranges::any_of(all, [](double load) { return load > 0; });
  auto const next = measured ? balanced(all, owners, by_threads, balancing, faces()) : owners;
  BalanceReport report{.before = imbalance(all, owners, by_threads), .after = imbalance(all, next, by_threads)};
  for (std::size_t b = 0; b < next.size(); ++b) report.between_ranks += next[b] != owners[b] ? 1 : 0;
  if (report.between_ranks > 0) move_to(next);

  // Within the rank: new blocks to the least loaded leader, then balanced as between ranks.
  leaders = teams.leaders();
  std::vector<double> mine;
  std::vector<int> of;
  std::vector<double> has(static_cast<std::size_t>(leaders));
  for (auto& [block, object] : objects) {
    if (measured) object.weight = all[static_cast<std::size_t>(block)];
    object.taken = 0;
    if (object.leader >= leaders) object.leader = -1;
    if (object.leader >= 0) has[static_cast<std::size_t>(object.leader)] += object.weight;
  }
  for (auto& [block, object] : objects) {
    if (object.leader < 0) {
      object.leader = static_cast<int>(std::ranges::min_element(has) - has.begin());
      has[static_cast<std::size_t>(object.leader)] += object.weight;
    }
    mine.push_back(object.weight);
    of.push_back(object.leader);
  }
  auto const places = balanced(mine, of, std::vector<double>(static_cast<std::size_t>(leaders), 1.0), balancing);
  std::size_t o = 0;
  for (auto& [block, object] : objects) {
    report.between_leaders += object.leader != places[o] ? 1 : 0;
    object.leader = places[o++];
  }
  return report;
}

/// Every rank knows which blocks it receives. Halos are sent with them: all faces of this iteration have arrived.
void BlockEngine::State::move_to(std::vector<int> const& next) {
  auto const last = std::exchange(owners, next);
  std::int64_t coming = 0;
  for (std::size_t b = 0; b < next.size(); ++b) coming += next[b] == me && last[b] != me ? 1 : 0;
  expect(coming);
  for (auto at = objects.begin(); at != objects.end();) {
    auto& object = at->second;
    auto const owner = owners[static_cast<std::size_t>(at->first)];
    if (owner == me) {
      ++at;
      continue;
    }
    auto const* const cells = memory(object, iteration);
    post({whole_block, at->first, 0, iteration, 0}, owner, Data(cells, cells + object.elements * element));
    at = objects.erase(at);
  }
  receive_all();
  for (auto& [block, object] : objects) {
    auto const came = last[static_cast<std::size_t>(block)] != me;
    link(object);
    object.arrived = {};
    if (!stale) object.arrived[static_cast<std::size_t>(iteration % 2)] = object.links.size();
    if (came) object.leader = -1;
  }
}

}  // namespace allport::loops
