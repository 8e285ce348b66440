// The order of gangs, by itself and in all orders of events of small graphs: announcements, permissions and ends under
// way arrive as they please, workers take what they may, floors of a window are learned late. A body waits until every
// other member's has begun. With the order no graph locks up; where members begin as soon as they are ready, some do.
#include "tasks/gang_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "allport/graph/check.h"
#include "graph/table_graph.h"

namespace allport::gang_model {
namespace {

using graph_samples::TableGraph;
using graph_samples::task;
using tasks::GangOrder;

/// Tasks without edges on so many ranks; gangs by their members' numbers.
class Gangs : public TableGraph {
 public:
  Gangs(std::vector<Rank> const& owners, std::vector<std::vector<int>> const& members) : TableGraph(rows_of(owners)) {
    for (auto const& numbers : members) {
      Gang gang;
      for (auto const number : numbers) gang.members.push_back(task(number));
      for (auto const number : numbers) gangs[number] = gang;
    }
  }

 private:
  static std::vector<Row> rows_of(std::vector<Rank> const& owners) {
    std::vector<Row> rows;
    for (auto const owner : owners) rows.push_back({.owner = owner, .children = {}});
    return rows;
  }
};

std::vector<int> begun(GangOrder& order) {
  std::vector<int> gangs;
  for (auto const& one : order.begin()) gangs.push_back(one.gang.i);
  return gangs;
}

TEST(GangOrder, BeginsWhatIsCompleteWhereRanksAreFree) {
  // Gangs 0, 2 and 4 of two tasks each, on ranks {0, 1}, {1, 2} and {2, 3}.
  Gangs const graph({0, 1, 1, 2, 2, 3}, {{0, 1}, {2, 3}, {4, 5}});
  GangOrder order(graph);
  order.ready(task(0), 0);
  EXPECT_EQ(begun(order), (std::vector<int>{}));
  EXPECT_EQ(order.waiting_text(8), "the gang of #0 for #1 on rank 1");
  order.ready(task(0), 1);
  EXPECT_EQ(begun(order), (std::vector<int>{0}));
  for (auto const& [gang, rank] : {std::pair(2, 1), {2, 2}, {4, 2}, {4, 3}}) order.ready(task(gang), rank);
  // Rank 1 is taken; rank 2 is kept for who waits for it longest.
  EXPECT_EQ(begun(order), (std::vector<int>{}));
  EXPECT_EQ(order.waiting(), 2U);
  EXPECT_EQ(order.waiting_text(1), "the gang of #2 for rank 1, which is in the gang of #0 and 1 more");
  order.done(task(0), 0);
  EXPECT_EQ(begun(order), (std::vector<int>{}));
  order.done(task(0), 1);
  EXPECT_EQ(begun(order), (std::vector<int>{2}));
  order.done(task(2), 2);
  EXPECT_EQ(begun(order), (std::vector<int>{4}));
  EXPECT_EQ(order.waiting(), 0U);
}

/// Of whose tasks the later have priority.
class Later : public Gangs {
 public:
  using Gangs::Gangs;
  double priority(Task t) const override { return t.i; }
};

TEST(GangOrder, BeginsTheMostUrgentFirst) {
  Later const graph({0, 1, 0, 1, 0, 1}, {{0, 1}, {2, 3}, {4, 5}});
  GangOrder order(graph);
  for (int const gang : {0, 2, 4}) {
    for (Rank const rank : {0, 1}) order.ready(task(gang), rank);
  }
  for (int const gang : {4, 2, 0}) {
    EXPECT_EQ(begun(order), (std::vector<int>{gang}));
    for (Rank const rank : {0, 1}) order.done(task(gang), rank);
  }
}

TEST(GangOrder, RefusesWhatDoesNotAgree) {
  Gangs const graph({0, 1, 2}, {{0, 1}});
  GangOrder order(graph);
  EXPECT_THROW(order.ready(task(2), 2), Error);  // in no gang
  EXPECT_THROW(order.ready(task(1), 1), Error);  // not the first member
  order.ready(task(0), 1);
  EXPECT_THROW(order.ready(task(0), 1), Error);  // twice
  EXPECT_THROW(order.ready(task(0), 2), Error);  // no member there
  EXPECT_THROW(order.done(task(0), 1), Error);   // has not begun
}

enum Status : std::uint8_t { idle, telling, told, bidden, may, runs, ending, ended, ran };

class Model {
 public:
  /// @param ordered  false: members begin as soon as they are ready, and hold their worker
  Model(TableGraph const& graph, int workers, std::int64_t ahead, bool ordered)
      : graph_(graph), workers_(workers), ahead_(ahead), ordered_(ordered) {}

  void explore() {
    State first{std::vector<std::uint8_t>(graph_.rows.size(), idle),
                std::vector<std::uint8_t>(static_cast<std::size_t>(graph_.ranks()), 0), GangOrder(graph_)};
    std::set<State> seen{first};
    std::vector<State> open{first};
    while (!open.empty()) {
      auto const state = open.back();
      open.pop_back();
      auto next = moves(state);
      if (next.empty() && std::ranges::any_of(state.tasks, [](auto s) { return s != ran; })) ++locked_;
      for (auto& one : next) {
        if (seen.insert(one).second) open.push_back(std::move(one));
      }
    }
    states_ = seen.size();
  }
  [[nodiscard]] int locked() const { return locked_; }
  [[nodiscard]] std::size_t states() const { return states_; }
  /// A rank was in two gangs at a time.
  [[nodiscard]] bool overlapped() const { return overlapped_; }

 private:
  struct State {
    std::vector<std::uint8_t> tasks;
    std::vector<std::uint8_t> floors;  ///< that ranks know
    GangOrder order;
    friend auto operator<=>(State const&, State const&) = default;
  };

  [[nodiscard]] int tasks() const { return static_cast<int>(graph_.rows.size()); }
  [[nodiscard]] Rank owner(int t) const { return graph_.rows[static_cast<std::size_t>(t)].owner; }
  [[nodiscard]] std::vector<Task> members(int t) const {
    auto const at = graph_.gangs.find(t);
    return at == graph_.gangs.end() ? std::vector<Task>{} : at->second.members;
  }
  [[nodiscard]] static std::uint8_t& of(State& s, int t) { return s.tasks[static_cast<std::size_t>(t)]; }
  [[nodiscard]] static std::uint8_t of(State const& s, int t) { return s.tasks[static_cast<std::size_t>(t)]; }

  [[nodiscard]] bool ready(State const& s, int t) const {
    for (int p = 0; p < tasks(); ++p) {
      auto const& children = graph_.rows[static_cast<std::size_t>(p)].children;
      if (std::ranges::any_of(children, [&](Edge const& e) { return e.child.i == t; }) && of(s, p) < ending)
        return false;
    }
    return graph_.steps() == 0 || graph_.step(task(t)) < s.floors[static_cast<std::size_t>(owner(t))] + ahead_;
  }
  [[nodiscard]] bool has_worker(State const& s, Rank rank) const {
    int busy = 0;
    for (int t = 0; t < tasks(); ++t) busy += owner(t) == rank && of(s, t) == runs ? 1 : 0;
    return busy < workers_;
  }
  [[nodiscard]] std::int64_t floor(State const& s) const {
    auto least = graph_.steps();
    for (int t = 0; t < tasks(); ++t) {
      if (of(s, t) < ending) least = std::min(least, graph_.step(task(t)));
    }
    return least;
  }

  /// The order hears of something, and what it says is in flight.
  void hear(State& s) {
    for (auto const& [gang, ranks] : s.order.begin()) {
      for (auto const member : members(gang.i)) of(s, member.i) = bidden;
    }
    std::map<Rank, int> in;
    for (int t = 0; t < tasks(); ++t) {
      bool const inside = of(s, t) >= bidden && of(s, t) <= ending && members(t).size() > 1;
      if (inside && ++in[owner(t)] > 1) overlapped_ = true;
    }
  }

  [[nodiscard]] std::vector<State> moves(State const& s) {
    std::vector<State> next;
    for (int t = 0; t < tasks(); ++t) move(s, t, next);
    if (graph_.steps() == 0) return next;
    auto const now = static_cast<std::uint8_t>(floor(s));
    for (std::size_t r = 0; r < s.floors.size(); ++r) {
      if (s.floors[r] < now) next.push_back(s), next.back().floors[r] = now;
    }
    return next;
  }

  void move(State const& s, int t, std::vector<State>& next) {
    auto const gang = members(t);
    bool const asks = gang.size() > 1 && ordered_;
    auto const go = [&](Status to) -> State& {
      next.push_back(s);
      of(next.back(), t) = to;
      return next.back();
    };
    auto const begun = [&](Task m) { return of(s, m.i) >= runs; };
    switch (of(s, t)) {
      case idle:
        if (ready(s, t)) go(asks ? telling : may);
        break;
      case telling: {
        auto& after = go(told);
        after.order.ready(gang.front(), owner(t));
        hear(after);
        break;
      }
      case bidden:
        go(may);
        break;
      case may:
        if (has_worker(s, owner(t))) go(runs);
        break;
      case runs:
        if (std::ranges::all_of(gang, begun)) go(asks ? ending : ran);
        break;
      case ending: {
        auto& after = go(ran);
        after.order.done(gang.front(), owner(t));
        hear(after);
        break;
      }
      default:
        break;
    }
  }

  TableGraph const& graph_;
  int workers_;
  std::int64_t ahead_;
  bool ordered_;
  int locked_ = 0;
  bool overlapped_ = false;
  std::size_t states_ = 0;
};

/// So many tasks with edges from lower to higher numbers; runs of them on different ranks, without edges among them,
/// are gangs. One or two of these groups make a step.
std::unique_ptr<TableGraph> random_gangs(unsigned seed, int tasks, Rank ranks) {
  std::mt19937 random(seed);
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<TableGraph::Row> rows(static_cast<std::size_t>(tasks));
  for (int t = 0; t < tasks; ++t) rows[std::size_t(t)].owner = t < ranks ? t : below(ranks);
  std::vector<std::vector<int>> groups;
  for (int t = 0; t < tasks;) {
    std::vector<int> group{t};
    std::set<Rank> owners{rows[std::size_t(t)].owner};
    for (++t; t < tasks && below(3) > 0 && owners.insert(rows[std::size_t(t)].owner).second; ++t) group.push_back(t);
    groups.push_back(std::move(group));
  }
  std::vector<int> inputs(std::size_t(tasks), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (auto const t : groups[g]) {
      auto const first = groups[g].back() + 1;
      std::set<int> to;
      for (int c = below(2); c > 0 && first < tasks; --c) to.insert(first + below(tasks - first));
      for (auto const child : to) rows[std::size_t(t)].children.push_back({task(child), inputs[std::size_t(child)]++});
    }
  }
  auto made = std::make_unique<TableGraph>(std::move(rows));
  for (auto const& group : groups) {
    Gang gang;
    for (auto const t : group) gang.members.push_back(task(t));
    if (group.size() > 1 || below(2) == 0) {
      for (auto const t : group) made->gangs[t] = gang;
    }
    if (made->by_step.empty() || below(2) == 0) made->by_step.emplace_back();
    made->by_step.back().insert(group.begin(), group.end());
  }
  return made;
}

TEST(GangModel, NoOrderOfEventsLocksUp) {
  std::size_t states = 0;
  int without = 0;
  for (unsigned seed = 0; seed < 25; ++seed) {
    auto const made = random_gangs(seed, 7, 2 + static_cast<Rank>(seed % 3));
    graph::check(*made);
    for (int const workers : {1, 2}) {
      for (std::int64_t const ahead : {1, 2}) {
        Model model(*made, workers, ahead, true);
        model.explore();
        EXPECT_EQ(model.locked(), 0) << "seed " << seed << ", " << workers << " workers, " << ahead << " ahead";
        EXPECT_FALSE(model.overlapped()) << "seed " << seed << ", " << workers << " workers, " << ahead << " ahead";
        states += model.states();
      }
      Model model(*made, workers, 8, false);
      model.explore();
      without += model.locked() > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(states, 100'000U);
  EXPECT_GT(without, 5) << "the graphs are such that an order is needed";
}

}  // namespace
}  // namespace allport::gang_model
