// The context of a task's body: inputs, memory of outputs, communication.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/graph/task_graph.h"
#include "frontier.h"
#include "loops/loop_board.h"
#include "pool.h"

namespace allport::tasks {

/// The threads that run a graph's tasks, for parallel_for() in bodies.
struct Workers {
  explicit Workers(int count) : board(count) {}
  loops::LoopBoard board;
  std::atomic<int> idle{0};
};

class Context final : public TaskContext {
 public:
  /// @param inputs one for each index
  /// @param gang    null for tasks that are in no gang
  Context(TaskGraph const& graph, Pool& pool, Workers& workers, Ready const& ready, std::int64_t step,
          FunctionRef<void()> progress, GangContext* gang)
      : graph_(graph),
        pool_(pool),
        workers_(workers),
        task_(ready.task),
        inputs_(ready.inputs),
        step_(step),
        progress_(progress),
        gang_(gang) {}

  std::span<std::byte const> input(int index) const override { return given(index).bytes; }
  /// @throws Error if the output is a forwarded input, which other tasks read
  std::span<std::byte> output(int index) override;
  std::shared_ptr<void> keep_input(int index) const override { return Pool::keep(given(index)); }
  std::shared_ptr<void> keep_output(int index) override { return Pool::keep(block(index)); }
  void progress() override { progress_(); }
  GangContext& gang() override { return gang_ != nullptr ? *gang_ : TaskContext::gang(); }
  int idle() const override { return workers_.idle.load(std::memory_order_relaxed); }
  void parallel_for(std::int64_t parts, FunctionRef<void(std::int64_t)> body) override;

  /// An output after the body has run.
  /// @throws Error if the body has not requested its memory
  Block made(int index);
  [[nodiscard]] bool has_outputs() const { return !outputs_.empty(); }
  /// Releases all outputs.
  void forget() { outputs_.clear(); }

 private:
  [[nodiscard]] Block const& given(int index) const;
  /// An output's memory: that of the forwarded input, of the tile, or its own.
  Block block(int index);
  /// Whether any edge uses an output.
  [[nodiscard]] bool is_taken(int index) const;
  [[nodiscard]] std::span<std::byte> in_tile(std::int64_t bytes) const;

  TaskGraph const& graph_;
  Pool& pool_;
  Workers& workers_;
  Task task_;
  std::vector<Given> const& inputs_;
  std::int64_t step_;
  FunctionRef<void()> progress_;
  GangContext* gang_;
  std::vector<std::pair<int, Block>> outputs_;
};

}  // namespace allport::tasks
