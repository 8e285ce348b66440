// SUMMA (van de Geijn, Watts 1997) on p_r x p_c x c: 2D for c = 1, 2.5D for c > 1 (Solomonik11, slides 8 to 13), and 3D
// (Agarwal et al. 1995), which sends all panels at once.
//
// Layer l multiplies slice l of k and holds that slice of A and B from the start, distributed over its p_r x p_c ranks,
// so nothing is replicated before the first panel; at the end the layers' sums are reduce-scattered along c. The words
// per rank are n^2/sqrt(cp) for A and for B and (c-1)/c n^2 c/p for C (docs/decisions/0011-products.md).
#include <algorithm>

#include "gemm_panels.h"

namespace allport::gemm_detail {

std::vector<Slab> slabs_of(PartsOfGrid const& parts, int layer, Index width) {
  std::vector<Slab> slabs;
  // The parts that contain `from`: A's columns are cut over the grid's columns, B's rows over its rows.
  int j = 0;
  int i = 0;
  for (Index from = 0; from < parts.k(layer);) {
    while (parts.k_of_a(layer, j + 1) <= from) ++j;
    while (parts.k_of_b(layer, i + 1) <= from) ++i;
    auto const length = std::min(parts.k_of_a(layer, j + 1), parts.k_of_b(layer, i + 1)) - from;
    slabs.push_back({from, length, j, i, (length - 1) / width + 1});
    from += length;
  }
  return slabs;
}

namespace {

void panel_distributions(GemmProblem const& problem, GridLayout const& layout, GemmCuts const& cuts, GemmPlan& plan) {
  auto const& grid = layout.grid();
  PartsOfGrid const parts(problem, grid, cuts);
  std::vector<Index> m_cuts{0};
  std::vector<Index> n_cuts{0};
  std::vector<Index> k_of_a{0};
  std::vector<Index> k_of_b{0};
  for (int i = 0; i < grid.rows; ++i) m_cuts.push_back(parts.row(i + 1));
  for (int j = 0; j < grid.cols; ++j) n_cuts.push_back(parts.col(j + 1));
  for (int l = 0; l < grid.layers; ++l) {
    auto const begin = parts.begin_of_layer(l);
    for (int j = 0; j < grid.cols; ++j) k_of_a.push_back(begin + parts.k_of_a(l, j + 1));
    for (int i = 0; i < grid.rows; ++i) k_of_b.push_back(begin + parts.k_of_b(l, i + 1));
  }
  std::vector<Rank> a_grid;
  std::vector<Rank> b_grid;
  for (int l = 0; l < grid.layers; ++l) {
    for (int j = 0; j < grid.cols; ++j) {
      for (int i = 0; i < grid.rows; ++i) a_grid.push_back(layout.rank({i, j, l}));
    }
  }
  for (int j = 0; j < grid.cols; ++j) {
    for (int l = 0; l < grid.layers; ++l) {
      for (int i = 0; i < grid.rows; ++i) b_grid.push_back(layout.rank({i, j, l}));
    }
  }
  plan.a = operand_distribution(problem.trans_a, m_cuts, std::move(k_of_a), a_grid);
  plan.b = operand_distribution(problem.trans_b, std::move(k_of_b), n_cuts, b_grid);
  plan.c = c_distribution(problem, layout, cuts);
}

std::optional<std::string> needs_one_layer(GemmGrid const& grid) {
  return grid.layers == 1 ? std::nullopt : std::optional<std::string>("is 2D: it needs c = 1");
}
std::optional<std::string> needs_layers(GemmGrid const& grid) {
  return grid.layers > 1 ? std::nullopt : std::optional<std::string>("needs c > 1; with c = 1 it is 'summa'");
}

}  // namespace

extern Method const summa{"summa",
                          "2D SUMMA: panels of A along rows, panels of B along columns (Solomonik11, slide 8)",
                          Method::Form::summa,
                          true,
                          needs_one_layer,
                          panel_distributions};
extern Method const summa25{
    "summa25",           "2.5D SUMMA: c layers share k, their sums are reduce-scattered (Solomonik11, slide 9)",
    Method::Form::summa, true,
    needs_layers,        panel_distributions};
extern Method const gemm3d{
    "3d",
    "3D: all of a layer's k, tile by tile of C, whose sums travel while other tiles' operands come",
    Method::Form::summa,
    false,
    needs_layers,
    panel_distributions};

}  // namespace allport::gemm_detail
