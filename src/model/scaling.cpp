#include "allport/model/scaling.h"

#include <cmath>
#include <functional>
#include <limits>

namespace allport::model {

namespace {

/// @param price seconds, or infinity where the memory does not suffice
GemmGrid fastest(std::int64_t ranks, Machine const& machine, std::function<double(GemmGrid)> const& price) {
  auto least = std::numeric_limits<double>::infinity();
  GemmGrid best;
  for (auto const grid : layered_grids(ranks)) {
    auto const time = price(grid);
    if (time < least) {
      least = time;
      best = grid;
    }
  }
  ensure(std::isfinite(least), "machine.rates().memory", machine.rates().memory, "memory for one copy of the matrices",
         "take more ranks or a smaller matrix", ErrorKind::memory);
  return best;
}

}  // namespace

GemmGrid flat_grid(std::int64_t ranks) {
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  std::int64_t rows = 1;
  for (std::int64_t r = 1; r * r <= ranks; ++r) {
    rows = ranks % r == 0 ? r : rows;
  }
  return {rows, ranks / rows, 1};
}

std::vector<GemmGrid> layered_grids(std::int64_t ranks) {
  std::vector<GemmGrid> grids{flat_grid(ranks)};
  for (std::int64_t c = 2; c * c * c <= ranks; ++c) {
    auto const q =
        static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(ranks) / static_cast<double>(c))));
    if (q * q * c == ranks && q % c == 0) {
      grids.push_back({q, q, c});
    }
  }
  return grids;
}

double memory_words(Machine const& machine) {
  auto const bytes = machine.rates().memory.value();
  return bytes == 0 ? std::numeric_limits<double>::infinity()
                    : static_cast<double>(bytes) / machine.ranks_per_node() / 8.0;
}

GemmGrid gemm_grid(Machine const& machine, GemmShape shape, std::int64_t ranks, LineMulticast how,
                   BytesPerSecond bn_binomial) {
  return fastest(ranks, machine, [&](GemmGrid grid) {
    return gemm_cost(shape, grid).memory > memory_words(machine)
               ? std::numeric_limits<double>::infinity()
               : gemm_time(machine, shape, grid, how, 1.0, bn_binomial).total().value();
  });
}

GemmGrid lu_grid(Machine const& machine, std::int64_t n, std::int64_t ranks, LuPivoting pivoting, LineMulticast how,
                 BytesPerSecond bn_binomial) {
  return fastest(ranks, machine, [&](GemmGrid grid) {
    auto const blocks = lu_blocks(machine, n, grid, pivoting, how, bn_binomial);
    return lu_cost(n, grid, blocks, pivoting).memory > memory_words(machine)
               ? std::numeric_limits<double>::infinity()
               : lu_time(machine, n, grid, blocks, pivoting, how, bn_binomial).total().value();
  });
}

}  // namespace allport::model
