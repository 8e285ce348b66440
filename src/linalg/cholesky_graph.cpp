// Tile Cholesky and its solves without bodies.
#include "cholesky_graph.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "cholesky_solve_graph.h"

namespace allport {

namespace {

void check_whole_blocks(std::string_view name, AxisDistribution const& axis) {
  ensure(axis.is_cyclic(), name, "by cuts", "a block-cyclic axis");
  auto const first = axis.extent() > 0 && axis.parts() > 1 ? axis.run_at(0).length : axis.nb();
  ensure(first == axis.nb() || first == axis.extent(), name, fmt::format("a first block of {}", first),
         fmt::format("a whole block of {}", axis.nb()));
}

void check_tiles(std::string_view name, Distribution const& distribution) {
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  ensure(rows.extent() == cols.extent(), name, fmt::format("{} x {}", rows.extent(), cols.extent()), "a square matrix");
  ensure(rows.is_cyclic() && rows.nb() == cols.nb(), "nb", fmt::format("{} and {}", rows.nb(), cols.nb()),
         "blocks of one size on both axes");
  check_whole_blocks(name, rows);
  check_whole_blocks(name, cols);
}

}  // namespace

std::unique_ptr<TaskGraph> cholesky_graph(Distribution const& distribution, Uplo uplo, Scalar type) {
  check_tiles("distribution", distribution);
  return std::make_unique<CholeskyGraph>(distribution, uplo, type);
}

std::unique_ptr<TaskGraph> cholesky_solve_graph(Distribution const& factors, Distribution const& b, Uplo uplo,
                                                Scalar type) {
  check_tiles("factors", factors);
  ensure(b.rows().extent() == factors.rows().extent(), "B", fmt::format("{} rows", b.rows().extent()),
         fmt::format("{}", factors.rows().extent()));
  check_whole_blocks("B's rows", b.rows());
  check_whole_blocks("B's columns", b.cols());
  ensure(b.rows().nb() == factors.rows().nb(), "B's nb", b.rows().nb(), fmt::format("{}", factors.rows().nb()));
  auto const blocks = (b.cols().extent() + b.cols().nb() - 1) / b.cols().nb();
  return std::make_unique<CholeskySolveGraph>(factors, b, uplo, type, 0, blocks);
}

}  // namespace allport
