// Random graphs some of whose tasks are to be gangs.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "allport/graph/check.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"
#include "random_graph.h"

namespace allport::testing {

/// Tasks with neighbouring numbers, on different ranks and without edges among them, are groups; most of them are to be
/// gangs.
class GroupedGraph : public RandomGraph {
 public:
  GroupedGraph(Rank ranks, int tasks, unsigned seed, std::int64_t longest) : RandomGraph(ranks, tasks, seed, longest) {
    std::mt19937 random(seed);
    for (int t = 0; t < size();) {
      auto const first = t;
      std::vector<Rank> owners;
      auto const fits = [&] {
        auto const& n = node(t);
        return std::ranges::find(owners, n.owner) == owners.end() &&
               std::ranges::all_of(n.parents, [&](auto const& parent) { return parent.first < first; });
      };
      for (; t < size() && fits() && (t == first || random() % 4 != 0); ++t) owners.push_back(node(t).owner);
      groups_.resize(std::size_t(t), {first, t, false});
      auto const rounds = random() % 3 != 0;
      for (int m = first; m < t; ++m) groups_[std::size_t(m)].communicates = rounds;
      if (rounds && t - first > 1) ++gangs_;
    }
  }
  [[nodiscard]] int gangs() const { return gangs_; }

 protected:
  struct Group {
    int first = 0;
    int end = 0;
    bool communicates = false;
    [[nodiscard]] int size() const { return end - first; }
  };
  [[nodiscard]] Group const& group(int t) const { return groups_[std::size_t(t)]; }
  [[nodiscard]] Gang gang_of(Group const& group) const {
    Gang gang;
    for (int m = group.first; m < group.end; ++m) gang.members.push_back(task(m));
    return gang;
  }

 private:
  std::vector<Group> groups_;
  int gangs_ = 0;
};

/// Runs several of them on every machine that fits, with one and with three workers, and looks whether each ran as it
/// should: look(graph, report, this rank's counts).
template <class Graph, class Look>
void run_grouped(Look const& look) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, spec);
    for (int const workers : {1, 3}) {
      if (workers > 1 && spec != fitting_specs().front()) continue;
      for (unsigned seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(spec + " seed " + std::to_string(seed));
        Graph const graph(comm.size(), 200, seed, 500);
        graph::check(graph);
        EXPECT_TRUE(graph.gangs() > 5 || comm.size() == 1) << graph.gangs();
        auto const report = tasks::run(graph, comm, {.workers = workers});
        EXPECT_EQ(graph.wrong() + graph.misheard(), 0);
        EXPECT_TRUE(graph.ran_all(comm.rank()));
        look(graph, report, graph::count(graph, *tasks::transport(comm.machine()))[std::size_t(comm.rank())]);
      }
    }
  }
}

}  // namespace allport::testing
