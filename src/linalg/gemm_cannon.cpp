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

void torus_distributions(GemmProblem const& problem, GridLayout const& layout, GemmCuts const&, GemmPlan& plan) {
  auto const q = layout.grid().rows;
  std::vector<Index> m{0}, n{0}, k{0};
  std::vector<Rank> owners;
  for (int j = 0; j < q; ++j) {
    m.push_back(cut(problem.m, q, j + 1));
    n.push_back(cut(problem.n, q, j + 1));
    k.push_back(cut(problem.k, q, j + 1));
    for (int i = 0; i < q; ++i) owners.push_back(layout.rank({i, j, 0}));
  }
  plan.a = operand_distribution(problem.trans_a, m, k, owners);
  plan.b = operand_distribution(problem.trans_b, k, n, owners);
  plan.c = c_distribution(problem, layout);
}

}  // namespace

extern Method const cannon{"cannon",
                           "2D Cannon: skewed blocks wander left and up (Solomonik11, slide 9)",
                           Method::Form::cannon,
                           false,
                           needs_square_2d,
                           torus_distributions};
extern Method const cannon25{
    "cannon25",           "2.5D Cannon: c copies of A and B, q/c shifts a layer (Solomonik11, slide 9)",
    Method::Form::cannon, false,
    needs_square_25d,     torus_distributions};

}  // namespace allport::gemm_detail
