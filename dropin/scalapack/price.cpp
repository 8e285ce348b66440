#include "price.h"

#include <algorithm>
#include <cmath>

#include "allport/graph/rates.h"
#include "allport/linalg/scalapack_measurements.h"

namespace allport::scalapack {
namespace {

/// Rates of the slowest link and of one rank: a ring of ScaLAPACK may use any axis.
struct Rates {
  double link = 0;     ///< bytes per second
  double message = 0;  ///< seconds of an empty message between neighbours
  double flops = 0;    ///< of one rank, for the type
};

Rates rates_of(Machine const& machine, Scalar type) {
  Rates rates;
  rates.flops = machine.rates().flops.value() / machine.ranks_per_node() / cost_of(type).work;
  rates.message = 2 * machine.rates().overhead.value();
  double latency = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    rates.link = rates.link == 0 ? axis.bandwidth.value() : std::min(rates.link, axis.bandwidth.value());
    latency = std::max(latency, axis.latency.value());
  }
  rates.message += latency;
  if (rates.link == 0) rates.link = machine.rates().memory_bandwidth.value();
  return rates;
}

double log_2(int n) { return n > 1 ? std::ceil(std::log2(n)) : 0; }

std::int64_t nodes_of(int ranks, Machine const& machine) {
  auto const per_node = machine.ranks_per_node();
  return (ranks + per_node - 1) / per_node;
}

/// Seconds of one rank's kernels, by the rates of plan_cholesky().
class Kernels {
 public:
  Kernels(Machine const& machine, Scalar type) : rates_(machine, 1 / cost_of(type).work) {}
  [[nodiscard]] double seconds(Kernel kernel, double flops) const { return rates_.seconds({kernel, flops, 0}); }

 private:
  graph::Rates rates_;
};

/// Measured over estimated time of a routine in double precision, from the machine file: interpolated between the
/// measured orders by their logarithms, constant beyond them. 1 without measurements.
/// @param guess  (order, machine, shape) -> Seconds
template <class Guess>
double measured_over(std::string_view routine, double order, Machine const& machine, Guess const& guess) {
  std::vector<std::pair<double, double>> known;  // logarithms of orders and of factors
  for (auto const& time : scalapack_times(machine, routine)) {
    auto const guessed = guess(time.n, machine, Shape{time.rows, time.cols, time.block});
    known.emplace_back(std::log(static_cast<double>(time.n)), std::log(time.seconds.value() / guessed.value()));
  }
  if (known.empty()) return 1;
  auto const at = std::log(std::max(order, 1.0));
  auto const next = std::ranges::find_if(known, [&](auto const& one) { return one.first >= at; });
  if (next == known.begin()) return std::exp(next->second);
  auto const before = std::prev(next);
  if (next == known.end()) return std::exp(before->second);
  auto const share = (at - before->first) / (next->first - before->first);
  return std::exp(before->second + share * (next->second - before->second));
}

/// Words of memory that a node uses.
template <class Candidate>
double memory_of(Candidate const& chosen, Machine const& machine, Scalar type) {
  return static_cast<double>(chosen.memory.value()) * machine.ranks_per_node() / static_cast<double>(bytes_of(type));
}

/// Upper bound on the multiplications of a node.
template <class Candidate>
double products_of(Candidate const& chosen, Machine const& machine) {
  return chosen.most_products * machine.ranks_per_node();
}

/// Indices of the first process, which has the most, for an extent in blocks.
double most_of(Index extent, Index block, int processes) {
  return static_cast<double>(AxisDistribution::cyclic(extent, processes, std::max<Index>(block, 1)).count(0));
}

Seconds guess(GemmProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const r = rates_of(machine, problem.type);
  auto const m = most_of(problem.m, shape.block, shape.rows);
  auto const n = most_of(problem.n, shape.block, shape.cols);
  auto const k = static_cast<double>(problem.k);
  auto const element = static_cast<double>(bytes_of(problem.type));
  auto const words = k * ((shape.cols > 1 ? m : 0) + (shape.rows > 1 ? n : 0));
  auto const width = static_cast<double>(std::max<Index>(shape.block, 32));
  auto const panels = std::ceil(k / width);
  auto const rounds = (shape.cols > 1 ? 1 : 0) + (shape.rows > 1 ? 1 : 0);
  auto const work = 2 * m * n * k / r.flops * graph::shallowness(width);
  return Seconds(work + words * element / r.link + panels * rounds * r.message);
}

/// Quantities of factorizations of m x n by panels of columns.
struct Panels {
  double n = 0;
  double steps = 0;
  double block = 0;
  double element = 0;   ///< bytes
  double trailing = 0;  ///< elements of the trailing matrices of all columns
  double height = 0;    ///< elements of one process's panels of one column each
  double left = 0;      ///< elements of those that are sent along a process row

  template <class Problem>
  Panels(Problem const& problem, Shape const& shape)
      : n(static_cast<double>(problem.n)),
        steps(static_cast<double>(std::min(problem.m, problem.n))),
        block(static_cast<double>(std::max<Index>(shape.block, 1))),
        element(static_cast<double>(bytes_of(problem.type))) {
    auto const m = static_cast<double>(problem.m);
    trailing = steps * (m * n - (m + n) * steps / 2 + steps * steps / 3);
    height = steps * (m - steps / 2) / shape.rows;
    left = shape.cols > 1 ? height : 0;
  }
};

Seconds guess(LuProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const r = rates_of(machine, problem.type);
  Panels const p(problem, shape);
  // Panels are factored by one process column while the others wait, at the speed of memory rather than of BLAS 3.
  auto const work = 2 * p.trailing / (shape.rows * shape.cols) / r.flops + p.height * p.block / (r.flops / 4);
  auto const right = shape.rows > 1 ? p.steps * (p.n - p.steps / 2) / shape.cols : 0;
  auto const exchanged = shape.rows > 1 ? 2 * p.steps * p.n / shape.cols : 0;
  auto const searches = shape.rows > 1 ? p.steps * (2 * log_2(shape.rows) + 2 + 2) : 0;
  auto const broadcasts = p.steps / p.block * (log_2(shape.rows) + (shape.cols > 1 ? 2 : 0));
  return Seconds(work + (p.left + right + exchanged) * p.element / r.link + (searches + broadcasts) * r.message);
}

Seconds guess(QrProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const r = rates_of(machine, problem.type);
  Panels const p(problem, shape);
  auto const work = 4 * p.trailing / (shape.rows * shape.cols) / r.flops + 2 * p.height * p.block / (r.flops / 4);
  auto const sums = shape.rows > 1 ? 2 * p.steps * (p.n - p.steps / 2) / shape.cols : 0;
  auto const norms = shape.rows > 1 ? p.steps * 2 * 2 * log_2(shape.rows) : 0;
  auto const broadcasts = p.steps / p.block * (2 * log_2(shape.rows) + (shape.cols > 1 ? 2 : 0));
  return Seconds(work + (p.left + sums) * p.element / r.link + (norms + broadcasts) * r.message);
}

Seconds guess(CholeskyProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const r = rates_of(machine, problem.type);
  Kernels const kernels(machine, problem.type);
  auto const n = static_cast<double>(problem.n);
  auto const block = std::min(n, static_cast<double>(std::max<Index>(shape.block, 1)));
  auto const element = static_cast<double>(bytes_of(problem.type));
  // The diagonal block is factored by one process, the panel below it by a process column, while the others wait.
  auto const work = kernels.seconds(Kernel::gemm, n * n * n / 3 / (shape.rows * shape.cols)) +
                    kernels.seconds(Kernel::trsm, n * n * block / 2 / shape.rows) +
                    kernels.seconds(Kernel::potrf, n * block * block / 3);
  auto const along = shape.cols > 1 ? n * n / 2 / shape.rows : 0;
  auto const across = shape.rows > 1 ? n * n / 2 / shape.cols : 0;
  auto const messages = n / block * (2 * log_2(shape.rows) + (shape.cols > 1 ? 2 : 0));
  return Seconds(work + (along + across) * element / r.link + messages * r.message);
}

}  // namespace

model::ElementCost cost_of(Scalar type) {
  double const work = type == Scalar::c || type == Scalar::z ? 4 : 1;
  double const speed = type == Scalar::s || type == Scalar::c ? 2 : 1;
  return {static_cast<double>(bytes_of(type)), work / speed};
}

Seconds price_scalapack(GemmProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const multiplied =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  return guess(problem, machine, shape) *
         measured_over("gemm", std::cbrt(multiplied), machine, [](Index n, auto&&... at) {
           return guess(GemmProblem{n, n, n}, at...);
         });
}

Seconds price_scalapack(LuProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const order = std::cbrt(Panels(problem, shape).trailing * 3);
  return guess(problem, machine, shape) * measured_over("getrf", order, machine, [](Index n, auto&&... at) {
           return guess(LuProblem{n, n}, at...);
         });
}

Seconds price_scalapack(QrProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const order = std::cbrt(Panels(problem, shape).trailing * 3);
  return guess(problem, machine, shape) * measured_over("geqrf", order, machine, [](Index n, auto&&... at) {
           return guess(QrProblem{n, n}, at...);
         });
}

Seconds price_scalapack(CholeskyProblem const& problem, Machine const& machine, Shape const& shape) {
  auto const order = static_cast<double>(problem.n);
  return guess(problem, machine, shape) *
         measured_over("potrf", order, machine, [](Index n, auto&&... at) { return guess(CholeskyProblem{n}, at...); });
}

Seconds price_scalapack_solve(CholeskyProblem const& problem, Index sides, Machine const& machine, Shape const& shape) {
  auto const r = rates_of(machine, problem.type);
  Kernels const kernels(machine, problem.type);
  auto const n = static_cast<double>(problem.n);
  auto const count = static_cast<double>(sides);
  auto const block = std::min(n, static_cast<double>(std::max<Index>(shape.block, 1)));
  auto const element = static_cast<double>(bytes_of(problem.type));
  // Twice: each block of unknowns is solved for by one process row, and subtracted from all others below or above it.
  // Either the factors are sent to B's process columns or, if that is less, B to those of the factors.
  auto const columns = std::min<double>(shape.cols, std::ceil(count / block));
  auto const work = 2 * (kernels.seconds(Kernel::gemm, n * n * count / (shape.rows * columns)) +
                         kernels.seconds(Kernel::trsm, n * block * count / columns));
  auto const along = shape.cols > 1 ? 2 * std::min(n * n / 2, 2 * n * count) / shape.rows : 0;
  auto const across = shape.rows > 1 ? 2 * n * count / columns : 0;
  auto const messages = 2 * n / block * (log_2(shape.rows) + log_2(shape.cols));
  return Seconds(work + (along + across) * element / r.link + messages * r.message);
}

Seconds bound_of(GemmProblem const& problem, GemmCandidate const& chosen, Machine const& machine) {
  return model::gemm_time_bound(machine, {problem.m, problem.n, problem.k}, nodes_of(chosen.grid.ranks(), machine),
                                memory_of(chosen, machine, problem.type), cost_of(problem.type),
                                products_of(chosen, machine));
}

Seconds bound_of(LuProblem const& problem, LuCandidate const& chosen, Machine const& machine) {
  return model::lu_time_bound(machine, problem.m, problem.n, nodes_of(chosen.grid.ranks(), machine),
                              memory_of(chosen, machine, problem.type), cost_of(problem.type),
                              products_of(chosen, machine));
}

Seconds bound_of(CholeskyProblem const& problem, TiledCandidate const& chosen, Machine const& machine) {
  return model::cholesky_time_bound(machine, problem.n, nodes_of(chosen.grid.ranks(), machine),
                                    memory_of(chosen, machine, problem.type), cost_of(problem.type),
                                    products_of(chosen, machine));
}

}  // namespace allport::scalapack
