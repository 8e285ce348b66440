#include "lu_estimate.h"

#include <algorithm>
#include <cmath>

#include "allport/graph/price.h"
#include "allport/graph/rates.h"
#include "allport/linalg/graphs.h"
#include "allport/tasks/transport.h"
#include "linalg/plan/plan_price.h"
#include "lu_tasks.h"

namespace allport::lu_detail {

namespace {

/// Steps that are estimated: the others are interpolated, as steps change smoothly while the matrix shrinks.
constexpr int estimated_steps = 12;
/// Bytes for which the costs of multicasts are computed.
constexpr auto usual_bytes = LineSpread::usual_bytes;
/// Bytes for which the costs of a grid column's collectives are computed.
constexpr std::int64_t collective_bytes = 1024;

}  // namespace

LuEstimate::LuEstimate(LuPlan const& plan)
    : plan_(plan),
      element_(bytes_of(plan.problem.type)),
      transport_(plan_transport(plan)),
      costs_(plan.machine, *transport_, tasks::default_segment(plan.machine).value()),
      rates_(plan.machine, detail::rate_factor(plan.problem.type)),
      panel_slowness_(slowness_on(plan.machine).panel),
      trsm_slowness_(slowness_on(plan.machine).trsm) {}

/// Of the rank in the middle of the grid.
LuEstimate::Lines const& LuEstimate::lines_of(LuCandidate const& candidate) {
  auto const& g = candidate.grid;
  auto const key = std::pair(std::array{g.rows, g.cols, g.layers, candidate.in_place ? 1 : 0}, candidate.order);
  auto& known = known_[key];
  if (known) return *known;
  auto const layout = layout_of(candidate, plan_.options);
  GridCoords const middle{g.rows / 2, g.cols / 2, g.layers / 2};
  auto const from_middle = [&](GridAxis line) {
    auto ranks = layout.members(middle, line);
    std::swap(ranks[0], ranks[static_cast<std::size_t>(GridLayout::index(middle, line))]);
    return ranks;
  };
  auto const column = from_middle(GridAxis::col);
  auto layers = from_middle(GridAxis::layer);
  if (layers.size() > 2) layers.erase(layers.begin() + 2, layers.end());
  auto const spread = [&](std::vector<Rank> const& ranks, int pieces) {
    return line_spread(costs_, plan_.machine, ranks, pieces);
  };
  auto const pieces = [&](int ranks) { return pieces_of(ranks, plan_.machine, tree_of(plan_)); };
  auto& lines = known.emplace(Lines{spread(from_middle(GridAxis::row), pieces(g.cols)),
                                    spread(column, pieces(g.rows)),
                                    spread(layers, 1),
                                    {},
                                    {},
                                    graph::AxisLoads(plan_.machine)});
  if (column.size() < 2) return lines;
  graph::Delivery delivery{{}, 0, Collective::broadcast, column, 0, collective_bytes, 1, true};
  for (auto const& one : panel_collectives(plan_.problem.pivoting, 1, 0, element_)) {
    delivery.what = one.what;
    lines.collectives[one.what] = costs_.idle_cost(delivery);
  }
  delivery.what = Collective::broadcast;
  delivery.ranks = delivery.ranks.first(2);
  delivery.bytes = usual_bytes;
  lines.neighbour = costs_.idle_cost(delivery);
  auto const members = layout.members(middle, GridAxis::col);
  auto const at = static_cast<std::size_t>(GridLayout::index(middle, GridAxis::col));
  for (auto const other : graph::a_quarter_away(at, members.size())) {
    std::array const pair{members[at], members[other]};
    delivery.ranks = pair;
    lines.exchange.add(costs_.of(delivery).loads, 0.5 / static_cast<double>(usual_bytes));
  }
  return lines;
}

/// The collectives of the ranks that factor a panel.
double LuEstimate::collective_seconds(Lines const& lines, Index width) const {
  double seconds = 0;
  for (auto const& one : panel_collectives(plan_.problem.pivoting, width, 0, element_)) {
    auto const known = lines.collectives.find(one.what);
    if (one.bytes == 0 || known == lines.collectives.end()) continue;
    seconds += known->second.seconds(static_cast<double>(one.bytes), static_cast<double>(one.times));
  }
  return seconds;
}

/// The step whose panel begins at column `at`; adds its bytes to `loads`.
LuEstimate::Step LuEstimate::step(LuCandidate const& candidate, Lines const& lines, double at, double b,
                                  double collectives, graph::AxisLoads& loads, double times) const {
  auto const& problem = plan_.problem;
  auto const& g = candidate.grid;
  auto const size = static_cast<double>(element_);
  double const p_r = g.rows;
  double const p_c = g.cols;
  double const c = g.layers;
  auto const rows = std::max(0.0, static_cast<double>(problem.m) - at) / p_r;
  auto const below = std::max(0.0, static_cast<double>(problem.m) - at - b) / p_r;
  auto const cols = std::max(0.0, static_cast<double>(problem.n) - at - b) / p_c;
  bool const alone = g.rows == 1 && g.layers == 1;  // `update` does everything
  bool const pivots = problem.pivoting != Pivoting::none;
  auto const solving = [&](double width) {
    return alone ? 0.0 : rates_.seconds({Kernel::trsm, b * (b - 1) * width * trsm_slowness_, size * b * (width + b)});
  };
  auto const updating = [&](double width, double depth) {
    auto const flops = 2 * below * width * depth + (alone ? b * (b - 1) * width : 0);
    return rates_.seconds(
        {Kernel::gemm, flops * graph::shallowness(depth), size * (below * depth + depth * width + below * width)});
  };
  auto const copying = [&](double width) {
    return pivots && g.rows > 1 ? rates_.seconds({Kernel::copy, 0, 2 * size * b * width}) : 0.0;
  };
  auto const exchanging = [&](double width) {  // no worker waits for it
    if (!pivots || g.rows == 1) return 0.0;
    Gang moves;
    expect_row_moves(moves, g.rows, b, b * width * size);
    return copying(width) + moves.expected_messages * lines.neighbour.start +
           lines.neighbour.trailing(moves.expected_bytes);
  };
  auto const summing = [&](double elements) {  // over the layers, halving by halving
    return g.layers == 1 ? 0.0
                         : std::ceil(std::log2(c)) * lines.layer.piece_seconds(elements * size) +
                               rates_.seconds({Kernel::copy, 0, 2 * size * elements}) +
                               rates_.seconds({Kernel::add, 0, size * elements * c});
  };
  // Units: the columns of each of the next panels, and column blocks of the others.
  auto const apart = std::min(cols, std::max(1.0, static_cast<double>(candidate.ahead) / p_c) * b);
  auto const blocks = std::ceil((cols - apart) / static_cast<double>(columns_of_block));
  auto const units = (cols > 0 ? std::ceil(apart / b) : 0) + blocks;
  auto const over_units = [&](auto const& seconds) {
    auto const width = blocks > 0 ? (cols - apart) / blocks : 0;
    return (units - blocks) * (units > blocks ? seconds(apart / (units - blocks)) : 0) +
           blocks * (blocks > 0 ? seconds(width) : 0);
  };
  auto const corner = (b - 1) * b * (2 * b - 1) / 3 + b * (b - 1) / 2;
  auto const panel_flops = (below * b * b + corner) * panel_slowness_;
  auto const panel = rates_.seconds({Kernel::panel, panel_flops, size * b * (below + b)}) + collectives;
  Step step;
  auto const slice = [&](double width) { return updating(width, b / c); };
  step.work = panel / (p_c * c) + over_units(slice) + over_units(solving) / (p_r * c) + over_units(copying) +
              (summing(rows * b) / p_c + over_units([&](double w) { return summing(b * w); }) / p_r) / c;
  // The next panel is often on the same rank, which waits for no message then.
  auto const elsewhere = g.layers > 1 ? 1.0
                         : g.cols > 1 ? b / static_cast<double>(std::max<Index>(candidate.nb, 1))
                                      : 0.0;
  step.chain = panel + std::min(1.0, elsewhere) * lines.row.piece_seconds(rows * b * size / lines.row.pieces);
  if (cols > 0) {
    auto const unit = std::min(b, cols);
    step.chain += exchanging(unit) + solving(unit) + updating(unit, b) +
                  (g.rows > 1 ? lines.col.piece_seconds(b * unit * size / lines.col.pieces) : 0);
  }
  auto const bytes_of_l = size * rows * b * p_r;
  auto const bytes_of_u = size * cols * b * p_c;
  loads.add(lines.row.loads, times * bytes_of_l);
  loads.add(lines.col.loads, times * bytes_of_u);
  if (pivots && g.rows > 1) {  // to the right and to the left of the panel
    Gang moves;
    expect_row_moves(moves, g.rows, b, b * std::max(0.0, static_cast<double>(problem.n) - b) / p_c * size);
    loads.add(lines.exchange, times * moves.expected_bytes * p_r * p_c * c);
  }
  // To the layer that factors, the layers' parts of the sums, and back to layer 0.
  loads.add(lines.layer.loads, times * (bytes_of_l + bytes_of_u) * (2 * (c - 1) / c + c - 1));
  auto const of_l = p_r * c * (lines.row.pieces * (p_c - 1) + 3 * (c - 1) / c);
  auto const of_u = p_c * units * c * (lines.col.pieces * (p_r - 1) + 3 * (c - 1) / c);
  step.messages = 2 * (of_l + of_u) / (p_r * p_c * c);
  return step;
}

void LuEstimate::price(LuCandidate& candidate) {
  auto const count = std::min(plan_.problem.m, plan_.problem.n);
  if (count == 0) return;
  auto const& lines = lines_of(candidate);
  auto const b = widest_panel(plan_, candidate);
  auto const collectives = collective_seconds(lines, b);
  auto const steps = (count + b - 1) / b;
  auto const parts = std::min<Index>(estimated_steps, steps);
  graph::AxisLoads loads(plan_.machine);
  double work = 0;
  double chain = 0;
  double messages = 0;
  for (Index s = 0; s < parts; ++s) {
    auto const from = steps * s / parts;
    auto const to = steps * (s + 1) / parts;
    auto const times = static_cast<double>(to - from);
    auto const at = static_cast<double>(from + to - 1) / 2 * static_cast<double>(b);
    auto const width = std::min(static_cast<double>(b), static_cast<double>(count) - at);
    auto const one = step(candidate, lines, at, width, collectives, loads, times);
    work += one.work * times;
    chain += one.chain * times;
    messages += one.messages * times;
  }
  auto const& g = candidate.grid;
  auto const links = std::max(messages * plan_.machine.rates().overhead.value(), loads.mean_link());
  auto const elsewhere = chain * (1 - 1.0 / (g.cols * g.layers));
  candidate.compute = Seconds(work);
  candidate.communicate = Seconds(links);
  candidate.total = Seconds(std::max({chain, links, graph::overlapped(std::max(work, links), elsewhere, g.rows > 1)}));
}

}  // namespace allport::lu_detail
