// Trees for links that are used by few routes: each node has as many children in one tree as its links allow, and so
// few or none in others. The shallowest nodes take children first, the nearest that may have children themselves before
// others.
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "collectives/index.h"
#include "collectives/network/forest.h"

namespace allport {
namespace {

constexpr std::uint16_t not_yet = 0xffff;

}  // namespace

void Forest::plant(std::size_t tree) {
  auto const root = problem_.roots[tree / at(problem_.trees)];
  for (std::size_t v = 0; v < nodes_; ++v) label_[tree * nodes_ + v] = not_yet;
  label_[tree * nodes_ + at(root)] = 0;
  using Entry = std::tuple<int, std::int64_t, Vertex>;  // depth, turn, node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::int64_t turn = 0;
  ready.emplace(0, turn, root);
  while (!ready.empty()) {
    auto const [depth, before, node] = ready.top();
    ready.pop();
    if (!look_for_child(tree, node)) continue;
    auto const child = topology_.links()[at(found_.back())].to;
    hang(tree, child);
    ready.emplace(label_[tree * nodes_ + at(child)], ++turn, child);
    ready.emplace(depth, before, node);
  }
  // Whoever is left hangs where it costs least.
  for (bool more = true; more;) {
    more = false;
    for (std::size_t v = 0; v < nodes_; ++v) {
      auto& label = label_[tree * nodes_ + v];
      if (label != not_yet) continue;
      label = not_yet - 1;
      auto cost = HUGE_VAL;
      if (look_for_route(tree, static_cast<Vertex>(v), cost)) {
        hang(tree, static_cast<Vertex>(v));
        more = true;
      } else {
        label = not_yet;
      }
    }
  }
}

void Forest::hang(std::size_t tree, Vertex node) {
  auto const job = tree * nodes_ + at(node);
  set_route(job, found_);
  load(found_, 1);
  label_[job] = static_cast<std::uint16_t>(label_[tree * nodes_ + at(parent(job))] + found_.size());
}

bool Forest::look_for_child(std::size_t tree, Vertex node) {
  auto const trees = at(problem_.trees);
  auto const part = static_cast<double>(tree % trees + 1) / static_cast<double>(trees);
  auto const root = problem_.roots[tree / trees];
  // Links between switches, and the root's own, are shared evenly by the trees.
  auto const is_free = [&](std::int32_t l, Vertex from) {
    auto const orbit = at(problem_.orbit[at(l)]);
    auto const limit = problem_.limit[orbit];
    auto const mine = topology_.is_switch(from) || from == root ? std::max(std::min(1.0, limit), limit * part) : limit;
    return load_[orbit] + 1 <= mine + 1e-9;
  };
  auto const may_have_children = [&](Vertex v) {
    return std::ranges::any_of(topology_.out(v), [&](std::int32_t l) {
      auto const orbit = at(problem_.orbit[at(l)]);
      return load_[orbit] + 1 <= problem_.limit[orbit] + 1e-9;
    });
  };
  // Links that are rarer cost more.
  auto const dearer = [&](std::int32_t a, std::int32_t b) { return open_[at(a)].cost > open_[at(b)].cost; };
  ++stamp_;
  open_.assign(1, Open{0, node, -1, -1, 0});
  heap_.assign(1, 0);
  std::int32_t child = -1;
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, dearer);
    auto const x = heap_.back();
    heap_.pop_back();
    auto const now = open_[at(x)];
    if (seen_[at(now.at)] == stamp_) continue;
    seen_[at(now.at)] = stamp_;
    if (x > 0 && !topology_.is_switch(now.at)) {
      auto const better = may_have_children(now.at);
      if (child < 0 || better) child = x;
      if (better) break;
      continue;
    }
    if (now.links >= problem_.longest_route) continue;
    for (auto const l : topology_.out(now.at)) {
      auto const to = topology_.links()[at(l)].to;
      if (seen_[at(to)] == stamp_ || !is_free(l, now.at)) continue;
      if (!topology_.is_switch(to) && label_[tree * nodes_ + at(to)] != not_yet) continue;
      open_.push_back({now.cost + 1 / problem_.limit[at(problem_.orbit[at(l)])], to, l, x, now.links + 1});
      heap_.push_back(static_cast<std::int32_t>(open_.size()) - 1);
      std::ranges::push_heap(heap_, dearer);
    }
  }
  found_.clear();
  for (auto e = child; e > 0; e = open_[at(e)].after) found_.push_back(open_[at(e)].link);
  std::ranges::reverse(found_);
  return child >= 0;
}

}  // namespace allport
