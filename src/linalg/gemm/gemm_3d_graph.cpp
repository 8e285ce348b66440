#include "gemm_3d_graph.h"

#include <fmt/format.h>

#include <algorithm>

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
    : ProductGraph(problem, machine, candidate, mapping),
      row_trees_(line_trees(layout_, GridAxis::row, machine, mapping)),
      col_trees_(line_trees(layout_, GridAxis::col, machine, mapping)) {
  if (layered()) side_ = tiles_a_side(rows(0), cols(0));
  ends_ = growing_squares(side_);
  for (int a = 0; a < side_; ++a) {
    for (int b = 0; b < side_; ++b) tiles_.push_back({a, b});
  }
  std::ranges::stable_sort(tiles_, {}, [](Tile const& t) { return std::max(t.a, t.b); });
}

std::string Gemm3dGraph::name(Task t) const {
  static constexpr char const* names[] = {"A", "B", "multiply", "sum"};
  return fmt::format("{}(row {}, column {}, layer {}, tile {})", names[t.kind], t.i, t.j, t.layer, t.k);
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

template <class Visit>
void Gemm3dGraph::each_received(GridAxis line, int layer, int to, Visit&& visit) const {
  for (int owner = 0; owner < layout_.length(line); ++owner) {
    if (owner == to) continue;
    auto const own = owned(line, layer, owner);
    auto const all = own.width() > 0 ? pieces(line, own.width()) : 0;
    for (int x = 0; x < all; ++x) visit(owner, x, piece(own, all, x));
  }
}

void Gemm3dGraph::entries(Rank rank, VisitTask visit) const {
  for (std::int64_t s = 0; s < steps(); ++s) {
    tasks(rank, s, [&](Task t) {
      if (num_parents(t) == 0) visit(t);
    });
  }
}

std::optional<std::int64_t> Gemm3dGraph::count(Rank rank) const {
  std::int64_t all = 0;
  for (std::int64_t s = 0; s < steps(); ++s) tasks(rank, s, [&](Task) { ++all; });
  return all;
}

int Gemm3dGraph::num_parents(Task t) const {
  if (t.kind == sum) return grid_.layers * sum_pieces();
  if (t.kind != multiply) return t.k > 0 ? 1 : 0;
  int parents = 0;
  each_received(GridAxis::row, t.layer, t.j, [&](int, int, Range const&) { ++parents; });
  each_received(GridAxis::col, t.layer, t.i, [&](int, int, Range const&) { ++parents; });
  return parents;
}

void Gemm3dGraph::children(Task t, VisitEdge visit) const {
  if (t.kind == sum) return;
  if (t.kind == multiply) {
    auto const [a, b] = tile(t);
    for (auto const kind : {of_a, of_b}) {
      Task const later{kind, t.layer, t.i, t.j, a + 1};
      if (a == b && later.k < side_ && sends(later)) visit({later, 0, 0, EdgeKind::order});
    }
    return send_sums(t, sum, t.k, visit);
  }
  auto const line = line_of(t);
  auto const all = pieces(line, owned(line, t.layer, index(t)).width());
  for (int to = 0; to < layout_.length(line); ++to) {
    if (to == index(t)) continue;
    for (std::int32_t k = 0; k < std::ssize(tiles_); ++k) {
      Task child{multiply, t.layer, t.i, t.j, k};
      if ((line == GridAxis::row ? tile(child).a : tile(child).b) != t.k) continue;
      (line == GridAxis::row ? child.j : child.i) = to;
      for (int x = 0; x < all; ++x) visit({child, input_of(line, index(t), x), x});
    }
  }
}

void Gemm3dGraph::contributors(Task t, int input, VisitTask visit) const {
  each_summand(t.layer, input, [&](int l) { visit({multiply, static_cast<std::uint16_t>(l), t.i, t.j, t.k}); });
}

Shape Gemm3dGraph::output(Task t, int x) const {
  if (t.kind == multiply) {
    auto const all = tile_cols(t.j, x / sum_pieces(), tile(t).b);
    return {tile_rows(t.i, tile(t).a), share(all, sum_pieces(), x % sum_pieces()), 0};
  }
  auto const own = owned(line_of(t), t.layer, index(t));
  auto const width = piece(own, pieces(line_of(t), own.width()), x).width();
  return t.kind == of_a ? Shape{tile_rows(t.i, t.k), width, 0} : Shape{width, tile_cols(t.j, t.k), 0};
}

int Gemm3dGraph::parts(Task t, int) const {
  if (t.kind == multiply) return 1;
  return pieces(line_of(t), owned(line_of(t), t.layer, index(t)).width());
}

std::optional<Shape> Gemm3dGraph::input(Task t, int index) const {
  if (t.kind == sum) {
    auto const all = tile_cols(t.j, t.layer, tile(t).b);
    return Shape{tile_rows(t.i, tile(t).a), share(all, sum_pieces(), index), 0};
  }
  auto const from = index / most_line_trees;
  auto const line = from < grid_.cols ? GridAxis::row : GridAxis::col;
  auto const own = owned(line, t.layer, from - (line == GridAxis::row ? 0 : grid_.cols));
  auto const width = piece(own, pieces(line, own.width()), index % most_line_trees).width();
  return line == GridAxis::row ? Shape{tile_rows(t.i, tile(t).a), width, 0}
                               : Shape{width, tile_cols(t.j, tile(t).b), 0};
}

Work Gemm3dGraph::work(Task t) const {
  auto const element = static_cast<double>(element_);
  if (t.kind == multiply) {
    auto const m = static_cast<double>(tile_rows(t.i, tile(t).a));
    auto const n = static_cast<double>(tile_cols(t.j, tile(t).b));
    auto const k = static_cast<double>(of_layer(t.layer));
    return {Kernel::gemm, 2 * m * n * k, element * (m * k + k * n + m * n)};
  }
  if (t.kind == sum) {
    auto const m = static_cast<double>(tile_rows(t.i, tile(t).a));
    return {Kernel::add, 0, element * m * static_cast<double>(tile_cols(t.j, t.layer, tile(t).b))};
  }
  auto const k = static_cast<double>(owned(line_of(t), t.layer, index(t)).width());
  return {Kernel::copy, 0,
          2 * element * k * static_cast<double>(t.kind == of_a ? tile_rows(t.i, t.k) : tile_cols(t.j, t.k))};
}

/// Tasks that other ranks wait for come before all products, in the order of the tiles that need them.
double Gemm3dGraph::priority(Task t) const {
  bool const sends = t.kind == of_a || t.kind == of_b;
  return static_cast<double>((sends ? 2 : 1) * steps() - step(t));
}

void Gemm3dGraph::writes(Task t, VisitTask visit) const {
  if (t.kind == multiply || t.kind == sum) visit({t.kind, 0, 0, 0, t.k});
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
    each_received(line, p.l, line == GridAxis::row ? p.j : p.i, [&](int, int, Range const& k) {
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
