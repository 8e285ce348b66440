// p?gemm_: sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C).
#include "allport/linalg/gemm.h"

#include <algorithm>

#include "descriptor.h"
#include "enter.h"
#include "price.h"
#include "record.h"

namespace allport::scalapack {
namespace {

TypicalCall typical_call(GemmProblem const& problem, Shape const& shape) {
  auto const products =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  auto const* const routine = problem.trans_a == Trans::none ? "gemm" : "gemm of a transposed A";
  return {routine, problem.type, 2 * products, shape.rows, shape.cols, shape.block};
}

/// @param reads_c  beta is not zero
Choice<GemmPlan> decide(Record& record, GemmProblem const& problem, Shape const& shape, View const& a, View const& b,
                        View const& c, bool reads_c) {
  auto const key =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}", problem.m, problem.n, problem.k, static_cast<int>(problem.type),
                  static_cast<char>(problem.trans_a), static_cast<char>(problem.trans_b), shape.block, reads_c,
                  place_text(a), place_text(b), place_text(c));
  auto const plan = [&] {
    GemmOptions options;
    options.candidates = 1;
    options.mapping = record.comm().mapping();
    options.given = GemmGiven{a.distribution, b.distribution, c.distribution, reads_c};
    return plan_gemm(problem, record.machine(), options);
  };
  auto const ours = [](GemmPlan const& made) { return made.chosen.total; };
  return record.choose(record.gemm_decisions, key, [&] {
    return decide_by_price(
        record, [&] { return price_scalapack(problem, record.machine(), shape); }, plan, ours);
  });
}

/// sub(C) = beta sub(C), in place without communication; beta = 0 overwrites NaN.
template <class T>
void scale(T beta, View const& c, Grid const& grid, void* local) {
  auto const rows = c.distribution.rows().count(grid.row);
  auto* const first = static_cast<T*>(local) + c.rows_before + c.cols_before * c.ld;
  for (Index j = 0; j < c.distribution.cols().count(grid.col); ++j) {
    auto* const column = first + j * c.ld;
    if (beta == T(0)) {
      std::fill_n(column, rows, T(0));
    } else {
      for (Index i = 0; i < rows; ++i) column[i] *= beta;
    }
  }
}

template <class T>
Outcome multiply(GemmCall const& x, Grid const& grid, GemmProblem const& problem, Operand const& a, Operand const& b,
                 Operand const& c) {
  auto& record = record_of(grid);
  if (!record.why_not().empty()) return fall_back(record.why_not());
  auto const alpha = *static_cast<T const*>(x.alpha);
  auto const beta = *static_cast<T const*>(x.beta);
  bool const nothing_to_add = alpha == T(0) || problem.k == 0;
  auto const shape = shape_of(grid, c.desc);
  if (record.uses_typical_results()) {
    auto why_not = why_not_typical(typical_call(problem, shape));
    if (!why_not.empty()) return fall_back(std::move(why_not));
  }
  if (problem.m == 0 || problem.n == 0 || (nothing_to_add && beta == T(1))) return taken("nothing to do");
  auto const view = [&](Operand const& part) { return view_of(part, grid, record.ranks(), record.rank()); };
  View const of_c = view(c);
  if (nothing_to_add) {
    scale(beta, of_c, grid, x.c.data);
    return taken("scaling");
  }
  View const of_a = view(a);
  View const of_b = view(b);
  auto const decision = decide(record, problem, shape, of_a, of_b, of_c, beta != T(0));
  if (!decision.plan) return fall_back(decision.why_not);
  auto const& plan = *decision.plan;
  auto why_not = short_of_memory([&] {
    allport::gemm(plan, alpha, of_a.matrix<T>(record.comm(), x.a.data), of_b.matrix<T>(record.comm(), x.b.data), beta,
                  of_c.matrix<T>(record.comm(), x.c.data));
  });
  if (!why_not.empty()) return fall_back(std::move(why_not));
  auto const& g = plan.chosen.grid;
  auto const bound = record.knows_machine() ? bound_of(problem, plan.chosen, record.machine()) : Seconds{};
  return taken(fmt::format("{} on {}x{}x{}", plan.chosen.algorithm, g.rows, g.cols, g.layers), bound);
}

template <class T>
Outcome take(GemmCall const& x, Grid const& grid) {
  enum Position { trans_a_at = 1, trans_b_at, m_at, n_at, k_at, a_desc_at = 10, b_desc_at = 14, c_desc_at = 19 };
  if (auto outcome = why_no_grid(grid, a_desc_at)) return *outcome;
  GemmProblem problem{*x.m, *x.n, *x.k, scalar_of<T>};
  Wrong wrong;
  if (!read_trans<T>(x.trans_a, problem.trans_a)) {
    wrong.argument(trans_a_at);
    problem.trans_a = Trans::transpose;  // as the PBLAS continue
  }
  if (!read_trans<T>(x.trans_b, problem.trans_b)) {
    if (!wrong.any()) wrong.argument(trans_b_at);
    problem.trans_b = Trans::transpose;
  }
  bool const a_as_is = problem.trans_a == Trans::none;
  bool const b_as_is = problem.trans_b == Trans::none;
  Operand const a(x.a, a_as_is ? problem.m : problem.k, a_as_is ? problem.k : problem.m, Takes::both_types);
  Operand const b(x.b, b_as_is ? problem.k : problem.n, b_as_is ? problem.n : problem.k, Takes::both_types);
  Operand const c(x.c, problem.m, problem.n, Takes::both_types);
  check_pblas(a, a_as_is ? m_at : k_at, a_as_is ? k_at : m_at, a_desc_at, grid, wrong);
  check_pblas(b, b_as_is ? k_at : n_at, b_as_is ? n_at : k_at, b_desc_at, grid, wrong);
  check_pblas(c, m_at, n_at, c_desc_at, grid, wrong);
  if (wrong.any()) return fall_back("a wrong argument", wrong.info());
  if (a.desc.is_replicated() || b.desc.is_replicated() || c.desc.is_replicated()) {
    return fall_back("a replicated matrix (RSRC_ or CSRC_ is -1)");
  }
  return multiply<T>(x, grid, problem, a, b, c);
}

}  // namespace

template <class T>
void gemm(GemmCall const& x, void const* caller) {
  static Original const original(symbol<T>("gemm"));
  enter(
      original, x.a.desc, caller, [&](Grid const& grid) { return take<T>(x, grid); },
      [&] {
        original.call(x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.a.data, x.a.i, x.a.j, x.a.desc, x.b.data, x.b.i,
                      x.b.j, x.b.desc, x.beta, x.c.data, x.c.i, x.c.j, x.c.desc);
      },
      [&](Grid const& grid, Int info) {
        fmt::print(stderr, "allport: {}: parameter number {} had an illegal value\n", original.name(), -info);
        abort_job(grid.context, info);
      });
}

#define ALLPORT_SCALAPACK_GEMM(T) template void gemm<T>(GemmCall const&, void const*);
ALLPORT_SCALAPACK_TYPES(ALLPORT_SCALAPACK_GEMM)

}  // namespace allport::scalapack
