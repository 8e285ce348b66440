#include "window.h"

#include <algorithm>
#include <utility>

#include "allport/graph/pool.h"

namespace allport::tasks {

Window::Window(TaskGraph const& graph, Rank me, std::int64_t ahead)
    : graph_(graph),
      me_(me),
      ahead_(ahead),
      steps_(graph.steps()),
      grain_(graph.ranks() == 1 ? 1 : std::max<std::int64_t>(1, ahead / 4)),
      bounds_(ahead > 0 && graph.steps() > ahead && graph::has_steps(graph)) {
  if (!bounds_ || me >= graph.ranks()) return;
  for (Rank bit = 1; me + bit < graph.ranks() && (me & bit) == 0; bit <<= 1) children_.push_back(me + bit);
  lowest_steps_.assign(children_.size(), 0);
  left_ = count(0);
  move_on();
}

std::int64_t Window::limit() const {
  return bounds_ && lowest_step_ + ahead_ < steps_ ? lowest_step_ + ahead_ : std::numeric_limits<std::int64_t>::max();
}

std::int64_t Window::count(std::int64_t step) const {
  std::int64_t all = 0;
  graph_.tasks(me_, step, [&](Task) { ++all; });
  return all;
}

void Window::move_on() {
  while (left_ == 0 && first_ < steps_) {
    if (++first_ == steps_) return;
    left_ = count(first_);
    if (!later_.empty() && later_.begin()->first == first_) {
      left_ -= later_.begin()->second;
      later_.erase(later_.begin());
    }
  }
}

void Window::done(std::int64_t step) {
  if (!bounds_) return;
  if (step != first_) {
    ++later_[step];
    return;
  }
  --left_;
  move_on();
}

void Window::received_from_child(Rank child, std::int64_t lowest_step) {
  auto const at = static_cast<std::size_t>(std::ranges::find(children_, child) - children_.begin());
  lowest_steps_[at] = std::max(lowest_steps_[at], lowest_step);
}

void Window::received_from_parent(std::int64_t lowest_step) { lowest_step_ = std::max(lowest_step_, lowest_step); }

Window::News Window::news(std::int64_t retained) {
  News news;
  if (!bounds_ || me_ >= graph_.ranks()) return news;
  if (limit() <= steps_) news.to_parent = look(retained);
  if (lowest_step_ > broadcast_) news.to_children = broadcast_ = lowest_step_;
  return news;
}

std::optional<std::int64_t> Window::look(std::int64_t retained) {
  auto least = std::min(first_, retained);
  for (auto const lowest_step : lowest_steps_) least = std::min(least, lowest_step);
  if (least < steps_) least -= least % grain_;
  if (me_ == 0) lowest_step_ = std::max(lowest_step_, least);
  if (me_ == 0 || least <= reported_) return std::nullopt;
  return reported_ = least;
}

}  // namespace allport::tasks
