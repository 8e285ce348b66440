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

/// What is wrong with the arguments on this rank, or empty.
template <class T>
std::string wrong_with(Communicator const& comm, Distribution const& lu_distribution, Part<T const> factors,
                       std::span<Index const> pivots, Distribution const& b_distribution, Part<T> b) {
  auto const n = lu_distribution.rows().extent();
  if (lu_distribution.cols().extent() != n) {
    return fmt::format("factors = {} x {}: expected those of a square matrix", n, lu_distribution.cols().extent());
  }
  if (static_cast<Index>(pivots.size()) != n) return fmt::format("pivots = {}: expected {}", pivots.size(), n);
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    if (pivots[s] < static_cast<Index>(s) || pivots[s] >= n) {
      return fmt::format("pivots[{}] = {}: expected a row in {}..{}", s, pivots[s], s, n - 1);
    }
  }
  auto error =
      gemm_detail::trouble("factors", {n, n}, lu_distribution, factors.data, factors.ld, comm.rank(), comm.size());
  if (error.empty()) {
    error = gemm_detail::trouble<T>("B", {n, b_distribution.cols().extent()}, b_distribution, b.data, b.ld, comm.rank(),
                                    comm.size());
  }
  return error;
}

}  // namespace

template <class T>
void lu_solve(Communicator const& comm, Trans trans, Distribution const& lu_distribution, Part<T const> factors,
              std::span<Index const> pivots, Distribution const& b_distribution, Part<T> b,
              std::optional<SolveForm> form) {
  comm.ensure_all_well(wrong_with(comm, lu_distribution, factors, pivots, b_distribution, b));
  auto const n = lu_distribution.rows().extent();
  auto const sides = b_distribution.cols().extent();
  auto const told = form ? static_cast<int>(*form) : -1;
  comm.ensure_agreement("trans, n, right-hand sides and form",
                        gemm_detail::hash_of(fmt::format("{} {} {} {}", static_cast<char>(trans), n, sides, told)));
  if (n == 0 || sides == 0) {
    return;
  }
  LayoutGrid const grid(comm, lu_distribution);
  auto const plan =
      decide({trans, scalar_of<T>}, lu_distribution, b_distribution, comm.machine(), grid.seats(), grid.pricer(), form);
  auto native = gemm_detail::make_native(b_distribution, b, plan.distribution, comm.rank());
  if (!native.borrowed) redistribute(comm, b_distribution, gemm_detail::constant(b), plan.distribution, native.part);
  if (grid.seated()) {
    Factors<T> const view(grid.team(), trans, lu_distribution, factors);
    auto const count = plan.distribution.cols().count(view.along.index());
    auto const exchanges = moves_of(pivots, 0);
    if (trans == Trans::none) exchange_rows(view, count, native.part, exchanges);
    solve_in_form(plan.form, view, plan.distribution.cols(), native.part);
    if (trans != Trans::none) exchange_rows(view, count, native.part, inverse(exchanges));
  }
  if (!native.borrowed) redistribute(comm, plan.distribution, gemm_detail::constant(native.part), b_distribution, b);
}

#define ALLPORT_SOLVE(T)                                                                                         \
  template void lu_solve(Communicator const&, Trans, Distribution const&, Part<T const>, std::span<Index const>, \
                         Distribution const&, Part<T>, std::optional<SolveForm>);
ALLPORT_FOR_SCALARS(ALLPORT_SOLVE)

}  // namespace allport
