#include "shared_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allport::graph {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

SharedMemory::SharedMemory(Levels levels, Rank ranks, std::int32_t ranks_per_node, int workers)
    : levels_(std::move(levels)), ranks_per_node_(ranks_per_node), workers_(workers) {
  auto const limit = [](BytesPerSecond rate) { return rate.value() > 0.0 ? rate.value() : unlimited; };
  auto const parts = [this](int l) { return levels_.ranks() / levels_.ranks_of_part(l); };
  bool caches = false;
  for (int l = 0; l < levels_.size(); ++l) {
    if (outermost_ < 0 && levels_[l].memory_bandwidth.value() > 0.0) outermost_ = l;
    caches = caches || levels_[l].cache.value() > 0;
    first_.push_back(capacities_.size());
    capacities_.insert(capacities_.end(), at(parts(l)), limit(levels_[l].memory_bandwidth));
  }
  for (int l = 0; l < levels_.size(); ++l) {
    first_.push_back(capacities_.size());
    capacities_.insert(capacities_.end(), at(parts(l)), limit(levels_[l].bandwidth));
  }
  if (outermost_ < 0) return;
  nodes_.resize(at((ranks + ranks_per_node - 1) / ranks_per_node));
  if (!caches) return;
  caches_.resize(nodes_.size());
  for (auto& of_node : caches_) {
    for (int l = 0; l < levels_.size(); ++l) of_node.emplace_back(levels_[l].cache.value() > 0 ? at(parts(l)) : 0);
  }
}

std::int32_t SharedMemory::place(Rank rank, int worker) const {
  auto const mine = std::int64_t{rank % ranks_per_node_} * workers_ + worker;
  return static_cast<std::int32_t>(mine * levels_.ranks() / (std::int64_t{ranks_per_node_} * workers_));
}

double SharedMemory::bytes_to_move(Rank rank, int worker, Tile tile, Work const& work) {
  Key const key{rank, tile};
  auto const here = place(rank, worker);
  homes_.emplace(key, here);
  if (caches_.empty() || work.footprint <= 0.0) return work.bytes;
  bool held = false;
  for (int l = 0; l < levels_.size(); ++l) {
    auto const most = static_cast<double>(levels_[l].cache.value());
    auto const mine = here / levels_.ranks_of_part(l);
    auto& caches = caches_[node_number(rank)][at(l)];
    for (std::size_t part = 0; part < caches.size(); ++part) {
      auto& cache = caches[part];
      auto const known = std::ranges::find(cache.held, key, &std::pair<Key, double>::first);
      if (known != cache.held.end()) {
        held = held || part == at(mine);
        cache.bytes -= known->second;
        cache.held.erase(known);  // what another part writes is no longer valid here
      }
      if (part != at(mine)) continue;
      cache.held.emplace_front(key, work.footprint);
      cache.bytes += work.footprint;
      while (cache.bytes > most) {
        cache.bytes -= cache.held.back().second;
        cache.held.pop_back();
      }
    }
  }
  return held ? 0.0 : work.bytes;
}

void SharedMemory::begin(std::size_t slot, Rank rank, int worker, Tile tile, double now, double compute, double bytes) {
  auto const here = place(rank, worker);
  auto const known = homes_.find({rank, tile});
  auto const home = known == homes_.end() ? here : known->second;
  Use use{.slot = slot, .compute = compute, .bytes = bytes};
  for (int l = 0; l < levels_.size() && bytes > 0.0; ++l) {
    auto const whose = l == outermost_ ? home : here;
    use.parts.push_back(first_[at(l)] + at(whose / levels_.ranks_of_part(l)));
  }
  if (auto const l = levels_.parting(here, home); bytes > 0.0 && l < levels_.size() && l <= outermost_) {
    use.parts.push_back(first_[at(levels_.size() + l)] + at(home / levels_.ranks_of_part(l)));
  }
  auto& node = nodes_[node_number(rank)];
  node.uses.push_back(std::move(use));
  share(node, now);
}

void SharedMemory::end(std::size_t slot, Rank rank, double now) {
  auto& node = nodes_[node_number(rank)];
  auto const gone = std::ranges::find(node.uses, slot, &Use::slot);
  *gone = std::move(node.uses.back());
  node.uses.pop_back();
  share(node, now);
}

void SharedMemory::share(Node& node, double now) {
  auto const rates = fair_rates(node.uses);
  for (std::size_t u = 0; u < node.uses.size(); ++u) {
    auto& use = node.uses[u];
    if (use.rate > 0.0) use.left = std::max(use.left - use.rate * (now - node.since), 0.0);
    auto const whole = std::max(use.compute, use.bytes > 0.0 ? use.bytes / rates[u] : 0.0);
    auto const rate = whole > 0.0 ? 1.0 / whole : 0.0;
    if (rate == use.rate && use.end > 0.0) continue;
    use.rate = rate;
    use.end = now + use.left * whole;
    use.changed = true;
  }
  node.since = now;
}

std::vector<double> SharedMemory::fair_rates(std::vector<Use> const& uses) const {
  std::vector<double> rates(uses.size(), 0.0);
  auto free = capacities_;
  std::vector<int> waiting(free.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t u = 0; u < uses.size(); ++u) {
    if (uses[u].bytes <= 0.0) continue;
    open.push_back(u);
    for (auto const part : uses[u].parts) ++waiting[part];
  }
  auto const need = [&](std::size_t u) { return uses[u].compute > 0.0 ? uses[u].bytes / uses[u].compute : unlimited; };
  while (!open.empty()) {
    // The rate that all that are open can have: until one needs no more, or a part is used up.
    auto level = unlimited;
    for (auto const u : open) level = std::min(level, need(u));
    for (std::size_t part = 0; part < free.size(); ++part) {
      if (waiting[part] > 0) level = std::min(level, free[part] / waiting[part]);
    }
    auto const margin = level * (1 + 1e-12);
    auto const limited = [&](std::size_t u) {
      return need(u) <= margin ||
             std::ranges::any_of(uses[u].parts, [&](auto part) { return free[part] <= margin * waiting[part]; });
    };
    std::vector<std::size_t> done;
    std::ranges::copy_if(open, std::back_inserter(done), limited);
    for (auto const u : done) rates[u] = level;
    std::erase_if(open, [&](auto u) { return std::ranges::find(done, u) != done.end(); });
    for (auto const u : done) {
      for (auto const part : uses[u].parts) {
        free[part] = std::max(free[part] - level, 0.0);
        --waiting[part];
      }
    }
  }
  return rates;
}

}  // namespace allport::graph
