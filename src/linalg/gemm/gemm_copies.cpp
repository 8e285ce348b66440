// 2.5D SUMMA with c copies of A and B (Solomonik11, slides 10 to 13; Solomonik and Demmel 2011): layer 0 holds A and B
// in blocks and sends all of them to the other layers, layer l multiplies slice l of k, and the layers' sums are
// reduce-scattered. A layer reads 1/c of its copies: summa25 has just these parts there from the start. The copies cost
// n^2 c/p words of A and of B per rank (docs/decisions/0011-products.md).
#include "gemm_graph.h"

namespace allport::gemm_detail {

Panel SummaGraph::half_of_block(Task t) const {
  bool const of_row = line_of(t) == GridAxis::row;
  auto const first = of_row ? parts_of_grid().stored_of_a(0, t.j) : parts_of_grid().stored_of_b(0, t.i);
  auto const all = of_row ? parts_of_grid().copied_of_a(t.j) : parts_of_grid().copied_of_b(t.i);
  return {first + cut(all, halves(), t.k), first + cut(all, halves(), t.k + 1), t.j, t.i};
}

Shape SummaGraph::shape_of_half(Task t) const {
  auto const k = half_of_block(t).width();
  return line_of(t) == GridAxis::row ? Shape{rows(t.i), k, 0} : Shape{k, cols(t.j), 0};
}

int SummaGraph::awaited_copies(Task t) const {
  if (!copies() || t.layer == 0) return 0;
  auto const now = panel(t);
  if (now.width() == 0) return 0;
  bool const reads_a = t.kind != of_b && now.a_owner == t.j;
  bool const reads_b = t.kind != of_a && now.b_owner == t.i;
  return halves() * ((reads_a ? 1 : 0) + (reads_b ? 1 : 0));
}

void SummaGraph::send_copies(Task t, VisitEdge visit) const {
  for (int l = 1; l < grid_.layers; ++l) {
    auto const layer = static_cast<std::uint16_t>(l);
    visit({{kind_of_copy(line_of(t), l), layer, t.i, t.j, t.k}, own, t.k});
  }
}

void SummaGraph::release(Task t, VisitEdge visit) const {
  auto const line = line_of(t);
  auto const& of = layer(t.layer);
  for (std::size_t s = 0; s < of.slabs.size(); ++s) {
    auto const& slab = of.slabs[s];
    if (slab.length == 0 || (line == GridAxis::row ? slab.a_owner != t.j : slab.b_owner != t.i)) continue;
    for (auto k = of.before[s]; k < of.before[s] + slab.panels; ++k) {
      Task reader{multiply, t.layer, t.i, t.j, static_cast<std::int32_t>(k)};
      visit({reader, own, 0, EdgeKind::order});
      reader.kind = line == GridAxis::row ? of_a : of_b;
      if (travels(line)) visit({reader, own, 0, EdgeKind::order});
    }
  }
}

Index SummaGraph::elements_of_copies(GridCoords p) const {
  return rows(p.i) * parts_of_grid().copied_of_a(p.j) + cols(p.j) * parts_of_grid().copied_of_b(p.i);
}

/// The copies, every panel of other ranks once, and the sums.
Traffic SummaGraph::received_with_copies(GridCoords p) const {
  auto elements = sums_received(p);
  std::int64_t messages = sum_messages();
  if (p.l > 0) {
    elements += elements_of_copies(p);
    messages += 2 * halves();
  }
  for (auto const& slab : layer(p.l).slabs) {
    for (auto const line : {GridAxis::row, GridAxis::col}) {
      bool const of_row = line == GridAxis::row;
      if (of_row ? slab.a_owner == p.j : slab.b_owner == p.i) continue;
      elements += slab.length * (of_row ? rows(p.i) : cols(p.j));
      messages += slab.panels * pieces(line);
    }
  }
  return {0, messages, 0, elements * element_};
}

namespace {

std::optional<std::string> needs_layers_to_copy(GemmGrid const& grid) {
  return grid.layers > 1 ? std::nullopt : std::optional<std::string>("needs c > 1; with c = 1 it is 'summa'");
}

}  // namespace

extern Method const summa25_copies{"summa25_copies",
                                   "2.5D SUMMA with copies: layer 0 copies A and B to c layers, whose sums are "
                                   "reduce-scattered (Solomonik11, slide 10)",
                                   Method::Form::summa,
                                   true,
                                   needs_layers_to_copy,
                                   on_layer_0,
                                   true};

}  // namespace allport::gemm_detail
