#include "frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace allport::tasks {

void Frontier::fulfil(Task task, std::optional<Given> given) {
  auto const [at, fresh] = waiting_.try_emplace(task);
  auto& waiting = at->second;
  if (fresh) waiting.left = graph_.num_parents(task);
  if (waiting.left <= 0) {
    auto const name = graph_.name(task);
    waiting_.erase(at);
    throw Error::argument(
        "num_parents", "0", "one for each edge that leads to the task",
        fmt::format("task {} got an input and has no parents; graph::check() finds such graphs", name),
        ErrorKind::schedule);
  }
  if (given) waiting.inputs.push_back(std::move(*given));
  if (--waiting.left > 0) return;
  Ready ready{task, std::move(waiting.inputs)};
  waiting_.erase(at);
  push(std::move(ready));
}

void Frontier::push(Ready ready) {
  auto const priority = graph_.priority(ready.task);
  std::size_t at = slots_.size();
  if (free_.empty()) {
    slots_.push_back(std::move(ready));
  } else {
    at = free_.back();
    free_.pop_back();
    slots_[at] = std::move(ready);
  }
  ready_.push({priority, pushed_++, at});
}

std::optional<Ready> Frontier::pop() {
  if (ready_.empty()) return std::nullopt;
  auto const at = ready_.top().at;
  ready_.pop();
  free_.push_back(at);
  return std::move(slots_[at]);
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
  return text;
}

}  // namespace allport::tasks
