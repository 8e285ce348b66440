// Cannon's algorithm (Cannon 1969) on q x q x c: 2D for c = 1, 2.5D for c > 1 (Solomonik and Demmel 2011). The grids
// that it runs on, and its distributions; the rest is its graph (gemm_cannon_graph.h).
#include "gemm_frame.h"

namespace allport::gemm_detail {

namespace {

std::optional<std::string> needs_square(GemmGrid const& grid) {
  if (grid.rows != grid.cols) return "needs a square grid, p_r = p_c";
  if (grid.layers > grid.rows) return "needs c <= q, so that every layer has a step";
  return std::nullopt;
}
std::optional<std::string> needs_square_2d(GemmGrid const& grid) {
  if (grid.layers != 1) return "is 2D: it needs c = 1";
  return needs_square(grid);
}
std::optional<std::string> needs_square_25d(GemmGrid const& grid) {
  if (grid.layers == 1) return "needs c > 1; with c = 1 it is 'cannon'";
  return needs_square(grid);
}

}  // namespace

extern Method const cannon{"cannon",
                           "2D Cannon: skewed blocks wander left and up (Solomonik11, slide 9)",
                           Method::Form::cannon,
                           false,
                           needs_square_2d,
                           on_layer_0};
extern Method const cannon25{"cannon25",
                             "2.5D Cannon: c copies of A and B, q/c shifts a layer (Solomonik11, slide 9)",
                             Method::Form::cannon,
                             false,
                             needs_square_25d,
                             on_layer_0,
                             true};

}  // namespace allport::gemm_detail
