// Solves with distributed factors: checks, redistributes B, exchanges its rows, solves, redistributes X.
#include "allport/linalg/solve.h"

#include <algorithm>
#include <deque>

#include "base/fnv.h"
#include "linalg/matrix/blas_threads.h"
#include "linalg/matrix/operand.h"
#include "solve_grid.h"
#include "solve_plan.h"

namespace allport {

using namespace lu_detail;

namespace {

std::vector<Move> inverse(std::vector<Move> moves) {
  for (auto& move : moves) std::swap(move.to, move.from);
  std::ranges::sort(moves, {}, &Move::to);
  return moves;
}

template <class T>
void check_arguments(Matrix<T const> const& factors, std::span<Index const> pivots, Matrix<T> const& b) {
  auto const n = factors.rows();
  ensure(factors.cols() == n, "factors", fmt::format("{} x {}", n, factors.cols()), "those of a square matrix");
  ensure(static_cast<Index>(pivots.size()) == n, "pivots", static_cast<Index>(pivots.size()), fmt::format("{}", n));
  for (Index s = 0; s < n; ++s) {
    auto const row = pivots[static_cast<std::size_t>(s)];
    if (row >= s && row < n) continue;
    throw Error::argument(fmt::format("pivots[{}]", s), show(row), fmt::format("a row in {}..{}", s, n - 1));
  }
  detail::check_operand("factors", factors, n, n, b.comm());
  detail::check_operand("B", b, n, b.cols(), b.comm());
}

/// Cached plans of a communicator: a solve is often followed by many of the same extents.
class PlanCache {
 public:
  struct Key {
    SolveProblem problem;
    Distribution factors;
    Distribution b;
    std::optional<SolveForm> form;

    friend bool operator==(Key const&, Key const&) = default;
  };

  [[nodiscard]] SolvePlan const& plan(Key const& key, Communicator const& comm) {
    for (auto const& [known, plan] : known_) {
      if (known == key) return plan;
    }
    constexpr std::size_t most = 16;
    if (known_.size() == most) known_.pop_front();
    auto plan = decide(key.problem, key.factors, key.b, comm.machine(), comm.mapping(), key.form);
    return known_.emplace_back(key, std::move(plan)).second;
  }

 private:
  std::deque<std::pair<Key, SolvePlan>> known_;
};

template <class T>
tasks::RunReport run(SolvePlan const& plan, Matrix<T const> const& factors, Matrix<T> const& b) {
  auto const& comm = b.comm();
  auto const& distribution = factors.distribution();
  auto const& sides = plan.distribution.cols();
  tasks::RunOptions options;
  options.call = "lu_solve";
  options.combine = sum_of<T>();
  if (plan.form == SolveForm::panels) {
    auto const graph = running_panels<T>(plan.problem, distribution, sides, comm.machine(), factors.part(), b.part());
    return tasks::run(*graph, comm, options);
  }
  options.ahead = 0;  // no more is sent than the right-hand sides
  options.awake = true;
  tasks::RunReport report;
  each_group_of_chunks(sides, [&](Index first, Index count) {
    auto const graph =
        running_sums<T>(plan.problem, distribution, sides, first, count, comm.rank(), factors.part(), b.part());
    report.add(tasks::run(*graph, comm, options));
  });
  return report;
}

/// The collective part of a call, after the arguments were checked.
template <class T>
tasks::RunReport solve_collectively(SolvePlan const& plan, Matrix<T const> const& factors,
                                    std::span<Index const> pivots, Matrix<T> const& b) {
  detail::Native<T> const native(b, plan.distribution);
  native.copy_in();
  bool const plain = plan.problem.trans == Trans::none;
  auto const exchanges = moves_of(pivots, 0);
  if (plain) move_rows(native.matrix(), exchanges);
  auto report = run<T>(plan, factors, native.matrix());
  if (!plain) move_rows(native.matrix(), inverse(exchanges));
  native.copy_out();
  return report;
}

}  // namespace

template <class T>
tasks::RunReport lu_solve(Trans trans, Matrix<std::type_identity_t<T> const> const& factors,
                          std::span<Index const> pivots, Matrix<T> const& b, std::optional<SolveForm> form) {
  auto const& comm = b.comm();
  detail::on_all(comm, [&] { check_arguments<T>(factors, pivots, b); });
  auto const form_number = form ? static_cast<int>(*form) : -1;
  comm.ensure_agreement(
      "trans, n, right-hand sides and form",
      agreement_hash(fmt::format("{} {} {} {}", static_cast<char>(trans), b.rows(), b.cols(), form_number)));
  if (b.rows() == 0 || b.cols() == 0) {
    return {};
  }
  return detail::or_give_up(comm, "solve", [&] {
    auto const plans = std::static_pointer_cast<PlanCache>(
        comm.cached("plans of solves", [] { return std::make_shared<PlanCache>(); }));
    auto const plan = plans->plan({{trans, scalar_of<T>}, factors.distribution(), b.distribution(), form}, comm);
    return solve_collectively<T>(plan, factors, pivots, b);
  });
}

#define ALLPORT_SOLVE(T)                                                                                         \
  template tasks::RunReport lu_solve<T>(Trans, Matrix<T const> const&, std::span<Index const>, Matrix<T> const&, \
                                        std::optional<SolveForm>);
ALLPORT_FOR_SCALARS(ALLPORT_SOLVE)

}  // namespace allport
