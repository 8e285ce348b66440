// Tile Cholesky without bodies.
#include "cholesky_graph.h"

#include <fmt/format.h>

#include <memory>

namespace allport {

std::unique_ptr<TaskGraph> cholesky_graph(Distribution const& distribution, Uplo uplo, Scalar type) {
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  ensure(rows.extent() == cols.extent(), "distribution", fmt::format("{} x {}", rows.extent(), cols.extent()),
         "a square matrix");
  ensure(rows.is_cyclic() && rows.nb() == cols.nb(), "nb", fmt::format("{} and {}", rows.nb(), cols.nb()),
         "blocks of one size on both axes");
  for (auto const* axis : {&rows, &cols}) {
    auto const first = axis->extent() > 0 && axis->parts() > 1 ? axis->run_at(0).length : axis->nb();
    ensure(first == axis->nb() || first == axis->extent(), "first block", first, "a whole block");
  }
  return std::make_unique<CholeskyGraph>(distribution, uplo, type);
}

}  // namespace allport
