#include "allport/model/lu_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lu_steps.h"

namespace allport::model {

namespace {

double rounds(std::int64_t ranks) { return std::ceil(std::log2(static_cast<double>(ranks))); }

/// Flops on the critical path beyond an even share F: the sum over steps of the busiest process's flops, less F.
double idle_flops(LuShape const& s, LuPivoting pivoting) {
  auto const steps = s.n / s.b;
  // Remaining rows after step t are r = (steps - t) b; block-cyclic by b, the fullest process has
  // (r + b (R - 1)/2) / R of them in the mean. Sums of r and r^2 over t = 1..steps.
  auto const sum1 = s.b * steps * (steps - 1.0) / 2.0;
  auto const sum2 = s.b * s.b * (steps - 1.0) * steps * (2.0 * steps - 1.0) / 6.0;
  auto const extra_r = s.b * (s.rows - 1.0) / 2.0;
  auto const extra_c = s.b * (s.columns - 1.0) / 2.0;
  auto const update =
      2.0 * s.b * (sum2 + sum1 * (extra_r + extra_c) + steps * extra_r * extra_c) / (s.rows * s.columns * s.layers);
  auto const rows = (sum1 + steps * extra_r) / s.rows;
  auto const columns = (sum1 + steps * extra_c) / s.columns;
  auto const corners = 2.0 / 3.0 * s.b * s.b * s.b * steps;
  auto path = update + s.b * s.b * (rows + columns) / s.layers + corners;
  if (pivoting == LuPivoting::tournament) {
    // A copy of the local panel is eliminated, then in every round of both trees two stacked candidates, [2b x b].
    auto const tall = rows / s.layers * s.b * s.b + corners;
    auto const stacked = 5.0 / 3.0 * s.b * s.b * s.b * steps;
    path += tall + stacked * (rounds(s.grid.rows) + rounds(s.grid.layers));
  }
  return std::max(0.0, path - lu_even_flops(s));
}

}  // namespace

LuCost lu_cost(std::int64_t n, GemmGrid grid, LuBlocks blocks, LuPivoting pivoting) {
  auto const s = lu_shape(n, grid, blocks);
  LuCost cost;
  cost.flops = lu_even_flops(s);
  cost.idle = idle_flops(s, pivoting);
  visit_lu_steps(s, pivoting, [&](LuStep const& step) {
    if (step.nodes == 1) {
      return;  // a line of one node has no messages
    }
    auto const words = step.count * step.words;
    cost.words += words;
    cost.messages += step.count * (step.kind == LuStep::Kind::exchange ? static_cast<double>(step.nodes - 1) : 1.0);
    switch (step.part) {
      case LuPart::corner:
        cost.corner += words;
        break;
      case LuPart::panels:
        cost.panels += words;
        break;
      case LuPart::update:
        cost.update += words;
        break;
      case LuPart::exchange:
        cost.exchange += words;
        break;
      case LuPart::reduce:
        cost.reduce += words;
        break;
      case LuPart::pivot:
        cost.pivot += words;
        break;
    }
  });
  auto const share = 1.0 / (s.rows * s.columns);
  cost.memory = s.n * s.n * share + (grid.layers > 1 ? 2.0 * s.n * s.big * share : 0.0);
  return cost;
}

namespace {

Seconds price(Line const& line, LuStep const& step) {
  constexpr double word = 8.0;
  auto const bytes = word * step.words;
  switch (step.kind) {
    case LuStep::Kind::multicast:
      return step.count * line.multicast(bytes, step.nodes);
    case LuStep::Kind::reduction:
      return step.count * line.reduction(bytes, step.nodes);
    case LuStep::Kind::message:
      return step.nodes == 1 ? Seconds{} : step.count * line.message(bytes);
    case LuStep::Kind::exchange:
      return step.count * line.exchange(bytes, step.nodes);
  }
  return {};
}

Seconds& part_of(LuTime& time, LuPart part) {
  switch (part) {
    case LuPart::corner:
      return time.corner;
    case LuPart::panels:
      return time.panels;
    case LuPart::update:
      return time.update;
    case LuPart::exchange:
      return time.exchange;
    case LuPart::reduce:
      return time.reduce;
    case LuPart::pivot:
      return time.pivot;
  }
  return time.pivot;
}

LuTime timed(Line const& line, double flops, LuShape const& s, LuPivoting pivoting) {
  LuTime time;
  time.compute = Seconds(lu_even_flops(s) / flops);
  time.idle = Seconds(idle_flops(s, pivoting) / flops);
  visit_lu_steps(s, pivoting, [&](LuStep const& step) { part_of(time, step.part) += price(line, step); });
  return time;
}

}  // namespace

LuTime lu_time(Machine const& machine, std::int64_t n, GemmGrid grid, LuBlocks blocks, LuPivoting pivoting,
               LineMulticast how, BytesPerSecond bn_binomial) {
  return timed(Line(machine, how, bn_binomial), flops_of_rank(machine), lu_shape(n, grid, blocks), pivoting);
}

LuBlocks lu_blocks(Machine const& machine, std::int64_t n, GemmGrid grid, LuPivoting pivoting, LineMulticast how,
                   BytesPerSecond bn_binomial) {
  (void)lu_shape(n, grid, {1, 1});
  Line const line(machine, how, bn_binomial);
  auto const flops = flops_of_rank(machine);
  auto const side = std::max(grid.rows, grid.columns);
  LuBlocks best{1, 1};
  auto least = std::numeric_limits<double>::infinity();
  auto const offer = [&](LuBlocks blocks) {
    auto const time = timed(line, flops, lu_shape(n, grid, blocks), pivoting).total().value();
    if (time < least) {
      least = time;
      best = blocks;
    }
  };
  for (std::int64_t b = 1; b <= std::max<std::int64_t>(1, n / side); b *= 2) {
    if (grid.layers == 1) {
      offer({b, b});
      continue;
    }
    offer({b, std::min(n, b * side)});
    for (auto big = 2 * b * side; big <= n; big *= 2) {
      offer({b, big});
    }
  }
  return best;
}

LuPath lu_path(std::int64_t n, double d) {
  ensure(n >= 1, "n", n, "a number >= 1");
  ensure(d >= 1.0, "d", d, "blocks >= 1");
  auto const size = static_cast<double>(n);
  return {2.0 / 3.0 * size * size * size / (d * d), size * size / d, d};
}

LuLeastBlocks lu_least_blocks(std::int64_t ranks, std::int64_t layers) {
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  ensure(layers >= 1, "layers", layers, "a number >= 1");
  auto const p = static_cast<double>(ranks);
  return {std::sqrt(p), std::sqrt(p * static_cast<double>(layers))};
}

}  // namespace allport::model
