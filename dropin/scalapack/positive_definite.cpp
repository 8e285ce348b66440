#include "positive_definite.h"

#include <fmt/format.h>

#include "enter.h"
#include "price.h"

namespace allport::scalapack {
namespace {

/// The plan for factoring a sub-matrix, or the reason for falling back to ScaLAPACK.
Choice<CholeskyPlan> decide(Record& record, CholeskyProblem const& problem, View const& a, Shape const& shape) {
  auto const key = fmt::format("{} {} {} {} {}", problem.n, static_cast<int>(problem.type),
                               static_cast<char>(problem.uplo), shape.block, place_text(a));
  auto const plan = [&] {
    TiledPlanOptions options;
    options.given = a.distribution;
    return plan_cholesky(problem, record.machine(), options);
  };
  return record.choose(record.cholesky_decisions, key, [&] {
    return decide_by_price(
        record, [&] { return price_scalapack(problem, record.machine(), shape); }, plan,
        [](CholeskyPlan const& made) { return made.chosen.total; });
  });
}

}  // namespace

template <class T>
CholeskyFactored factor_cholesky(Grid const& grid, Record& record, Uplo uplo, Operand const& a, void* data, Int* info) {
  CholeskyFactored done;
  done.view = view_of(a, grid, record.ranks(), record.rank());
  CholeskyProblem const problem{a.rows, scalar_of<T>, uplo};
  auto const decision = decide(record, problem, done.view, shape_of(grid, a.desc));
  done.why_not = decision.why_not;
  if (!decision.plan) return done;
  CholeskyOptions options;
  options.nb = decision.plan->chosen.nb;
  done.report = cholesky(done.view.matrix<T>(record.comm(), data), uplo, options);
  *info = static_cast<Int>(done.report.info);
  if (record.knows_machine()) done.bound = bound_of(problem, decision.plan->chosen, record.machine());
  return done;
}

template <class T>
void solve_cholesky(Grid const& grid, Record const& record, Uplo uplo, View const& a, void* factors, Operand const& b,
                    void* right) {
  auto const view = view_of(b, grid, record.ranks(), record.rank());
  cholesky_solve<T>(a.matrix<T>(record.comm(), factors), uplo, view.matrix<T>(record.comm(), right));
}

std::string why_not_solve_cholesky(Grid const& grid, Record& record, Scalar type, Uplo uplo, View const& a,
                                   Operand const& b) {
  if (record.policy() == Policy::always) return "";
  auto const right = view_of(b, grid, record.ranks(), record.rank());
  auto const& machine = record.machine();
  CholeskyProblem const problem{b.rows, type, uplo};
  auto const key = fmt::format("{} {} {} {} {} {}", b.rows, b.cols, static_cast<int>(type), static_cast<char>(uplo),
                               place_text(a), place_text(right));
  auto const decision = record.choose(record.cholesky_solve_decisions, key, [&] {
    return decide_by_price(
        record, [&] { return price_scalapack_solve(problem, b.cols, machine, shape_of(grid, b.desc)); },
        [&] { return plan_cholesky_solve(problem, a.distribution, right.distribution, machine); },
        [](CholeskySolvePlan const& made) { return made.total(); });
  });
  return decision.why_not;
}

std::string in_words(CholeskyReport const& report, Grid const& grid) {
  return fmt::format("cholesky, tiles of {} on {}x{}{}", report.nb, grid.rows, grid.cols,
                     report.moved ? "" : " in place");
}

#define ALLPORT_SCALAPACK_POSITIVE_DEFINITE(T)                                                           \
  template CholeskyFactored factor_cholesky<T>(Grid const&, Record&, Uplo, Operand const&, void*, Int*); \
  template void solve_cholesky<T>(Grid const&, Record const&, Uplo, View const&, void*, Operand const&, void*);
ALLPORT_SCALAPACK_TYPES(ALLPORT_SCALAPACK_POSITIVE_DEFINITE)

}  // namespace allport::scalapack
