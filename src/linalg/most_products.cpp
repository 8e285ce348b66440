#include "most_products.h"

#include <algorithm>

#include "lu_tasks.h"

namespace allport {

namespace {

/// Sums over rows or columns have at most so many steps, each with the length of its first row or column.
constexpr Index most_steps = 128;

/// The most indices from i on that one part owns.
Index most_from(AxisDistribution const& axis, Index i) {
  if (i >= axis.extent()) return 0;
  auto const from = [&](int part) { return axis.count(part) - axis.before(part, i); };
  if (axis.is_cyclic()) {  // the owner of i's block, or of the next one
    auto const next = axis.block_end(i);
    return std::max(from(axis.owner(i)), next < axis.extent() ? from(axis.owner(next)) : 0);
  }
  Index most = 0;
  for (int part = 0; part < axis.parts(); ++part) most = std::max(most, from(part));
  return most;
}

}  // namespace

double most_products(GemmProblem const& problem, GemmCandidate const& candidate) {
  auto const& g = candidate.grid;
  auto const parts = gemm_detail::PartsOfGrid(problem, g, candidate.cuts);
  Index rows = 0;
  Index cols = 0;
  for (int i = 0; i < g.rows; ++i) rows = std::max(rows, parts.rows(i));
  for (int j = 0; j < g.cols; ++j) cols = std::max(cols, parts.cols(j));
  auto const longest = [](Index extent, Index pieces) { return (extent + pieces - 1) / pieces; };
  bool const whole_blocks = gemm_detail::method(candidate.algorithm).form == gemm_detail::Method::Form::cannon;
  auto const depth =
      whole_blocks ? longest(g.rows, g.layers) * longest(problem.k, g.rows) : longest(problem.k, g.layers);
  return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(depth);
}

double most_products(LuProblem const& problem, LuCandidate const& candidate, Distribution const& distribution,
                     Index widest) {
  auto const count = std::min(problem.m, problem.n);
  auto const step = std::max<Index>(1, count / most_steps);
  auto const layers = candidate.grid.layers;
  auto const near = static_cast<double>((lu_detail::LuTaskGraph::ahead_of(candidate)) * widest);
  auto const slice = static_cast<double>((widest + layers - 1) / layers) / static_cast<double>(widest);
  double sum = 0;
  for (Index first = 0; first < count; first += step) {
    auto const rows = static_cast<double>(most_from(distribution.rows(), first + 1));
    auto const cols = static_cast<double>(most_from(distribution.cols(), first + 1));
    // With several layers, one of them multiplies by whole panels in the columns of the next panels and in the panel's
    // own rows.
    auto const alone = layers == 1 ? 0.0 : rows * near + cols * static_cast<double>(widest);
    sum += std::min(rows * cols, rows * cols * (layers == 1 ? 1.0 : slice) + alone) *
           static_cast<double>(std::min(step, count - first));
  }
  return sum;
}

double most_products(CholeskyProblem const& problem, Distribution const& tiles) {
  // The upper triangle's rows are the lower one's columns.
  auto const& along = problem.uplo == Uplo::lower ? tiles.rows() : tiles.cols();
  auto const& across = problem.uplo == Uplo::lower ? tiles.cols() : tiles.rows();
  auto const step = std::max<Index>(1, problem.n / most_steps);
  double most = 0;
  for (int part = 0; part < across.parts(); ++part) {
    double sum = 0;
    for (auto const& run : across.runs(part)) {
      for (Index first = run.global; first < run.global + run.length; first += step) {
        auto const end = std::min(first + step, run.global + run.length);
        auto const before = static_cast<double>(end - first) * static_cast<double>(first + end - 1) / 2;
        sum += before * static_cast<double>(most_from(along, first + 1));
      }
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace allport
