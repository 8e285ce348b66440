// Price, words, messages and memory of a product from its graph.
#include <algorithm>

#include "allport/comm/messages.h"
#include "allport/graph/count.h"
#include "allport/graph/pool.h"
#include "allport/graph/price.h"
#include "allport/graph/rates.h"
#include "allport/linalg/graphs.h"
#include "allport/tasks/transport.h"
#include "gemm_cannon_graph.h"
#include "gemm_graph.h"
#include "gemm_grids.h"
#include "gemm_tasks.h"
#include "linalg/plan/plan_price.h"

namespace allport::gemm_detail {

namespace {

/// On more ranks a candidate is described by the corners of its grid.
constexpr int described_ranks = 16;
/// Above these sizes exact counting takes over a second and is skipped.
constexpr int counted_ranks = 4096;
constexpr double counted_steps = 4e5;

/// The graph with the slowness of shallow products, each rank's tasks at its place of the machine.
template <class Graph>
class Priced final : public Graph {
 public:
  Priced(GemmPlan const& plan, GemmCandidate const& candidate)
      : Graph(plan.problem, plan.machine, candidate, plan.options.mapping),
        places_(plan.options.mapping ? *plan.options.mapping : Mapping::identity(plan.machine.ranks())),
        ranks_(places_.inverse()) {}

  Rank owner(Task t) const override { return places_.place(Graph::owner(t)); }
  void entries(Rank place, TaskGraph::VisitTask visit) const override { Graph::entries(ranks_.place(place), visit); }
  std::optional<std::int64_t> count(Rank place) const override { return Graph::count(ranks_.place(place)); }
  void tasks(Rank place, std::int64_t step, TaskGraph::VisitTask visit) const override {
    Graph::tasks(ranks_.place(place), step, visit);
  }
  Work work(Task t) const override {
    auto work = Graph::work(t);
    if (work.kernel == Kernel::gemm) work.flops *= graph::shallowness(static_cast<double>(this->depth(t)));
    return work;
  }

 private:
  Mapping places_;
  Mapping ranks_;
};

template <class Graph>
graph::Price price_of(GemmPlan const& plan, GemmCandidate const& candidate) {
  Priced<Graph> const graph(plan, candidate);
  auto const options = price_options(plan, candidate.grid);
  return graph::price(graph, plan.machine, *tasks::transport(plan.machine, tree_of(plan)), options);
}

/// Elements of A, B and C that a rank holds.
Index owned(GemmPlan const& plan, Rank rank) {
  Index sum = 0;
  for (auto const* matrix : {&plan.a, &plan.b, &plan.c}) sum += matrix->local_rows(rank) * matrix->local_cols(rank);
  return sum;
}

/// Elements of work space: with layers, the sums of products that are not in C; SUMMA's copies of A and B.
Index work_space(GemmPlan const& plan, GemmCandidate const& candidate, GridCoords p) {
  auto const& grid = candidate.grid;
  auto const& how = method(candidate.algorithm);
  if (grid.layers == 1) return 0;
  auto const rows = share(plan.problem.m, grid.rows, p.i);
  auto const cols = share(plan.problem.n, grid.cols, p.j);
  auto const k = plan.problem.k;
  bool const copied = how.copies && how.form == Method::Form::summa && p.l > 0;
  return rows * cols + (copied ? rows * share(k, grid.cols, p.j) + cols * share(k, grid.rows, p.i) : 0);
}

}  // namespace

void price_by_graph(GemmPlan const& plan, GemmCandidate& candidate) {
  bool const is_cannon = method(candidate.algorithm).form == Method::Form::cannon;
  auto const price = is_cannon ? price_of<CannonGraph>(plan, candidate) : price_of<SummaGraph>(plan, candidate);
  candidate.compute = price.work;
  candidate.communicate = price.links;
  // In Cannon's algorithm all ranks wait for blocks at the same time, over equally loaded links:
  // GemmEstimate::in_turn() has the waiting time.
  candidate.total = is_cannon ? std::max({price.work, price.links, price.chain}) : price.total;
}

void describe(GemmPlan const& plan, GemmCandidate& candidate) {
  auto const graph = product_graph(plan.problem, plan.machine, candidate, plan.options.mapping);
  GridLayout const layout(candidate.grid, candidate.order, plan.options.mapping);
  auto const element = bytes_of(plan.problem.type);
  candidate.words = candidate.messages = 0;
  Index most = 0;
  bool const every = candidate.grid.ranks() <= described_ranks;
  for (auto const& p : every ? all_coords(candidate.grid) : corner_coords(candidate.grid)) {
    take_most(candidate, graph->received(p), element);
    most = std::max(most, owned(plan, layout.rank(p)) + work_space(plan, candidate, p) + graph->most_stored(p));
  }
  candidate.memory = Bytes(most * element);
}

void count_chosen(GemmPlan& plan) {
  auto& chosen = plan.chosen;
  auto const graph = product_graph(plan.problem, plan.machine, chosen, plan.options.mapping);
  auto const steps = static_cast<double>(chosen.grid.ranks()) * static_cast<double>(graph->steps());
  if (plan.machine.ranks() > counted_ranks || steps > counted_steps) return;
  auto const element = bytes_of(plan.problem.type);
  count_traffic(plan, *graph, *plan_transport(plan));
  auto const pool = graph::pool(*graph, graph->ahead());
  GridLayout const layout(chosen.grid, chosen.order, plan.options.mapping);
  chosen.memory = Bytes(0);
  for (std::size_t r = 0; r < pool.size(); ++r) {
    auto const rank = static_cast<Rank>(r);
    auto const at = layout.coords(rank);
    auto const beside = at ? owned(plan, rank) + work_space(plan, chosen, *at) : 0;
    chosen.memory = std::max(chosen.memory, Bytes(beside * element + pool[r]));
  }
}

}  // namespace allport::gemm_detail
