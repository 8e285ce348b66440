// What one rank knows of a graph while it runs: tasks that wait for inputs, and tasks that are ready.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::tasks {

struct TaskHash {
  [[nodiscard]] std::size_t operator()(Task const& t) const {
    auto const word = [](std::uint64_t a) {
      a ^= a >> 32;
      a *= 0xd6e8feb86659fd93ULL;
      return a ^ (a >> 32);
    };
    auto const low = static_cast<std::uint64_t>(t.kind) << 48 | static_cast<std::uint64_t>(t.layer) << 32 |
                     static_cast<std::uint32_t>(t.i);
    auto const high =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(t.j)) << 32 | static_cast<std::uint32_t>(t.k);
    return word(low ^ word(high));
  }
};

/// What a task has made, or what has come from another rank, for as long as anybody needs it.
struct Block {
  std::shared_ptr<std::byte> memory;  ///< keeps what is not a tile
  std::span<std::byte> bytes;
};

/// A part of an input: all of it, or one contribution to a sum.
struct Given {
  int input = 0;
  int contribution = 0;
  Block block;
  bool partial = false;  ///< has come for this sum alone, so that the sum may be made in its memory
};

/// A task whose inputs are all there.
struct Ready {
  Task task;
  std::vector<Given> inputs;
  bool in_gang = false;
  bool ordered = false;    ///< it ran when all of its gang were ready
  bool exchanges = false;  ///< its gang does
  bool has_sent = false;   ///< and it has sent what others of its gang expect
};

/// Not safe for several threads: its owner locks.
class Frontier {
 public:
  explicit Frontier(TaskGraph const& graph) : graph_(graph) {}

  /// A task that waits for nothing.
  void enter(Task task) { push({task, {}}); }
  /// Some of a task's edges are there, more than one where a partial sum comes; nothing is given along an edge that
  /// carries order alone.
  void fulfil(Task task, std::optional<Given> given, int edges = 1);
  /// The ready task of the highest priority; among equals the one that was ready first. Members of gangs that have
  /// begun come before all.
  [[nodiscard]] std::optional<Ready> pop();

  /// Whether any task has become ready that waits for its gang, and nobody has asked for since.
  [[nodiscard]] bool has_new_members() const { return !new_members_.empty(); }
  /// Those gangs, by their first members.
  [[nodiscard]] std::vector<Task> new_members() { return std::exchange(new_members_, {}); }
  /// All of a gang's members are ready, and now its own may run.
  void begin(Task gang);
  /// What a member of a gang that exchanges expects has come.
  void go_on(Ready ready) { queue(std::move(ready)); }

  [[nodiscard]] bool empty() const { return !has_ready() && later_.empty() && new_members_.empty(); }
  [[nodiscard]] bool has_ready() const { return !in_order_.empty() || !ready_.empty() || !begun_.empty(); }
  /// Ready tasks of this step and later ones wait; from now on this limit, which is no lower than the one before.
  void let_run_before(std::int64_t limit);
  /// For inputs, or for other members of their gangs.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size() + members_.size(); }
  /// "T(3, 1) for 2 of 3 inputs, ...", at most `most` of them.
  [[nodiscard]] std::string waiting_text(std::size_t most) const;

 private:
  struct Waiting {
    int left = 0;
    std::vector<Given> inputs;
  };
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Queued {
    double priority = 0;
    std::int64_t order = 0;
    Task task;
    std::size_t at = none;  ///< in slots_, where it has inputs
    bool in_gang = false;
    bool exchanges = false;
    bool has_sent = false;
    friend bool operator<(Queued const& a, Queued const& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
    }
  };
  void push(Ready ready);
  void push_now(Ready ready);
  void queue(Ready ready);

  TaskGraph const& graph_;
  std::pmr::unsynchronized_pool_resource memory_;  ///< tasks come and go in great numbers
  std::pmr::unordered_map<Task, Waiting, TaskHash> waiting_{&memory_};
  /// Ready tasks that became ready in the order in which they run: no heap is needed for those.
  std::deque<Queued> in_order_;
  std::priority_queue<Queued> ready_;  ///< the others
  std::vector<std::vector<Given>> slots_;
  std::vector<std::size_t> free_;
  std::map<Task, Ready> members_;  ///< that wait for their gangs, by the first members of these
  std::vector<Task> new_members_;
  std::deque<Ready> begun_;
  Gang gang_;  ///< memory for push_now()
  std::int64_t pushed_ = 0;
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
  std::map<std::int64_t, std::vector<Ready>> later_;  ///< by step
};

}  // namespace allport::tasks
