#include "factor.h"

#include <fmt/format.h>

namespace allport::scalapack {
namespace {

Choice<LuPlan> make_choice(Record const& record, LuProblem const& problem, View const& a, Shape const& shape) {
  Choice<LuPlan> choice;
  auto const automatic = record.settings().policy == Policy::automatic;
  auto const& machine = record.comm().machine();
  auto const theirs = price_scalapack(problem, machine, shape);
  if (automatic && theirs < too_short) {
    choice.why_not = "too small to gain anything";
    return choice;
  }
  try {
    LuOptions options;
    options.given = a.layout;
    options.candidates = 1;
    choice.plan = plan_lu(problem, machine, options);
  } catch (Error const& e) {
    choice.why_not = e.what();
    return choice;
  }
  if (automatic && choice.plan->chosen.total > theirs) {
    choice.why_not = "ScaLAPACK's own is expected to be faster";
    choice.plan.reset();
  }
  return choice;
}

/// All that a layout of ScaLAPACK's depends on within one grid.
std::string deal_text(Deal const& deal) {
  auto const first = deal.run_at(0);
  return fmt::format("{}:{}", deal.owner(0), first.length);
}

}  // namespace

Choice<LuPlan> const& choose_lu(Record& record, LuProblem const& problem, View const& a, Shape const& shape) {
  auto const key = fmt::format("{} {} {} {} {} {} {}", problem.m, problem.n, static_cast<int>(problem.type),
                               static_cast<char>(problem.pivoting), shape.block, deal_text(a.layout.rows()),
                               deal_text(a.layout.cols()));
  return record.choose(record.lu_choices, key, [&] { return make_choice(record, problem, a, shape); });
}

void write_pivots(std::vector<Index> const& pivots, Operand const& a, View const& view, Grid const& grid, Int* ipiv) {
  auto const& rows = view.layout.rows();
  auto const known = static_cast<Index>(pivots.size());
  for (auto const& run : rows.runs(grid.row)) {
    for (Index x = 0; x < run.length && run.global + x < known; ++x) {
      ipiv[view.rows_before + run.local + x] =
          static_cast<Int>(pivots[static_cast<std::size_t>(run.global + x)] + a.i + 1);
    }
  }
}

std::vector<Index> read_pivots(Record const& record, Operand const& a, View const& view, Grid const& grid,
                               Int const* ipiv) {
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows), -1);
  for (auto const& run : view.layout.rows().runs(grid.row)) {
    for (Index x = 0; x < run.length; ++x) {
      pivots[static_cast<std::size_t>(run.global + x)] = ipiv[view.rows_before + run.local + x] - 1 - a.i;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, pivots.data(), static_cast<int>(pivots.size()), MPI_INT64_T, MPI_MAX, record.talk());
  return pivots;
}

bool are_exchanges(std::vector<Index> const& pivots) {
  auto const n = static_cast<Index>(pivots.size());
  for (Index i = 0; i < n; ++i) {
    auto const with = pivots[static_cast<std::size_t>(i)];
    if (with < i || with >= n) return false;
  }
  return true;
}

std::string in_words(LuReport const& report) {
  auto const* const pivoting = report.pivoting == Pivoting::none         ? "no"
                               : report.pivoting == Pivoting::tournament ? "tournament"
                                                                         : "partial";
  auto const& g = report.chosen.grid;
  return fmt::format("{} pivoting, {} on {}x{}x{}{}", pivoting, report.chosen.algorithm, g.rows, g.cols, g.layers,
                     report.chosen.in_place ? " in place" : "");
}

std::string why_not_solve(Record const& record) {
  // 2 ranks, n = 2000, 10 right-hand sides: 0.12 s against ScaLAPACK's 0.02 s, which sends fewer and longer messages.
  return record.settings().policy == Policy::always ? "" : "a solve with given factors: ScaLAPACK's own is faster";
}

}  // namespace allport::scalapack
