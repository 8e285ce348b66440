// The frontier of a graph on one rank: tasks that wait for inputs, and tasks that are ready.
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

/// A task's output, local or received, for as long as it is needed.
struct Block {
  std::shared_ptr<std::byte> memory;  ///< owner; null for tiles
  std::span<std::byte> bytes;
};

/// A part of an input: all of it, or one contribution to a sum.
struct Given {
  int input = 0;
  int contribution = 0;
  Block block;
  bool partial = false;  ///< used by this sum only, so the sum may be computed in its memory
};

/// A task whose inputs are complete.
struct Ready {
  Task task;
  std::vector<Given> inputs;
  bool in_gang = false;
  bool ordered = false;    ///< it was started with its gang
  bool exchanges = false;  ///< its gang exchanges
  bool has_sent = false;   ///< it has run TaskGraph::exchange()
};

/// Not thread-safe: the owner locks.
class Frontier {
 public:
  explicit Frontier(TaskGraph const& graph) : graph_(graph) {}

  /// Adds a task without parents.
  void enter(Task task) { push({task, {}}); }
  /// Satisfies `edges` incoming edges of a task (several for a partial sum); no data for edges of kind order or sent.
  void fulfil(Task task, std::optional<Given> given, int edges = 1);
  /// The ready task of the highest priority; of equal ones the first to become ready. Members of started gangs come
  /// first.
  [[nodiscard]] std::optional<Ready> pop();

  /// Whether gang members have become ready since the last new_members().
  [[nodiscard]] bool has_new_members() const { return !new_members_.empty(); }
  /// Their gangs, by first member.
  [[nodiscard]] std::vector<Task> new_members() { return std::exchange(new_members_, {}); }
  /// Starts this rank's member of a gang whose members are all ready.
  void begin(Task gang);
  /// The messages that a member of a gang that exchanges expects have arrived.
  void go_on(Ready ready) { queue(std::move(ready)); }

  [[nodiscard]] bool empty() const { return !has_ready() && later_.empty() && new_members_.empty(); }
  [[nodiscard]] bool has_ready() const { return !in_order_.empty() || !ready_.empty() || !begun_.empty(); }
  /// Raises the limit: ready tasks of this step and later ones wait.
  void let_run_before(std::int64_t limit);
  /// Number of tasks that wait for inputs or for other members of their gangs.
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
