#include "gemm_frame.h"

#include <fmt/format.h>

#include <functional>

#include "allport/mapping/mapping.h"
#include "allport/tasks/transport.h"
#include "mapping/embedding.h"

namespace allport {

namespace detail {

namespace {

/// On larger machines no embeddings are tried: there are many, and each is checked from every rank.
constexpr Rank most_embedded = 4096;
/// Embeddings that are priced beside the plain orders.
constexpr std::size_t embeddings_priced = 4;

/// Whether all rows, columns and layers are boxes of the machine.
bool has_boxes(GridLayout const& layout, Machine const& machine, std::optional<Mapping> const& mapping) {
  for (Rank r = 0; r < layout.grid().ranks(); ++r) {
    auto const at = *layout.coords(r);
    for (auto const line : {GridAxis::row, GridAxis::col, GridAxis::layer}) {
      if (GridLayout::index(at, line) != 0 || layout.length(line) == 1) continue;  // once per line
      auto members = layout.members(at, line);
      for (auto& member : members) member = mapping ? mapping->place(member) : member;
      if (!find_box(machine, members)) return false;
    }
  }
  return true;
}

}  // namespace

void ensure_order(std::string const& order, Machine const& machine) {
  if (Embedding::is_one(order)) {
    Embedding::parse(order).check(machine);
    return;
  }
  std::string_view const axes = "ijl";
  ensure(order.empty() || std::is_permutation(order.begin(), order.end(), axes.begin(), axes.end()), "order", order,
         "the grid's axes i, j and l, the fastest running over the ranks first",
         "write jil, or leave it out to have it chosen");
}

std::optional<std::string> why_not_order(std::string const& order, GemmGrid const& grid) {
  if (!Embedding::is_one(order)) return std::nullopt;
  auto const [rows, cols, layers] = Embedding::parse(order).lengths();
  if (rows == grid.rows && cols == grid.cols && layers == grid.layers) return std::nullopt;
  return fmt::format("order {} is for a grid of {}x{}x{}", order, rows, cols, layers);
}

std::vector<std::string> const& EmbeddedOrders::of(GemmGrid const& grid, std::vector<std::string> const& plain) {
  auto const [known, is_new] = known_.try_emplace({grid.rows, grid.cols, grid.layers});
  if (is_new) known->second = found(grid, plain);
  return known->second;
}

std::vector<std::string> EmbeddedOrders::found(GemmGrid const& grid, std::vector<std::string> const& plain) const {
  if (machine_.ranks() > most_embedded || grid.ranks() != machine_.ranks()) return {};
  for (auto const& order : plain) {
    if (has_boxes(GridLayout(grid, order, mapping_), machine_, mapping_)) return {};
  }
  std::vector<std::string> orders;
  for (auto const& one : embeddings(machine_, {grid.rows, grid.cols, grid.layers}, embeddings_priced))
    orders.push_back(one.text());
  return orders;
}

GridLayout::GridLayout(GemmGrid grid, std::string const& order, std::optional<Mapping> const& mapping) : grid_(grid) {
  if (Embedding::is_one(order)) {
    ranks_ = Embedding::parse(order).places();
    auto const rank_at = mapping ? mapping->inverse() : Mapping::identity(static_cast<Rank>(ranks_.size()));
    for (auto& rank : ranks_) rank = rank_at.place(rank);
    index_ranks();
    return;
  }
  int stride = 1;
  for (char const axis : order) {
    auto const a = static_cast<std::size_t>(axis == 'i' ? 0 : axis == 'j' ? 1 : 2);
    stride_[a] = stride;
    stride *= a == 0 ? grid.rows : a == 1 ? grid.cols : grid.layers;
  }
}

GridLayout::GridLayout(GemmGrid grid, std::vector<Rank> ranks) : grid_(grid), ranks_(std::move(ranks)) {
  index_ranks();
}

void GridLayout::index_ranks() {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    auto const rank = static_cast<std::size_t>(ranks_[number]);
    if (rank >= number_of_.size()) number_of_.resize(rank + 1, -1);
    number_of_[rank] = static_cast<int>(number);
  }
}

std::optional<GridCoords> GridLayout::coords(Rank rank) const {
  if (ranks_.empty()) {
    if (rank >= grid_.ranks()) return std::nullopt;
    return GridCoords{rank / stride_[0] % grid_.rows, rank / stride_[1] % grid_.cols, rank / stride_[2] % grid_.layers};
  }
  bool const known = rank >= 0 && static_cast<std::size_t>(rank) < number_of_.size();
  auto const number = known ? number_of_[static_cast<std::size_t>(rank)] : -1;
  if (number < 0) return std::nullopt;
  return GridCoords{number % grid_.rows, number / grid_.rows % grid_.cols, number / grid_.rows / grid_.cols};
}

std::vector<Rank> GridLayout::members(GridCoords p, GridAxis line) const {
  std::vector<Rank> ranks;
  for (int x = 0; x < length(line); ++x) {
    (line == GridAxis::row ? p.j : line == GridAxis::col ? p.i : p.l) = x;
    ranks.push_back(rank(p));
  }
  return ranks;
}

std::vector<Rank> GridLayout::layer(int l) const {
  std::vector<Rank> ranks;
  for (int j = 0; j < grid_.cols; ++j) {
    for (int i = 0; i < grid_.rows; ++i) ranks.push_back(rank({i, j, l}));
  }
  return ranks;
}

int pieces_of(int ranks, Machine const& machine, MulticastTree tree) {
  if (ranks <= 2 || tree != MulticastTree::axes) return 1;
  std::vector<int> lengths;
  bool rings = false;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) lengths.push_back(axis.length);
    rings = rings || (axis.wraps && axis.length > 2);
  }
  std::ranges::sort(lengths, std::ranges::greater{});
  int axes = 0;
  for (std::int64_t nodes = machine.ranks_per_node(); nodes < ranks && axes < std::ssize(lengths); ++axes) {
    nodes *= lengths[static_cast<std::size_t>(axes)];
  }
  return std::max(rings ? 2 * axes : axes, 1);
}

}  // namespace detail

namespace gemm_detail {

Distribution c_distribution(GemmProblem const& problem, GridLayout const& layout, GemmCuts const& cuts) {
  auto const& grid = layout.grid();
  PartsOfGrid const parts(problem, grid, cuts);
  std::vector<Index> rows{0};
  for (int i = 0; i < grid.rows; ++i) rows.push_back(parts.row(i + 1));
  std::vector<Index> cols{0};
  std::vector<Rank> owners;
  for (int j = 0; j < grid.cols; ++j) {
    for (int l = 0; l < grid.layers; ++l) {
      cols.push_back(parts.col(j) + cut(parts.cols(j), grid.layers, l + 1));
      for (int i = 0; i < grid.rows; ++i) owners.push_back(layout.rank({i, j, l}));
    }
  }
  return {AxisDistribution::cuts(std::move(rows)), AxisDistribution::cuts(std::move(cols)), std::move(owners)};
}

Distribution operand_distribution(Trans trans, std::vector<Index> row_cuts, std::vector<Index> col_cuts,
                                  std::vector<Rank> const& grid) {
  if (trans == Trans::none) {
    return {AxisDistribution::cuts(std::move(row_cuts)), AxisDistribution::cuts(std::move(col_cuts)), grid};
  }
  auto const rows = row_cuts.size() - 1;
  auto const cols = col_cuts.size() - 1;
  std::vector<Rank> turned(grid.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      turned[c + r * cols] = grid[r + c * rows];
    }
  }
  return {AxisDistribution::cuts(std::move(col_cuts)), AxisDistribution::cuts(std::move(row_cuts)), std::move(turned)};
}

void on_layer_0(GemmProblem const& problem, GridLayout const& layout, GemmCuts const&, GemmPlan& plan) {
  auto const& grid = layout.grid();
  auto const cuts = [](Index extent, int parts) {
    std::vector<Index> all{0};
    for (int p = 0; p < parts; ++p) all.push_back(cut(extent, parts, p + 1));
    return all;
  };
  auto const owners = layout.layer(0);
  plan.a = operand_distribution(problem.trans_a, cuts(problem.m, grid.rows), cuts(problem.k, grid.cols), owners);
  plan.b = operand_distribution(problem.trans_b, cuts(problem.k, grid.rows), cuts(problem.n, grid.cols), owners);
  plan.c = c_distribution(problem, layout);
}

}  // namespace gemm_detail

}  // namespace allport
