// Factors a matrix on all ranks of the world, and compares with the definition and with what was planned.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lu_samples.h"

namespace allport::lu_samples {

/// Factors `sample` on all ranks of the world and compares with the definition.
template <class T>
LuReport check(Communicator const& comm, LuProblem problem, LuOptions const& options, Sample sample,
               std::optional<Distribution> foreign, std::string const& what) {
  SCOPED_TRACE(what +
               fmt::format(" {} {}x{} {}", name_of(sample), problem.m, problem.n, static_cast<char>(problem.pivoting)));
  problem.type = scalar_of<T>;
  auto mapped = options;
  mapped.mapping = comm.mapping();
  auto const plan = plan_lu(problem, comm.machine(), mapped);
  auto const distribution = foreign ? *foreign : plan.distribution;
  auto const whole = make<T>(sample, problem.m, problem.n);
  auto held = distribute(whole, distribution, comm);
  std::vector<Index> pivots;
  auto const report = lu(plan, held.matrix, pivots);
  auto const factors = collect(held);
  EXPECT_EQ(static_cast<Index>(pivots.size()), std::min(problem.m, problem.n));
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    EXPECT_GE(pivots[s], static_cast<Index>(s));
    EXPECT_LT(pivots[s], problem.m);
  }
  EXPECT_EQ(report.info, first_zero(factors));
  if (sample != Sample::nan && report.info == 0) {
    EXPECT_LE(residual(whole, factors, pivots), problem.pivoting == Pivoting::none ? 10.0 : 1.0);
  }
  EXPECT_EQ(report.predicted, report.measured) << report.to_json();
  EXPECT_LE(report.measured_memory.value(), report.predicted_memory.value() + 64);
  std::int64_t most = 0;
  for (std::size_t r = 0; r < report.measured.size(); ++r) {
    auto const& own = report.measured[r];
    auto const& rows = report.exchanged[r];
    most = std::max({most, own.bytes_sent + rows.bytes_sent, own.bytes_received + rows.bytes_received});
  }
  EXPECT_GE(static_cast<double>(most), report.bound_words * sizeof(T) * (1 - 1e-9)) << "below a lower bound";
  return report;
}

}  // namespace allport::lu_samples
