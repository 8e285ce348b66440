// Sums: contributions are combined along a reduction tree to the task that needs them (graph/sum_tree.h).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "execution.h"

namespace allport::tasks {

/// A partial sum is identified by the index of its head among the contributors, and by the number that it contains.
MessageName Execution::name_of(SumName const& sum, int contribution, int contained) {
  return name_of(contribution_to, sum.first, sum.second, static_cast<std::int64_t>(contained) << 32 | contribution);
}

Execution::Place Execution::place_of(Task task, Edge const& edge, Rank to) const {
  std::vector<Rank> owners;
  Place place;
  place.at = -1;
  int root = -1;
  graph_.contributors(edge.child, edge.input, [&](Task t) {
    auto const here = static_cast<int>(owners.size());
    if (t == task) place.at = here;
    owners.push_back(graph_.owner(t));
    if (owners.back() == to) root = here;
  });
  if (place.at < 0 || root < 0) {
    throw Error::argument("contributors", graph_.name(edge.child),
                          fmt::format("{} among the tasks that contribute, and one on rank {}", graph_.name(task), to),
                          "graph::check() finds such graphs", ErrorKind::schedule);
  }
  auto const tree = graph_.sum_tree(edge.child, edge.input);
  place.place = graph::sum_place(tree, static_cast<int>(owners.size()), root, place.at);
  if (to != me_) place.to = owners[static_cast<std::size_t>(place.place.parent)];
  return place;
}

void Execution::contribute(Task task, Leads& leads, Place&& place) {
  auto const& edge = leads.edge;
  Given given{edge.input, place.at, std::move(leads.block)};
  if (place.to < 0) {
    frontier_.fulfil(edge.child, std::move(given));
  } else if (place.place.parts.empty()) {
    queue(name_of({edge.child, edge.input}, place.at, 1), straight_to(place.to),
          {std::move(given.block), task, edge.output});
  } else {
    auto const at = partials_.try_emplace({edge.child, edge.input}).first;
    at->second.parts.push_back(std::move(given));
    at->second.own = std::move(place);
    if (at->second.complete()) complete(at->first);
  }
}

void Execution::arrived_of_sum(MessageName const& name, Block const& block) {
  SumName const sum{task_of(name), static_cast<int>(name[3])};
  Given given{sum.second, static_cast<int>(name[4] & 0xffffffff), block, true};
  if (graph_.owner(sum.first) == me_) {
    frontier_.fulfil(sum.first, std::move(given), static_cast<int>(name[4] >> 32));
    return;
  }
  auto& partial = partials_[sum];
  partial.parts.push_back(std::move(given));
  if (partial.complete()) complete(sum);
}

void Execution::complete(SumName sum) {
  auto const at = partials_.find(sum);
  complete_.emplace_back(sum, std::move(at->second));
  partials_.erase(at);
}

void Execution::combine_one(Worker& worker) {
  auto [name, partial] = std::move(*worker.sum);
  worker.sum.reset();
  try {
    auto const begin = worker.now;
    std::ranges::sort(partial.parts, {}, &Given::contribution);
    auto made = sum(partial.parts);
    partial.parts.clear();
    worker.now = Clock::now();
    std::scoped_lock const hold(mutex_);
    report_.busy_seconds += std::chrono::duration<double>(worker.now - begin).count();
    queue(name_of(name, partial.own->at, partial.own->place.contained), straight_to(partial.own->to),
          {std::move(made), {}, -1});
    --running_;
    take_with_lock(worker);
  } catch (std::exception const& error) {
    fail(error, fmt::format("the sum for task {}", graph_.name(name.first)));
    std::scoped_lock const hold(mutex_);
    --running_;
  }
}

Block Execution::sum(std::span<Given const> parts) const {
  ensure(options_.combine != nullptr, "combine", "none", "an operator, for a graph with edges of kind sum");
  // Local contributions may be tiles or other tasks' inputs; received ones are used by this sum only.
  auto const come = std::ranges::find(parts, true, &Given::partial);
  ensure(come - parts.begin() < 2, "contributors", "two on a rank", "one a rank", "graph::check() finds such graphs",
         ErrorKind::schedule);
  auto const& total = come->block;
  auto const bytes = static_cast<std::int64_t>(total.bytes.size());
  auto const* left = parts.front().block.bytes.data();
  for (auto const& part : parts) {
    ensure(part.block.bytes.size() == total.bytes.size(), "output", part.block.bytes.size(),
           fmt::format("{} bytes, as the sum's other contributions have", total.bytes.size()), "", ErrorKind::schedule);
  }
  for (auto const& part : parts.subspan(1)) {
    options_.combine(left, part.block.bytes.data(), total.bytes.data(), bytes);
    left = total.bytes.data();
  }
  return total;
}

void Execution::add_up(std::vector<Given>& inputs) const {
  auto const same_input = [](Given const& a, Given const& b) { return a.input == b.input; };
  if (inputs.size() < 2) return;
  std::ranges::sort(inputs, {}, [](Given const& g) { return std::pair(g.input, g.contribution); });
  if (std::ranges::adjacent_find(inputs, same_input) == inputs.end()) return;
  std::vector<Given> whole;
  for (auto first = inputs.begin(); first != inputs.end();) {
    auto const last = std::find_if(first, inputs.end(), [&](Given const& g) { return g.input != first->input; });
    whole.push_back(last - first == 1 ? *first : Given{first->input, 0, sum({first, last})});
    first = last;
  }
  inputs = std::move(whole);
}

std::string Execution::sums_text() const {
  std::string text;
  std::size_t listed = 0;
  for (auto const& [sum, partial] : partials_) {
    if (listed++ >= 8) continue;
    text += fmt::format("{}the sum for {} has {} of {} parts here", text.empty() ? "" : ", ", graph_.name(sum.first),
                        partial.parts.size(),
                        partial.own ? fmt::format("{}", partial.own->place.parts.size() + 1)
                                    : std::string("others and this rank's own"));
  }
  if (listed > 8) text += fmt::format(" and {} more", listed - 8);
  return text;
}

std::string Execution::others_text() const {
  auto const gangs = gangs_text();
  auto const sums = sums_text();
  return gangs + (gangs.empty() || sums.empty() ? "" : "; ") + sums;
}

}  // namespace allport::tasks
