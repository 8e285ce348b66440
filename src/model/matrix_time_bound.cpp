#include "matrix_time_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/model/cholesky_bound.h"
#include "allport/model/lu_bound.h"
#include "allport/model/multicast_cost.h"

namespace allport::model {
namespace {

Seconds time_bound(Machine const& machine, std::int64_t nodes, double flops, double words, ElementCost element) {
  ensure(nodes >= 1 && nodes <= machine.nodes(), "nodes", nodes, fmt::format("1 to {}", machine.nodes()));
  double links = 0.0;
  for (Node n = 0; n < machine.nodes(); ++n) links = std::max(links, link_sum(machine, n).value());
  auto const rate = machine.rates().flops.value() * static_cast<double>(nodes);
  auto const compute = rate > 0.0 ? flops * element.work / rate : 0.0;
  auto const move = links > 0.0 ? words * element.bytes / (2.0 * links) : 0.0;
  return Seconds(std::max(compute, move));
}

}  // namespace

Seconds gemm_time_bound(Machine const& machine, GemmShape shape, std::int64_t nodes, double memory_words,
                        ElementCost element, double most_products) {
  auto const flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  return time_bound(machine, nodes, flops, gemm_bound(shape, nodes, memory_words, most_products).words(), element);
}

Seconds lu_time_bound(Machine const& machine, std::int64_t m, std::int64_t n, std::int64_t nodes, double memory_words,
                      ElementCost element, double most_products) {
  return time_bound(machine, nodes, 2.0 * lu_products(m, n), lu_bound(m, n, nodes, memory_words, most_products).words(),
                    element);
}

Seconds cholesky_time_bound(Machine const& machine, std::int64_t n, std::int64_t nodes, double memory_words,
                            ElementCost element, double most_products) {
  auto const rows = static_cast<double>(n);
  return time_bound(machine, nodes, rows * rows * rows / 3.0, cholesky_bound(n, nodes, memory_words, most_products),
                    element);
}

}  // namespace allport::model
