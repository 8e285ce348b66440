// Runs a plan: checks, redistributes the matrices, multiplies, redistributes C, reports.
#include "allport/linalg/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gemm_block.h"
#include "gemm_relabel.h"
#include "gemm_tasks.h"
#include "linalg/matrix/operand.h"
#include "linalg/plan/plan_price.h"

namespace allport {

using namespace gemm_detail;

namespace {

template <class T>
void check_stored(std::string_view name, Matrix<T> const& matrix, Trans trans, Index rows, Index cols,
                  Communicator const& comm) {
  if (trans != Trans::none) std::swap(rows, cols);
  detail::check_operand(name, matrix, rows, cols, comm);
}

/// Checks that all ranks pass equal arguments: one reduction, and more to name the argument that differs.
template <class T>
void agree(Communicator const& comm, GemmPlan const& plan, T alpha, T beta) {
  auto const& p = plan.problem;
  auto const& g = plan.chosen.grid;
  auto const& cuts = plan.chosen.cuts;
  auto const how = fmt::format("{} {}x{}x{} {} {} {} {} {} {} {} {}", plan.chosen.algorithm, g.rows, g.cols, g.layers,
                               plan.chosen.order, plan.chosen.panel, name(tree_of(plan)), static_cast<int>(p.type),
                               fmt::join(cuts.m, ","), fmt::join(cuts.n, ","), fmt::join(cuts.k_of_a, ","),
                               fmt::join(cuts.k_of_b, ","));
  auto const trans = static_cast<int>(p.trans_a) * 256 + static_cast<int>(p.trans_b);
  auto const all = fmt::format("{} {} {} {} {} {} {}", p.m, p.n, p.k, trans, how, bits_of(alpha), bits_of(beta));
  try {
    comm.ensure_agreement("arguments of gemm", hash_of(all));
  } catch (Error const& e) {
    if (e.kind() != ErrorKind::mismatch) throw;
    comm.ensure_agreement("element type (0 s, 1 d, 2 c, 3 z)", static_cast<int>(p.type));
    comm.ensure_agreement("m", p.m);
    comm.ensure_agreement("n", p.n);
    comm.ensure_agreement("k", p.k);
    comm.ensure_agreement("trans_a and trans_b", trans);
    comm.ensure_agreement("alpha", bits_of(alpha));
    comm.ensure_agreement("beta", bits_of(beta));
    comm.ensure_agreement("algorithm and grid", hash_of(how));
    throw;
  }
}

struct GemmMeasured {
  Traffic multiply, moved;
  double total = 0, compute = 0, wait = 0, redistribute = 0;
  std::int64_t memory = 0;
};

template <class T>
void run_plan(Communicator const& comm, GemmPlan const& plan, GemmParts<T> const& parts, Progress const& progress,
              GemmMeasured& mine) {
  if (parts.alpha == T(0)) {  // as BLAS: A and B are not referenced
    auto const rows = plan.c.local_rows(comm.rank());
    scale(rows, plan.c.local_cols(comm.rank()), parts.beta, parts.c.data, parts.c.ld);
    return;
  }
  auto const ran = run_by_tasks(comm, plan, parts, progress);
  mine.multiply = ran.run.count.traffic;
  mine.compute = ran.run.busy_seconds;
  mine.wait = std::max(ran.run.seconds - ran.run.busy_seconds, 0.0);
  mine.memory = ran.workspace + ran.run.peak_bytes;
}

GemmReport report_of(Communicator const& comm, GemmPlan const& plan, GemmMeasured const& mine) {
  constexpr double ns = 1e9;
  std::vector<std::int64_t> words;
  append(words, mine.multiply);
  append(words, mine.moved);
  words.insert(words.end(), {std::llround(mine.total * ns), std::llround(mine.compute * ns),
                             std::llround(mine.wait * ns), std::llround(mine.redistribute * ns), mine.memory});
  auto const all = comm.all_gather(words);
  GemmReport report;
  report.chosen = plan.chosen;
  report.predicted = plan.traffic;
  report.predicted_memory = plan.chosen.memory;
  report.bound_words = plan.chosen.bound_words;
  std::int64_t most[5] = {};
  for (std::size_t r = 0; r < all.size(); r += words.size()) {
    report.measured.push_back(from_words(&all[r]));
    report.moved.push_back(from_words(&all[r + 4]));
    for (std::size_t x = 0; x < 5; ++x) most[x] = std::max(most[x], all[r + 8 + x]);
  }
  auto const seconds = [](std::int64_t t) { return Seconds(static_cast<double>(t) / ns); };
  report.total = seconds(most[0]);
  report.compute = seconds(most[1]);
  report.communicate = seconds(most[2]);
  report.redistribute = seconds(most[3]);
  report.measured_memory = Bytes(most[4]);
  return report;
}

/// The caller's matrices, relabelled if they can be multiplied in place.
template <class T>
struct Operands {
  Matrix<T const> a, b;
  Matrix<T> c;
  std::vector<Run> k_of_a, k_of_b;  ///< as in Relabelled
};

template <class T>
Operands<T> operands(GemmPlan const& plan, Matrix<T const> const& a, Matrix<T const> const& b, Matrix<T> const& c) {
  GridLayout const layout(plan.chosen.grid, plan.chosen.order, plan.options.mapping);
  auto const view = relabelled(plan.problem, layout, {a.distribution(), b.distribution(), c.distribution()});
  if (!view) return {a, b, c, {}, {}};
  auto const renamed = [](auto const& matrix, Distribution const& distribution) {
    return std::remove_cvref_t<decltype(matrix)>(matrix.comm(), distribution, matrix.data(), matrix.ld());
  };
  return {renamed(a, view->a), renamed(b, view->b), renamed(c, view->c), view->k_of_a, view->k_of_b};
}

/// Memory of a rank that redistribution to the plan's distributions adds.
template <class T>
Bytes memory_beside(GemmPlan const& plan, Operands<T> const& with) {
  auto const copy = [](Matrix<T const> const& matrix, std::vector<Run> const& k) {
    return Bytes(k.empty() ? 0 : matrix.local_rows() * matrix.local_cols() * static_cast<Index>(sizeof(T)));
  };
  return Native<T const>::bytes(with.a, plan.a) + Native<T const>::bytes(with.b, plan.b) +
         Native<T>::bytes(with.c, plan.c) + copy(with.a, with.k_of_a) + copy(with.b, with.k_of_b);
}

/// Sorts the local columns (or rows) of an operand by k.
template <class T>
void sort_by_k(Matrix<T const>& matrix, std::vector<Run> const& k, bool k_runs_along_rows) {
  if (k.empty()) return;
  auto const ordered = detail::allocate_on_all<T>(matrix.comm(), matrix.distribution());
  for (auto const& run : k) {
    if (k_runs_along_rows) {
      for (Index j = 0; j < matrix.local_cols(); ++j) {
        std::copy_n(matrix.data() + run.local + j * matrix.ld(), run.length,
                    ordered.data() + run.global + j * ordered.ld());
      }
      continue;
    }
    for (Index j = 0; j < run.length; ++j) {
      std::copy_n(matrix.data() + (run.local + j) * matrix.ld(), matrix.local_rows(),
                  ordered.data() + (run.global + j) * ordered.ld());
    }
  }
  matrix = ordered;
}

/// The collective part of a call, after the arguments were checked.
template <class T>
GemmMeasured multiply(Communicator const& comm, GemmPlan const& plan, T alpha, Operands<T> with, T beta,
                      Progress const& progress) {
  GemmMeasured mine;
  auto const before = comm.counted();
  {
    Stopwatch const total(mine.total);
    if (alpha != T(0)) {
      Stopwatch const watch(mine.redistribute);
      sort_by_k(with.a, with.k_of_a, false);
      sort_by_k(with.b, with.k_of_b, true);
    }
    Native<T const> const na(with.a, plan.a);
    Native<T const> const nb(with.b, plan.b);
    Native<T> const nc(with.c, plan.c);
    {
      Stopwatch const watch(mine.redistribute);
      if (alpha != T(0)) na.copy_in();
      if (alpha != T(0)) nb.copy_in();
      if (beta != T(0)) nc.copy_in();
    }
    mine.moved = difference(comm.counted(), before);
    run_plan<T>(comm, plan, {na.part(), nb.part(), nc.part(), alpha, beta}, progress, mine);
    auto const after = comm.counted();
    {
      Stopwatch const watch(mine.redistribute);
      nc.copy_out();
    }
    mine.moved += difference(comm.counted(), after);
  }
  for (auto const* distribution : {&plan.a, &plan.b, &plan.c}) {
    mine.memory += distribution->local_rows(comm.rank()) * distribution->local_cols(comm.rank()) *
                   static_cast<std::int64_t>(sizeof(T));
  }
  return mine;
}

}  // namespace

template <class T>
GemmReport gemm(GemmPlan const& plan, std::type_identity_t<T> alpha, Matrix<std::type_identity_t<T> const> const& a,
                Matrix<std::type_identity_t<T> const> const& b, std::type_identity_t<T> beta, Matrix<T> const& c,
                Progress const& progress) {
  auto const& p = plan.problem;
  auto const& comm = c.comm();
  std::optional<Operands<T>> with;
  detail::on_all(comm, [&] {
    check_stored("A", a, p.trans_a, p.m, p.k, comm);
    check_stored("B", b, p.trans_b, p.k, p.n, comm);
    detail::check_operand("C", c, p.m, p.n, comm);
    detail::check_plan<T>(plan, comm);
    with = operands<T>(plan, a, b, c);
    detail::check_memory(plan, detail::memory_limit(plan), memory_beside<T>(plan, *with));
  });
  agree(comm, plan, alpha, beta);

  auto const mine = detail::or_give_up(
      comm, "gemm", [&] { return multiply<T>(comm, plan, alpha, std::move(*with), beta, progress); });
  auto report = report_of(comm, plan, mine);
  if (alpha == T(0)) {  // A and B were not referenced
    report.predicted.assign(report.predicted.size(), Traffic{});
    report.bound_words = 0;
  }
  return report;
}

ALLPORT_GEMM_INSTANCE(, float);
ALLPORT_GEMM_INSTANCE(, double);
ALLPORT_GEMM_INSTANCE(, std::complex<float>);
ALLPORT_GEMM_INSTANCE(, std::complex<double>);

}  // namespace allport
