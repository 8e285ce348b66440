#include "allport/graph/pool.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "deliveries.h"
#include "sum_tree.h"
#include "walk.h"

namespace allport::graph {

namespace {

/// Bytes that ranks store, step by step.
class RetainedBytes {
 public:
  RetainedBytes(TaskGraph const& graph, std::int64_t ahead)
      : graph_(graph), ahead_(ahead), ranks_(static_cast<std::size_t>(graph.ranks())) {}

  void begin(std::int64_t step) { now_ = step; }

  void read(Task task) {
    leaving_.read(graph_, task);
    auto const own = leaving_.owner();
    outputs_.clear();
    for (auto const& consumer : leaving_.consumers()) {
      auto const kind = consumer.edge.kind;
      if (kind != EdgeKind::data && kind != EdgeKind::sum) continue;
      auto const last = last_use(consumer.edge.child);
      bool const here = consumer.owner == own;
      if (kind == EdgeKind::sum) {
        note(consumer.edge.output, own, contribute(task, consumer, last) ? last : now_);
        continue;
      }
      note(consumer.edge.output, own, here ? last : now_);
      if (!here) note(consumer.edge.output, consumer.owner, last);
    }
    for (auto const& [where, last] : outputs_) {
      auto const [output, rank] = where;
      if (rank == own && graph_.in_place(task, output)) continue;
      // A forwarded output is stored as an input until now.
      if (rank == own && graph_.forwards(task, output) >= 0 && (!ends() || last <= now_)) continue;
      retain(rank, graph_.output(task, output).bytes(graph_.element()), last);
    }
  }

  [[nodiscard]] std::vector<std::int64_t> most() const {
    std::vector<std::int64_t> most;
    for (auto const& rank : ranks_) most.push_back(rank.most);
    return most;
  }

 private:
  struct RankBytes {
    std::int64_t now = 0;
    std::int64_t most = 0;
    std::map<std::int64_t, std::int64_t> until;  ///< bytes, by the step of their last use
  };

  [[nodiscard]] bool ends() const { return ahead_ > 0; }
  [[nodiscard]] std::int64_t last_use(Task child) const { return ends() ? graph_.step(child) : 0; }

  void note(int output, Rank rank, std::int64_t last) {
    auto& known = outputs_.try_emplace({output, rank}, last).first->second;
    known = std::max(known, last);
  }

  void retain(Rank rank, std::int64_t bytes, std::int64_t last) {
    if (bytes == 0) return;
    auto& of_rank = ranks_[static_cast<std::size_t>(rank)];
    while (ends() && !of_rank.until.empty() && of_rank.until.begin()->first <= now_ - ahead_) {
      of_rank.now -= of_rank.until.begin()->second;
      of_rank.until.erase(of_rank.until.begin());
    }
    of_rank.until[last] += bytes;
    of_rank.most = std::max(of_rank.most, of_rank.now += bytes);
  }

  /// The stored part of a sum. True if the contribution waits for others here.
  bool contribute(Task task, Consumer const& consumer, std::int64_t last) {
    contributors_.clear();
    int mine = -1;
    int root = -1;
    graph_.contributors(consumer.edge.child, consumer.edge.input, [&](Task t) {
      auto const place = static_cast<int>(contributors_.size());
      if (t == task) mine = place;
      contributors_.push_back(graph_.owner(t));
      if (contributors_.back() == consumer.owner) root = place;
    });
    ensure(mine >= 0 && root >= 0, "contributors", graph_.name(consumer.edge.child),
           "tasks with " + graph_.name(task) + " and one of the sum's own rank among them", "check() finds such graphs",
           ErrorKind::schedule);
    auto const place = sum_place(graph_.sum_tree(consumer.edge.child, consumer.edge.input),
                                 static_cast<int>(contributors_.size()), root, mine);
    auto const bytes = graph_.output(task, consumer.edge.output).bytes(graph_.element());
    bool const waits = place.parent < 0 || !place.parts.empty();
    if (place.parent >= 0) {
      retain(contributors_[static_cast<std::size_t>(place.parent)], bytes, last);
      // A contribution without memory of its own is copied.
      if (waits && (graph_.in_place(task, consumer.edge.output) || graph_.forwards(task, consumer.edge.output) >= 0))
        retain(contributors_[static_cast<std::size_t>(mine)], bytes, last);
    }
    return waits;
  }

  TaskGraph const& graph_;
  std::int64_t ahead_;
  std::int64_t now_ = 0;
  std::vector<RankBytes> ranks_;
  std::vector<Rank> contributors_;
  Leaving leaving_;
  std::map<std::pair<int, Rank>, std::int64_t> outputs_;
};

}  // namespace

bool has_steps(TaskGraph const& graph) {
  for (std::int64_t s = 0; s < graph.steps(); ++s) {
    for (Rank r = 0; r < graph.ranks(); ++r) {
      std::int64_t said = -2;
      graph.tasks(r, s, [&](Task task) {
        if (said == -2) said = graph.step(task);
      });
      if (said > -2) return said >= 0;
    }
  }
  return false;
}

std::vector<std::int64_t> pool(TaskGraph const& graph, std::int64_t ahead) {
  ensure(ahead >= 0, "ahead", ahead, "a number of steps, or 0");
  bool const by_step = ahead > 0 && has_steps(graph);
  RetainedBytes retained(graph, by_step ? ahead : 0);
  if (!by_step) {
    walk(graph, [&](Task task) { retained.read(task); });
    return retained.most();
  }
  for (std::int64_t s = 0; s < graph.steps(); ++s) {
    retained.begin(s);
    for (Rank r = 0; r < graph.ranks(); ++r) graph.tasks(r, s, [&](Task task) { retained.read(task); });
  }
  return retained.most();
}

}  // namespace allport::graph
