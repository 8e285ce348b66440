// Solves with distributed factors: checks, brings B where the chosen form wants it, exchanges its rows, solves, brings
// X back.
#include "allport/linalg/solve.h"

#include <algorithm>

#include "solve_forms.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

/// Exchanges rows of so many columns at once that the buffers stay small beside B.
template <class T>
void exchange_rows(Factors<T> const& factors, Index count, Part<T> b, std::vector<Move> const& moves) {
  constexpr Index columns_at_once = 1024;
  for (Index from = 0; from < count; from += columns_at_once) {
    T* const columns = b.data == nullptr ? nullptr : b.data + from * b.ld;
    move_rows<T>(factors.across, factors.rows, {{columns, std::min(columns_at_once, count - from), b.ld, moves}});
  }
}

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

/// All that ranks do together once they have agreed on the call.
template <class T>
void solve_together(Trans trans, Matrix<T const> const& factors, std::span<Index const> pivots, Matrix<T> const& b,
                    std::optional<SolveForm> form) {
  auto const& comm = b.comm();
  LayoutGrid const grid(comm, factors.distribution());
  auto const plan = decide({trans, scalar_of<T>}, factors.distribution(), b.distribution(), comm.machine(),
                           grid.seats(), grid.pricer(), form);
  gemm_detail::Native<T> const native(b, plan.distribution);
  native.fetch();
  if (grid.seated()) {
    Factors<T> const view(grid.team(), trans, factors.distribution(), factors.part());
    auto const count = plan.distribution.cols().count(view.along.index());
    auto const exchanges = moves_of(pivots, 0);
    if (trans == Trans::none) exchange_rows(view, count, native.part(), exchanges);
    solve_in_form(plan.form, view, plan.distribution.cols(), native.part());
    if (trans != Trans::none) exchange_rows(view, count, native.part(), inverse(exchanges));
  }
  native.give_back();
}

}  // namespace

template <class T>
void lu_solve(Trans trans, Matrix<std::type_identity_t<T> const> const& factors, std::span<Index const> pivots,
              Matrix<T> const& b, std::optional<SolveForm> form) {
  auto const& comm = b.comm();
  detail::on_all(comm, [&] { check_arguments<T>(factors, pivots, b); });
  auto const told = form ? static_cast<int>(*form) : -1;
  comm.ensure_agreement(
      "trans, n, right-hand sides and form",
      gemm_detail::hash_of(fmt::format("{} {} {} {}", static_cast<char>(trans), b.rows(), b.cols(), told)));
  if (b.rows() == 0 || b.cols() == 0) {
    return;
  }
  detail::or_give_up(comm, "solve", [&] { solve_together<T>(trans, factors, pivots, b, form); });
}

#define ALLPORT_SOLVE(T)                                                                             \
  template void lu_solve<T>(Trans, Matrix<T const> const&, std::span<Index const>, Matrix<T> const&, \
                            std::optional<SolveForm>);
ALLPORT_FOR_SCALARS(ALLPORT_SOLVE)

}  // namespace allport
