// Labels bound depths: a node may hang below another one if that one's label and the route's length do not exceed its
// own label. So no cycle arises and no tree becomes higher than wanted, whatever moves in which order. Before each
// sweep most nodes without children get the largest height for a label: they look for the cheapest of all routes. The
// others may become parents: their labels are their depths, and in half of the sweeps a random share of the slack more
// that their descendants leave them, so that they can move down, too. Prices are the exponential of the load over the
// limit.
#include "collectives/network/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "allport/base/error.h"
#include "collectives/index.h"

namespace allport {
namespace {

constexpr double per_link = 1e-9;  // far below a typical price: of equally loaded routes the shorter is cheaper
constexpr std::size_t many_jobs = 200'000;

}  // namespace

Forest::Forest(ForestProblem problem)
    : problem_(std::move(problem)),
      topology_(*problem_.topology),
      nodes_(at(topology_.compute_nodes())),
      stride_(at(problem_.longest_route)),
      routes_(problem_.roots.size() * at(problem_.trees) * nodes_ * stride_, -1),
      label_(problem_.roots.size() * at(problem_.trees) * nodes_, 0),
      load_(problem_.limit.size(), 0),
      price_(problem_.limit.size(), 0),
      noise_(problem_.limit.size(), 1),
      cheapest_(at(topology_.vertices()), 0),
      seen_(at(topology_.vertices()), 0) {
  // The cheapest switches around a node; all of a small network.
  most_switches_ = static_cast<int>(std::clamp<std::size_t>(2'000'000 / label_.size(), 24, 10'000));
  set_prices(4);
  for (std::size_t tree = 0; tree < problem_.roots.size() * at(problem_.trees); ++tree) {
    if (problem_.few_children) {
      plant(tree);
    } else {
      grow(tree);
    }
  }
}

void Forest::set_price(std::int32_t orbit) {
  auto const limit = problem_.limit[at(orbit)];
  auto const over = std::clamp(steepness_ * ((load_[at(orbit)] + 1) / limit - 1), -300.0, 300.0);
  price_[at(orbit)] = noise_[at(orbit)] * std::exp(over) / limit + per_link;
}

void Forest::set_prices(double steepness) {
  steepness_ = steepness;
  for (std::int32_t o = 0; o < std::ssize(price_); ++o) set_price(o);
}

void Forest::load(std::span<std::int32_t const> route, double by) {
  for (auto const l : route) {
    auto const orbit = problem_.orbit[at(l)];
    load_[at(orbit)] += by;
    set_price(orbit);
  }
}

double Forest::price(std::int32_t link) const { return price_[at(problem_.orbit[at(link)])]; }

std::span<std::int32_t const> Forest::route(Job job) const {
  auto const all = std::span(routes_).subspan(job * stride_, stride_);
  auto const end = std::ranges::find(all, -1);
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

void Forest::set_route(Job job, std::span<std::int32_t const> links) {
  auto const all = std::span(routes_).subspan(job * stride_, stride_);
  std::ranges::fill(all, -1);
  std::ranges::copy(links, all.begin());
}

Vertex Forest::parent(Job job) const { return topology_.links()[at(routes_[job * stride_])].from; }

void Forest::grow(std::size_t tree) {
  auto const root = problem_.roots[tree / at(problem_.trees)];
  // Of a switch: the cheapest route to it of the least depth. `inner_` holds the link of its last step.
  depth_.assign(at(topology_.vertices()), -1);
  inner_.assign(at(topology_.vertices()), -1);
  depth_[at(root)] = 0;
  std::vector<Vertex> layer{root}, next;
  for (int depth = 1; !layer.empty(); ++depth, layer.swap(next)) {
    next.clear();
    for (auto const v : layer) {
      for (auto const l : topology_.out(v)) {
        auto const to = topology_.links()[at(l)].to;
        if (depth_[at(to)] >= 0) continue;
        depth_[at(to)] = depth;
        next.push_back(to);
      }
    }
    std::ranges::shuffle(next, random_);
    for (auto const v : next) {
      double cost = HUGE_VAL;
      for (auto const l : topology_.in(v)) {
        auto const from = topology_.links()[at(l)].from;
        if (depth_[at(from)] != depth - 1) continue;
        auto const through = (topology_.is_switch(from) ? cheapest_[at(from)] : 0.0) + price(l);
        if (through >= cost) continue;
        cost = through;
        inner_[at(v)] = l;
      }
      cheapest_[at(v)] = cost;
      if (topology_.is_switch(v)) continue;
      found_.clear();
      for (auto x = v; found_.empty() || topology_.is_switch(x);) {
        found_.push_back(inner_[at(x)]);
        x = topology_.links()[at(inner_[at(x)])].from;
      }
      std::ranges::reverse(found_);
      auto const job = tree * nodes_ + at(v);
      ensure(found_.size() <= stride_, "route", found_.size(), "no more links than the longest route has");
      set_route(job, found_);
      label_[job] = static_cast<std::uint16_t>(depth);
      load(found_, 1);
    }
  }
}

void Forest::find_depths(std::size_t tree, std::vector<std::int32_t>& depth) const {
  auto const root = problem_.roots[tree / at(problem_.trees)];
  depth.assign(nodes_, -1);
  depth[at(root)] = 0;
  std::vector<Vertex> path;
  for (std::size_t v = 0; v < nodes_; ++v) {
    path.clear();
    for (auto x = static_cast<Vertex>(v); depth[at(x)] < 0; x = parent(tree * nodes_ + at(x))) path.push_back(x);
    for (auto x = path.rbegin(); x != path.rend(); ++x) {
      auto const job = tree * nodes_ + at(*x);
      depth[at(*x)] = depth[at(parent(job))] + static_cast<std::int32_t>(route(job).size());
    }
  }
}

void Forest::set_labels(std::size_t tree, int height) {
  auto const root = problem_.roots[tree / at(problem_.trees)];
  find_depths(tree, depth_);
  // Nodes by their depth.
  begin_.assign(at(std::ranges::max(depth_)) + 2, 0);
  for (auto const d : depth_) ++begin_[at(d) + 1];
  for (std::size_t d = 1; d < begin_.size(); ++d) begin_[d] += begin_[d - 1];
  order_.resize(nodes_);
  for (std::size_t v = 0; v < nodes_; ++v) order_[at(begin_[at(depth_[v])]++)] = static_cast<Vertex>(v);
  // The largest labels that the children leave their parents, the deepest nodes first.
  inner_.assign(nodes_, -1);
  auto const share = random_() % 2 == 0 ? 0.0 : static_cast<double>(random_() % 1024) / 1024;
  for (auto x = order_.rbegin(); x != order_.rend(); ++x) {
    auto const job = tree * nodes_ + at(*x);
    auto const depth = depth_[at(*x)];
    auto const leaf = inner_[at(*x)] < 0;
    auto const latest = leaf ? std::max(height, depth) : inner_[at(*x)];
    auto const raised = depth + static_cast<std::int32_t>(share * (latest - depth));
    label_[job] = static_cast<std::uint16_t>(*x == root ? 0 : leaf && random_() % 8 != 0 ? latest : raised);
    if (*x == root) continue;
    auto& of_parent = inner_[at(parent(job))];
    auto const left = latest - static_cast<std::int32_t>(route(job).size());
    of_parent = of_parent < 0 ? left : std::min(of_parent, left);
  }
}

bool Forest::look_for_route(std::size_t tree, Vertex node, double& cost) {
  auto const label = label_[tree * nodes_ + at(node)];
  auto const dearer = [&](std::int32_t a, std::int32_t b) { return open_[at(a)].cost > open_[at(b)].cost; };
  ++stamp_;
  open_.clear();
  heap_.clear();
  found_.clear();
  Open now{0, node, -1, -1, 0};
  std::int32_t entry = -1;
  auto left = most_switches_;
  for (;;) {
    for (auto const l : topology_.in(now.at)) {
      auto const from = topology_.links()[at(l)].from;
      auto const through = now.cost + price(l);
      auto const links = now.links + 1;
      if (through > cost) continue;
      if (!topology_.is_switch(from)) {
        if (from == node || label_[tree * nodes_ + at(from)] + links > label) continue;
        if (through == cost && !found_.empty() && random_() % 2 == 0) continue;
        cost = through;
        found_.assign(1, l);
        for (auto e = entry; e >= 0; e = open_[at(e)].after) found_.push_back(open_[at(e)].link);
      } else if (links < problem_.longest_route && (seen_[at(from)] != stamp_ || through < cheapest_[at(from)])) {
        seen_[at(from)] = stamp_;
        cheapest_[at(from)] = through;
        open_.push_back({through, from, l, entry, links});
        heap_.push_back(static_cast<std::int32_t>(open_.size()) - 1);
        std::ranges::push_heap(heap_, dearer);
      }
    }
    do {
      if (heap_.empty() || --left == 0) return !found_.empty();
      std::ranges::pop_heap(heap_, dearer);
      entry = heap_.back();
      heap_.pop_back();
      now = open_[at(entry)];
    } while (now.cost > cheapest_[at(now.at)]);
    if (now.cost >= cost) return !found_.empty();
  }
}

void Forest::improve(std::size_t tree, Vertex node, bool on_ties) {
  auto const job = tree * nodes_ + at(node);
  auto const mine = route(job);
  load(mine, -1);
  double now = 0;
  for (auto const l : mine) now += price(l);
  // A route that costs the same is taken now and then, which lets loads wander to where they are wanted.
  auto const ties = on_ties && random_() % 4 == 0;
  auto cost = ties ? now * (1 + 1e-12) : now * (1 - 1e-9);
  if (look_for_route(tree, node, cost)) set_route(job, found_);
  load(route(job), 1);
}

void Forest::sweep(double steepness, int height, bool on_ties, bool noisy) {
  for (auto& noise : noise_) noise = noisy ? std::exp(3 * static_cast<double>(random_() % 1024) / 1024) : 1;
  set_prices(steepness);
  order_.resize(nodes_);
  for (std::size_t tree = 0; tree < problem_.roots.size() * at(problem_.trees); ++tree) {
    auto const root = problem_.roots[tree / at(problem_.trees)];
    set_labels(tree, height);
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::shuffle(order_, random_);
    for (auto const v : order_)
      if (v != root) improve(tree, v, on_ties);
  }
}

void Forest::balance(int height, double goal) {
  auto best = overload();
  auto best_routes = routes_;
  // Few nodes take many sweeps, prices rising from gentle to steep again and again, each in a moment.
  auto const patience =
      label_.size() > many_jobs ? 2 : static_cast<int>(std::clamp<std::size_t>(100'000 / label_.size(), 8, 80));
  int since = 0;
  for (int turn = 0; best > (1 + 1e-12) / goal && since < patience; ++turn) {
    auto const steepness = 8.0 * (1 << turn % 10);
    // Random factors of prices lead out of states that no single move improves.
    sweep(steepness, height, turn > 0, label_.size() <= many_jobs && turn >= 10 && turn % 10 < 5);
    auto const now = overload();
    since = now < best - 5e-4 ? 0 : since + 1;
    if (now >= best) continue;
    best = now;
    best_routes = routes_;
  }
  if (overload() <= best) return;
  routes_ = std::move(best_routes);
  std::ranges::fill(load_, 0);
  for (Job job = 0; job < label_.size(); ++job)
    for (auto const l : route(job)) ++load_[at(problem_.orbit[at(l)])];
}

double Forest::overload() const {
  double most = 0;
  for (std::size_t o = 0; o < load_.size(); ++o) most = std::max(most, load_[o] / problem_.limit[o]);
  return most;
}

int Forest::height() const {
  std::int32_t most = 0;
  std::vector<std::int32_t> depth;
  for (std::size_t tree = 0; tree < problem_.roots.size() * at(problem_.trees); ++tree) {
    find_depths(tree, depth);
    most = std::max(most, std::ranges::max(depth));
  }
  return most;
}

std::vector<RoutedTree> Forest::trees() const {
  std::vector<RoutedTree> all(problem_.roots.size() * at(problem_.trees));
  for (std::size_t tree = 0; tree < all.size(); ++tree) {
    auto& made = all[tree];
    made.root = problem_.roots[tree / at(problem_.trees)];
    made.begin.assign(1, 0);
    for (std::size_t v = 0; v < nodes_; ++v) {
      auto const links = route(tree * nodes_ + v);
      made.links.insert(made.links.end(), links.begin(), links.end());
      made.begin.push_back(static_cast<std::int32_t>(made.links.size()));
    }
    made.links.shrink_to_fit();
  }
  return all;
}

}  // namespace allport
