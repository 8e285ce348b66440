#include "allport/model/gemm_cost.h"

#include <algorithm>

#include "line.h"

namespace allport::model {

namespace {

void check(GemmShape shape, GemmGrid grid) {
  ensure(shape.m >= 0 && shape.n >= 0 && shape.k >= 0, "shape", std::min({shape.m, shape.n, shape.k}),
         "dimensions >= 0");
  ensure(grid.rows >= 1 && grid.columns >= 1 && grid.layers >= 1, "grid",
         std::min({grid.rows, grid.columns, grid.layers}), "sides >= 1");
}

}  // namespace

std::int64_t gemm_steps(GemmGrid grid) {
  check({}, grid);
  return (std::max(grid.rows, grid.columns) + grid.layers - 1) / grid.layers;
}

GemmCost gemm_cost(GemmShape shape, GemmGrid grid) {
  check(shape, grid);
  auto const m = static_cast<double>(shape.m);
  auto const n = static_cast<double>(shape.n);
  auto const k = static_cast<double>(shape.k);
  auto const r = static_cast<double>(grid.rows);
  auto const s = static_cast<double>(grid.columns);
  auto const c = static_cast<double>(grid.layers);
  auto const copies = grid.layers > 1;
  auto const a_panels = grid.columns > 1 ? m * k / (r * c) : 0.0;  // nobody sends along a line of one
  auto const b_panels = grid.rows > 1 ? n * k / (s * c) : 0.0;
  GemmCost cost;
  cost.flops = 2.0 * m * n * k / (r * s * c);
  cost.memory = (m * k + n * k + m * n) / (r * s);
  cost.words = a_panels + b_panels + (copies ? cost.memory : 0.0);
  auto const lines = (grid.columns > 1 ? 1.0 : 0.0) + (grid.rows > 1 ? 1.0 : 0.0);
  cost.messages = lines * static_cast<double>(gemm_steps(grid)) + (copies ? 3.0 : 0.0);
  return cost;
}

GemmTime gemm_time(Machine const& machine, GemmShape shape, GemmGrid grid, LineMulticast how, double tau,
                   BytesPerSecond bn_binomial) {
  check(shape, grid);
  auto const flops = flops_of_rank(machine);
  ensure(tau >= 0.0 && tau <= 1.0, "tau", tau, "a number in 0..1");
  constexpr double word = 8.0;
  auto const m = static_cast<double>(shape.m);
  auto const n = static_cast<double>(shape.n);
  auto const k = static_cast<double>(shape.k);
  auto const r = static_cast<double>(grid.rows);
  auto const s = static_cast<double>(grid.columns);
  auto const steps = static_cast<double>(gemm_steps(grid));
  auto const width = k / (static_cast<double>(grid.layers) * steps);  // columns of A in one panel
  auto const both = [tau](Seconds a, Seconds b) { return std::max(a, b) + tau * std::min(a, b); };
  Line const line(machine, how, bn_binomial);
  GemmTime time;
  time.compute = Seconds(gemm_cost(shape, grid).flops / flops);
  time.panels =
      steps * both(line.multicast(word * m / r * width, grid.columns), line.multicast(word * n / s * width, grid.rows));
  time.replicate =
      both(line.multicast(word * m * k / (r * s), grid.layers), line.multicast(word * n * k / (r * s), grid.layers));
  time.reduce = line.reduction(word * m * n / (r * s), grid.layers);
  return time;
}

}  // namespace allport::model
