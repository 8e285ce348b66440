#include "gemm_3d_graph.h"

#include <algorithm>
#include <utility>

namespace allport::gemm_detail {

std::vector<double> growing_squares(int side) {
  std::vector<double> ends;
  auto const made = [&](double a) {
    ends.assign(1, 0.0);
    for (int x = 0; x < side; ++x) ends.push_back(a + ends.back() * ends.back());
    return ends.back();
  };
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < 50; ++halving) {
    auto const middle = (low + high) / 2;
    (made(middle) < 1 ? low : high) = middle;
  }
  static_cast<void>(made(high));
  ends.back() = 1;
  return ends;
}

Gemm3dGraph::Gemm3dGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
                         std::optional<Mapping> const& mapping)
    : GraphOfKinds(problem, machine, candidate, mapping),
      row_trees_(line_trees(layout_, GridAxis::row, machine, mapping)),
      col_trees_(line_trees(layout_, GridAxis::col, machine, mapping)) {
  if (layered()) side_ = tiles_a_side(rows(0), cols(0));
  ends_ = growing_squares(side_);
  for (int a = 0; a < side_; ++a) {
    for (int b = 0; b < side_; ++b) tiles_.push_back({a, b});
  }
  std::ranges::stable_sort(tiles_, {}, [](Tile const& t) { return std::max(t.a, t.b); });
}

int Gemm3dGraph::pieces(GridAxis line, Index width) const {
  return line_pieces(line == GridAxis::row ? row_trees_ : col_trees_, width);
}

Gemm3dGraph::Source Gemm3dGraph::source(GridAxis line, int layer, Index k) const {
  Source found;
  while (owned(line, layer, found.owner).last <= k) ++found.owner;
  auto const own = owned(line, layer, found.owner);
  auto const all = pieces(line, own.width());
  while (piece(own, all, found.piece).last <= k) ++found.piece;
  found.k = piece(own, all, found.piece);
  return found;
}

Index Gemm3dGraph::tile_cols(int j, int b) const {
  Index cols = 0;
  for (int l = 0; l < grid_.layers; ++l) cols += tile_cols(j, l, b);
  return cols;
}

void Gemm3dGraph::each_received(GridAxis line, int layer, int to, FunctionRef<void(Range const&)> visit) const {
  for (int owner = 0; owner < layout_.length(line); ++owner) {
    if (owner == to) continue;
    auto const own = owned(line, layer, owner);
    auto const all = own.width() > 0 ? pieces(line, own.width()) : 0;
    for (int x = 0; x < all; ++x) visit(piece(own, all, x));
  }
}

void Gemm3dGraph::entries(Rank rank, VisitTask visit) const {
  for (std::int64_t s = 0; s < steps(); ++s) visit_entries(rank, s, visit);
}

std::optional<std::int64_t> Gemm3dGraph::count(Rank rank) const {
  std::int64_t all = 0;
  for (std::int64_t s = 0; s < steps(); ++s) tasks(rank, s, [&](Task) { ++all; });
  return all;
}

std::int64_t Gemm3dGraph::step(Task t) const {
  if (t.kind == multiply || t.kind == sum) return t.k;
  auto const first = std::ranges::find(tiles_, t.k, [&](Tile const& x) { return t.kind == of_a ? x.a : x.b; });
  return first - tiles_.begin();
}

void Gemm3dGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = layout_.coords(rank);
  if (!at) return;
  auto const task = [&](Kind kind, std::int64_t k) {
    return Task{kind, static_cast<std::uint16_t>(at->l), at->i, at->j, static_cast<std::int32_t>(k)};
  };
  auto const now = tiles_[static_cast<std::size_t>(step)];
  for (auto const& [kind, k] : {std::pair(of_a, now.a), std::pair(of_b, now.b)}) {
    auto const t = task(kind, k);
    if (sends(t) && this->step(t) == step) visit(t);
  }
  visit(task(multiply, step));
  if (layered()) visit(task(sum, step));
}

/// All of the layer's A and B that other ranks own, and the sums.
Traffic Gemm3dGraph::received(GridCoords p) const {
  Index elements = sums_received(p);
  std::int64_t messages = 0;
  for (auto const line : {GridAxis::row, GridAxis::col}) {
    auto const across = line == GridAxis::row ? rows(p.i) : cols(p.j);
    each_received(line, p.l, line == GridAxis::row ? p.j : p.i, [&](Range const& k) {
      elements += k.width() * across;
      messages += side_;
    });
  }
  return {0, messages + sum_messages() * std::ssize(tiles_), 0, elements * element_};
}

Index Gemm3dGraph::depth(Task product) const {
  if (of_layer(product.layer) == 0) return 0;
  return std::min(source(GridAxis::row, product.layer, 0).k.width(), source(GridAxis::col, product.layer, 0).k.width());
}

Index Gemm3dGraph::most_stored(GridCoords p) const {
  auto const k = of_layer(p.l);
  return k * ((grid_.cols > 1 ? rows(p.i) : 0) + (grid_.rows > 1 ? cols(p.j) : 0)) + sums_stored(p);
}

}  // namespace allport::gemm_detail
