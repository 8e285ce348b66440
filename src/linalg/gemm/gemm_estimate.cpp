#include "gemm_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allport/graph/price.h"
#include "allport/graph/rates.h"
#include "allport/tasks/transport.h"
#include "gemm_3d_graph.h"
#include "gemm_cannon_graph.h"
#include "gemm_graph.h"
#include "linalg/plan/plan_price.h"

namespace allport::gemm_detail {

namespace {

/// Time of 3D over that of its links: 1.02 measured on 64 nodes of a lab, 1.25 and 1.33 on 16 nodes, whose ranks share
/// cores with each other's products (docs/decisions/0011-products.md).
constexpr double tiles_late = 1.3;
constexpr auto usual_bytes = LineSpread::usual_bytes;

/// A line with one of its members first.
std::vector<Rank> line_from(std::vector<Rank> line, int first) {
  std::swap(line[0], line[static_cast<std::size_t>(first)]);
  return line;
}

/// A member of a line and the one `apart` positions after it.
std::vector<Rank> two_of(std::vector<Rank> const& line, int first, int apart) {
  auto const length = static_cast<int>(line.size());
  if (length < 2) return {line[0]};
  return {line[static_cast<std::size_t>(first)], line[static_cast<std::size_t>((first + apart) % length)]};
}

}  // namespace

GemmEstimate::GemmEstimate(GemmPlan const& plan)
    : plan_(plan),
      size_(static_cast<double>(bytes_of(plan.problem.type))),
      m_(static_cast<double>(plan.problem.m)),
      n_(static_cast<double>(plan.problem.n)),
      k_(static_cast<double>(plan.problem.k)),
      transport_(tasks::transport(plan.machine, tree_of(plan))),
      costs_(plan.machine, *transport_, tasks::default_segment(plan.machine).value()),
      rates_(plan.machine, detail::rate_factor(plan.problem.type)),
      loads_(plan.machine) {}

/// Seconds of the busiest link if the first rank of each delivery sends a byte to the others, all at the same time.
double GemmEstimate::busiest_link(std::vector<std::vector<Rank>> const& deliveries, int pieces) {
  auto const& machine = plan_.machine;
  for (auto const& ranks : deliveries) {
    graph::Delivery delivery{{}, 0, Collective::broadcast, ranks, 0, usual_bytes, 1, false, pieces};
    for (delivery.output = 0; delivery.output < pieces; ++delivery.output) {
      transport_->hops(delivery, [&](graph::Hop const& hop) {
        loads_.add(machine.node_of(hop.from), machine.node_of(hop.to),
                   static_cast<double>(hop.bytes) / static_cast<double>(usual_bytes * pieces));
      });
    }
  }
  auto const most = loads_.longest().value();
  loads_.clear();
  return most;
}

GemmEstimate::Spread GemmEstimate::spread(std::vector<Rank> const& places, int pieces) {
  Spread spread{line_spread(costs_, plan_.machine, places, pieces)};
  if (places.size() < 2) return spread;
  spread.busiest = busiest_link({places}, pieces);
  spread.messages = static_cast<double>(places.size() - 1);
  return spread;
}

/// The sum of a layer's part of the columns, as in ProductGraph.
GemmEstimate::Spread GemmEstimate::sum_of(std::vector<Rank> layers, int root) {
  auto const pieces = halves_along(static_cast<int>(layers.size()), plan_.machine);
  Spread spread{{pieces, 0, 0, graph::AxisLoads(plan_.machine)}};
  if (layers.size() < 2) return spread;
  std::ranges::rotate(layers, layers.begin() + (root + 1) % std::ssize(layers));
  graph::Delivery delivery{{}, 0, Collective::reduce, layers, static_cast<int>(layers.size()) - 1, usual_bytes, 1};
  if (pieces > 1) delivery.sum_tree = SumTree::chain;
  for (delivery.output = 0; delivery.output < pieces; ++delivery.output) {
    spread.add(costs_.of(delivery));
    std::reverse(layers.begin(), layers.end() - 1);
  }
  spread.messages = static_cast<double>(layers.size() - 1);
  return spread;
}

/// Of the rank in the middle of the grid.
GemmEstimate::Lines const& GemmEstimate::lines_of(Method::Form form, GemmCandidate const& candidate) {
  auto const& g = candidate.grid;
  std::tuple const key(static_cast<int>(form), g.rows, g.cols, g.layers, candidate.order);
  if (auto const known = known_.find(key); known != known_.end()) return known->second;
  GridLayout const layout(g, candidate.order, plan_.options.mapping);
  GridCoords const middle{g.rows / 2, g.cols / 2, g.layers / 2};
  auto const places = [&](GridAxis line) {
    auto ranks = layout.members(middle, line);
    for (auto& rank : ranks) rank = plan_.options.mapping ? plan_.options.mapping->place(rank) : rank;
    return ranks;
  };
  bool const shifts = form == Method::Form::cannon;
  auto const travel = [&](GridAxis axis) {
    auto const line = places(axis);
    auto const first = layout.index(middle, axis);
    if (shifts) return spread(two_of(line, first, 1), halves_along(layout.length(axis), plan_.machine));
    return spread(line_from(line, first), line_trees(line, plan_.machine));
  };
  auto const skew = [&](GridAxis axis) {
    auto const line = places(axis);
    auto const half = layout.length(axis) / 2;
    if (!shifts || half == 0) return spread({}, 1);
    auto const pieces = halves_along(layout.length(axis), plan_.machine);
    std::vector<std::vector<Rank>> all;
    for (int x = 0; x < layout.length(axis); ++x) all.push_back(two_of(line, x, half));
    auto one = spread(all[0], pieces);
    one.busiest = busiest_link(all, pieces);
    return one;
  };
  auto const layers = places(GridAxis::layer);
  return known_
      .emplace(key, Lines{{travel(GridAxis::row), travel(GridAxis::col)},
                          {skew(GridAxis::row), skew(GridAxis::col)},
                          spread(line_from(layers, middle.l), shifts ? 1 : halves_along(g.layers, plan_.machine)),
                          sum_of(layers, middle.l)})
      .first->second;
}

/// Adds deliveries of `bytes` in all.
void GemmEstimate::add(Sums& sums, Spread const& spread, double bytes, double deliveries) const {
  sums.loads.add(spread.loads, bytes);
  sums.messages += deliveries * spread.pieces * spread.messages;
}

double GemmEstimate::product(double rows, double cols, double depth) const {
  return rates_.seconds({Kernel::gemm, 2 * rows * cols * depth * graph::shallowness(depth),
                         size_ * (rows * depth + depth * cols + rows * cols)});
}

/// 3D: all of a layer's k, tile by tile of C. When the last operands have arrived, the sums of the last tile row and
/// column are left.
void GemmEstimate::tiles(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const {
  auto const& g = candidate.grid;
  auto const rows = m_ / g.rows;
  auto const cols = n_ / g.cols;
  auto const of_layer = k_ / g.layers;
  auto const tiles = tiles_a_side(static_cast<Index>(rows), static_cast<Index>(cols));
  auto const tile_ends = growing_squares(tiles);
  auto const side = static_cast<double>(tiles);
  auto const last_side = 1 - tile_ends[static_cast<std::size_t>(tiles) - 1];
  auto const of_all = side * side;
  graph::AxisLoads operands(plan_.machine);
  double first = 0;
  double pieces = 1;
  double const whole = g.ranks();
  for (int x = 0; x < 2; ++x) {
    auto const& line = lines.travel[static_cast<std::size_t>(x)];
    auto const owners = static_cast<double>(x == 0 ? g.cols : g.rows);
    pieces = std::max(pieces, owners * line.pieces);
    if (line.messages == 0) continue;
    auto const bytes = size_ * k_ * (x == 0 ? m_ : n_);
    operands.add(line.loads, bytes);
    add(sums, line, bytes, side * owners * g.layers * (x == 0 ? g.rows : g.cols));
    sums.work += rates_.seconds({Kernel::copy, 0, 2 * bytes / whole});
    first = std::max(first, line.seconds(size_ * (x == 0 ? rows : cols) * of_layer / owners * tile_ends[1]));
  }
  auto const one = pieces * product(rows, cols, of_layer / pieces);
  graph::AxisLoads of_sums(plan_.machine);
  of_sums.add(lines.sum.loads, size_ * m_ * n_);
  add(sums, lines.sum, size_ * m_ * n_, of_all * whole);
  auto const adding = rates_.seconds({Kernel::add, 0, size_ * rows * cols}) / g.layers;
  auto const last = lines.sum.seconds(size_ * rows * cols / g.layers * last_side * last_side);
  sums.work += one + adding;
  sums.chain += first + std::max(one, operands.mean_link()) + last + adding / of_all;
  sums.elsewhere += first + last;
  auto const ends = 2 * sums.messages / whole * plan_.machine.rates().overhead.value();
  auto const links = operands.mean_link() + tile_ends[1] * of_sums.mean_link();  // t^2 of them have been sent
  sums.in_turn += tiles_late * (std::max(links + one / of_all, one) + last + ends);
}

/// SUMMA: each panel of A is sent to a row, each of B to a column, several at a time.
void GemmEstimate::panels(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const {
  auto const& g = candidate.grid;
  auto const rows = m_ / g.rows;
  auto const cols = n_ / g.cols;
  auto const of_layer = k_ / g.layers;
  bool const copied = method(candidate.algorithm).copies;
  auto const owners = g.rows + g.cols - std::gcd(g.rows, g.cols);
  auto const slabs = std::min<double>(copied ? (owners + g.layers - 1) / g.layers : owners, std::ceil(of_layer));
  auto const count = slabs * std::ceil(of_layer / slabs / static_cast<double>(candidate.panel));
  auto const depth = of_layer / count;
  auto const pieces = static_cast<double>(std::max(lines.travel[0].pieces, lines.travel[1].pieces));
  auto const one = pieces * product(rows, cols, depth / pieces);
  auto const [a, b] =
      std::array{lines.travel[0].seconds(size_ * rows * depth), lines.travel[1].seconds(size_ * cols * depth)};
  auto const slots = std::min<double>(count, panels_ahead - 1);
  sums.work += count * one;
  sums.chain += std::max(a, b) + std::max(count * one, one + (count - 1) * std::max(a, b) / slots);
  sums.elsewhere += std::max(a, b);
  if (copied) copies(sums, g, lines);
  sums.in_turn += one + size_ * of_layer * std::max(rows * lines.travel[0].busiest, cols * lines.travel[1].busiest);
  double const whole = g.rows * g.cols * g.layers;
  for (int x = 0; x < 2; ++x) {
    auto const& line = lines.travel[static_cast<std::size_t>(x)];
    if (line.messages == 0) continue;
    auto const bytes = size_ * k_ * (x == 0 ? m_ : n_);
    sums.work += rates_.seconds({Kernel::copy, 0, 2 * bytes / whole});
    add(sums, line, bytes, count * g.layers * (x == 0 ? g.rows : g.cols));
  }
}

/// All of layer 0's blocks of A and B to the other layers, before SUMMA.
void GemmEstimate::copies(Sums& sums, GemmGrid const& g, Lines const& lines) const {
  double const of_layer = static_cast<double>(g.rows) * g.cols;
  auto const blocks = std::array{size_ * m_ * k_ / of_layer, size_ * k_ * n_ / of_layer};
  auto const both = blocks[0] + blocks[1];
  auto const first = std::max(lines.copy.seconds(std::max(blocks[0], blocks[1])), lines.copy.busiest * both);
  for (auto const block : blocks) add(sums, lines.copy, block * of_layer, of_layer);
  sums.work += rates_.seconds({Kernel::copy, 0, 2 * both});
  sums.chain += first;
  sums.elsewhere += first;
  sums.in_turn += first;
}

/// Cannon: copies for the layers, the initial skew, then shifts.
void GemmEstimate::blocks(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const {
  double const q = candidate.grid.rows;
  double const c = candidate.grid.layers;
  auto const steps = std::ceil(q / c);
  auto const halves = lines.travel[0].pieces;
  auto const one = halves * product(m_ / q, n_ / q, k_ / q / halves);
  double hop = 0;
  double first = 0;
  double copies = 0;
  for (int x = 0; x < 2; ++x) {
    auto const matrix = size_ * k_ * (x == 0 ? m_ : n_);
    auto const block = matrix / q / q;
    auto const& shift = lines.travel[static_cast<std::size_t>(x)];
    auto const& skew = lines.skew[static_cast<std::size_t>(x)];
    hop = std::max(hop, std::max(shift.seconds(block), shift.busiest * block));
    first = std::max(first, std::max(skew.seconds(block), skew.busiest * block) + lines.copy.seconds(block));
    copies += lines.copy.busiest * block;
    sums.work += rates_.seconds({Kernel::copy, 0, 2 * block / c});
    add(sums, lines.copy, c > 1 ? matrix : 0, c > 1 ? q * q * halves : 0);
    add(sums, skew, c * matrix / 2, c * q * q);  // a quarter of a ring on average
    add(sums, shift, (q - c) * matrix, (q - c) * q * q);
  }
  sums.work += q / c * one;
  sums.chain += first + std::max(steps * one, one + (steps - 1) * hop);
  sums.elsewhere += first;
  sums.in_turn += std::max(copies, first) + (steps - 1) * hop + one;
}

/// At the end the layers' partial sums are combined, each layer a part of the columns.
void GemmEstimate::layers(Sums& sums, GemmGrid const& grid, Lines const& lines) const {
  if (grid.layers == 1) return;
  auto const block = m_ / grid.rows * n_ / grid.cols;
  graph::AxisLoads all(plan_.machine);
  all.add(lines.sum.loads, size_ * m_ * n_);
  auto const seconds = std::max(lines.sum.seconds(size_ * block / grid.layers), all.mean_link());
  auto const adding = rates_.seconds({Kernel::add, 0, size_ * block}) / grid.layers;
  add(sums, lines.sum, size_ * m_ * n_, static_cast<double>(grid.ranks()));
  sums.work += adding;
  sums.chain += seconds + adding;
  sums.elsewhere += seconds;
  sums.in_turn += seconds;
}

GemmEstimate::Sums GemmEstimate::summed(GemmCandidate const& candidate) {
  auto const form = method(candidate.algorithm).form;
  auto const& lines = lines_of(form, candidate);
  Sums sums(plan_.machine);
  if (is_3d(method(candidate.algorithm))) {
    tiles(sums, candidate, lines);
    return sums;
  }
  form == Method::Form::cannon ? blocks(sums, candidate, lines) : panels(sums, candidate, lines);
  layers(sums, candidate.grid, lines);
  bool const waits = form == Method::Form::summa && method(candidate.algorithm).copies;  // for the copies
  if (waits) sums.in_turn = std::max(sums.in_turn, sums.chain);
  return sums;
}

Seconds GemmEstimate::in_turn(GemmCandidate const& candidate) {
  return m_ * n_ * k_ == 0 ? Seconds(0) : Seconds(summed(candidate).in_turn);
}

void GemmEstimate::price(GemmCandidate& candidate) {
  if (m_ * n_ * k_ == 0) return;
  auto const sums = summed(candidate);
  auto const ends = 2 * sums.messages / candidate.grid.ranks() * plan_.machine.rates().overhead.value();
  auto const links = std::max(ends, sums.loads.mean_link());
  candidate.compute = Seconds(sums.work);
  candidate.communicate = Seconds(links);
  candidate.total = Seconds(std::max(
      {sums.chain, links, sums.in_turn, graph::overlapped(std::max(sums.work, links), sums.elsewhere, false)}));
}

}  // namespace allport::gemm_detail
