// Graphs of gemm and LU against the plans whose runs are measured: words and messages rank by rank, flops in all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/graph/price.h"
#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"

namespace allport {
namespace {

std::vector<Traffic> traffic_of(std::vector<graph::Count> const& counts) {
  std::vector<Traffic> traffic;
  for (auto const& count : counts) traffic.push_back(count.traffic);
  return traffic;
}

double sum_of(std::vector<graph::Count> const& counts, double graph::Count::*what) {
  double sum = 0;
  for (auto const& count : counts) sum += count.*what;
  return sum;
}

/// The whole graph runs, does the work that was counted and sends what was counted along its edges.
void expect_to_run(TaskGraph const& made, Machine const& machine, graph::Transport const& transport,
                   std::vector<graph::Count> const& counts) {
  auto const result = graph::simulate(made, machine, transport, {.trace = true});
  std::int64_t tasks = 0;
  for (auto const& count : counts) tasks += count.tasks;
  EXPECT_EQ(result.tasks, tasks);
  graph::Rates const rates(machine);
  double work = 0;
  std::int64_t sent = 0;
  for (auto const& span : result.spans) {
    sent += span.bytes;
    if (span.to < 0) work += rates.seconds(made.work(span.task));
  }
  double compute = 0;
  for (auto const& rank : result.ranks) compute += rank.compute;
  EXPECT_NEAR(compute, work, 1e-9 * work);
  EXPECT_GE(result.seconds, result.longest_work);
  for (auto const& span : result.spans) {  // what the gangs say occupies no links
    Gang gang;
    if (span.to >= 0 || !made.gang(span.task, gang) || gang.members.front() != span.task) continue;
    std::vector<Rank> ranks;
    for (auto const member : gang.members) ranks.push_back(made.owner(member));
    for (auto const& c : gang.collectives) {
      if (ranks.size() < 2) continue;
      transport.hops({span.task, 0, c.what, ranks, c.root, c.bytes, c.element, true},
                     [&](graph::Hop const& hop) { sent += hop.bytes * c.times; });
    }
  }
  for (auto const& count : counts) sent -= count.traffic.bytes_sent;
  EXPECT_EQ(sent, 0);
}

void expect_as_planned(GemmProblem const& problem, std::string const& machine, GemmOptions const& options) {
  SCOPED_TRACE(::testing::Message() << options.algorithm << " " << problem.m << " x " << problem.n << " x " << problem.k
                                    << " on " << machine << " grid " << options.grid.rows << "x" << options.grid.cols
                                    << "x" << options.grid.layers << " panel " << options.panel);
  auto const plan = plan_gemm(problem, Machine::parse(machine), options);
  auto const made = plan_graph(plan);
  (void)graph::check(*made);
  auto const transport = plan_transport(plan);
  auto const counts = graph::count(*made, *transport);
  EXPECT_EQ(traffic_of(counts), plan.traffic);
  expect_to_run(*made, plan.machine, *transport, counts);
  auto const m = static_cast<double>(problem.m);
  EXPECT_EQ(sum_of(counts, &graph::Count::flops),
            2 * m * static_cast<double>(problem.n) * static_cast<double>(problem.k));
}

GemmOptions asked(std::string algorithm, GemmGrid grid, Index panel) {
  GemmOptions options;
  options.algorithm = std::move(algorithm);
  options.grid = grid;
  options.panel = panel;
  return options;
}

TEST(GemmGraph, CountsAsThePlanDoes) {
  for (GemmProblem const& problem : {GemmProblem{100, 90, 110}, {57, 200, 31, Scalar::z}, {7, 5, 3, Scalar::s}}) {
    for (Index const panel : {16, 100}) {
      for (auto const& grid : {GemmGrid{1, 1, 1}, {2, 3, 1}, {5, 1, 1}, {1, 7, 1}, {3, 4, 1}}) {
        expect_as_planned(problem, "torus:12", asked("summa", grid, panel));
      }
      for (auto const& grid : {GemmGrid{2, 2, 2}, {1, 3, 4}, {2, 1, 3}, {2, 3, 2}}) {
        expect_as_planned(problem, "torus:2x2x3", asked("summa25", grid, panel));
        expect_as_planned(problem, "torus:2x2x3", asked("summa25_copies", grid, panel));
        expect_as_planned(problem, "torus:12", asked("summa25_copies", grid, panel));  // layers on a ring
        expect_as_planned(problem, "mesh:3x5", asked("3d", grid, panel));
      }
    }
  }
  for (GemmProblem const& problem : {GemmProblem{100, 90, 110}, {57, 200, 31, Scalar::z}, {7, 5, 3, Scalar::s}}) {
    for (int const q : {1, 2, 3, 5}) expect_as_planned(problem, "torus:5x5", asked("cannon", {q, q, 1}, 0));
    for (auto const& grid : {GemmGrid{2, 2, 2}, {3, 3, 2}, {3, 3, 3}, {4, 4, 3}}) {
      expect_as_planned(problem, "torus:4x4x3", asked("cannon25", grid, 0));
    }
  }
  auto turned = asked("summa", {4, 4, 1}, 64);
  turned.order = "jil";
  expect_as_planned({300, 300, 300}, "torus:4x4", turned);
  expect_as_planned({40, 40, 2}, "torus:5x3", asked("summa25", {2, 2, 3}, 8));  // k < ranks
  for (auto const tree : {MulticastTree::binomial, MulticastTree::prefix, MulticastTree::chain, MulticastTree::flat}) {
    auto by_tree = asked("summa", {4, 4, 1}, 64);
    by_tree.tree = tree;
    expect_as_planned({300, 300, 300}, "torus:4x4", by_tree);
    by_tree.grid = {1, 13, 1};
    expect_as_planned({300, 300, 300}, "torus:13", by_tree);
  }
}

/// Links of a ring, in both directions, that a plan's messages take: [rank, 0 up or 1 down].
std::vector<std::array<std::int64_t, 2>> bytes_on_ring(TaskGraph const& made, Machine const& ring,
                                                       graph::Transport const& transport) {
  std::vector<std::array<std::int64_t, 2>> bytes(static_cast<std::size_t>(ring.ranks()));
  for (auto const& span : graph::simulate(made, ring, transport, {.trace = true}).spans) {
    if (span.to < 0) continue;
    bool const up = span.to == (span.rank + 1) % ring.ranks();
    EXPECT_TRUE(up || span.rank == (span.to + 1) % ring.ranks());
    bytes[static_cast<std::size_t>(span.rank)][up ? 0 : 1] += span.bytes;
  }
  return bytes;
}

TEST(GemmGraph, APanelGoesRoundARingInBothDirections) {
  auto const ring = Machine::parse("torus:6");
  auto const plan = plan_gemm({60, 60, 60}, ring, asked("summa", {1, 6, 1}, 10));
  auto const bytes = bytes_on_ring(*plan_graph(plan), ring, *plan_transport(plan));
  // A is 60 x 60, the part of each of its six owners crosses five of the six links in one of the directions.
  for (auto const& [up, down] : bytes) {
    EXPECT_EQ(up, 60 * 60 * 8 / 2 / 6 * 5);
    EXPECT_EQ(down, up);
  }
}

TEST(GemmGraph, LayersSumInBothDirectionsOfARing) {
  auto const ring = Machine::parse("torus:4");
  for (auto const* name : {"summa25", "3d"}) {
    auto const plan = plan_gemm({32, 32, 64}, ring, asked(name, {1, 1, 4}, 16));
    auto const bytes = bytes_on_ring(*plan_graph(plan), ring, *plan_transport(plan));
    // One half of each layer's quarter of C passes three links in one direction, the other half in the other.
    for (auto const& [up, down] : bytes) {
      EXPECT_EQ(up, 32 * 32 * 8 / 4 / 2 * 3);
      EXPECT_EQ(down, up);
    }
  }
}

TEST(GemmGraph, In3DSumsTravelWhileOperandsCome) {
  for (auto const& grid : {GemmGrid{4, 4, 4}, {2, 2, 4}, {1, 2, 4}, {2, 3, 3}, {4, 2, 2}}) {
    expect_as_planned({530, 600, 97}, "torus:4x4x4", asked("3d", grid, 0));
    expect_as_planned({530, 140, 3, Scalar::c}, "torus:4x4x4", asked("3d", grid, 0));  // layers without k
  }
  NodeRates rates;
  rates.flops = FlopsPerSecond(1e9);
  Axis const axis{4, true, BytesPerSecond(1e6), Seconds(1e-6)};
  Machine const machine("cube", {axis, axis, axis}, rates);
  auto const plan = plan_gemm({1024, 1024, 1024}, machine, asked("3d", {4, 4, 4}, 0));
  auto const run = graph::simulate(*plan_graph(plan), machine, *plan_transport(plan), {.segment = 4096});
  // Rows, columns and layers each have an axis of their own, all with the same: one phase after the other takes twice
  // what the busiest link has.
  EXPECT_LT(run.seconds, 1.7 * *std::ranges::max_element(run.link_busy));
}

/// Edges from panels to products that wait until the panels have left.
std::int64_t waits_for_sends(Machine const& machine, std::string algorithm) {
  auto const made = plan_graph(plan_gemm({48, 48, 48}, machine, asked(std::move(algorithm), {2, 2, 1}, 8)));
  (void)graph::check(*made);
  std::int64_t waits = 0;
  for (Rank r = 0; r < made->ranks(); ++r) {
    for (std::int64_t s = 0; s < made->steps(); ++s) {
      made->tasks(r, s, [&](Task task) {
        made->children(task, [&](Edge const& edge) { waits += edge.kind == EdgeKind::sent ? 1 : 0; });
      });
    }
  }
  return waits;
}

TEST(GemmGraph, WhoSendsKeepsInStepWhereBothEndsMustPoll) {
  auto const on = [](double bandwidth) {
    NodeRates rates;
    rates.flops = FlopsPerSecond(1e9);
    Axis const axis{2, true, BytesPerSecond(bandwidth), Seconds(1e-6)};
    return Machine("grid", {axis, axis}, rates);
  };
  // Six panels of A along each of two rows, and of B along each of two columns.
  EXPECT_EQ(waits_for_sends(on(1e9), "summa"), 6 * 2 + 6 * 2);
  EXPECT_EQ(waits_for_sends(on(5e6), "summa"), 0) << "there the network moves what it has";
}

TEST(GemmGraph, MovesWhatThePlanSaysWhereRanksAreElsewhere) {
  for (auto const* name : {"summa", "cannon", "summa25", "summa25_copies", "cannon25", "3d"}) {
    bool const is_2d = std::string_view(name) == "summa" || std::string_view(name) == "cannon";
    bool const is_square = std::string_view(name).starts_with("cannon");
    auto const rows = is_square && !is_2d ? 2 : 3;
    auto options = asked(name, {rows, is_square ? rows : is_2d ? 4 : 2, is_2d ? 1 : 2}, 4);
    options.mapping = Mapping::from_list({7, 2, 11, 0, 5, 9, 1, 10, 4, 8, 3, 6});
    expect_as_planned({19, 23, 17}, "torus:4x3", options);
  }
}

TEST(GemmGraph, IsPlannedForAnyExtents) {
  GemmOptions named;
  named.algorithm = "summa";
  named.memory = Bytes(std::int64_t(1) << 60);
  auto const vast = plan_gemm({1 << 20, 1 << 20, Index(1) << 34}, Machine::parse("bgp:8x8"), named);
  EXPECT_TRUE(vast.traffic.empty());  // too many tasks to count them all
  EXPECT_GT(vast.chosen.words, 0);
  named.panel = 1;
  EXPECT_THROW((void)plan_gemm({8, 8, Index(1) << 40}, Machine::parse("bgp:8x8"), named), Error);
}

struct LuCase {
  LuProblem problem;
  std::string machine;
  LuOptions options;
};

void expect_as_planned(LuCase const& c) {
  SCOPED_TRACE(::testing::Message() << c.options.algorithm << " " << c.problem.m << " x " << c.problem.n << " "
                                    << static_cast<char>(c.problem.pivoting) << " on " << c.machine << " grid "
                                    << c.options.grid.rows << "x" << c.options.grid.cols << "x" << c.options.grid.layers
                                    << " panel " << c.options.panel << " outer panel " << c.options.outer_panel);
  auto const plan = plan_lu(c.problem, Machine::parse(c.machine), c.options);
  ASSERT_FALSE(plan.traffic.empty());
  auto const made = plan_graph(plan);
  (void)graph::check(*made);
  auto const transport = plan_transport(plan);
  auto const counts = graph::count(*made, *transport);
  EXPECT_EQ(traffic_of(counts), plan.traffic);
  expect_to_run(*made, plan.machine, *transport, counts);
  double flops = 0;  // column by column: divide what is below, update what is beside and below
  for (Index s = 0; s < std::min(c.problem.m, c.problem.n); ++s) {
    auto const below = static_cast<double>(c.problem.m - s - 1);
    flops += below + 2 * below * static_cast<double>(c.problem.n - s - 1);
  }
  EXPECT_EQ(sum_of(counts, &graph::Count::flops), flops);
  bool const exchanges = c.problem.pivoting != Pivoting::none && plan.chosen.grid.rows > 1;
  EXPECT_EQ(sum_of(counts, &graph::Count::expected_bytes) > 0, exchanges);
}

constexpr Pivoting pivotings[] = {Pivoting::none, Pivoting::partial, Pivoting::tournament};

LuOptions factored(std::string algorithm, GemmGrid grid, Index panel, Index outer_panel = 0) {
  LuOptions options;
  options.algorithm = std::move(algorithm);
  options.grid = grid;
  options.panel = panel;
  options.outer_panel = outer_panel;
  return options;
}

TEST(LuGraph, OneDimensionCountsAsThePlanDoes) {
  for (auto const& [m, n] : {std::pair<Index, Index>(100, 100), {70, 121}, {130, 40}}) {
    for (Index const nb : {8, 24}) {
      for (int const ranks : {1, 3, 5, 12}) {
        auto options = factored("1d", {1, ranks, 1}, 8);
        options.nb = nb;
        expect_as_planned({{m, n, Scalar::d, Pivoting::partial}, "torus:4x3", options});
      }
    }
  }
}

TEST(LuGraph, TwoDimensionsCountAsThePlanDoes) {
  for (auto const pivoting : pivotings) {
    for (auto const& [m, n] : {std::pair<Index, Index>(90, 90), {50, 121}, {120, 31}, {7, 9}}) {
      for (auto const& grid : {GemmGrid{1, 1, 1}, {2, 3, 1}, {5, 1, 1}, {1, 7, 1}, {3, 4, 1}}) {
        for (Index const nb : {8, 24}) {
          auto options = factored("2d", grid, 8);
          options.nb = nb;
          expect_as_planned({{m, n, Scalar::d, pivoting}, "torus:3x4", options});
        }
      }
      expect_as_planned({{m, n, Scalar::c, pivoting}, "mesh:5x2", factored("2d", {2, 5, 1}, 13)});
    }
    // Column blocks of many panels, and columns beyond the last of them.
    expect_as_planned({{700, 1500, Scalar::d, pivoting}, "torus:2x3", factored("2d", {2, 2, 1}, 60)});
    expect_as_planned({{1300, 1300, Scalar::d, pivoting}, "torus:2x3", factored("2d", {1, 2, 1}, 60)});
  }
}

/// Bytes that the busiest of a rank's links takes of one panel, over all that it sends in pieces.
double share_of_busiest(TaskGraph const& made, Machine const& machine, graph::Transport const& transport, Task panel) {
  std::vector<double> load(static_cast<std::size_t>(machine.link_ids()));
  double all = 0;
  std::set<int> pieces;
  made.children(panel, [&](Edge const& edge) {
    if (edge.kind == EdgeKind::data && made.parts(panel, edge.output) > 1) pieces.insert(edge.output);
  });
  for (auto const x : pieces) {
    auto const bytes = made.output(panel, x).bytes(made.element());
    std::vector<Rank> ranks{made.owner(panel)};
    made.children(panel, [&](Edge const& edge) {
      auto const to = made.owner(edge.child);
      if (edge.kind == EdgeKind::data && edge.output == x && std::ranges::count(ranks, to) == 0) ranks.push_back(to);
    });
    all += static_cast<double>(bytes);
    graph::Delivery const delivery{panel, x, Collective::broadcast, ranks, 0, bytes, 1, false, made.parts(panel, x)};
    transport.hops(delivery, [&](graph::Hop const& hop) {
      machine.route(machine.node_of(hop.from), machine.node_of(hop.to),
                    [&](LinkId l) { load[static_cast<std::size_t>(l)] += static_cast<double>(hop.bytes); });
    });
  }
  return *std::ranges::max_element(load) / all;
}

TEST(LuGraph, APanelLoadsNoLinkWithMoreThanOneOfItsTrees) {
  struct Case {
    char const* machine;
    Index nb;
    double most;
  };
  // Whole machines, and in blocks of 128 also what is left of them when ranks have no columns any more.
  for (auto const& [spec, nb, most] :
       {Case{"bgp:4x4", 32, 0.26}, {"bgp:4x4", 128, 0.26}, {"bgp:8x2", 32, 0.51}, {"mesh:4x4", 32, 0.51}}) {
    auto const machine = Machine::parse(spec);
    auto options = factored("2d", {1, 16, 1}, 32);
    options.nb = nb;
    auto const plan = plan_lu({2048, 2048}, machine, options);
    auto const made = plan_graph(plan);
    auto const transport = plan_transport(plan);
    for (std::int32_t k = 0; k < 48; k += 5) {
      Task panel;
      for (Rank r = 0; r < 16; ++r) {
        made->tasks(r, k, [&](Task t) { panel = t.kind == 0 ? t : panel; });  // factor
      }
      ASSERT_EQ(panel.k, k);
      EXPECT_GT(share_of_busiest(*made, machine, *transport, panel), 0.0);
      EXPECT_LE(share_of_busiest(*made, machine, *transport, panel), most) << spec << ", panel " << k << " of " << nb;
    }
  }
}

TEST(LuGraph, CountsOnTheCallersOwnDistribution) {
  Distribution const given(AxisDistribution::cyclic(83, 3, 10, 1, 4), AxisDistribution::cyclic(95, 2, 7, 1),
                           ProcessGrid(3, 2, {5, 0, 3, 1, 7, 2}));
  auto options = factored("2d", {0, 0, 0}, 6);
  options.given = given;
  for (auto const pivoting : pivotings) {
    expect_as_planned({{83, 95, Scalar::d, pivoting}, "torus:4x2", options});
  }
  Distribution const row(AxisDistribution::balanced(60, 1), AxisDistribution::cyclic(66, 5, 9, 2),
                         ProcessGrid::row_major(1, 5));
  options = factored("1d", {0, 0, 0}, 4);
  options.given = row;
  expect_as_planned({{60, 66, Scalar::d, Pivoting::partial}, "torus:5", options});
}

TEST(LuGraph, LayersCountAsThePlanDoes) {
  for (auto const pivoting : pivotings) {
    for (auto const& [m, n] : {std::pair<Index, Index>(96, 96), {50, 101}, {120, 47}}) {
      for (auto const& grid : {GemmGrid{2, 2, 2}, {1, 2, 3}, {3, 1, 2}, {2, 3, 2}, {1, 1, 4}}) {
        for (Index const big : {0, 8, 40}) {
          expect_as_planned({{m, n, Scalar::d, pivoting}, "torus:2x2x3", factored("2.5d", grid, 8, big)});
        }
      }
    }
  }
  auto turned = factored("2.5d", {2, 2, 4}, 16);
  turned.order = "lij";
  expect_as_planned({{130, 130, Scalar::z, Pivoting::tournament}, "torus:4x4", turned});
  turned.tree = MulticastTree::binomial;
  expect_as_planned({{130, 130, Scalar::d, Pivoting::partial}, "torus:4x4", turned});
}

/// Samples of steps and ranks and one chain stand for all tasks on all links.
void expect_price_near(TaskGraph const& made, Machine const& machine, graph::Transport const& transport, double least,
                       double most) {
  auto const simulated = graph::simulate(made, machine, transport).seconds;
  auto const price = graph::price(made, machine, transport);
  EXPECT_GE(price.total.value(), least * simulated);
  EXPECT_LE(price.total.value(), most * simulated);
}

TEST(PlanGraphs, ArePricedNearTheirSimulation) {
  auto const machine = Machine::parse("bgp:4x4");
  auto const product = plan_gemm({2048, 2048, 2048}, machine, asked("summa", {4, 4, 1}, 128));
  expect_price_near(*plan_graph(product), machine, *plan_transport(product), 0.9, 1.05);
  for (auto const& options : {factored("1d", {1, 16, 1}, 32), factored("2d", {4, 4, 1}, 64),
                              factored("2d", {1, 16, 1}, 32), factored("2.5d", {4, 2, 2}, 64)}) {
    auto const plan = plan_lu({2048, 2048}, machine, options);
    SCOPED_TRACE(options.algorithm);
    expect_price_near(*plan_graph(plan), machine, *plan_transport(plan), 0.6, 1.6);
  }
}

}  // namespace
}  // namespace allport
