// All orders in which small graphs can run under a window of steps: none ends before all tasks have run, and no rank
// ever keeps more than graph::pool() says. A model of the executor's rules, apart from its code: tasks begin when their
// inputs are there and their step is below the floor that their rank knows; a rank learns the floor whenever it
// pleases; messages go straight or by a relay that has room for one; a destination takes everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "allport/graph/pool.h"
#include "graph/table_graph.h"

namespace allport {
namespace {

using graph_samples::TableGraph;
using graph_samples::task;

enum Status : std::uint8_t { idle, runs, ran };              // of a task
enum Where : std::uint8_t { unmade, sent, relayed, there };  // of a message

/// One output that is sent to one other rank.
struct Message {
  int from = 0;
  Rank to = 0;
  Rank relay = -1;
};

class Model {
 public:
  Model(TableGraph const& graph, std::int64_t ahead, bool relays) : graph_(graph), ahead_(ahead) {
    for (int t = 0; t < tasks(); ++t) {
      std::set<Rank> to;
      for (auto const& edge : row(t).children) to.insert(row(edge.child.i).owner);
      to.erase(row(t).owner);
      for (auto const rank : to) {
        Rank relay = 0;
        while (relay == rank || relay == row(t).owner) ++relay;
        messages_.push_back({t, rank, relays && relay < graph.ranks() ? relay : -1});
      }
    }
    most_.assign(static_cast<std::size_t>(graph.ranks()), 0);
  }

  /// Of each rank, the most that it keeps in any order.
  std::vector<std::int64_t> const& explore() {
    State first;
    first.tasks.assign(static_cast<std::size_t>(tasks()), idle);
    first.messages.assign(messages_.size(), unmade);
    first.floors.assign(static_cast<std::size_t>(graph_.ranks()), 0);
    std::set<State> seen{first};
    std::vector<State> open{first};
    while (!open.empty()) {
      auto const state = open.back();
      open.pop_back();
      measure(state);
      auto const next = moves(state);
      bool const over = std::ranges::all_of(state.tasks, [](auto s) { return s == ran; });
      if (next.empty() && !over) ++locked_;
      for (auto const& one : next) {
        if (seen.insert(one).second) open.push_back(one);
      }
    }
    states_ = seen.size();
    return most_;
  }
  [[nodiscard]] int locked() const { return locked_; }
  [[nodiscard]] std::size_t states() const { return states_; }

 private:
  struct State {
    std::vector<std::uint8_t> tasks;
    std::vector<std::uint8_t> messages;
    std::vector<std::uint8_t> floors;  ///< that ranks know
    friend auto operator<=>(State const&, State const&) = default;
  };

  [[nodiscard]] int tasks() const { return static_cast<int>(graph_.rows.size()); }
  [[nodiscard]] TableGraph::Row const& row(int t) const { return graph_.rows[static_cast<std::size_t>(t)]; }
  [[nodiscard]] std::int64_t step(int t) const { return graph_.step(task(t)); }

  /// Whether a rank keeps the output of a task, and the step in which it is used last there.
  bool keeps(State const& s, int t, Rank rank, std::int64_t& last) const {
    bool const own = row(t).owner == rank;
    if (own && s.tasks[std::size_t(t)] == idle) return false;
    last = own ? step(t) : 0;
    bool used = own && s.tasks[std::size_t(t)] == runs;
    for (auto const& edge : row(t).children) {
      if (row(edge.child.i).owner != rank) continue;
      last = std::max(last, step(edge.child.i));
      used = used || s.tasks[std::size_t(edge.child.i)] != ran;
    }
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      if (messages_[m].from != t) continue;
      if (own && s.messages[m] == sent) used = true;
      if (!own && messages_[m].to == rank && s.messages[m] != there) return false;
    }
    return used;
  }

  void measure(State const& s) {
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      std::int64_t bytes = 0;
      std::int64_t last = 0;
      for (int t = 0; t < tasks(); ++t) {
        if (!row(t).children.empty() && concerns(t, r) && keeps(s, t, r, last)) bytes += row(t).output.bytes(8);
      }
      most_[std::size_t(r)] = std::max(most_[std::size_t(r)], bytes);
    }
  }
  [[nodiscard]] bool concerns(int t, Rank rank) const {
    return row(t).owner == rank ||
           std::ranges::any_of(row(t).children, [&](Edge const& e) { return row(e.child.i).owner == rank; });
  }

  [[nodiscard]] std::int64_t floor(State const& s) const {
    std::int64_t least = graph_.steps();
    for (int t = 0; t < tasks(); ++t) {
      if (s.tasks[std::size_t(t)] != ran) least = std::min(least, step(t));
      for (Rank r = 0; r < graph_.ranks(); ++r) {
        std::int64_t last = 0;
        if (concerns(t, r) && keeps(s, t, r, last)) least = std::min(least, last);
      }
    }
    return least;
  }

  [[nodiscard]] bool ready(State const& s, int t) const {
    for (int p = 0; p < tasks(); ++p) {
      if (std::ranges::none_of(row(p).children, [&](Edge const& e) { return e.child.i == t; })) continue;
      if (s.tasks[std::size_t(p)] != ran) return false;
      for (std::size_t m = 0; m < messages_.size(); ++m) {
        if (messages_[m].from == p && messages_[m].to == row(t).owner && s.messages[m] != there) return false;
      }
    }
    return step(t) < s.floors[std::size_t(row(t).owner)] + ahead_;
  }

  [[nodiscard]] std::vector<State> moves(State const& s) const {
    std::vector<State> next;
    for (int t = 0; t < tasks(); ++t) {
      auto const at = std::size_t(t);
      if (s.tasks[at] == idle && ready(s, t)) next.push_back(s), next.back().tasks[at] = runs;
      if (s.tasks[at] != runs) continue;
      next.push_back(s);
      next.back().tasks[at] = ran;
      for (std::size_t m = 0; m < messages_.size(); ++m) {
        if (messages_[m].from == t) next.back().messages[m] = sent;
      }
    }
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      auto const relay = messages_[m].relay;
      if (s.messages[m] == relayed || (s.messages[m] == sent && relay < 0)) {
        next.push_back(s), next.back().messages[m] = there;
      } else if (s.messages[m] == sent && has_room(s, relay)) {
        next.push_back(s), next.back().messages[m] = relayed;
      }
    }
    auto const now = static_cast<std::uint8_t>(floor(s));
    for (std::size_t r = 0; r < s.floors.size(); ++r) {
      if (s.floors[r] < now) next.push_back(s), next.back().floors[r] = now;
    }
    return next;
  }
  [[nodiscard]] bool has_room(State const& s, Rank relay) const {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      if (messages_[m].relay == relay && s.messages[m] == relayed) return false;
    }
    return true;
  }

  TableGraph const& graph_;
  std::int64_t ahead_;
  std::vector<Message> messages_;
  std::vector<std::int64_t> most_;
  int locked_ = 0;
  std::size_t states_ = 0;
};

/// So many tasks with edges from lower to higher numbers, two or three in a step.
std::unique_ptr<TableGraph> random_table(unsigned seed, int tasks, Rank ranks) {
  std::mt19937 random(seed);
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<TableGraph::Row> rows(static_cast<std::size_t>(tasks));
  for (int t = 0; t < tasks; ++t) {
    auto& row = rows[std::size_t(t)];
    row.owner = t < ranks ? t : below(ranks);
    row.output = {1 + below(9), 1, 0};
    std::set<int> to;
    for (int c = below(3); c > 0 && t + 1 < tasks; --c) to.insert(t + 1 + below(tasks - t - 1));
    for (auto const child : to) row.children.push_back({task(child)});
  }
  std::vector<int> inputs(std::size_t(tasks), 0);
  for (auto& row : rows) {
    for (auto& edge : row.children) edge.input = inputs[std::size_t(edge.child.i)]++;
  }
  auto made = std::make_unique<TableGraph>(std::move(rows));
  for (int t = 0; t < tasks;) {
    made->by_step.emplace_back();
    for (int more = 1 + below(2); more > 0 && t < tasks; --more) made->by_step.back().insert(t++);
  }
  return made;
}

TEST(PoolModel, NoOrderLocksUpOrKeepsMoreThanIsCounted) {
  std::size_t states = 0;
  int tight = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    for (Rank const ranks : {2, 3}) {
      auto const made = random_table(seed, 7, ranks);
      for (std::int64_t const ahead : {1, 2, 3}) {
        Model model(*made, ahead, ranks == 3);
        auto const most = model.explore();
        auto const counted = graph::pool(*made, ahead);
        EXPECT_EQ(model.locked(), 0) << "seed " << seed << ", " << ranks << " ranks, " << ahead << " ahead";
        for (std::size_t r = 0; r < most.size(); ++r) {
          EXPECT_LE(most[r], counted[r]) << "seed " << seed << ", " << ranks << " ranks, " << ahead << " ahead";
          if (most[r] == counted[r]) ++tight;
        }
        states += model.states();
      }
    }
  }
  EXPECT_GT(states, 10'000U);
  EXPECT_GT(tight, 0);  // the count is what some order needs, not a guess far above
}

TEST(PoolModel, PoolsCountWhatStepsUnderWayKeep) {
  // Rank 0 makes 8, 16, 24 and 32 bytes in steps 0 to 3, which rank 1 uses in steps 1, 2, 3 and 3.
  TableGraph made({{.owner = 0, .children = {{task(4)}}, .output = {1, 1, 0}},
                   {.owner = 0, .children = {{task(5)}}, .output = {2, 1, 0}},
                   {.owner = 0, .children = {{task(6)}}, .output = {3, 1, 0}},
                   {.owner = 0, .children = {{task(6), 1}}, .output = {4, 1, 0}},
                   {.owner = 1, .children = {}},
                   {.owner = 1, .children = {}},
                   {.owner = 1, .children = {}}});
  made.by_step = {{0}, {1, 4}, {2, 5}, {3, 6}};
  EXPECT_EQ(graph::pool(made, 1), (std::vector<std::int64_t>{32, 24 + 32}));
  EXPECT_EQ(graph::pool(made, 2), (std::vector<std::int64_t>{24 + 32, 16 + 24 + 32}));
  EXPECT_EQ(graph::pool(made, 0), (std::vector<std::int64_t>{80, 80}));
  // What 1 forwards is what came to it, in memory of one step; in a later one on its rank it counts once more.
  TableGraph on({{.owner = 0, .children = {{task(1)}}, .output = {3, 1, 0}},
                 {.owner = 1, .children = {{task(2)}, {task(3)}}, .output = {3, 1, 0}, .forwards = 0},
                 {.owner = 0, .children = {}},
                 {.owner = 1, .children = {}}});
  on.by_step = {{0}, {1}, {3}, {2}};
  EXPECT_EQ(graph::pool(on, 1), (std::vector<std::int64_t>{24, 48}));
  on.by_step = {{0}, {1, 3}, {2}};
  EXPECT_EQ(graph::pool(on, 1), (std::vector<std::int64_t>{24, 24}));
  made.by_step.clear();
  EXPECT_EQ(graph::pool(made, 1), (std::vector<std::int64_t>{80, 80}));
  EXPECT_THROW((void)graph::pool(made, -1), Error);
}

}  // namespace
}  // namespace allport
