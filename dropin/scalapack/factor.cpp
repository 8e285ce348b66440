#include "factor.h"

#include <fmt/format.h>

#include "allport/linalg/solve.h"
#include "enter.h"
#include "price.h"

namespace allport::scalapack {
namespace {

double flops_of_lu(Index m, Index n) {
  auto const a = static_cast<double>(std::max(m, n));
  auto const b = static_cast<double>(std::min(m, n));
  return b * b * (a - b / 3);
}

/// The plan for factoring a sub-matrix, or the reason for falling back to ScaLAPACK.
Choice<LuPlan> decide(Record& record, LuProblem const& problem, View const& a, Shape const& shape) {
  auto const key = fmt::format("{} {} {} {} {} {}", problem.m, problem.n, static_cast<int>(problem.type),
                               static_cast<char>(problem.pivoting), shape.block, place_text(a));
  auto const plan = [&] {
    LuOptions options;
    options.given = a.distribution;
    options.candidates = 1;
    options.mapping = record.comm().mapping();
    return plan_lu(problem, record.machine(), options);
  };
  return record.choose(record.lu_decisions, key, [&] {
    return decide_by_price(
        record, [&] { return price_scalapack(problem, record.machine(), shape); }, plan,
        [](LuPlan const& made) { return made.chosen.total; });
  });
}

/// Writes ScaLAPACK's IPIV: rows of the whole matrix, counted from 1, at the local rows of this process.
void write_pivots(std::vector<Index> const& pivots, Operand const& a, View const& view, Grid const& grid, Int* ipiv) {
  auto const& rows = view.distribution.rows();
  auto const known = static_cast<Index>(pivots.size());
  for (auto const& run : rows.runs(grid.row)) {
    for (Index x = 0; x < run.length && run.global + x < known; ++x) {
      ipiv[view.rows_before + run.local + x] =
          static_cast<Int>(pivots[static_cast<std::size_t>(run.global + x)] + a.i + 1);
    }
  }
}

}  // namespace

template <class T>
Factored factor(std::string const& name, Grid const& grid, Record& record, Operand const& a, void* data, Int* ipiv,
                Int* info) {
  Factored done;
  auto const shape = shape_of(grid, a.desc);
  if (record.uses_typical_results()) {
    done.why_not =
        why_not_typical({"getrf", scalar_of<T>, flops_of_lu(a.rows, a.cols), shape.rows, shape.cols, shape.block});
    if (!done.why_not.empty()) return done;
  }
  done.view = view_of(a, grid, record.ranks(), record.rank());
  LuProblem const problem{a.rows, a.cols, scalar_of<T>, record.pivoting()};
  auto const decision = decide(record, problem, done.view, shape);
  done.why_not = decision.why_not;
  if (!decision.plan) return done;
  done.why_not =
      short_of_memory([&] { done.report = lu(*decision.plan, done.view.matrix<T>(record.comm(), data), done.pivots); });
  if (!done.why_not.empty()) return done;
  write_pivots(done.pivots, a, done.view, grid, ipiv);
  *info = static_cast<Int>(done.report.info);
  if (grid.is_first()) calls().count_growth(name, done.report.growth);
  if (record.knows_machine()) done.bound = bound_of(problem, decision.plan->chosen, record.machine());
  return done;
}

template <class T>
void solve(Grid const& grid, Record const& record, Trans trans, View const& a, void* factors,
           std::vector<Index> const& pivots, Operand const& b, void* right) {
  auto const view = view_of(b, grid, record.ranks(), record.rank());
  lu_solve(trans, a.matrix<T>(record.comm(), factors), pivots, view.matrix<T>(record.comm(), right));
}

std::vector<Index> read_pivots(Record const& record, Operand const& a, View const& view, Grid const& grid,
                               Int const* ipiv) {
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows), -1);
  for (auto const& run : view.distribution.rows().runs(grid.row)) {
    for (Index x = 0; x < run.length; ++x) {
      pivots[static_cast<std::size_t>(run.global + x)] = ipiv[view.rows_before + run.local + x] - 1 - a.i;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, pivots.data(), static_cast<int>(pivots.size()), MPI_INT64_T, MPI_MAX, record.caller());
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
  auto const pivoting = report.pivoting == Pivoting::none ? "no" : name(report.pivoting);
  auto const& g = report.chosen.grid;
  return fmt::format("{} pivoting, {} on {}x{}x{}{}", pivoting, report.chosen.algorithm, g.rows, g.cols, g.layers,
                     report.chosen.in_place ? " in place" : "");
}

std::string why_not_solve(Grid const& grid, Record& record, SolveProblem const& problem, View const& a,
                          Operand const& b) {
  if (record.policy() == Policy::always) return "";
  // docs/reference/scalapack.md has the measurements.
  if (problem.trans != Trans::none) return "a transposed solve: ScaLAPACK's own is as fast";
  auto const shape = shape_of(grid, b.desc);
  auto const n = static_cast<double>(b.rows);
  if (record.uses_typical_results()) {
    auto why_not = why_not_typical(
        {"getrs", problem.type, 2 * n * n * static_cast<double>(b.cols), shape.rows, shape.cols, shape.block});
    if (!why_not.empty()) return why_not;
  }
  auto const right = view_of(b, grid, record.ranks(), record.rank());
  auto const key = fmt::format("{} {} {} {} {} {}", b.rows, b.cols, static_cast<int>(problem.type), shape.block,
                               place_text(a), place_text(right));
  auto const decision = record.choose(record.solve_decisions, key, [&] {
    Decision<SolvePlan> made;
    try {
      record.open();
    } catch (Error const& e) {
      made.why_not = e.what();
      return made;
    }
    made.plan = plan_solve(problem, a.distribution, right.distribution, record.machine(), {}, record.comm().mapping());
    if (made.plan->form != SolveForm::panels) made.why_not = "few right-hand sides: ScaLAPACK's own is as fast";
    return made;
  });
  return decision.why_not;
}

#define ALLPORT_SCALAPACK_FACTOR(T)                                                                         \
  template Factored factor<T>(std::string const&, Grid const&, Record&, Operand const&, void*, Int*, Int*); \
  template void solve<T>(Grid const&, Record const&, Trans, View const&, void*, std::vector<Index> const&,  \
                         Operand const&, void*);
ALLPORT_SCALAPACK_TYPES(ALLPORT_SCALAPACK_FACTOR)

}  // namespace allport::scalapack
