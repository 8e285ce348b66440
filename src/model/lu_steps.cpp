#include "lu_steps.h"

#include <algorithm>
#include <cmath>

namespace allport::model {

namespace {

using Visit = std::function<void(LuStep const&)>;
using Kind = LuStep::Kind;

/// Small steps, one per b columns: corner, then pieces of L and U within the outer panel (Solomonik11, slides 14 and
/// 15, A).
void small_steps(LuShape const& s, Visit const& visit) {
  auto const steps = s.n / s.b;
  for (auto const line : {s.grid.layers, s.grid.rows, s.grid.columns}) {
    visit({LuPart::corner, Kind::multicast, line, steps, s.b * s.b});
  }
  if (s.big == s.b) {
    return;  // a small panel is the whole panel: the update broadcasts it
  }
  // The last small step of an outer panel has no panel left to update. Layers share the rows of L and columns of U;
  // those within the outer corner are needed on all layers, so they come along in every line's multicast.
  auto const inner = steps * (1.0 - s.b / s.big);
  auto const share = s.b * (s.n - s.b) / 2.0 / s.layers;
  auto const within = s.b * (s.big - s.b) / 2.0;
  visit({LuPart::corner, Kind::multicast, s.grid.layers, inner, within / s.rows + within / s.columns});
  visit({LuPart::panels, Kind::multicast, s.grid.columns, inner, (share + within) / s.rows});
  visit({LuPart::panels, Kind::multicast, s.grid.rows, inner, (share + within) / s.columns});
}

/// Big steps, one per B_g columns: exchange between the layers (B), update of the rest (C), next panels (D).
void big_steps(LuShape const& s, Visit const& visit) {
  auto const steps = s.n / s.big;
  auto const with = (s.n + s.big) / 2.0;   // rows of the panel, in the mean
  auto const after = (s.n - s.big) / 2.0;  // rows below it
  auto const share = s.big / (s.rows * s.columns);
  visit({LuPart::exchange, Kind::multicast, s.grid.layers, 2.0 * s.layers * steps, with * share / s.layers});
  // A layer multiplies its 1/c of the panel, which lies in so many columns (L) and rows (U) of the grid.
  auto const pieces = s.big / s.b;
  auto const l = std::max(1.0, std::min(s.columns, pieces) / s.layers);
  auto const u = std::max(1.0, std::min(s.rows, pieces) / s.layers);
  visit({LuPart::update, Kind::multicast, s.grid.columns, steps * l, after / s.rows * s.big / (s.layers * l)});
  visit({LuPart::update, Kind::multicast, s.grid.rows, steps * u, after / s.columns * s.big / (s.layers * u)});
  if (s.grid.layers == 1) {
    return;
  }
  // Layer 0 starts with the matrix, so that the first panels are only spread; then L's and U's next panels are summed.
  auto const sums = 2.0 * (steps - 1.0);
  if (sums > 0.0) {
    auto const next = s.n / 2.0 * share;  // mean over steps 1..: (n - B_g) down to B_g
    visit({LuPart::reduce, Kind::reduction, s.grid.layers, sums, next});
    visit({LuPart::reduce, Kind::multicast, s.grid.layers, sums, next});
  }
  visit({LuPart::reduce, Kind::multicast, s.grid.layers, 2.0, s.n * share});
}

/// Tournament per small panel, rows exchanged within the outer panel at once and in the rest of the matrix per outer
/// step.
void pivot_steps(LuShape const& s, Visit const& visit) {
  auto const steps = s.n / s.b;
  auto const rounds = [](std::int64_t nodes) { return std::ceil(std::log2(static_cast<double>(nodes))); };
  for (auto const line : {s.grid.rows, s.grid.layers}) {  // b rows of b words and their names, up a tree
    visit({LuPart::pivot, Kind::message, line, steps * rounds(line), s.b * s.b + s.b});
  }
  for (auto const line : {s.grid.layers, s.grid.rows, s.grid.columns}) {  // names of the winners
    visit({LuPart::pivot, Kind::multicast, line, steps, s.b});
  }
  auto const width = std::max(s.b, s.big / s.columns);
  visit({LuPart::pivot, Kind::multicast, s.grid.rows, steps, s.b * width});  // displaced rows down the column
  visit({LuPart::pivot, Kind::reduction, s.grid.rows, steps, s.b * width});  // winners up to their place
  // Left and right of the panel B_g rows change places with as many others, on all layers.
  auto const moved = 2.0 * s.big / s.rows * (s.n - s.big) / s.columns;
  if (moved > 0.0) {
    visit({LuPart::pivot, Kind::exchange, s.grid.rows, s.n / s.big, moved});
  }
}

}  // namespace

LuShape lu_shape(std::int64_t n, GemmGrid grid, LuBlocks blocks) {
  ensure(n >= 1, "n", n, "a number >= 1");
  ensure(grid.rows >= 1 && grid.columns >= 1 && grid.layers >= 1, "grid",
         std::min({grid.rows, grid.columns, grid.layers}), "sides >= 1");
  ensure(grid.layers <= std::max(grid.rows, grid.columns), "grid.layers", grid.layers,
         "at most the longer side of a layer, c <= q");
  ensure(blocks.panel >= 1 && blocks.panel <= n, "panel", blocks.panel, "1 <= b <= n");
  ensure(blocks.outer_panel >= blocks.panel && blocks.outer_panel <= n, "outer_panel", blocks.outer_panel,
         "b <= B_g <= n");
  ensure(grid.layers > 1 || blocks.outer_panel == blocks.panel, "outer_panel", blocks.outer_panel,
         "b if there is one layer");
  auto const d = [](std::int64_t x) { return static_cast<double>(x); };
  return {grid, d(n), d(blocks.panel), d(blocks.outer_panel), d(grid.rows), d(grid.columns), d(grid.layers)};
}

void visit_lu_steps(LuShape const& shape, LuPivoting pivoting, Visit const& visit) {
  small_steps(shape, visit);
  big_steps(shape, visit);
  if (pivoting == LuPivoting::tournament) {
    pivot_steps(shape, visit);
  }
}

}  // namespace allport::model
