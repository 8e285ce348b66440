// Waiting tasks by identity: an open-addressing table with deletion, since a walk stores only its frontier.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::graph {

[[nodiscard]] inline std::size_t hash_of(Task t) {
  auto const mix = [](std::uint64_t x) {
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15ULL;
    return x ^ (x >> 29);
  };
  auto const word = [](std::int32_t x) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)); };
  auto const low = word(t.i) << 32 | word(t.j);
  auto const high = word(t.k) << 32 | static_cast<std::uint64_t>(t.layer) << 16 | t.kind;
  return mix(mix(low) + high);
}

template <class Value>
class TaskMap {
 public:
  TaskMap() : slots_(64) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Null if the task has no entry.
  [[nodiscard]] Value* find(Task task) {
    auto const at = place(task);
    return slots_[at].used ? &slots_[at].value : nullptr;
  }
  /// The task's entry, made if there is none; until the next call.
  [[nodiscard]] std::pair<Value*, bool> insert(Task task) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    auto const at = place(task);
    auto& slot = slots_[at];
    bool const is_new = !slot.used;
    if (is_new) {
      slot = {task, Value{}, true};
      ++size_;
    }
    return {&slot.value, is_new};
  }
  void erase(Task task) {
    auto hole = place(task);
    if (!slots_[hole].used) return;
    slots_[hole].used = false;
    --size_;
    // Entries behind the hole that it parted from their place move up.
    for (auto at = next(hole); slots_[at].used; at = next(at)) {
      auto const home = hash_of(slots_[at].task) & (slots_.size() - 1);
      if (((at - home) & (slots_.size() - 1)) < ((at - hole) & (slots_.size() - 1))) continue;
      slots_[hole] = std::move(slots_[at]);
      slots_[at].used = false;
      hole = at;
    }
  }
  template <class Visit>
  void each(Visit&& visit) const {
    for (auto const& slot : slots_) {
      if (slot.used) visit(slot.task, slot.value);
    }
  }

 private:
  struct Slot {
    Task task;
    Value value;
    bool used = false;
  };
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  [[nodiscard]] std::size_t place(Task task) const {
    auto at = hash_of(task) & (slots_.size() - 1);
    while (slots_[at].used && slots_[at].task != task) at = next(at);
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (auto& slot : old) {
      if (slot.used) slots_[place(slot.task)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace allport::graph
