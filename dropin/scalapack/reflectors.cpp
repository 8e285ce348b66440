#include "reflectors.h"

#include <fmt/format.h>

#include "price.h"

namespace allport::scalapack {

Extents extents_of(Operand const& x, Grid const& grid) {
  auto const& d = x.desc;
  auto const count = [](Index i, Index extent, AxisDistribution const& whole, Index block, int me) {
    auto const before = i % block;
    auto const first = static_cast<int>((whole.source() + i / block) % whole.parts());
    return AxisDistribution::cyclic(extent + before, whole.parts(), block, first).count(me);
  };
  return {count(x.i, x.rows, row_distribution(d, grid), d.mb, grid.row),
          count(x.j, x.cols, col_distribution(d, grid), d.nb, grid.col)};
}

template <class T>
void write_tau(std::vector<T> const& tau, View const& a, Grid const& grid, void* local) {
  auto const known = static_cast<Index>(tau.size());
  for (auto const& run : a.distribution.cols().runs(grid.col)) {
    for (Index x = 0; x < run.length && run.global + x < known; ++x) {
      static_cast<T*>(local)[a.cols_before + run.local + x] = tau[static_cast<std::size_t>(run.global + x)];
    }
  }
}

template <class T>
std::vector<T> read_tau(Index k, Record const& record, View const& a, Grid const& grid, void const* local) {
  std::vector<double> words(static_cast<std::size_t>(2 * k));
  for (auto const& run : a.distribution.cols().runs(grid.col)) {
    for (Index x = 0; grid.row == 0 && x < run.length && run.global + x < k; ++x) {
      auto const value = static_cast<T const*>(local)[a.cols_before + run.local + x];
      auto const at = static_cast<std::size_t>(2 * (run.global + x));
      words[at] = static_cast<double>(std::real(value));
      words[at + 1] = static_cast<double>(std::imag(value));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_DOUBLE, MPI_SUM, record.caller());
  std::vector<T> tau;
  for (std::size_t w = 0; w < words.size(); w += 2) {
    using Real = decltype(std::abs(T()));
    if constexpr (std::is_same_v<T, Real>) {
      tau.push_back(static_cast<T>(words[w]));
    } else {
      tau.push_back(T(static_cast<Real>(words[w]), static_cast<Real>(words[w + 1])));
    }
  }
  return tau;
}

Choice<QrPlan> decide_qr(Grid const& grid, Record& record, Operand const& a, View const& view, Scalar type,
                         double cost) {
  QrProblem const problem{a.rows, a.cols, type};
  auto const shape = shape_of(grid, a.desc);
  auto const key = fmt::format("{} {} {} {} {} {}", problem.m, problem.n, static_cast<int>(type), shape.block,
                               place_text(view), cost);
  auto const plan = [&] {
    TiledPlanOptions options;
    options.given = view.distribution;
    return plan_qr(problem, record.machine(), options);
  };
  return record.choose(record.qr_decisions, key, [&] {
    return decide_by_price(
        record, [&] { return price_scalapack(problem, record.machine(), shape); }, plan,
        [cost](QrPlan const& made) { return cost * made.chosen.total; });
  });
}

#define ALLPORT_SCALAPACK_REFLECTORS(T)                                               \
  template void write_tau<T>(std::vector<T> const&, View const&, Grid const&, void*); \
  template std::vector<T> read_tau<T>(Index, Record const&, View const&, Grid const&, void const*);
ALLPORT_SCALAPACK_TYPES(ALLPORT_SCALAPACK_REFLECTORS)

}  // namespace allport::scalapack
