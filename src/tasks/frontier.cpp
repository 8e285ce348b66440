#include "frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace allport::tasks {

void Frontier::fulfil(Task task, std::optional<Given> given, int edges) {
  auto const [at, fresh] = waiting_.try_emplace(task);
  auto& waiting = at->second;
  if (fresh) waiting.left = graph_.num_parents(task);
  if (waiting.left <= 0) {
    auto const name = graph_.name(task);
    waiting_.erase(at);
    throw Error::argument(
        "num_parents", "0", "one for each edge that leads to the task",
        fmt::format("task {} received an input and has no parents; graph::check() finds such graphs", name),
        ErrorKind::schedule);
  }
  if (given) waiting.inputs.push_back(std::move(*given));
  if ((waiting.left -= edges) > 0) return;
  Ready ready{task, std::move(waiting.inputs)};
  waiting_.erase(at);
  push(std::move(ready));
}

void Frontier::let_run_before(std::int64_t limit) {
  limit_ = limit;
  while (!later_.empty() && later_.begin()->first < limit) {
    auto now = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    for (auto& ready : now) push_now(std::move(ready));
  }
}

void Frontier::push(Ready ready) {
  if (limit_ < std::numeric_limits<std::int64_t>::max()) {
    if (auto const step = graph_.step(ready.task); step >= limit_) {
      later_[step].push_back(std::move(ready));
      return;
    }
  }
  push_now(std::move(ready));
}

void Frontier::push_now(Ready ready) {
  ready.in_gang = graph_.gang(ready.task, gang_);
  bool const alone = !ready.in_gang || gang_.members.size() < 2;
  ready.exchanges = !alone && gang_.exchanges;
  ready.ordered = !alone && !gang_.exchanges && !gang_.inside;
  if (ready.ordered) {
    auto const gang = gang_.members.front();
    auto const task = ready.task;
    bool const is_only = members_.emplace(gang, std::move(ready)).second;
    ensure(is_only, "gang", graph_.name(task), "one with one member a rank", "graph::check() finds such graphs",
           ErrorKind::schedule);
    new_members_.push_back(gang);
    return;
  }
  queue(std::move(ready));
}

void Frontier::queue(Ready ready) {
  Queued next{graph_.priority(ready.task), pushed_++, ready.task, none, ready.in_gang, ready.exchanges, ready.has_sent};
  if (!ready.inputs.empty()) {
    if (free_.empty()) {
      next.at = slots_.size();
      slots_.push_back(std::move(ready.inputs));
    } else {
      next.at = free_.back();
      free_.pop_back();
      slots_[next.at] = std::move(ready.inputs);
    }
  }
  if (in_order_.empty() || next < in_order_.back()) {
    in_order_.push_back(next);
  } else {
    ready_.push(next);
  }
}

void Frontier::begin(Task gang) {
  auto const at = members_.find(gang);
  ensure(at != members_.end(), "gang", graph_.name(gang), "one whose member here is ready", "", ErrorKind::schedule);
  begun_.push_back(std::move(at->second));
  members_.erase(at);
}

std::optional<Ready> Frontier::pop() {
  if (!begun_.empty()) {
    auto ready = std::move(begun_.front());
    begun_.pop_front();
    return ready;
  }
  Queued next;
  if (!in_order_.empty() && (ready_.empty() || ready_.top() < in_order_.front())) {
    next = in_order_.front();
    in_order_.pop_front();
  } else if (!ready_.empty()) {
    next = ready_.top();
    ready_.pop();
  } else {
    return std::nullopt;
  }
  Ready ready{next.task, {}, next.in_gang, false, next.exchanges, next.has_sent};
  if (next.at != none) {
    ready.inputs = std::move(slots_[next.at]);
    free_.push_back(next.at);
  }
  return ready;
}

std::string Frontier::waiting_text(std::size_t most) const {
  std::vector<Task> tasks;
  for (auto const& [task, waiting] : waiting_) tasks.push_back(task);
  std::ranges::sort(tasks);
  std::string text;
  for (std::size_t t = 0; t < std::min(most, tasks.size()); ++t) {
    auto const parents = graph_.num_parents(tasks[t]);
    text += fmt::format("{}{} for {} of {} inputs", t > 0 ? ", " : "", graph_.name(tasks[t]),
                        waiting_.at(tasks[t]).left, parents);
  }
  if (tasks.size() > most) text += fmt::format(" and {} more", tasks.size() - most);
  std::size_t held = 0;
  for (auto const& [gang, ready] : members_) {
    if (held++ < most) text += fmt::format("{}{} for its gang", text.empty() ? "" : ", ", graph_.name(ready.task));
  }
  if (held > most) text += fmt::format(" and {} more", held - most);
  std::size_t ahead = 0;
  for (auto const& [step, ready] : later_) ahead += ready.size();
  if (ahead > 0) text += fmt::format("{}{} for slower ranks", text.empty() ? "" : ", ", ahead);
  return text;
}

}  // namespace allport::tasks
