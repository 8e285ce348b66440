// Tile Cholesky and its solves without bodies.
#include "cholesky_graph.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "cholesky_solve_graph.h"

namespace allport {

namespace {

void check_tiles(std::string_view name, Distribution const& distribution, Index nb) {
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  ensure(rows.extent() == cols.extent(), name, fmt::format("{} x {}", rows.extent(), cols.extent()), "a square matrix");
  check_whole_blocks(name, rows);
  check_whole_blocks(name, cols);
  bool const whole = nb > 0 && rows.nb() % nb == 0 && cols.nb() % nb == 0;
  ensure(whole, "nb", fmt::format("{} in blocks of {} and {}", nb, rows.nb(), cols.nb()),
         "blocks of one size on both axes, or a tile of which both are multiples");
}

}  // namespace

std::unique_ptr<TaskGraph> cholesky_graph(Distribution const& distribution, Uplo uplo, Scalar type, Index nb) {
  auto const tile = nb > 0 ? nb : distribution.rows().nb();
  check_tiles("distribution", distribution, tile);
  return std::make_unique<CholeskyGraph>(distribution, uplo, type, tile);
}

std::unique_ptr<TaskGraph> cholesky_solve_graph(Distribution const& factors, Distribution const& b, Uplo uplo,
                                                Scalar type) {
  check_tiles("factors", factors, factors.rows().nb());
  ensure(factors.cols().nb() == factors.rows().nb(), "factors",
         fmt::format("blocks of {} x {}", factors.rows().nb(), factors.cols().nb()), "square blocks");
  ensure(b.rows().extent() == factors.rows().extent(), "B", fmt::format("{} rows", b.rows().extent()),
         fmt::format("{}", factors.rows().extent()));
  check_whole_blocks("B's rows", b.rows());
  check_whole_blocks("B's columns", b.cols());
  ensure(b.rows().nb() == factors.rows().nb(), "B's nb", b.rows().nb(), fmt::format("{}", factors.rows().nb()));
  auto const blocks = (b.cols().extent() + b.cols().nb() - 1) / b.cols().nb();
  return std::make_unique<CholeskySolveGraph>(factors, b, uplo, type, 0, blocks);
}

}  // namespace allport
